import { describe, expect, it } from "vitest";
import { UsageError } from "../../core/errors.js";
import { countAskedTurns, type Example } from "../../core/example.js";
import { computeFingerprint } from "../../core/fingerprint.js";
import type { Output } from "../../core/system.js";
import { ASK, buildExampleScript } from "../../systems/model-conversation.js";
import { LLMJudge } from "./llm-judge.js";
import { buildTaskMaterial } from "./material.js";
import { createScriptedJudge, extractTagged } from "./scripted-judge.js";

const user = (content: string) => ({ role: "user", content });
const example: Example = { id: 1, turns: [user("Write a poem."), user("Now shorter.")] };
const output = { response: "Short.", replies: ["A long poem.", "Short."] };
const scored = (score: number) => JSON.stringify({ reasoning: "So.", cannot_judge: false, score });
const CANNOT = '{"reasoning": "No idea.", "cannot_judge": true, "score": 1}';

/** Gives the verdict that belongs to the shown answer. */
function judgeOf(verdicts: Record<string, string>, options = {}) {
  const model = createScriptedJudge((message) => verdicts[extractTagged("answer", message)[0] ?? ""] ?? scored(1));
  return { model, judge: new LLMJudge({ model, scale: "1-10", perTurn: true, ...options }) };
}

describe("a judge with perTurn", () => {
  it("scores every turn and takes the mean", async () => {
    const { judge } = judgeOf({ "A long poem.": scored(10), "Short.": scored(1) });
    expect(await judge.score(example, output)).toEqual({
      scores: { judge_turn_1: 1, judge_turn_2: 0, judge_score: 0.5 },
      evidence: { judge_turn_1: "10 of 10: So.", judge_turn_2: "1 of 10: So." },
      unscored: {},
    });
    expect(judge.fields).toEqual(expect.arrayContaining(["judge_score", "judge_turn_1", "judge_turn_2"]));
  });

  it("shows each turn with the turns before it, and none after it", async () => {
    const { judge, model } = judgeOf({});
    await judge.score(example, output);
    const shown = model.requests.map(({ messages }) => {
      const message = messages[0]?.parts[0] ?? "";
      return ["user", "assistant", "answer"].map((tag) => extractTagged(tag, message));
    });
    expect(shown).toEqual([
      [["Write a poem."], [], ["A long poem."]],
      [["Write a poem.", "Now shorter."], ["A long poem."], ["Short."]],
    ]);
  });

  it("knows the same open turns as a model, whatever the roles are called", async () => {
    const turns = [
      { role: "Human", content: "Hi." },
      { role: "developer", content: "Be brief." },
      { role: "human", content: "Now?" },
    ];
    const conversation: Example = { id: 1, turns, question: "Now?" };
    const given = { response: "Two.", replies: ["One.", "Two."] };
    expect(buildExampleScript(conversation).filter((step) => step === ASK)).toHaveLength(2);
    expect(countAskedTurns(conversation)).toBe(2);
    expect(buildTaskMaterial(conversation, given).map(({ tag, text }) => [tag, text])).toEqual([
      ["user", "Hi."],
      ["assistant", "One."],
      ["system", "Be brief."],
      ["user", "Now?"],
    ]);
  });

  it("shows the reference of the turn, and the gold answer with the last", async () => {
    const references = async (more: Partial<Example>) => {
      const { judge, model } = judgeOf({});
      await judge.score({ ...example, ...more }, output);
      return model.requests.map(({ messages }) => extractTagged("reference", messages[0]?.parts[0] ?? ""));
    };
    expect(await references({ reference: ["", "Brief."] })).toEqual([[], ["Brief."]]);
    expect(await references({ reference: ["Long."] })).toEqual([["Long."], []]);
    expect(await references({ answer: "Gold." })).toEqual([[], ["Gold."]]);
  });

  it("gives no score, but a reason, if a turn cannot be judged", async () => {
    const { judge } = judgeOf({ "A long poem.": scored(10), "Short.": CANNOT });
    expect(await judge.score(example, output)).toMatchObject({
      scores: { judge_turn_1: 1 },
      unscored: {
        judge_turn_2: "the judge says it cannot judge: No idea.",
        judge_score: "turn 2: the judge says it cannot judge: No idea.",
      },
    });
  });

  it.each([
    ["was stopped after one", { response: "A long poem." }, "1 of the 2 answers"],
    ["has too many", { response: "c", replies: ["a", "b", "c"] }, "3 of the 2 answers"],
  ])("asks no judge if an output %s", async (_, given, reason) => {
    const { judge, model } = judgeOf({});
    expect(await judge.score(example, given)).toMatchObject({
      scores: {},
      unscored: { judge_score: expect.stringContaining(reason) },
    });
    expect(model.requests).toEqual([]);
  });

  it.each<[string, Example, Output, string[]]>([
    ["a single question", { id: 1, question: "Q?" }, { response: "A" }, ["judge_turn_1"]],
    [
      "turns that were answered before",
      { id: 1, turns: [user("Hi"), { role: "assistant", content: "Hello" }, user("Q?")] },
      { response: "A" },
      ["judge_turn_1"],
    ],
    [
      "a question behind the turns",
      { id: 1, turns: [user("Hi")], question: "Q?" },
      { response: "B", replies: ["A", "B"] },
      ["judge_turn_1", "judge_turn_2"],
    ],
  ])("accepts %s", async (_, given, answered, fields) => {
    const { judge } = judgeOf({});
    const { scores } = await judge.judge(given, answered);
    expect(Object.keys(scores)).toEqual([...fields, "judge_score"]);
  });

  it("takes the mean of criteria and of agreement over the turns", async () => {
    const said = (value: number) => JSON.stringify({ criteria: { brief: { score: value }, kind: { score: 10 } } });
    const criteria = { brief: "Is brief.", kind: "Is kind." };
    const models = [
      createScriptedJudge((message) => (message.includes("Now shorter.") ? said(10) : said(1))),
      createScriptedJudge([said(10)]),
    ];
    const judge = new LLMJudge({ models, scale: "1-10", perTurn: true, criteria });
    expect((await judge.judge(example, output)).scores).toEqual({
      judge_turn_1: 0.75,
      judge_turn_2: 1,
      judge_score: 0.875,
      judge_brief: 0.75,
      judge_kind: 1,
      judge_agreement: 0.75,
    });
  });

  it("has a fingerprint of its own, and cannot be pairwise", () => {
    const model = createScriptedJudge([]);
    expect(computeFingerprint(new LLMJudge({ model, perTurn: true }), "score")).not.toBe(
      computeFingerprint(new LLMJudge({ model }), "score"),
    );
    expect(() => new LLMJudge({ model, perTurn: true, pairwise: true })).toThrow(UsageError);
    expect(() => new LLMJudge({ model, perTurn: true, criteria: { turn_1: "x" } })).toThrow(/Rename it/);
  });
});

