import { describe, expect, it } from "vitest";
import { heavy } from "../workers/pool.js";
import { scoredOrUndecided } from "./heavy-scored.js";

/** Long enough to take seconds. */
const ENDLESS = { golds: ["ab".repeat(500_000)], response: "bca".repeat(400_000) };

describe("scoredOrUndecided", () => {
  it("leaves unscored what takes too long, and what fails", async () => {
    const slow = heavy<number>("levenshtein", ENDLESS, { limitMs: 50 }).then((levenshtein) => ({ levenshtein }));
    expect(await scoredOrUndecided(["levenshtein"], slow)).toEqual({
      scores: {},
      unscored: { levenshtein: expect.stringMatching(/"levenshtein" was stopped.*50 ms/) },
    });
    const failing = heavy<number>("levenshtein", null).then((levenshtein) => ({ levenshtein }));
    expect(await scoredOrUndecided(["levenshtein"], failing)).toMatchObject({ scores: {}, unscored: {} });
  });

  it("gives scores as they are, and hands on what has nothing to do with the work", async () => {
    expect(await scoredOrUndecided(["x"], Promise.resolve({ x: 1 }))).toEqual({ x: 1 });
    const abort = new AbortController();
    const stopped = heavy<number>("levenshtein", ENDLESS, { signal: abort.signal }).then((x) => ({ x }));
    abort.abort(new Error("the run is over"));
    await expect(scoredOrUndecided(["x"], stopped)).rejects.toThrow("the run is over");
  });
});
