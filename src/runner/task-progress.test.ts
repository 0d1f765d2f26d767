import { setImmediate as turn } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { CostBudget } from "../budget/index.js";
import type { Dataset } from "../core/dataset.js";
import { TrialError } from "../core/errors.js";
import type { Evaluator } from "../core/evaluator.js";
import type { Example } from "../core/example.js";
import type { EvalRow } from "../core/row.js";
import type { System } from "../core/system.js";
import { createRandom, hashSeed, permutation } from "../stats/index.js";
import { makePlan, type PlanOptions } from "./plan.js";
import type { RunPorts, StopAnswer, StopRule } from "./ports.js";
import { type EarlierResults, NO_EARLIER_RESULTS } from "./row-collector.js";
import { runPlan } from "./run.js";

const ANSWERED: Evaluator = { name: "answered", score: (_, { response }) => ({ em: response === "yes" ? 1 : 0 }) };
const GO_ON: StopAnswer = { isDecided: false, dropped: [] };

function makeExamples(count: number): Example[] {
  return Array.from({ length: count }, (_, id) => ({ id, question: `question ${id}` }));
}

/** Records what it is shown, and answers as told by the number of the task. */
class ScriptedRule implements StopRule {
  readonly seen: EvalRow[][] = [];
  readonly #answer: (task: number) => StopAnswer;

  constructor(answer: (task: number) => StopAnswer = () => GO_ON) {
    this.#answer = answer;
  }

  look(rows: readonly EvalRow[]): StopAnswer {
    this.seen.push([...rows]);
    return this.#answer(this.seen.length);
  }

  get tasks(): unknown[] {
    return this.seen.map(([row]) => row?.exampleId);
  }
}

interface Scripted extends Partial<PlanOptions> {
  rule?: StopRule;
  ports?: Partial<RunPorts>;
  earlier?: EarlierResults;
}

async function run({ rule = new ScriptedRule(), ports, earlier = NO_EARLIER_RESULTS, ...options }: Scripted) {
  const plan = await makePlan({
    systems: [],
    datasets: [makeExamples(20)],
    evaluators: [ANSWERED],
    metrics: [],
    order: "tasks",
    ...options,
  });
  const rows = await runPlan(
    plan,
    {
      clock: () => performance.now(),
      tokenizer: { name: "none", count: () => 0 },
      cache: null,
      sink: null,
      signal: new AbortController().signal,
      maxWorkers: 4,
      budget: { limitsOf: ({ limits }) => limits ?? null, open: () => new CostBudget({}), run: null },
      retry: { maxRetries: 0, maxWaitMs: 0 },
      whenIdle: () => () => {},
      onProgress: null,
      stopRule: rule,
      ...ports,
    },
    earlier,
  );
  return { plan, rows };
}

/** Waits for a random number of turns, so that trials finish in another order than they start. */
function createSlowSystem(name: string, turns: number, more: Partial<System> = {}) {
  const random = createRandom(hashSeed(name));
  const calls: unknown[] = [];
  const process = async ({ id }: Example) => {
    calls.push(id);
    for (let i = random.int(turns + 1); i > 0; i--) await turn();
    return { response: "yes" };
  };
  return { name, process, calls, ...more };
}