describe("LLMJudge.as", () => {
  it("shares the models and the limit on concurrent calls", async () => {
    let now = 0;
    let most = 0;
    const model = {
      ...createScriptedJudge([]),
      async ask() {
        most = Math.max(most, ++now);
        await new Promise((resolve) => setImmediate(resolve));
        now -= 1;
        return { response: '{"reasoning": "So.", "cannot_judge": false, "winner": "A", "verdict": "pass"}' };
      },
    };
    const judge = new LLMJudge({ model, maxWorkers: 1, criteria: { kind: "Is kind." } });
    const comparing = judge.as({ pairwise: true });
    const turning = new LLMJudge({ model, maxWorkers: 1 }).as({ perTurn: true });
    await Promise.all([
      comparing.score({ id: 1, question: "Q", baseline: "b" }, { response: "a" }),
      judge.score({ id: 1, question: "Q" }, { response: "a" }),
    ]);
    expect(most).toBe(1);
    expect([judge.scale, comparing.scale, turning.scale]).toEqual(["binary", "pairwise", "binary"]);
    expect(turning.fields).toContain("judge_turn_1");
    expect(judge.as({ perTurn: true }).fields).toContain("judge_kind");
  });
});

describe("estimate", () => {
  const price = { input: 1e6, output: 2e6, cacheRead: 0, cacheWrite: 0, cacheWrite1h: 0, source: "test" };
  const priced = { ...createScriptedJudge([]), limits: { price, maxCostUsd: null, hardTimeoutMs: null } };
  const count = (text: string) => text.length;

  it("counts the prompt, and answers at their maximum length", async () => {
    const model = createScriptedJudge([scored(1)]);
    await new LLMJudge({ model, scale: "1-10" }).score({ id: 1, question: "Q?" }, { response: "" });
    const [request] = model.requests;
    const length = (request?.system.length ?? 0) + (request?.messages[0]?.parts[0]?.length ?? 0);
    const judge = new LLMJudge({ model: priced, scale: "1-10" });
    const { low, high } = judge.estimate({ id: 1, question: "Q?" }, { count, answerTokens: 100 });
    expect(low).toBeCloseTo(length * 1e-6, 9);
    expect(high).toBeCloseTo((length + 100 + 2 * 300) * 1e-6, 9);
  });

  it("doubles for pairs, and grows with turns and judges", () => {
    const low = (judge: LLMJudge, of: Example) => judge.estimate(of, { count, answerTokens: 10 }).low ?? 0;
    const single = new LLMJudge({ model: priced });
    const pair = single.as({ pairwise: true });
    expect(low(pair, { id: 1, question: "Q", baseline: "b" })).toBeGreaterThan(
      1.5 * low(single, { id: 1, question: "Q" }),
    );
    expect(low(single.as({ perTurn: true }), example)).toBeGreaterThan(1.9 * low(single, example));
    expect(low(new LLMJudge({ models: [priced, priced] }), example)).toBeCloseTo(2 * low(single, example), 9);
    expect(low(pair, { id: 1, question: "Q" })).toBe(0);
  });

  it("is null without a price, and its maximum is null without a limit on answers", () => {
    const unpriced = new LLMJudge({ model: createScriptedJudge([]) });
    expect(unpriced.estimate(example, { count, answerTokens: 10 })).toEqual({ low: null, high: null });
    expect(new LLMJudge({ model: priced }).estimate(example, { count, answerTokens: null }).high).toBeNull();
    const known = new LLMJudge({ model: priced }).estimate(example, { count, answerTokens: null, output });
    expect(known.high).toBeCloseTo((known.low ?? 0) + 600e-6, 9);
  });
});
