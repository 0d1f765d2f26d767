import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createPrice } from "../budget/price.js";
import { type Dataset, makeDataset } from "../core/dataset.js";
import type { Example } from "../core/example.js";
import type { EvalRow } from "../core/row.js";
import type { System } from "../core/system.js";
import { evaluate } from "../evaluate.js";
import { loadRun } from "./load-run.js";

const echo: System = {
  name: "echo",
  fingerprint: () => "echo",
  process: ({ question }) => ({ response: question ?? "" }),
};

const exact = {
  name: "exact",
  fields: ["exact"],
  score: (example: Example, output: { response?: string }) => ({ exact: output.response === example.question ? 1 : 0 }),
};

function countByExample(rows: readonly EvalRow[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { exampleId } of rows) counts[exampleId] = (counts[exampleId] ?? 0) + 1;
  return counts;
}

function createDataset(examples: readonly Example[], limits?: Dataset["limits"]): Dataset {
  return makeDataset({ name: "d", examples, evaluators: [exact], ...(limits === undefined ? {} : { limits }) });
}

describe("limits of single examples", () => {
  it("set the trials of an example, from the example or from the dataset", async () => {
    const examples = [
      { id: "a", question: "a", limits: { trials: 3 } },
      { id: "b", question: "b" },
      { id: "c", question: "c" },
      { id: "d", question: "d", limits: "a column of that name" },
    ];
    const { rows, config, summary } = await evaluate({
      systems: [echo],
      datasets: [createDataset(examples, new Map([["c", { trials: 1 }]]))],
      trials: 2,
    });
    expect(countByExample(rows)).toEqual({ a: 3, b: 2, c: 1, d: 2 });
    expect(config.trials).toBe(3);
    expect(config.datasets[0]).toMatchObject({
      limits: {
        trials: 2,
        examples: [
          { id: "a", trials: 3 },
          { id: "c", trials: 1 },
        ],
      },
    });
    expect(config.datasets[0]).not.toHaveProperty("terms");
    expect(summary.echo).toMatchObject({ pass_hat_3: 1, pass_hat_3_n: 1 });
  });

  it("stop a trial at its own time", async () => {
    const waiting: System = {
      name: "waiting",
      process: ({ id, question = "" }, { signal }) =>
        new Promise((resolve, reject) => {
          if (id === "usual") resolve({ response: question });
          else signal.addEventListener("abort", () => reject(signal.reason as Error), { once: true });
        }),
    };
    const { rows } = await evaluate({
      systems: [waiting],
      datasets: [
        createDataset([
          { id: "short", question: "q", limits: { timeout: "10ms" } },
          { id: "usual", question: "q" },
        ]),
      ],
    });
    const ends = Object.fromEntries(rows.map((row) => [row.exampleId, row.errorCategory]));
    expect(ends).toEqual({ short: "time_killed", usual: "none" });
  });

  it("are kept on resume, and a run that was cut off knows what is missing", async () => {
    const runsDir = mkdtempSync(join(tmpdir(), "assay-limits-"));
    try {
      const controller = new AbortController();
      let calls = 0;
      const stopping: System = {
        ...echo,
        process: ({ question }) => {
          calls += 1;
          if (calls === 2) controller.abort();
          return { response: question ?? "" };
        },
      };
      const create = (trials: number) =>
        createDataset([
          { id: "a", question: "a", limits: { trials } },
          { id: "b", question: "b" },
        ]);
      const options = { systems: [stopping], maxWorkers: 1, runsDir };
      const first = await evaluate({ ...options, datasets: [create(4)], signal: controller.signal });
      const dir = first.runDir ?? "";
      const stored = await loadRun(dir);
      expect(countByExample(stored.rows)).toEqual({ a: 4, b: 1 });
      await expect(evaluate({ ...options, datasets: [create(3)], resume: dir })).rejects.toThrow(/single examples/);
      const all = await evaluate({ ...options, datasets: [create(4)], resume: dir });
      expect(all.rows.map(({ outcome }) => outcome)).toEqual(Array.from({ length: 5 }, () => "pass"));
    } finally {
      rmSync(runsDir, { recursive: true, force: true });
    }
  });

  it("hold a trial to its own dollars", async () => {
    const price = createPrice({ input_per_1k: 1, output_per_1k: 1 }, "test");
    const spending: System = {
      name: "spending",
      limits: { price, maxCostUsd: null, hardTimeoutMs: null },
      process: async (_, { budget, signal }) => {
        budget?.add({ input: 0, output: 1000 });
        if (signal.aborted) throw signal.reason;
        return { response: "q", usage: { input: 0, output: 1000 } };
      },
    };
    const { rows } = await evaluate({
      systems: [spending],
      datasets: [
        createDataset([
          { id: "cheap", question: "q", limits: { max_cost_usd: 0.5 } },
          { id: "usual", question: "q" },
        ]),
      ],
    });
    const ends = Object.fromEntries(rows.map((row) => [row.exampleId, row.errorCategory]));
    expect(ends.cheap).toBe("cost_killed");
    expect(ends.usual).toBe("none");
  });

  it.each([
    [{ trials: 0 }, /limits.trials that is the number 0/],
    [{ timeout: 30 }, /limits.timeout that is the number 30: it must be a duration with a unit/],
    [{ max_cost_usd: -1 }, /limits.max_cost_usd that is the number -1/],
    [{ trails: 3 }, /unknown key "trails". Did you mean "trials"/],
  ])("must be limits: %j", async (limits, message) => {
    const datasets = [createDataset([{ id: 1, question: "q", limits }])];
    await expect(evaluate({ systems: [echo], datasets })).rejects.toThrow(message);
  });
});
