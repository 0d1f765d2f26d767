import { describe, expect, it } from "vitest";
import { UsageError } from "../../core/errors.js";
import { resolveUntil, toSequentialQuestion, type UntilOptions } from "./question.js";

const TWO = ["a", "b"];

function ask(question: string, systems: readonly string[] = TWO, more: Partial<UntilOptions> = {}) {
  return resolveUntil({ question, ...more }, systems);
}

describe("a question", () => {
  it.each([
    ["decided", TWO, { question: "decided", quality: "pass_rate", population: "tasks", alpha: 0.05 }],
    ["best", TWO, { question: "best" }],
    ["Best of 2", TWO, { question: "best" }],
    ["pass_rate >= .9", ["a"], { question: "pass_rate>=0.9", quality: "pass_rate" }],
    ["mean_score<0.5", TWO, { question: "mean_score<0.5", quality: "mean_score" }],
    ["precision ≤ 0.03", ["a"], { question: "precision<=0.03" }],
  ])("%s is understood", (question, systems, expected) => {
    expect(ask(question, systems)).toMatchObject({ ...expected, order: "tasks" });
  });

  it("is null for a run of every task", () => {
    expect(ask("none")).toBeNull();
  });

  it("keeps its details, and reads its own bounds again", () => {
    expect(
      ask("decided", TWO, { margin: 0.02, quality: "mean_score", population: "dataset", confidence: 0.99 }),
    ).toEqual({
      question: "decided",
      quality: "mean_score",
      margin: 0.02,
      population: "dataset",
      alpha: 0.01,
      order: "tasks",
    });
    const read = (question: string) => {
      const until = ask(question, ["a"]);
      return until === null ? null : toSequentialQuestion(until);
    };
    expect(read("pass_rate>=0.9")).toEqual({ kind: "mean", threshold: 0.9 });
    expect(read("precision<=0.03")).toEqual({ kind: "precision", halfWidth: 0.03 });
  });

  it.each<[string, readonly string[], Partial<UntilOptions>, RegExp]>([
    ["decide", TWO, {}, /Unknown question --until decide\. Ask one of: .*Did you mean "decided"/],
    ["", TWO, {}, /Unknown question/],
    ["pass_rate", ["a"], {}, /Add a bound, such as pass_rate>=0\.9/],
    ["decided", ["a"], {}, /compares systems, but the run has one.*pass_rate>=0\.9/],
    ["best", ["a"], {}, /compares systems, but the run has one/],
    ["best of 8", TWO, {}, /names 8 systems, but the run has 2: a, b/],
    ["best of all", TWO, {}, /Write --until best, or --until "best of 2"/],
    ["precision<=0.03", TWO, {}, /precision is for one system, but the run has 2/],
    ["precision>=0.03", ["a"], {}, /precision needs <=/],
    ["precision<=0.6", ["a"], {}, /between 0 and 0\.5/],
    ["pass_rate>=1.2", ["a"], {}, /between 0 and 1/],
    ["pass_rate>=1", ["a"], {}, /between 0 and 1, without them/],
    ["pass_rate>=90%", ["a"], {}, /write the percentage as a share, such as pass_rate>=0\.9/],
    ["pass_rate>=high", ["a"], {}, /"high" is not a number/],
    ["pass_rate>0.9", ["a"], {}, /needs >= or </],
    ["pass_rate=0.9", ["a"], {}, /needs >= or </],
    ["pass_hat_3>=0.9", ["a"], {}, /cannot decide "pass_hat_3".*not a mean over tasks/],
    ["pass_rat>=0.9", ["a"], {}, /Did you mean "pass_rate"/],
    ["cost_per_pass_usd<0.5", ["a"], {}, /cannot decide "cost_per_pass_usd": only pass_rate, mean_score and precision/],
    ["best", TWO, { margin: 0.02 }, /--margin is for --until decided, not for --until best/],
    ["decided", TWO, { margin: 2 }, /--margin must be between 0 and 1, got 2/],
    ["decided", TWO, { quality: "f1" }, /--quality must be pass_rate or mean_score, got "f1"/],
    ["decided", TWO, { population: "task" }, /--population must be tasks or dataset.*Did you mean "tasks"/],
    ["decided", TWO, { confidence: 95 }, /--confidence must be between 0\.5 and 1, got 95/],
    ["pass_rate>=0.9", TWO, { quality: "mean_score" }, /is about pass_rate\. Remove --quality mean_score/],
  ])("%s for %o with %o is refused", (question, systems, more, message) => {
    expect(() => ask(question, systems, more)).toThrow(UsageError);
    expect(() => ask(question, systems, more)).toThrow(message);
  });
});
