import { describe, expect, it } from "vitest";
import { TrialError } from "../../core/errors.js";
import type { ScoringCost } from "../../core/evaluator.js";
import type { JudgeModel } from "./judge-model.js";
import { LLMJudge } from "./llm-judge.js";
import { createScriptedJudge } from "./scripted-judge.js";

const example = { id: 1, question: "Capital of France?" };
const output = { response: "Paris" };
const says = (name: string, verdict: string) =>
  createScriptedJudge([JSON.stringify({ reasoning: `${name}.`, verdict })], { name });
const broken = (name: string): JudgeModel => ({
  name,
  ask: () => {
    throw new TrialError("api_error", "the host is down");
  },
});
const unsure = (name: string) =>
  createScriptedJudge(['{"reasoning": "Hm.", "cannot_judge": true, "verdict": "fail"}'], { name });

describe("a panel", () => {
  it("combines scores by its rule, reports agreement, and lists every judge in the evidence", async () => {
    const models = [says("a", "pass"), says("b", "pass"), says("c", "fail")];
    const judge = new LLMJudge({ models, panel: "majority" });
    expect(judge.fields).toEqual(["judge_score", "judge_agreement"]);
    const scored = await judge.score(example, output);
    expect(scored).toMatchObject({ evidence: { judge_score: "a pass, b pass, c fail: a." } });
    expect(scored.scores).toEqual({ judge_score: 1, judge_agreement: expect.closeTo(1 / 3, 12) });
    const mean = await new LLMJudge({ models }).score(example, output);
    expect(mean.scores).toMatchObject({ judge_score: expect.closeTo(2 / 3, 12) });
  });

  it("has no score if it is split", async () => {
    const judge = new LLMJudge({ models: [says("a", "pass"), says("b", "fail")], panel: "majority" });
    expect(await judge.score(example, output)).toMatchObject({
      scores: { judge_agreement: 0 },
      unscored: { judge_score: "the panel is split: a pass, b fail" },
    });
  });

  it("leaves out and names judges that fail or cannot judge", async () => {
    const judge = new LLMJudge({ models: [says("a", "pass"), broken("b"), says("c", "pass"), unsure("d")] });
    const scored = await judge.score(example, output);
    expect(scored).toMatchObject({ scores: { judge_score: 1, judge_agreement: 1 } });
    expect((scored.evidence as unknown as Record<string, string>).judge_score).toBe(
      "a pass, b left out (the host is down), c pass, d left out (the judge says it cannot judge: Hm.): a.",
    );
  });

  it("has no score if fewer than half gave one", async () => {
    const judge = new LLMJudge({ models: [says("a", "pass"), unsure("b"), unsure("c")] });
    expect(await judge.score(example, output)).toMatchObject({
      scores: {},
      unscored: {
        judge_score: expect.stringContaining("fewer than half of the judges gave a score: a pass, b left out"),
        judge_agreement: "fewer than two judges gave a score",
      },
    });
  });

  it("fails, so that the row is judged again, if fewer than half could be reached", async () => {
    const judge = new LLMJudge({ models: [says("a", "pass"), broken("b"), broken("c")] });
    await expect(judge.score(example, output)).rejects.toMatchObject({
      code: "JUDGE",
      message: "The judge failed. b: the host is down; c: the host is down",
    });
  });

  it("accepts scores from half of the judges", async () => {
    const judge = new LLMJudge({ models: [says("a", "pass"), broken("b")] });
    expect(await judge.score(example, output)).toMatchObject({
      scores: { judge_score: 1 },
      unscored: { judge_agreement: expect.any(String) },
    });
  });
});

