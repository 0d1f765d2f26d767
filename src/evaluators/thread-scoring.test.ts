import { describe, expect, it } from "vitest";
import { UsageError } from "../core/errors.js";
import { requireTimeLimit, scoreInThread, type ThreadScoring } from "./thread-scoring.js";

/** Long enough to take seconds. */
const ENDLESS = { golds: ["ab".repeat(500_000)], response: "bca".repeat(400_000) };
const SHORT = { golds: ["kitten"], response: "sitting" };

function scored(work: Partial<ThreadScoring>) {
  const usual: ThreadScoring = {
    fields: ["levenshtein"],
    task: "levenshtein",
    input: SHORT,
    limitMs: 20_000,
    context: undefined,
  };
  return scoreInThread<number>({ ...usual, ...work }, (levenshtein) => ({ levenshtein }));
}

describe("scoreInThread", () => {
  it("returns the scores of the result", async () => {
    expect(await scored({})).toEqual({ levenshtein: 1 - 3 / 7 });
  });

  it("leaves timeouts and failures unscored", async () => {
    expect(await scored({ input: ENDLESS, limitMs: 50 })).toEqual({
      scores: {},
      unscored: { levenshtein: expect.stringMatching(/"levenshtein" was stopped.*50 ms/) },
    });
    expect(await scored({ input: null })).toMatchObject({ scores: {}, unscored: { levenshtein: expect.any(String) } });
  });

  it("passes on aborts and errors of the scoring function", async () => {
    const abort = new AbortController();
    const stopped = scored({ input: ENDLESS, context: { signal: abort.signal } });
    abort.abort(new Error("the run is over"));
    await expect(stopped).rejects.toThrow("the run is over");
    const broken = scoreInThread<number>(
      { fields: ["x"], task: "levenshtein", input: SHORT, limitMs: 20_000, context: undefined },
      () => {
        throw new RangeError("a bug");
      },
    );
    await expect(broken).rejects.toThrow("a bug");
  });
});

describe("requireTimeLimit", () => {
  it("accepts a number above 0, and names the evaluator otherwise", () => {
    expect(requireTimeLimit("regex", 5)).toBe(5);
    for (const limit of [0, -1, Number.NaN, "5", null]) {
      expect(() => requireTimeLimit("regex", limit)).toThrow(UsageError);
      expect(() => requireTimeLimit("regex", limit)).toThrow(
        "regex: limitMs must be a number of milliseconds above 0, not",
      );
    }
  });
});
