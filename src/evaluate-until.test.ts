import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createPrice } from "./budget/index.js";
import { makeDataset } from "./core/dataset.js";
import type { Example } from "./core/example.js";
import type { System } from "./core/system.js";
import { evaluate } from "./evaluate.js";
import { compareRuns } from "./metrics/index.js";
import { type EvaluateOptions, loadRun } from "./runs/index.js";
import { createRandom, hashSeed } from "./stats/index.js";
import { TempProject } from "./testing/temp-project.js";

const EVALUATOR = {
  name: "e",
  score: (_: Example, { response }: { response?: string }) => ({ em: response === "yes" ? 1 : 0 }),
};

function createSystem(name: string, rate: number, seed = 0): System & { calls: number } {
  return {
    name,
    calls: 0,
    fingerprint: () => [name, rate, seed],
    process({ id }) {
      this.calls += 1;
      return { response: createRandom(hashSeed(seed, name, String(id))).next() < rate ? "yes" : "no", costUsd: 0.02 };
    },
  };
}

const createTasks = (count: number): Example[] =>
  Array.from({ length: count }, (_, id) => ({ id, question: `q${id}` }));

function run(systems: readonly System[], more: Partial<EvaluateOptions> = {}) {
  return evaluate({ systems, dataset: createTasks(400), evaluators: [EVALUATOR], until: "decided", ...more });
}