describe("a run in the order of tasks", () => {
  it("shows every task to the rule once, complete, in the seeded order", async () => {
    const rule = new ScriptedRule();
    const systems = [createSlowSystem("a", 9), createSlowSystem("b", 2), createSlowSystem("c", 0)];
    const { rows } = await run({ rule, systems, trials: 2, seed: 3 });
    expect(rule.tasks).toEqual([...permutation(20, createRandom(hashSeed(3, "tasks")))]);
    for (const task of rule.seen) expect(task.map(({ system, trial }) => `${system}${trial}`)).toHaveLength(6);
    expect(rows).toHaveLength(120);
  });

  it("shows whole groups", async () => {
    const examples = makeExamples(12).map((example, i) => ({ ...example, talk: "abcd"[i % 4] }));
    const dataset: Dataset = {
      name: "talks",
      examples,
      groupBy: "talk",
      [Symbol.iterator]: () => examples[Symbol.iterator](),
    };
    const rule = new ScriptedRule();
    await run({ rule, systems: [createSlowSystem("a", 5), createSlowSystem("b", 1)], datasets: [dataset] });
    const talks = rule.seen.map((rows) => [...new Set(rows.map(({ group }) => group))]);
    expect(talks.map((own) => own.length)).toEqual([1, 1, 1, 1]);
    expect(new Set(talks.flat()).size).toBe(4);
    expect(rule.seen.map((rows) => rows.length)).toEqual([6, 6, 6, 6]);
  });

  it("admits no further trials once it is decided, and has no rows for them", async () => {
    const rule = new ScriptedRule((task) => ({ isDecided: task >= 5, dropped: [] }));
    const systems = [createSlowSystem("a", 6), createSlowSystem("b", 6)];
    const { rows } = await run({ rule, systems, datasets: [makeExamples(1000)] });
    expect(rows.every(({ outcome }) => outcome === "pass")).toBe(true);
    // Five tasks, and at most those that four workers had begun.
    expect(rows.length).toBeGreaterThanOrEqual(10);
    expect(rows.length).toBeLessThanOrEqual(2 * (5 + 4));
    expect(rows.length).toBe(systems.reduce((sum, { calls }) => sum + calls.length, 0));
  });

  it("stops the trials of dropped systems only", async () => {
    const rule = new ScriptedRule((task) => ({ isDecided: false, dropped: task >= 3 ? ["b"] : [] }));
    const systems = [createSlowSystem("a", 3), createSlowSystem("b", 3), createSlowSystem("c", 3)];
    const { rows } = await run({ rule, systems });
    const count = (name: string) => rows.filter(({ system }) => system === name).length;
    expect([count("a"), count("c")]).toEqual([20, 20]);
    expect(count("b")).toBeLessThanOrEqual(3 + 4);
    expect(rule.seen).toHaveLength(20);
    expect(rows.some(({ outcome }) => outcome === "skipped")).toBe(false);
  });

  it("keeps a fast endpoint close to a slow one", async () => {
    let far = 0;
    const slow = createSlowSystem("slow", 12, { maxParallel: 2, endpoint: "http://slow" });
    const fast = createSlowSystem("fast", 0, { endpoint: "http://fast" });
    const rule = new ScriptedRule((task) => {
      far = Math.max(far, fast.calls.length - task);
      return { isDecided: task === 30, dropped: [] };
    });
    const { rows } = await run({ rule, systems: [slow, fast], datasets: [makeExamples(300)] });
    expect(far).toBeLessThanOrEqual(4);
    expect(fast.calls).toHaveLength(rows.filter(({ system }) => system === "fast").length);
    expect(fast.calls.length).toBeLessThanOrEqual(34);
    // Both endpoints have the same order of tasks.
    expect(fast.calls.slice(0, 30)).toEqual(slow.calls.slice(0, 30));
  });

  it("goes on past trials that failed", async () => {
    const broken: System = {
      name: "broken",
      process: ({ id }) => {
        if (id === 4) throw new TrialError("api_error", "down");
        return { response: "yes" };
      },
    };
    const rule = new ScriptedRule();
    await run({ rule, systems: [broken, createSlowSystem("b", 2)] });
    expect(rule.seen).toHaveLength(20);
  });

  it("does not decide by tasks that were interrupted, and reports what is missing", async () => {
    const stop = new AbortController();
    const a = createSlowSystem("a", 3);
    const rule = new ScriptedRule((task) => {
      if (task === 6) stop.abort();
      return GO_ON;
    });
    const { rows } = await run({ rule, systems: [a, createSlowSystem("b", 1)], ports: { signal: stop.signal } });
    expect(rows).toHaveLength(40);
    expect(rows.filter(({ outcome }) => outcome === "skipped").length).toBeGreaterThan(20);
    expect(rule.seen.length).toBeLessThan(12);
  });

  it("ends when the budget refuses one endpoint while another waits for it", async () => {
    let reserved = 0;
    const refuse: RunPorts["budget"] = {
      limitsOf: () => null,
      open: () => new CostBudget({}),
      run: {
        reserve: ({ system }) =>
          system.name === "dear" && ++reserved > 7 ? "refuse" : { reservedUsd: 0, judgeUsd: 0 },
        settle: () => {},
      },
    };
    const systems = [
      createSlowSystem("dear", 2, { endpoint: "http://dear" }),
      createSlowSystem("cheap", 0, { endpoint: "http://cheap" }),
    ];
    const rule = new ScriptedRule();
    const { rows } = await run({ rule, systems, ports: { budget: refuse } });
    expect(rule.seen.length).toBeLessThanOrEqual(7);
    expect(rows).toHaveLength(40);
    expect(rows.filter(({ outcome }) => outcome === "skipped").length).toBeGreaterThanOrEqual(40 - 7 - 12);
  });

  it.each([0, 1, 7, 15])("sees the same tasks again after a stop with %i finished trials", async (kept) => {
    const decide = (task: number) => ({ isDecided: task >= 9, dropped: [] });
    const whole = new ScriptedRule(decide);
    const systems = [createSlowSystem("a", 4), createSlowSystem("b", 4)];
    const { plan, rows } = await run({ rule: whole, systems });
    const indexed = rows.map((row): [number, EvalRow] => [
      plan.systems.findIndex(({ name }) => name === row.system) * 20 + Number(row.exampleId),
      row,
    ]);
    const earlier = { ...NO_EARLIER_RESULTS, rows: new Map(indexed.slice(0, kept)) };
    const resumed = new ScriptedRule(decide);
    await run({ rule: resumed, systems, earlier });
    expect(resumed.tasks.slice(0, 9)).toEqual(whole.tasks.slice(0, 9));
  });

  it("runs nothing if the earlier rows have decided it", async () => {
    const decide = (task: number) => ({ isDecided: task >= 9, dropped: [] });
    const a = createSlowSystem("a", 4);
    const { rows } = await run({ rule: new ScriptedRule(decide), systems: [a] });
    const earlier = {
      ...NO_EARLIER_RESULTS,
      rows: new Map(rows.map((row): [number, EvalRow] => [Number(row.exampleId), row])),
    };
    const again = createSlowSystem("a", 4);
    const resumed = await run({ rule: new ScriptedRule(decide), systems: [again], earlier });
    expect(again.calls).toEqual([]);
    expect(resumed.rows).toEqual(rows);
  });

  it("ends the run with the error of a rule that throws", async () => {
    const rule: StopRule = {
      look() {
        throw new RangeError("not a share");
      },
    };
    await expect(run({ rule, systems: [createSlowSystem("a", 1)] })).rejects.toThrow("not a share");
  });
});
