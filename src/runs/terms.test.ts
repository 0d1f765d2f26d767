import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type Dataset, type DatasetOverrides, makeDataset } from "../core/dataset.js";
import type { System } from "../core/system.js";
import { evaluate } from "../evaluate.js";
import { readManifest } from "../store/journal.js";

const echo = (name: string): System => ({ name, process: ({ question }) => ({ response: question ?? "" }) });

const exact = {
  name: "exact",
  fields: ["exact"],
  score: (example: { answer?: string }, output: { response?: string }) => ({
    exact: output.response === example.answer ? 1 : 0,
  }),
};

function dataset(name: string, ids: readonly string[], terms?: DatasetOverrides): Dataset {
  const examples = ids.map((id) => ({ id, question: id, answer: id }));
  return makeDataset({ name, examples, evaluators: [exact], ...(terms === undefined ? {} : { terms }) });
}

describe("overrides of a dataset", () => {
  it("select systems and trial counts: one run with gaps", async () => {
    const { rows, summary } = await evaluate({
      systems: [echo("a"), echo("b")],
      datasets: [dataset("one", ["x", "y"], { systems: ["a"], trials: 3 }), dataset("two", ["z"])],
      trials: 2,
    });
    const counts = new Map<string, number>();
    for (const { system, dataset: name } of rows) {
      const key = `${system} ${name}`;
      counts.set(key, (counts.get(key) ?? 0) + 1);
    }
    expect(Object.fromEntries(counts)).toEqual({ "a one": 6, "a two": 2, "b two": 2 });
    expect(rows.every(({ outcome }) => outcome === "pass")).toBe(true);
    expect(summary.a).toMatchObject({ coverage: 1, pass_hat_3: 1, pass_hat_3_n: 2 });
  });

  it("are complete on resume, and compared with those of the run", async () => {
    const runsDir = await mkdtemp(join(tmpdir(), "assay-terms-"));
    try {
      const controller = new AbortController();
      let calls = 0;
      const stopping: System = {
        ...echo("a"),
        fingerprint: () => "a",
        process: ({ question }) => {
          calls += 1;
          if (calls === 3) controller.abort();
          return { response: question ?? "" };
        },
      };
      const datasets = () => [dataset("one", ["x", "y"], { systems: ["a"], trials: 4 }), dataset("two", ["z"])];
      const options = { systems: [stopping, echo("b")], maxWorkers: 1 };
      const first = await evaluate({ ...options, datasets: datasets(), runsDir, signal: controller.signal });
      expect(first.rows).toHaveLength(10);
      const dir = first.runDir ?? "";
      expect(readManifest(dir)).toMatchObject({ planned: 10 });
      const others = [dataset("one", ["x", "y"]), dataset("two", ["z"])];
      await expect(evaluate({ ...options, datasets: others, resume: dir })).rejects.toThrow("planned differently");
      const second = await evaluate({ ...options, datasets: datasets(), resume: dir });
      expect(second.rows.map(({ outcome }) => outcome)).toEqual(new Array(10).fill("pass"));
    } finally {
      await rm(runsDir, { recursive: true, force: true });
    }
  });

  it("limit the time of a trial", async () => {
    const slow: System = {
      name: "slow",
      process: (_, { signal }) =>
        new Promise((_resolve, reject) =>
          signal.addEventListener("abort", () => reject(new Error("stopped", { cause: signal.reason }))),
        ),
    };
    const { rows } = await evaluate({ systems: [slow], dataset: dataset("one", ["x"], { hardTimeoutMs: 20 }) });
    expect(rows[0]).toMatchObject({ errorCategory: "time_killed", outcome: "fail" });
  });

  it.each([
    [{ systems: ["c"] }, /system "c".*Did you mean/s],
    [{ systems: [] }, /targets no system/],
    [{ trials: 0 }, /trials of the dataset one/],
    [{ maxCostUsd: -1 }, /maxCostUsd of the dataset one/],
    [{ hardTimeoutMs: 0 }, /hardTimeoutMs of the dataset one/],
    [{ maxCostUsd: 1 }, /"one" limits each trial to \$1\.00, but no price is known for the system "a", .* models\.yml/],
    [{ runs: 3 } as DatasetOverrides, /unknown key "runs"/],
  ])("are rejected if they cannot be enforced: %o", async (terms, message) => {
    const run = evaluate({ systems: [echo("a"), echo("b")], dataset: dataset("one", ["x"], terms) });
    await expect(run).rejects.toThrow(message);
  });
});
