import { describe, expect, it } from "vitest";
import { type EvalRow, makeRow, type RowInit } from "../core/index.js";
import { standardMetrics } from "../metrics/index.js";
import { makeConfig, makeTiming } from "../testing/make-run.js";
import { describeLead } from "./lead.js";
import { RunResult } from "./result.js";

function makeResult(rows: readonly EvalRow[]): RunResult {
  const datasets = [{ name: "d", examples: 9, fingerprint: "f", tags: ["d"], primaryField: "f1", evaluators: {} }];
  const config = makeConfig({ datasets, systems: [...new Set(rows.map(({ system }) => system))] });
  return new RunResult({ rows, metrics: standardMetrics(1, 1), config, timing: makeTiming(), runDir: null, notes: [] });
}

let nextId = 0;
function row(outcome: EvalRow["outcome"], more: Partial<RowInit> = {}): EvalRow {
  const isScored = outcome === "pass" || outcome === "fail";
  const scored = isScored ? { scores: { f1: outcome === "pass" ? 1 : 0 }, primaryField: "f1" } : {};
  return makeRow({ system: "a", dataset: "d", exampleId: nextId++, ...scored, ...more, outcome });
}

function failed(message: string): EvalRow {
  const errorCategory = "api_error" as const;
  return row("error", { errorCategory, attempts: [{ errorCategory, message, durationMs: 1 }], facets: { topic: "x" } });
}

describe("the first lines of a report", () => {
  it("are nothing when all is well", () => {
    expect(describeLead(makeResult([row("pass"), row("fail")]))).toEqual([]);
    const nineteen = Array.from({ length: 19 }, () => row("pass"));
    expect(describeLead(makeResult([...nineteen, row("error")]))).toEqual([]);
  });

  it("count the trials without a score, with the most frequent reason", () => {
    const rows = [row("pass"), failed("odd"), failed("request 12 was refused"), failed("request 7f3 was refused")];
    expect(describeLead(makeResult(rows))).toEqual([
      "⚠ 3 of 4 trials were not scored (75 %), so the figures may mislead. Most common reason (2 trials): request 12 was refused.",
    ]);
    const notes = ['judge could not decide "f1": no key', "slow: 3 s"];
    expect(describeLead(makeResult([row("pass"), row("unscored", { notes })]))).toEqual([
      '⚠ 1 of 2 trials was not scored (50 %), so the figures may mislead. Reason: judge could not decide "f1": no key.',
    ]);
    expect(describeLead(makeResult([row("pass"), row("skipped")]))[0]).toContain("Reason: never started.");
  });

  it("come before the table, and facets without a score have none", () => {
    const table = makeResult([failed("There is no server."), failed("There is no server.")]).toTable();
    expect(table).toMatch(/^# .*\n\n⚠ No trial was scored \(2 trials\)\. Reason: There is no server\.\n\n\| system/);
    expect(table).not.toContain("by topic");
    expect(makeResult([row("fail", { facets: { topic: "x" } }), row("pass")]).toTable()).toContain(
      "Mean score by topic",
    );
  });

  it("shorten a long reason and keep it on one line", () => {
    const [line = ""] = describeLead(makeResult([failed(`a\n\u001b[2J${"x".repeat(500)}`)]));
    expect(line.length).toBeLessThan(300);
    for (const raw of ["\u001b", "\n"]) expect(line).not.toContain(raw);
  });
});

describe("a run in which every trial failed", () => {
  const fail = (scores: Record<string, number>, system = "a") =>
    row("fail", { scores: { f1: 0.1, ...scores }, system });

  it("names the field by which most would pass", () => {
    const rows = [
      fail({ contains: 1, recall: 0.9 }),
      fail({ contains: 0, recall: 0.7 }),
      fail({ contains: 0, recall: 0 }),
    ];
    expect(describeLead(makeResult(rows))).toEqual([
      "⚠ Every trial failed by f1 (needs 0.7); by recall 67 % would pass: add --score-field recall.",
    ]);
  });

  it("gives the range of several systems", () => {
    const rows = [fail({ contains: 1 }), fail({ contains: 0 }), fail({ contains: 1 }, "b"), fail({ contains: 1 }, "b")];
    expect(describeLead(makeResult(rows))[0]).toContain("by contains 50 % to 100 % would pass");
  });

  it.each<[string, EvalRow[]]>([
    ["one passed", [fail({ contains: 1 }), row("pass")]],
    ["none would pass", [fail({ contains: 0 })]],
    ["there is no other field", [fail({})]],
    [
      "graders decided",
      [row("fail", { primaryField: "verdict", scores: { verdict: 0, weighted_score: 0.8, tests: 1 } })],
    ],
  ])("says nothing if %s", (_, rows) => {
    expect(describeLead(makeResult(rows))).toEqual([]);
  });
});
