import { describe, expect, it } from "vitest";
import type { DatasetGate } from "../../core/dataset.js";
import { checkDatasetGate } from "./eval-report.js";

const held = (op: DatasetGate["op"], value: number, actual: number) =>
  checkDatasetGate({ metric: "pass_rate", op, value }, { pass_rate: actual }).passed;

describe("checkDatasetGate", () => {
  it.each([
    [">=", [false, true, true]],
    ["<=", [true, true, false]],
    [">", [false, false, true]],
    ["<", [true, false, false]],
    ["==", [false, true, false]],
  ] as const)("%s, with the value below, at and above the limit", (op, expected) => {
    expect([held(op, 0.5, 0.4), held(op, 0.5, 0.5), held(op, 0.5, 0.6)]).toEqual(expected);
  });

  it("tolerates rounding of decimal sums", () => {
    const sum = 0.1 + 0.2;
    const below = 1 - 0.9 - 0.1 + 0.3;
    expect([sum > 0.3, below < 0.3]).toEqual([true, true]);
    for (const op of [">=", "<=", "=="] as const)
      expect([held(op, 0.3, sum), held(op, 0.3, below)]).toEqual([true, true]);
    for (const op of [">", "<"] as const) expect([held(op, 0.3, sum), held(op, 0.3, below)]).toEqual([false, false]);
    expect(held(">=", 0.3, 0.299999)).toBe(false);
  });

  it("fails for a value that was not measured", () => {
    for (const op of [">=", "<=", ">", "<", "=="] as const) {
      const gate = { metric: "pass_rate", op, value: 0 };
      const unmeasured = { ...gate, actual: null, passed: false };
      expect(checkDatasetGate(gate, {})).toEqual(unmeasured);
      expect(checkDatasetGate(gate, { pass_rate: null })).toEqual(unmeasured);
      expect(checkDatasetGate(gate, { pass_rate: 0, pass_rate_n: 0 })).toEqual(unmeasured);
    }
  });

  it("reads only the summary's own keys", () => {
    const gate = { metric: "constructor", op: ">=" as const, value: 0 };
    expect(checkDatasetGate(gate, {})).toMatchObject({ actual: null, passed: false });
  });
});
