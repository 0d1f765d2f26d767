import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type EvalRow, makeRow, type RowInit } from "../core/index.js";
import { standardMetrics } from "../metrics/index.js";
import { makeConfig, makeTiming } from "../testing/make-run.js";
import { jsonReporter } from "./json.js";
import { RunResult } from "./result.js";

/** Trials of one system, one letter for each example: Pass, Fail, Error. */
function makeRows(system: string, letters: string, more: Partial<RowInit> = {}): EvalRow[] {
  return [...letters].map((letter, exampleId) => {
    const passed = letter === "P";
    if (letter === "E") return makeRow({ system, exampleId, outcome: "error", errorCategory: "api_error" });
    const priced = { costUsd: 0.01, costSource: "priced" as const, latency: 1.5 };
    const scores = { f1: passed ? 1 : 0, contains: 1 };
    return makeRow({
      ...priced,
      system,
      exampleId,
      scores,
      primaryField: "f1",
      ...more,
      outcome: passed ? "pass" : "fail",
      passed,
    });
  });
}

function makeResult(rows: readonly EvalRow[], runDir: string | null = join(".assay", "runs", "20261118-quiz")) {
  const systems = [...new Set(rows.map(({ system }) => system))];
  const config = makeConfig({ systems, scoreField: "f1" });
  const metrics = standardMetrics(systems.length, 1);
  return new RunResult({ rows, metrics, config, timing: makeTiming(), runDir, notes: [] });
}

/** The lines of the last section of a table. */
function readLines(rows: readonly EvalRow[], runDir?: string | null): string[] {
  const [, section = ""] = makeResult(rows, runDir).toTable().split("\n## Recommendation\n\n");
  return section.trimEnd().split("\n");
}

const GOOD = `${"P".repeat(32)}${"F".repeat(8)}`;
const CLOSE = `FFFF${"P".repeat(30)}${"F".repeat(6)}`;
const BAD = `${"F".repeat(20)}${"P".repeat(12)}${"F".repeat(8)}`;

describe("the recommendation of a table", () => {
  it("is the end of a report of several systems", () => {
    const rows = [...makeRows("good", GOOD), ...makeRows("close", CLOSE, { costUsd: 0.001, latency: 0.5 })];
    expect(readLines(rows)).toEqual([
      "- Best quality: good, pass rate 0.8 [0.652, 0.895].",
      "- Cheapest that is not significantly worse: close, $0.0013 per pass (good: $0.0125); its pass rate may be up to 0.174 lower.",
      "- Fastest: close, median latency 500 ms (good: 1.50 s).",
      "- The difference of 0.05 between good and close is not significant (p = 0.687); if it stays this large, about 440 more examples would show it at 80 % power.",
      "- Next: assay compare 20261118-quiz --system-a good --system-b close",
    ]);
  });

  it("is left out for one system, also in JSON", async () => {
    const result = makeResult(makeRows("good", GOOD));
    expect(result.toTable()).not.toContain("Recommendation");
    expect(result.recommendation).toBeNull();
    expect(JSON.parse([...(await jsonReporter.render(result))].join(""))).toMatchObject({ recommendation: null });
  });

  it("says what is significant", () => {
    const rows = [
      ...makeRows("good", GOOD),
      ...makeRows("bad", BAD, { costUsd: 0.0001, latency: 0.5 }),
      ...makeRows("worst", "F".repeat(40), { costUsd: 0.00001 }),
    ];
    const lines = readLines(rows);
    expect(lines[1]).toBe("- Cheapest that is not significantly worse: good itself, $0.0125 per pass.");
    expect(lines[2]).toBe(
      "- Fastest: bad, median latency 500 ms (good: 1.50 s), but its pass rate is significantly lower.",
    );
    expect(lines[3]).toMatch(
      /^- bad is significantly worse than good: pass rate -0\.5 \[-0\.662, -0\.338\] \(p < 0\.001, corrected for 3 pairs\)\.$/,
    );
    expect(lines[4]).toBe("- Next: assay compare 20261118-quiz --system-a good --system-b bad");
  });

  it("says when systems do not differ", () => {
    expect(readLines([...makeRows("a", "PPFF"), ...makeRows("b", "PPFF")])[3]).toBe(
      "- a and b have the same pass rate in each of 4 examples.",
    );
    expect(readLines([...makeRows("a", "PPFF"), ...makeRows("b", "FFPP")])[3]).toBe(
      "- The difference between a and b is not significant (p = 1): they look equal, and more examples need not show a difference.",
    );
  });

  it("names a run outside of the default folder by its path, and quotes names", () => {
    const rows = [...makeRows("it's good", "PP"), ...makeRows("-x", "PF")];
    expect(readLines(rows, "my runs/one").at(-1)).toBe(
      "- Next: assay compare 'my runs/one' --system-a 'it'\\''s good' --system-b=-x",
    );
    expect(readLines(rows, "/far/away/one").at(-1)).toContain("assay compare /far/away/one ");
    expect(readLines(rows, null).at(-1)).not.toContain("Next");
  });

  it("is withheld with a reason and a look at what is missing", () => {
    expect(readLines([...makeRows("a", "PPPPE"), ...makeRows("b", "PPPPP")])).toEqual([
      "- None: fewer than 95 % of the trials of a were scored.",
      "- Next: assay show 20261118-quiz --outcome error",
    ]);
    expect(readLines([...makeRows("a", "FF"), ...makeRows("b", "FF")])).toEqual([
      "- None: no trial passed.",
      "- Next: assay grade 20261118-quiz --score-field contains",
    ]);
    const scores = { f1: 0 };
    expect(readLines([...makeRows("a", "FF", { scores }), ...makeRows("b", "FF", { scores })]).at(-1)).toBe(
      "- Next: assay show 20261118-quiz --outcome fail",
    );
  });

  it("has the same data in JSON and in the library, without infinite numbers", async () => {
    const result = makeResult([...makeRows("good", GOOD), ...makeRows("none", "F".repeat(40))]);
    const report = JSON.parse([...(await jsonReporter.render(result))].join(""));
    expect(report.recommendation).toEqual(result.recommendation);
    expect(report.recommendation).toMatchObject({
      best: { system: "good", value: 0.8 },
      cheapest: { system: "good" },
      differences: [{ system: "none", verdict: "worse" }],
      next: "assay compare 20261118-quiz --system-a good --system-b none",
    });
    expect(result.filter({ system: "good" }).recommendation).toBeNull();
  });

  it("keeps a name with an escape sequence from the terminal", () => {
    const text = readLines([...makeRows("a\u001b[2J", "PP"), ...makeRows("b\nc", "PF")]).join();
    for (const raw of ["\u001b", "\n"]) expect(text).not.toContain(raw);
  });
});