describe("a run with a question", () => {
  it("stops early, has rows for what ran, and reports what was not spent", async () => {
    const systems = [createSystem("a", 0.5), createSystem("b", 0.85)];
    const result = await run(systems);
    const { sequential } = result;
    expect(sequential).toMatchObject({ isDecided: true, question: "decided", tasks: { planned: 400, passedOver: 0 } });
    expect(sequential?.findings).toMatchObject([{ system: "b", baseline: "a", answer: "better", isFinal: false }]);
    expect(result.rows).toHaveLength(systems.reduce((sum, { calls }) => sum + calls, 0));
    expect(result.rows.length).toBeLessThan(400);
    expect(result.summary.a).toMatchObject({ coverage: 1, num_skipped: 0 });
    const notRun = 800 - result.rows.length;
    expect(sequential?.notSpentUsd).toBeCloseTo(0.02 * notRun, 9);
    expect(sequential?.fixedUsd).toBeCloseTo(16, 9);
  });

  it("has intervals that hold at any time, and no others", async () => {
    const result = await run([createSystem("a", 0.5), createSystem("b", 0.85)]);
    const arm = result.sequential?.arms[0];
    expect(result.summary.a?.pass_rate_ci_low).toBeLessThanOrEqual(arm?.intervals.pass_rate.low ?? Number.NaN);
    const bounds = Object.entries(result.summary.a ?? {}).filter(([key]) => /_ci_(?:low|high)$/.test(key));
    const kept = bounds.filter(([, value]) => value !== null).map(([key]) => key.replace(/_ci_.*/, ""));
    expect(new Set(kept)).toEqual(new Set(["pass_rate", "mean_score"]));
    expect(result.recommendation).toBeNull();
    expect(result.toTable()).toMatch(/b is better than a by .*; decided after \d+ of 400 tasks/);
    expect(result.toTable()).not.toMatch(/\bp [<=]|not significant|Recommendation/);
    expect(result.filter({ trial: 0 }).summary.a?.pass_rate_ci_low).toBeNull();
    expect(() => compareRuns(result, result, { systemA: "a", systemB: "b" })).toThrow(/run with --until "decided"/);
  });

  it("is reported alike from its folder, and when it is resumed", async () => {
    const project = new TempProject();
    const systems = [createSystem("a", 0.5), createSystem("b", 0.8), createSystem("c", 0.82)];
    const result = await run(systems, { until: "best of 3", runsDir: join(project.dir, "runs") });
    const dir = result.runDir ?? "";
    const loaded = await loadRun(dir);
    expect(loaded.sequential).toEqual(result.sequential);
    expect(loaded.toTable()).toBe(result.toTable());
    const again = [createSystem("a", 0.5), createSystem("b", 0.8), createSystem("c", 0.82)];
    const resumed = await run(again, { until: "best of 3", resume: dir });
    expect(again.map(({ calls }) => calls)).toEqual([0, 0, 0]);
    expect(resumed.sequential).toEqual(result.sequential);
  });

  it.each([1, 15, 29])("decides the same after a kill that left %i rows", async (kept) => {
    const project = new TempProject();
    const create = () => [createSystem("a", 0.5), createSystem("b", 0.85)];
    const whole = await run(create(), { runsDir: join(project.dir, "runs"), maxWorkers: 3 });
    const dir = whole.runDir ?? "";
    const path = join(dir, "rows.jsonl");
    const lines = readFileSync(path, "utf8").split("\n");
    writeFileSync(path, `${lines.slice(0, kept).join("\n")}\n{"system":"a","exa`);
    const systems = create();
    const resumed = await run(systems, { resume: dir });
    expect(resumed.sequential?.findings).toEqual(whole.sequential?.findings);
    expect(systems.reduce((sum, { calls }) => sum + calls, 0)).toBeGreaterThan(0);
  });

  it("decides the same with a budget that is spent before, and more of it later", async () => {
    const project = new TempProject();
    const create = () =>
      [createSystem("a", 0.5), createSystem("b", 0.85)].map((system) => ({
        ...system,
        limits: {
          price: createPrice({ input_per_1k: 0, output_per_1k: 1 }, "test"),
          maxCostUsd: 0.02,
          hardTimeoutMs: 60_000,
        },
      }));
    const whole = await run(create());
    const budget = (maxCostUsd: number) => ({ run: { maxCostUsd }, trial: { maxCostUsd: 0.02 } });
    const first = await run(create(), { runsDir: join(project.dir, "runs"), budget: budget(0.4) });
    expect(first.sequential).toMatchObject({ isDecided: false, spentUsd: expect.closeTo(0.4, 9) });
    const resumed = await run(create(), { resume: first.runDir ?? "", budget: budget(8) });
    expect(resumed.sequential?.findings).toEqual(whole.sequential?.findings);
    expect(resumed.budget?.spentUsd).toBeLessThan(8);
  });

  it("keeps its question: another is refused, and none goes on to the end", async () => {
    const project = new TempProject();
    const create = () => [createSystem("a", 0.5), createSystem("b", 0.85)];
    const first = await run(create(), { runsDir: join(project.dir, "runs") });
    const resume = first.runDir ?? "";
    await expect(run(create(), { resume, until: "best" })).rejects.toThrow(
      /started with --until "decided".*guarantee would be lost/s,
    );
    const { until: _, ...fixed } = { systems: create(), dataset: createTasks(400), evaluators: [EVALUATOR], until: 0 };
    await expect(evaluate({ ...fixed, resume })).rejects.toThrow(/cannot be resumed without --until/);
    const whole = await run(create(), { resume, until: "none" });
    expect(whole.rows).toHaveLength(800);
    expect(whole.sequential?.findings).toEqual(first.sequential?.findings);
  });

  it("says undecided, with skipped rows, when it is stopped before", async () => {
    const stop = new AbortController();
    const a = createSystem("a", 0.5);
    const { process } = a;
    a.process = function (example, trial) {
      if (this.calls === 12) stop.abort();
      return process.call(this, example, trial);
    };
    const b = createSystem("b", 0.5);
    const result = await run([a, b], { signal: stop.signal, maxWorkers: 2 });
    expect(result.sequential?.isDecided).toBe(false);
    expect(result.rows).toHaveLength(800);
    expect(result.summary.a?.coverage).toBeLessThan(0.5);
  });

  it("passes over tasks without a score from every system, and counts them", async () => {
    const broken = createSystem("b", 0.9);
    const { process } = broken;
    broken.process = function (example, trial) {
      if (Number(example.id) % 5 === 0) throw new Error("down");
      return process.call(this, example, trial);
    };
    const { sequential } = await run([createSystem("a", 0.5), broken]);
    expect(sequential?.isDecided).toBe(true);
    const { seen = 0, passedOver = 0 } = sequential?.tasks ?? {};
    expect(passedOver).toBeGreaterThan(0);
    expect(sequential?.findings[0]?.n).toBe(seen - passedOver);
  });

  it("counts each group once, and has no interval beside means over tasks if groups differ in size", async () => {
    const makeTalks = (sizes: readonly number[]) => {
      const examples = sizes.flatMap((size, talk) =>
        Array.from({ length: size }, (_, i) => ({ id: `${talk}-${i}`, question: "q", talk })),
      );
      return makeDataset({ name: "talks", examples, groupBy: "talk" });
    };
    const sizes = Array.from({ length: 40 }, (_, talk) => (talk % 2 === 0 ? 1 : 7));
    // Only the whole dataset is that precise.
    const until = { question: "precision<=0.0001", population: "dataset" };
    const result = await run([createSystem("a", 0.6)], { dataset: makeTalks(sizes), until });
    const rates = sizes.map(
      (size, talk) => result.rows.filter(({ group, passed }) => group === talk && passed).length / size,
    );
    const [finding] = result.sequential?.findings ?? [];
    expect(finding?.value).toBeCloseTo(rates.reduce((sum, each) => sum + each, 0) / 40, 12);
    expect(finding).toMatchObject({ n: 40, answer: "precise", low: finding?.value, high: finding?.value });
    expect(result.summary.a?.pass_rate).not.toBeCloseTo(finding?.value ?? 0, 3);
    expect(result.sequential?.groups).toEqual({ planned: 40, seen: 40, smallest: 1, largest: 7 });
    expect(result.summary.a).toMatchObject({ pass_rate_ci_low: null, mean_score_ci_high: null });
    expect(result.reasons.a?.pass_rate_ci_low).toMatch(/about the mean over groups/);
    expect(result.toTable()).toContain("Groups of 1 to 7 tasks count once each");
    const even = await run([createSystem("a", 0.6)], { dataset: makeTalks(sizes.map(() => 4)), until });
    expect(even.sequential?.groups).toMatchObject({ smallest: 4, largest: 4 });
    expect(even.summary.a?.pass_rate_ci_low).toBeGreaterThan(0.3);
    expect(even.toTable()).not.toContain("count once each");
  });

  it("refuses a field that is not a score", async () => {
    const evaluators = [{ name: "words", score: () => ({ words: 12 }) }];
    await expect(
      run([createSystem("a", 0.5), createSystem("b", 0.5)], { evaluators, scoreField: "words" }),
    ).rejects.toThrow(/score/);
  });

  it("is wrong about equal systems about as rarely as it says", async () => {
    let wrong = 0;
    for (let seed = 0; seed < 60; seed++) {
      const systems = [createSystem("a", 0.7, seed), createSystem("b", 0.7, seed)];
      const { sequential } = await run(systems, { dataset: createTasks(120), seed });
      if (sequential?.isDecided === true) wrong += 1;
    }
    // At 5 %, more than 8 of 60 has a chance of 0.3 %. The seeds are fixed.
    expect(wrong).toBeLessThanOrEqual(8);
  });
});
