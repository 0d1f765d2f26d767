import { expect, it } from "vitest";
import { makeRow } from "../core/index.js";
import { createLayout } from "./layout.js";
import { renderReliability } from "./reliability.js";

const arms = { m: { system: "m", kind: "clean" }, "m (faults)": { system: "m", kind: "faults" } };
const config = { arms } as never;

it("says why a figure is not given, and counts the faults", () => {
  const rows = [0, 1, 2].flatMap((exampleId) => [
    makeRow({ system: "m", exampleId, outcome: "pass", passed: true }),
    makeRow({
      system: "m (faults)",
      exampleId,
      outcome: "fail",
      passed: false,
      faults: [{ kind: "cut", request: 0, recoveryMs: null }],
    }),
  ]);
  const text = renderReliability({ rows, config }, createLayout()).join("\n\n");
  expect(text).toContain("## Reliability of m");
  expect(text).toMatch(/\| pass rate without stress +\| +100 % \| +[\d.]+ % to 100 % \| +3 \|/);
  expect(text).toMatch(
    /\| outcome consistency +\| +– \| +needs at least two scored trials of a task \(--trials 5\) \|/,
  );
  expect(text).toMatch(/\| robustness to faults +\| +× 0 \| +× 0 to × [\d.]+ \|/);
  expect(text).toMatch(/\| recovery time +\| +– \| +no trial recovered from a fault \|/);
  expect(text).toContain("3 injected faults: cut 3.");
});

it("is empty for a run that is no stress test", () => {
  expect(renderReliability({ rows: [], config: {} as never }, createLayout())).toEqual([]);
});
