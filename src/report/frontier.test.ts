import { describe, expect, it } from "vitest";
import { addExpertCosts, type EvalRow, makeRow, type RowInit } from "../core/index.js";
import { standardMetrics } from "../metrics/index.js";
import { makeConfig, makeTiming } from "../testing/make-run.js";
import { buildFrontier, describeFrontier } from "./frontier.js";
import { RunResult } from "./result.js";

function row(system: string, exampleId: number, passed: boolean, more: Partial<RowInit> = {}): EvalRow {
  const scores = { f1: Number(passed) };
  const priced = { costUsd: system === "big" ? 0.4 : 0.1, costSource: "priced" as const };
  const outcome = passed ? ("pass" as const) : ("fail" as const);
  return makeRow({
    system,
    dataset: "quiz",
    exampleId,
    passed,
    scores,
    primaryField: "f1",
    ...priced,
    ...more,
    outcome,
  });
}

/** `small` passes the first task only, `big` both of the first two, nobody the third. */
const ROWS = [
  row("small", 1, true),
  row("small", 2, false),
  row("small", 3, false),
  row("big", 1, true),
  row("big", 2, true),
  row("big", 3, false),
];

function makeResult(rows: readonly EvalRow[], expertCostUsd?: number) {
  const systems = [...new Set(rows.map(({ system }) => system))];
  const quiz = { name: "quiz", examples: 3, fingerprint: "", tags: ["quiz"], primaryField: "f1", evaluators: {} };
  const datasets = expertCostUsd === undefined ? [quiz] : addExpertCosts([quiz], expertCostUsd, "it");
  const config = makeConfig({ systems, datasets, scoreField: "f1" });
  const metrics = standardMetrics(systems.length, 1);
  return new RunResult({ rows, metrics, config, timing: makeTiming(), runDir: null, notes: [] });
}

describe("the frontier cost of a pass", () => {
  it("says what each system adds, and that one trial is biased", () => {
    const result = makeResult(ROWS, 1);
    expect(result.frontier).toMatchObject({
      valueUsd: expect.closeTo(0.5, 12),
      reason: null,
      isBiased: true,
      tasks: 3,
      infiniteTasks: 0,
      expertCostUsd: { quiz: 1 },
      expertShare: expect.closeTo(1 / 3, 12),
      systems: [
        { system: "small", essentialShare: expect.closeTo(1 / 3, 12), gainUsd: expect.closeTo(0.1, 12) },
        { system: "big", essentialShare: expect.closeTo(1 / 3, 12), gainUsd: expect.closeTo(0.2, 12) },
      ],
    });
    const table = result.toTable();
    expect(table).toContain("## Frontier cost of a pass");
    expect(table).toContain("or an expert ($1.00 per example; 33.3 % of tasks). Biased downward");
    expect(table).toMatch(/\| small +\| +33\.3 % \| \$0\.1000 \[/);
    expect(result.toJSON().frontier).toEqual(result.frontier);
  });

  it("says why it is not finite where no expert cost is known", () => {
    const { frontier } = makeResult(ROWS);
    expect(frontier).toMatchObject({ valueUsd: null, low: null, high: null, infiniteTasks: 1 });
    expect(frontier?.systems.map(({ gainUsd }) => gainUsd)).toEqual([null, null]);
    expect(frontier?.reason).toBe("in 1 of 3 tasks no system passed, and the cost of an expert is not known for quiz");
    const table = makeResult(ROWS).toTable();
    expect(table).toContain(
      `Frontier cost of a pass: not finite, because ${frontier?.reason}. Give it with --expert-cost`,
    );
    expect(table).not.toContain("## Frontier");
  });

  it("is cross-fitted over several trials, and counts choices that did not pass again", () => {
    const trials = [0, 1].flatMap((trial) => [
      row("small", 1, true, { trial }),
      row("big", 1, true, { trial }),
      row("small", 2, trial === 0, { trial }),
      row("big", 2, true, { trial }),
    ]);
    const frontier = buildFrontier(makeResult(trials, 1));
    // Task 2: trial 0 chooses small, which fails in trial 1: the expert. Trial 1 chooses big.
    expect(frontier).toMatchObject({ isBiased: false, unrepeatedShare: 0.25, valueUsd: expect.closeTo(0.4, 12) });
    if (frontier !== null)
      expect(describeFrontier(frontier)).toMatch(/Cross-fitted over trials.*In 25 % of the choices/);
  });

  it("covers only tasks that every system ran", () => {
    const { frontier } = makeResult([...ROWS, row("small", 4, true)], 1);
    expect(frontier?.tasks).toBe(3);
  });

  it("compares one system with an expert", () => {
    const result = makeResult(ROWS.slice(0, 3), 1);
    expect(result.frontier).toMatchObject({
      valueUsd: expect.closeTo((0.1 + 1 + 1) / 3, 12),
      expertShare: expect.closeTo(2 / 3, 12),
      systems: [{ system: "small", essentialShare: expect.closeTo(1 / 3, 12), gainUsd: expect.closeTo(0.3, 12) }],
    });
    expect(result.toTable()).toContain("each done by the system or an expert ($1.00 per example; 66.7 % of tasks).");
  });

  it("is left out where it says nothing: one system without an expert, an unknown price, no cost, or no pass", () => {
    expect(makeResult(ROWS.slice(0, 3)).frontier).toBeNull();
    expect(
      makeResult(
        ROWS.map((one, i) => (i === 0 ? { ...one, costUsd: null } : one)),
        1,
      ).frontier,
    ).toBeNull();
    expect(
      makeResult(
        ROWS.map((one) => ({ ...one, costUsd: 0 })),
        1,
      ).frontier,
    ).toBeNull();
    const failed = ROWS.map((one) => ({ ...one, passed: false, outcome: "fail" as const }));
    expect(makeResult(failed, 1).frontier).toBeNull();
    expect(makeResult(failed, 1).toTable()).not.toContain("rontier cost of a pass:");
  });
});
