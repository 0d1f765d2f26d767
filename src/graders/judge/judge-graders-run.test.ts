import { afterEach, describe, expect, it } from "vitest";
import { createPrice } from "../../budget/index.js";
import type { Example } from "../../core/example.js";
import { Registry } from "../../core/registry.js";
import type { Output, System, Usage } from "../../core/system.js";
import { evaluate } from "../../evaluate.js";
import type { ModelOptions } from "../../systems/index.js";
import { type MockOptions, startMock } from "../../testing/mock/index.js";
import { GraderEvaluator } from "../index.js";
import { createJudgeGraderFactories } from "./register-judge-graders.js";

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

const limits = {
  price: createPrice({ input_per_1k: 0.001, output_per_1k: 0.01 }, "test"),
  maxCostUsd: null,
  hardTimeoutMs: null,
};
const PASS = '{"reasoning": "Right.", "cannot_judge": false, "verdict": "pass"}';
const JUDGED = { type: "prompt", config: { prompt: "It is polite.", model: "m" } };
const HI = { type: "output-contains", config: { substring: "hi" } };

/** An evaluator whose judge is a mock. */
async function judgedBy(script: MockOptions, more: Partial<ModelOptions> = {}) {
  const mock = await startMock(script);
  closing.push(() => mock.close());
  const registry = new Registry();
  const { prompt, panel } = createJudgeGraderFactories(
    async (name) => ({ model: name, baseUrl: `${mock.url}/v1`, limits, ...more }),
    { retry: { maxRetries: 1 }, random: () => 0 },
  );
  registry.register("grader", "prompt", prompt);
  registry.register("grader", "panel", panel);
  const evaluator = new GraderEvaluator({ registry });
  closing.push(() => evaluator.close());
  return { mock, evaluator };
}

function asked(graders: readonly unknown[], id = "one"): Example {
  return { id, question: "Greet me.", graders };
}

function polite(): System & { calls: number } {
  const system = {
    name: "polite",
    calls: 0,
    process: () => {
      system.calls += 1;
      return { response: "hi" };
    },
  };
  return system;
}

describe("a run with graders that ask a model", () => {
  it("passes and fails by the judge's verdict, and reports its cost separately", async () => {
    const { evaluator } = await judgedBy({ reply: PASS, usage: { input: 1000, cost: 0.25 } });
    const { rows, summary } = await evaluate({
      dataset: [asked([HI, JUDGED])],
      systems: [polite()],
      evaluators: [evaluator],
    });
    expect(rows[0]).toMatchObject({ outcome: "pass", judgeCostUsd: 0.25, costUsd: null });
    expect(rows[0]?.scores).toEqual({ verdict: 1, weighted_score: 1, "output-contains": 1, prompt: 1 });
    expect(summary.polite?.judge_cost_usd).toBe(0.25);
  });

  it("prices the judge by its tokens", async () => {
    const { evaluator } = await judgedBy({ reply: PASS, usage: { input: 1000 } });
    const { rows } = await evaluate({ dataset: [asked([JUDGED])], systems: [polite()], evaluators: [evaluator] });
    const used = rows[0]?.metadata?.judgeUsage as Usage;
    expect(used.input).toBe(1000);
    expect(rows[0]?.judgeCostUsd).toBeCloseTo((used.input * 0.001 + used.output * 0.01) / 1000, 9);
  });

  it("leaves a trial unscored if the judge fails, unless the other graders decide", async () => {
    const { evaluator } = await judgedBy({ faults: [{ kind: 500, retryAfter: 0.01 }] });
    const no = { ...HI, name: "no", config: { substring: "no" } };
    const { rows } = await evaluate({
      dataset: [asked([HI, JUDGED], "open"), asked([no, JUDGED], "decided"), asked([JUDGED], "alone")],
      systems: [polite()],
      evaluators: [evaluator],
    });
    expect(rows.map(({ exampleId, outcome, errorCategory }) => [exampleId, outcome, errorCategory])).toEqual([
      ["open", "unscored", "grader_error"],
      ["decided", "fail", "logic_error"],
      ["alone", "unscored", "grader_error"],
    ]);
    expect(JSON.stringify(rows[0])).toContain("answered 500");
  });

  it("fails before anything is spent if a key is missing, including in parts of other graders", async () => {
    const { evaluator, mock } = await judgedBy({ reply: PASS }, { apiKeyEnv: "ASSAY_TEST_NO_SUCH_KEY" });
    const system = polite();
    const all = { type: "all-of", config: { graders: [HI, { type: "not", config: { grader: JUDGED } }] } };
    for (const graders of [[JUDGED], [all]])
      await expect(evaluate({ dataset: [asked(graders)], systems: [system], evaluators: [evaluator] })).rejects.toThrow(
        "ASSAY_TEST_NO_SUCH_KEY is not set",
      );
    expect(system.calls).toBe(0);
    expect(mock.counts.requests).toBe(0);
  });

  it("stops at the run's budget, which includes the cost of judging", async () => {
    const { evaluator, mock } = await judgedBy({ reply: PASS, usage: { cost: 0.1 } });
    const paid = { name: "paid", limits, process: () => ({ response: "hi", costUsd: 0.1 }) };
    const dataset = Array.from({ length: 20 }, (_, index) => asked([JUDGED], `e${index}`));
    const { rows } = await evaluate({
      dataset,
      systems: [paid],
      evaluators: [evaluator],
      budget: { run: { maxCostUsd: 2 } },
    });
    const spent = rows.reduce((total, row) => total + (row.judgeCostUsd ?? 0) + (row.costUsd ?? 0), 0);
    expect(rows.some(({ outcome }) => outcome === "skipped")).toBe(true);
    expect(spent).toBeCloseTo(2, 6);
    expect(mock.counts.requests).toBe(10);
  });
});

