import { expect, it } from "vitest";
import { UsageError } from "../../core/errors.js";
import type { EvalConfig } from "../../core/result.js";
import { makeRow } from "../../core/row.js";
import type { ComparedRun } from "../../metrics/compare/index.js";
import { makeConfig } from "../../testing/make-run.js";
import type { RunCard } from "./contract.js";
import { buildCompareView } from "./run-view.js";

const CONFIG = makeConfig({ systems: ["x", "y"] });

function card(id: string, more: Partial<RunCard> = {}): RunCard {
  return {
    ...{ id, title: "A run", createdAt: "2026-01-01T00:00:00.000Z", status: "complete", command: null },
    ...{
      planned: 8,
      done: 8,
      datasets: [],
      tags: [],
      runTags: [],
      systems: [],
      costUsd: null,
      unpricedSystems: 0,
      wallSeconds: 1,
    },
    ...{ threshold: 0.7, parent: null, problem: null },
    ...more,
  };
}

/** `x` passes half of its tasks, `y` all of them. */
function run(runDir: string, config: EvalConfig = CONFIG): ComparedRun {
  const rows = config.systems.flatMap((system) =>
    Array.from({ length: 12 }, (_, i) => {
      const passed = system === "y" || i % 2 === 0;
      const scores = { score: passed ? 1 : 0 };
      return makeRow({
        system,
        exampleId: i,
        outcome: passed ? "pass" : "fail",
        passed,
        scores,
        primaryField: "score",
      });
    }),
  );
  return { rows, config, runDir };
}

it("compares two systems of one run, and names the run by its id alone", () => {
  const both = { card: card("r"), result: run("/somewhere/r") };
  const view = buildCompareView({ a: both, b: both, systemA: "x", systemB: "y" });
  expect(view.a).toBe(both.card);
  expect(view.comparison.comparisons).toHaveLength(1);
  expect(view.comparison.comparisons[0]?.flips.toPass).toHaveLength(6);
  expect(view.comparison).toMatchObject({ a: { run: "r", title: "A run" }, b: { run: "r" } });
  expect(JSON.stringify(view)).not.toContain("somewhere");
});

it("keeps notes, and reports trials that were not run", () => {
  const a = { card: card("r", { planned: 30, done: 24 }), result: run("/r") };
  const b = { card: card("q"), result: run("/q", { ...CONFIG, threshold: 0.9 }) };
  const { notes } = buildCompareView({ a, b }).comparison;
  expect(notes.join("\n")).toContain("threshold");
  expect(notes).toContain("planned trials of A that were not run: 6");
  expect(notes.join("\n")).not.toContain("of B that");
});

it("rejects an ambiguous choice of systems", () => {
  const both = { card: card("r"), result: run("/r") };
  expect(() => buildCompareView({ a: both, b: both })).toThrow(UsageError);
});
