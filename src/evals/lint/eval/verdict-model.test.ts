import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { GraderSpec } from "../../../core/grader.js";
import { computeTrialVerdict } from "../../../graders/verdict.js";
import { VerdictModel } from "./linted-stimulus.js";

const NOTHING = { paths: new Set<string>() };

/** Graders that pass or fail independently, with a score of 1 or 0. */
const graders = fc.array(
  fc.record({ weight: fc.constantFrom(0, 0.1, 0.5, 1, 2), required: fc.boolean() }, { requiredKeys: [] }),
  { minLength: 1, maxLength: 6 },
);
const thresholds = fc.constantFrom(null, 0, 0.1, 0.25, 0.5, 0.7, 0.9, 1);

function specsOf(given: readonly { weight?: number; required?: boolean }[]): GraderSpec[] {
  return given.map((settings, index) => ({ type: "run-command", config: { command: `check ${index}` }, ...settings }));
}

/** The verdicts of all combinations, by the real rules. */
function verdicts(specs: readonly GraderSpec[], threshold: number | null): boolean[] {
  return Array.from({ length: 1 << specs.length }, (_, mask) => {
    const grades = specs.map(({ weight = 1, required = false }, index) => {
      const passed = ((mask >> index) & 1) === 1;
      return { passed, score: passed ? 1 : 0, status: "ok" as const, weight, required };
    });
    return computeTrialVerdict(grades, threshold).passed === true;
  });
}

describe("VerdictModel", () => {
  it("finds the possible verdicts and the graders that change them", () => {
    fc.assert(
      fc.property(graders, thresholds, (given, threshold) => {
        // Weights that are all 0 are an error of the file.
        fc.pre(given.some(({ weight = 1 }) => weight > 0));
        const specs = specsOf(given);
        const all = verdicts(specs, threshold);
        const model = new VerdictModel(specs, threshold, NOTHING);
        expect(model.canPass).toBe(all.includes(true));
        expect(model.canFail).toBe(all.includes(false));
        for (const index of specs.keys()) {
          const changes = all.some((passed, mask) => passed !== all[mask | (1 << index)]);
          expect(model.canChangeVerdict(index)).toBe(changes);
        }
      }),
    );
  });

  it("allows for scores between 0 and 1", () => {
    const small = { type: "completed", weight: 0.1 };
    const tests = { type: "run-command", config: { command: "npm test" } };
    const judged = { type: "prompt", config: { prompt: "Is it tidy?" } };
    expect(new VerdictModel([tests, small], 0.5, NOTHING).canChangeVerdict(1)).toBe(false);
    expect(new VerdictModel([judged, small], 0.5, NOTHING).canChangeVerdict(1)).toBe(true);
  });

  it("excludes graders that cannot both pass", () => {
    const there = { type: "file-exists", config: { path: "a.txt" } };
    const gone = { type: "file-not-exists", config: { path: "a.txt" } };
    const done = { type: "completed" };
    expect(new VerdictModel([there, gone], null, NOTHING).canPass).toBe(false);
    expect(new VerdictModel([there, gone], 0.5, NOTHING).canPass).toBe(true);
    expect(new VerdictModel([there, gone, done], 0.7, NOTHING).canPass).toBe(false);
    expect(
      new VerdictModel(
        [
          { ...there, required: true },
          { ...gone, weight: 0 },
        ],
        0.5,
        NOTHING,
      ).canPass,
    ).toBe(true);
  });

  it("uses outcomes that are known in advance", () => {
    const given = { paths: new Set(["a.txt"]) };
    const there = { type: "file-exists", config: { path: "*.txt" } };
    const tests = { type: "run-command", config: { command: "npm test" } };
    expect(new VerdictModel([there, tests], 0.5, given).canFail).toBe(false);
    expect(new VerdictModel([there, tests], null, given).canFail).toBe(true);
    const never = { type: "turn-count", config: { max: 0 } };
    expect(new VerdictModel([never, tests], 0.6, given).canPass).toBe(false);
  });
});