describe("the estimated cost of grading", () => {
  const forecast = { count: (text: string) => text.length, answerTokens: 100 };

  it("is known once the models are found, without a key", async () => {
    const { evaluator } = await judgedBy({ reply: PASS }, { apiKeyEnv: "ASSAY_TEST_NO_SUCH_KEY" });
    const example = asked([HI, { ...JUDGED, config: { ...JUDGED.config, evidence: "response" } }]);
    evaluator.checkExample(example);
    expect(evaluator.estimate(example, forecast)).toEqual({ low: null, high: null });
    await evaluator.findPrices();
    const { low, high } = evaluator.estimate(example, forecast);
    expect(low).toBeGreaterThan(0);
    // An answer of maximum length, and a verdict of 300 tokens.
    expect((high ?? 0) - (low ?? 0)).toBeCloseTo((100 * 0.001 + 300 * 0.01) / 1000, 9);
  });

  it("includes every judge, parts of other graders, and work up to its maximum length", async () => {
    const { evaluator } = await judgedBy({ reply: PASS });
    const panel = { type: "panel", config: { prompt: "It is polite.", models: ["a", "b"] } };
    const [one, two, composed] = [
      asked([JUDGED], "one"),
      asked([panel], "two"),
      asked([{ type: "any-of", config: { graders: [HI, JUDGED] } }], "composed"),
    ];
    for (const example of [one, two, composed]) evaluator.checkExample(example);
    await evaluator.findPrices();
    const costs = [one, two, composed].map((example) =>
      evaluator.estimate(example, { ...forecast, answerTokens: null }),
    );
    expect(costs[1]?.low).toBeCloseTo(2 * (costs[0]?.low ?? 0), 9);
    expect(costs[2]).toEqual(costs[0]);
    // An answer and a diff of 60,000 characters each.
    expect((costs[0]?.high ?? 0) - (costs[0]?.low ?? 0)).toBeCloseTo((40_000 * 0.001 + 300 * 0.01) / 1000, 9);
  });

  it("uses the output if there is one, and is 0 for code", async () => {
    const { evaluator } = await judgedBy({ reply: PASS });
    const example = asked([JUDGED]);
    const code = asked([HI], "code");
    evaluator.checkExample(code);
    expect(evaluator.isPaid).toBe(false);
    expect(evaluator.estimate(code, forecast)).toEqual({ low: 0, high: 0 });
    evaluator.checkExample(example);
    expect(evaluator.isPaid).toBe(true);
    await evaluator.findPrices();
    const low = (output: Output) => evaluator.estimate(example, { ...forecast, output }).low ?? 0;
    const changes = [{ path: "a.txt", status: "added", content: "y".repeat(500) } as const];
    expect(low({ response: "x".repeat(1000) }) - low({ response: "" })).toBeGreaterThan(0.0008);
    expect(low({ response: "", workspace: { changes } }) - low({ response: "" })).toBeGreaterThan(0.0005);
  });
});