describe("a pair", () => {
  const winner = (which: string) => JSON.stringify({ reasoning: "Because.", cannot_judge: false, winner: which });
  /** Prefers whichever answer is shown as A or B. */
  const prefers = (text: string) =>
    createScriptedJudge((message) => {
      const at = message.indexOf(`\n${text}\n`);
      return winner(at > message.indexOf("<answer-b-") ? "B" : "A");
    });
  const pair = { ...example, baseline: "London" };

  it.each([
    ["Paris", 1, "better in both orders"],
    ["London", 0, "worse in both orders"],
  ])("is judged in both orders: %s", async (text, score, words) => {
    const model = prefers(text);
    const scored = await new LLMJudge({ model, pairwise: true }).score(pair, output);
    expect(scored).toMatchObject({ scores: { judge_score: score }, evidence: { judge_score: `${words}: Because.` } });
    expect(model.requests).toHaveLength(2);
  });

  it.each([
    [["A", "A"], 0.5, "contradict each other: better when shown first, worse when shown second"],
    [["B", "B"], 0.5, "contradict each other"],
    [["tie", "tie"], 0.5, "tie in both orders"],
    [["A", "tie"], 0.75, "better when shown first, a tie when shown second"],
    [["tie", "A"], 0.25, "a tie when shown first, worse when shown second"],
  ] as const)("in orders %j scores %d", async (said, score, words) => {
    const model = createScriptedJudge((_, number) => winner(said[number - 1] ?? ""));
    const judged = await new LLMJudge({ model, pairwise: true }).judge(pair, output);
    expect(judged.scores).toEqual({ judge_score: score });
    expect(judged.evidence?.judge_score).toContain(words);
    expect(judged.votes[0]?.orders).toEqual([said[0], { A: "B", B: "A", tie: "tie" }[said[1]]]);
  });

  it("is compared with a field, a function, a recorded output or the gold answer", async () => {
    const compared = async (against: true | { against: string | (() => string) }, more: object) => {
      const model = createScriptedJudge([winner("tie")]);
      await new LLMJudge({ model, pairwise: against }).score({ ...example, ...more }, output);
      return model.requests[0]?.messages[0]?.parts[0];
    };
    expect(await compared({ against: "old" }, { old: "from a field" })).toContain("\nfrom a field\n");
    expect(await compared({ against: () => "from a function" }, {})).toContain("\nfrom a function\n");
    expect(await compared(true, { baseline: { response: "recorded" } })).toContain("\nrecorded\n");
    const gold = await compared(true, { answer: "The gold one" });
    expect(gold).toContain("\nThe gold one\n");
    // As one of the two answers it must not be shown as a reference: it would win.
    expect(gold).not.toContain("reference-");
  });

  it("needs no judge if both are equal, and has no score if there is nothing to compare with", async () => {
    const model = createScriptedJudge([winner("A")]);
    const judge = new LLMJudge({ model, pairwise: true });
    expect(await judge.score({ ...example, baseline: "Paris" }, output)).toMatchObject({
      scores: { judge_score: 0.5 },
    });
    expect(await judge.score(example, output)).toEqual({
      scores: {},
      unscored: { judge_score: "the example has no baseline and no gold answer to compare the response with" },
    });
    expect(model.requests).toEqual([]);
  });

  it("has no score if one order has none", async () => {
    const cannot = '{"reasoning": "Too alike.", "cannot_judge": true, "winner": "tie"}';
    const model = createScriptedJudge([winner("A"), cannot]);
    expect(await new LLMJudge({ model, pairwise: true }).score(pair, output)).toEqual({
      scores: {},
      unscored: { judge_score: "the judge says it cannot judge: Too alike." },
    });
  });

  it("bills both orders if one of them fails", async () => {
    const spent: ScoringCost[] = [];
    const context = {
      signal: new AbortController().signal,
      meter: { add: (cost: ScoringCost) => void spent.push(cost) },
    };
    let calls = 0;
    const model: JudgeModel = {
      name: "half",
      ask: async () => {
        calls += 1;
        if (calls === 1) throw new Error("broken");
        await new Promise((resolve) => setTimeout(resolve, 20));
        return { response: winner("A"), costUsd: 0.02 };
      },
    };
    await expect(new LLMJudge({ model, pairwise: true }).score(pair, output, context)).rejects.toThrow("broken");
    expect(spent).toEqual([{ costUsd: 0.02 }]);
  });
});
