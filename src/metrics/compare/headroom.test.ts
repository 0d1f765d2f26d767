import { describe, expect, it } from "vitest";
import { makeRow } from "../../core/index.js";
import { makeConfig } from "../../testing/make-run.js";
import { compareRuns } from "./compare-runs.js";
import { describeHeadroom, describeRunHeadroom } from "./headroom.js";

/** A run of one system on 40 tasks, of which it passes the first. */
function makeRun(passes: number, runDir: string) {
  const rows = Array.from({ length: 40 }, (_, exampleId) => {
    const score = exampleId < passes ? 1 : 0;
    const outcome = score === 1 ? ("pass" as const) : ("fail" as const);
    return makeRow({
      system: "a",
      dataset: "qa",
      exampleId,
      trial: 0,
      outcome,
      passed: score === 1,
      scores: { score, em: score, tone: 0.5 },
    });
  });
  const datasets = [{ name: "qa", tags: ["qa"], examples: 40, fingerprint: "", evaluators: {}, primaryField: "em" }];
  return { rows, runDir, config: makeConfig({ systems: ["a"], datasets }) };
}

function warn(a: number, b: number, asked?: number): string[] {
  const runs = [makeRun(a, "a"), makeRun(b, "b")] as const;
  return describeHeadroom(compareRuns(...runs), { runs, asked });
}

describe("headroom", () => {
  it("is missing where the baseline passes 90 % or more, and only there", () => {
    expect(warn(36, 30)[0]).toBe("a passes 90 % in A: a better system can hardly show it. Harder tasks could");
    expect(warn(35, 40).join()).not.toContain("hardly");
  });

  it("is missing where the whole dataset cannot show the difference that was asked for", () => {
    expect(warn(20, 25, 0.02)[0]).toMatch(
      /^a: all 40 tasks of the run can show a difference of 0\.\d{3} at 80 % power, not the 0\.02 that was asked for/,
    );
    expect(warn(20, 25, 0.9).join()).not.toContain("asked for");
    expect(warn(20, 25).join()).not.toContain("asked for");
  });

  it("is missing where a score never varies", () => {
    const told = "tone is 0.5 in all 80 scored trials: a score that never varies tells nothing apart";
    expect(warn(20, 25)).toEqual([told]);
    expect(warn(40, 40)[1]).toBe("em is 1 in all 80 scored trials: a score that never varies tells nothing apart");
  });

  it("is missing in one run too", () => {
    const ceiling = "a passes 90 %: a better system can hardly show it. Harder tasks could";
    const constant = "tone is 0.5 in all 40 scored trials: a score that never varies tells nothing apart";
    expect(describeRunHeadroom(makeRun(36, "a").rows, ["a"])).toEqual([ceiling, constant]);
    expect(describeRunHeadroom(makeRun(35, "a").rows, ["a"])).toEqual([constant]);
    // The first system is the one that others are compared with.
    expect(describeRunHeadroom(makeRun(36, "a").rows, ["b", "a"])).toEqual([constant]);
    expect(describeRunHeadroom(makeRun(19, "a").rows.slice(0, 19), ["a"])).toEqual([]);
    expect(describeRunHeadroom([], [])).toEqual([]);
  });
});
