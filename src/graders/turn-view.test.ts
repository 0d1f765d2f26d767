import { describe, expect, it, onTestFinished } from "vitest";
import type { ScoredWithEvidence } from "../core/evaluator.js";
import type { Example } from "../core/example.js";
import type { Output } from "../core/system.js";
import { evaluate } from "../evaluate.js";
import { ModelSystem } from "../systems/model.js";
import { startMock } from "../testing/mock/index.js";
import { makeTrajectory } from "./graded-testing.js";
import { checkGraders, GraderEvaluator } from "./index.js";

const user = (content: string) => ({ role: "user", content });
const TURNS = [user("Write a.txt."), user("Now write b.txt."), user("Explain.")];

async function grade(graders: readonly object[], output: Output, more: Partial<Example> = {}) {
  const example: Example = { id: 7, turns: TURNS, graders, ...more };
  return (await new GraderEvaluator().score(example, output)) as Required<ScoredWithEvidence>;
}

const contains = (substring: string, more: object = {}) => ({
  type: "output-contains",
  config: { substring },
  ...more,
});

const file = (path: string, turn: number) => ({
  type: "file-exists",
  name: `${path}@${turn}`,
  config: { path },
  after_turn: turn,
});

const added = (path: string) => ({ path, status: "added" as const, content: "x" });

describe("a grader after a turn of a model", () => {
  it("judges each answer of a run, and its tokens until then", async () => {
    const mock = await startMock({
      reply: [
        { match: "Explain", reply: "third" },
        { match: "b.txt", reply: "second" },
        { match: "a.txt", reply: "first" },
      ],
      usage: { input: 10 },
    });
    onTestFinished(() => mock.close());
    const system = new ModelSystem({ baseUrl: mock.url, model: "gpt-5-mini", apiKey: "none" });
    onTestFinished(() => system.close());
    const graders = [
      contains("first", { after_turn: 1 }),
      contains("second", { after_turn: 2 }),
      { type: "token-budget", config: { max: 24 }, after_turn: 2 },
      contains("third"),
    ];
    const dataset = [{ id: 7, turns: TURNS, graders }];
    const { rows } = await evaluate({ systems: [system], dataset, evaluators: [new GraderEvaluator()] });
    expect(rows[0]?.scores).toMatchObject({
      verdict: 1,
      "token-budget-after-turn-2": 1,
    });
    expect(rows[0]).toMatchObject({ outcome: "pass", turns: 3, usage: { input: 30, output: 6 } });
  });
});

describe("a grader after a turn", () => {
  const replies = ["first", "second", "third"];

  it("judges the answer of that turn, and has its own field", async () => {
    const graders = [
      contains("first", { after_turn: 1 }),
      contains("third", { after_turn: 2 }),
      contains("third", { after_turn: 3 }),
      contains("third"),
    ];
    const { scores, evidence } = await grade(graders, { response: "third", replies });
    expect(scores).toMatchObject({
      "output-contains-after-turn-1": 1,
      "output-contains-after-turn-2": 0,
      "output-contains-after-turn-3": 1,
      "output-contains": 1,
      verdict: 0,
    });
    expect(evidence["output-contains-after-turn-1"]).toBe('after turn 1: the answer contains "first"');
  });

  it("judges the workspace of that turn, rebuilt from its changes", async () => {
    const output: Output = {
      response: "third",
      replies,
      workspace: { changes: [added("b.txt"), added("c.txt")] },
      turnStates: { 1: { changes: [added("a.txt")] } },
    };
    const graders = [file("a.txt", 1), file("b.txt", 1), file("b.txt", 3), file("a.txt", 2)];
    const { scores, unscored } = await grade(graders, output);
    expect(scores).toMatchObject({ "a.txt@1": 1, "b.txt@1": 0, "b.txt@3": 1 });
    expect(unscored["a.txt@2"]).toContain("the workspace after turn 2 was not stored");
  });

  it("judges the trajectory and the usage up to that turn", async () => {
    const call = (name: string) => ({ type: "tool_call", name, callId: name, arguments: {} });
    const used = (input: number) => ({
      type: "token_usage",
      model: "m",
      usage: { input, output: 1 },
      costUsd: input / 100,
      durationMs: 1,
    });
    const trajectory = makeTrajectory(
      { type: "user_message", text: "Write a.txt.", turn: 1 },
      call("write"),
      used(10),
      { type: "user_message", text: "Now write b.txt.", turn: 2 },
      call("shell"),
      used(30),
      { type: "user_message", text: "Explain.", turn: 3 },
      used(50),
    );
    const tools = (required: string, turn?: number) => ({
      type: "tool-calls",
      name: `${required}@${turn}`,
      config: { required: [required] },
      ...(turn !== undefined && { after_turn: turn }),
    });
    const tokens = { type: "token-budget", config: { max: 42 }, after_turn: 2 };
    const cost = { type: "cost-budget", config: { max_usd: 0.3 }, after_turn: 2 };
    const time = { type: "wall-time", config: { max: "3s" }, after_turn: 1 };
    const output: Output = {
      response: "third",
      replies,
      trajectory,
      latency: 99,
      turns: 3,
      usage: { input: 90, output: 3 },
      metadata: { costUsd: 0.9 },
    };
    const graders = [tools("shell", 1), tools("shell", 2), tools("shell"), tokens, cost, time];
    const { scores } = await grade(graders, output);
    expect(scores).toMatchObject({
      "shell@1": 0,
      "shell@2": 1,
      "shell@undefined": 1,
      "token-budget-after-turn-2": 1,
      "wall-time-after-turn-1": 1,
    });
    expect(scores["cost-budget-after-turn-2"]).toBeLessThan(1);
  });

  it("fails if the trial ended before, and is undecided if nothing is known of the turns", async () => {
    const stopped = await grade([contains("x", { after_turn: 2 })], {
      response: "first",
      replies: ["first"],
      stopped: "cost_killed",
    });
    expect(stopped.scores).toMatchObject({ "output-contains-after-turn-2": 0 });
    expect(stopped.evidence["output-contains-after-turn-2"]).toBe("after turn 2: the trial ended after 1 turn");
    const told = await grade([contains("first", { after_turn: 1 })], { response: "first", turns: 1 });
    expect(told.scores.verdict).toBe(1);
    const recorded = await grade([contains("first", { after_turn: 1 })], { response: "third" });
    expect(recorded.unscored["output-contains-after-turn-1"]).toContain("does not say what was answered in each turn");
  });

  it("must name a turn of the example", () => {
    const check = (after_turn: unknown, more: Partial<Example> = {}) => {
      checkGraders({ id: 7, turns: TURNS, graders: [contains("x", { after_turn })], ...more });
    };
    expect(() => check(4)).toThrow("it judges after turn 4, but the example has 3 messages of the user to answer");
    expect(() => check(2, { turns: [], question: "Hi" })).toThrow("but the example is one message");
    expect(() => check(0)).toThrow("after_turn must be at least 1");
    expect(() => check(4, { question: "And now?" })).not.toThrow();
  });

  it("is not run while the trial is running", () => {
    const evaluator = new GraderEvaluator();
    const example = (graders: readonly object[]): Example => ({ id: 7, turns: TURNS, graders });
    const plain = { type: "file-exists", config: { path: "a.txt" } };
    expect(evaluator.canWatch(example([plain]))).toBe(true);
    expect(evaluator.canWatch(example([plain, file("a.txt", 1)]))).toBe(false);
  });
});
