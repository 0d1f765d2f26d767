import { describe, expect, it } from "vitest";
import type { Metric } from "../core/metric.js";
import type { EvalConfig } from "../core/result.js";
import { type EvalRow, makeRow, type Outcome, ROW_FIELDS } from "../core/row.js";
import { PerDatasetBreakdown, standardMetrics } from "../metrics/index.js";
import { makeConfig, makeTiming } from "../testing/make-run.js";
import { jsonReporter } from "./json.js";
import { RunResult } from "./result.js";

const CONFIG = makeConfig({
  title: "needle: a, b",
  datasets: [{ name: "needle", examples: 2, fingerprint: "f", tags: ["d"], primaryField: "f1", evaluators: {} }],
  evaluators: ["e"],
});
const TIMING = makeTiming();

function row(system: string, exampleId: number, outcome: Outcome, more: Partial<EvalRow> = {}): EvalRow {
  const scored = outcome === "pass" || outcome === "fail";
  return makeRow({
    system,
    exampleId,
    outcome,
    passed: scored ? outcome === "pass" : null,
    scores: scored ? { f1: outcome === "pass" ? 1 : 0.25 } : {},
    primaryField: scored ? "f1" : null,
    inputTokens: 100,
    outputTokens: 20,
    latency: 0.5,
    ...more,
  });
}

function resultOf(rows: EvalRow[], more: { config?: Partial<EvalConfig>; metrics?: Metric[]; notes?: string[] } = {}) {
  const config = { ...CONFIG, ...more.config };
  const metrics = more.metrics ?? standardMetrics(config.systems.length, config.datasets.length);
  return new RunResult({ rows, metrics, config, timing: TIMING, runDir: null, notes: more.notes ?? [] });
}

const TWO = [row("a", 1, "pass"), row("a", 2, "pass"), row("b", 1, "pass"), row("b", 2, "fail")];

/** The cells of a Markdown table's lines, by the first cell. */
/** Of the tables before the first section. */
function cellsOf(table: string): Map<string, string[]> {
  const [main = ""] = table.split("\n## ");
  const lines = main.split("\n").filter((line) => line.startsWith("|"));
  return new Map(
    lines.map((line) => {
      const [first = "", ...rest] = line.slice(2, -2).split(/ (?<!\\)\| /);
      return [first.trim(), rest.map((cell) => cell.trim())];
    }),
  );
}

describe("toTable", () => {
  it("has a line for each system with intervals, coverage and rank", () => {
    const table = resultOf(TWO).toTable();
    const cells = cellsOf(table);
    expect(table).toMatch(/^# needle: a, b\n\n\| system /);
    const [header, a, b] = ["system", "a", "b"].map((name) => cells.get(name) ?? []);
    expect(header?.at(-1)).toBe("Pareto rank");
    expect(a).toEqual([
      "1 [0.342, 1]",
      "1 [0.342, 1]",
      "100 → 20",
      "80 %",
      "20 [20, 20]",
      "500 ms",
      "500 ms",
      "100 %",
      "1",
    ]);
    expect(b?.[0]).toBe("0.625 [0.004, 0.999]");
    expect(b?.at(-1)).toBe("2");
  });

  it("shows the pass rule, the plan and the duration", () => {
    const table = resultOf(TWO, { notes: ["2 bad rows skipped"] }).toTable();
    expect(table).toContain("- pass = f1 ≥ 0.7 · 2 systems × 2 examples (needle) × 1 trial\n");
    expect(table).toContain("- 4 trials planned: 3 pass, 1 fail\n");
    expect(table).toContain("- 2.00 s · 10 trials/s · tokens by cl100k_base · seed 0\n");
    expect(table).toContain("frontier cost of pass over all systems: 20 tokens");
    expect(table).toContain("- 2 bad rows skipped\n");
    expect(table).not.toContain("⚠");
    expect(table.endsWith("\n")).toBe(true);
  });

  it("has no rank and no frontier for one system, and infinity for a cost of pass without passes", () => {
    const table = resultOf([row("a", 1, "fail"), row("a", 2, "fail")], { config: { systems: ["a"] } }).toTable();
    expect(table).not.toContain("Pareto");
    expect(table).not.toContain("frontier");
    expect(cellsOf(table).get("a")?.[4]).toBe("∞");
  });

  it("marks low coverage and shows a dash for values without data", () => {
    const table = resultOf([row("a", 1, "error"), row("a", 2, "skipped"), row("a", 3, "unscored")]).toTable();
    const cells = cellsOf(resultOf([row("a", 1, "error"), row("a", 2, "skipped")]).toTable()).get("a");
    expect(cells).toEqual(["–", "–", "– → –", "–", "∞", "–", "–", "0 % ⚠"]);
    expect(table).toContain("3 trials planned: 0 pass, 0 fail, 1 error, 1 unscored, 1 skipped");
    expect(table).toContain(
      "\n\n⚠ No trial was scored (3 trials). Most common reason (1 trial): error, without a message.\n\n| system",
    );
    const nearly = Array.from({ length: 20 }, (_, id) => row("a", id, id === 0 ? "error" : "pass"));
    expect(resultOf(nearly).toTable()).not.toContain("⚠");
  });

  it("adds pass@k, pass^k and the flaky share with several trials", () => {
    const trials = TWO.flatMap((one) => [one, { ...one, trial: 1, ...(one.system === "b" ? { passed: false } : {}) }]);
    const table = resultOf(trials, { config: { trials: 2 } }).toTable();
    expect(table).toMatch(/\| +pass@1 \|/);
    expect(table).toMatch(/\| +pass\^2 \|/);
    expect(table).not.toContain("pass^1");
    expect(cellsOf(table).get("b")?.at(-1)).toBe("50 %");
    expect(resultOf(TWO).toTable()).not.toContain("pass@");
  });

  it("shows a dash, not 0 %, for the flaky share of a system without scored trials", () => {
    const trials = [0, 1].map((trial) => row("a", 1, "error", { trial }));
    expect(
      cellsOf(resultOf(trials, { config: { trials: 2 } }).toTable())
        .get("a")
        ?.at(-1),
    ).toBe("–");
  });

  it("adds the breakdown for several datasets, given separately or by tags", () => {
    const tagged = TWO.map((one) => ({ ...one, dataset: one.exampleId === 1 ? "qa|1" : "rows_n" }));
    const table = resultOf(tagged, { metrics: [new PerDatasetBreakdown()] }).toTable();
    expect(table).toMatch(/\| system +\| +qa\\\|1 \| +rows_n \|/);
    expect(resultOf(TWO, { metrics: [new PerDatasetBreakdown()] }).toTable()).not.toContain("unknown");
  });

  it("shows dollars when costs are known", () => {
    expect(resultOf(TWO).toTable()).not.toContain("mean cost");
    const cells = cellsOf(resultOf(TWO.map((one) => ({ ...one, costUsd: 0.5 }))).toTable());
    expect(cells.get("b")?.slice(5, 7)).toEqual(["$0.5000", "$1.00"]);
  });

  it("shows the requested columns", () => {
    const [main = "", efficiency = ""] = resultOf(TWO)
      .toTable({ columns: ["speed"] })
      .split("Speed and efficiency:");
    expect(cellsOf(main).get("system")).toEqual(["latency p50", "p95", "coverage", "Pareto rank"]);
    expect(cellsOf(efficiency).get("system")).toEqual([
      "to first attempt",
      "to success",
      "turns",
      "tokens/s",
      "p90 cost",
      "speed efficiency",
      "cost killed",
      "slow",
    ]);
  });

  it("keeps names from breaking out of the table and the title", () => {
    const config = { title: "t: x | y\n# other", systems: ["x | y\n# other"] };
    const table = resultOf([row("x | y\n# other", 1, "pass")], { config }).toTable();
    expect(table.split("\n").filter((line) => line.startsWith("#"))).toEqual(["# t: x | y # other"]);
    expect(table).toContain("| x \\| y # other |");
  });
});

describe("toJSON", () => {
  const nothingPassed = resultOf([row("a", 1, "fail"), row("b", 1, "fail")]);

  it("maps infinity to null with its reason, and stays valid JSON", () => {
    const report = JSON.parse(JSON.stringify(nothingPassed));
    expect(report).toMatchObject({ schema: "assay.report/1", run: null, config: { seed: 0 } });
    expect(report.summary.a).toMatchObject({
      cost_of_pass: null,
      cost_of_pass_reason: "no passes",
      mean_cost_usd: null,
      mean_cost_usd_reason: "no trial has a known cost",
      mean_score_ci_low: null,
      mean_score_ci_low_reason: "fewer than two tasks",
      mean_score: 0.25,
    });
    expect(report.summary.a).not.toHaveProperty("mean_score_reason");
    expect(report.across).toMatchObject({
      frontier_cost_of_pass: null,
      frontier_cost_of_pass_reason: "no system passed one of the tasks",
    });
    expect(nothingPassed.summary.a?.cost_of_pass).toBe(Infinity);
  });

  it("contains only numbers that JSON allows", () => {
    const odd: Metric = { name: "odd", compute: () => ({ up: Infinity, down: -Infinity, nan: Number.NaN }) };
    const { a } = resultOf([row("a", 1, "pass")], { metrics: [odd] }).toJSON().summary;
    expect(a).toMatchObject({ up: null, down: null, nan: null, nan_reason: "not a number" });
    for (const value of Object.values(a ?? {}))
      if (typeof value === "number") expect(Number.isFinite(value)).toBe(true);
  });

  it("keeps systems and keys whatever their names are", () => {
    const odd: Metric = {
      name: "odd",
      compute: () =>
        Object.fromEntries([
          ["__proto__", 2],
          ["constructor", null],
        ]),
    };
    const result = resultOf([row("__proto__", 1, "pass"), row("constructor", 1, "fail")], {
      metrics: [odd],
      config: { systems: ["__proto__", "constructor"] },
    });
    const { summary } = JSON.parse(JSON.stringify(result));
    expect(Object.keys(summary)).toEqual(["__proto__", "constructor"]);
    for (const own of Object.values(summary) as object[]) {
      expect(Object.entries(own)).toContainEqual(["__proto__", 2]);
      expect(Object.entries(own)).toContainEqual(["constructor_reason", "not measured"]);
    }
    const cells = cellsOf(result.toTable());
    expect(cells.get("system")?.slice(-2)).toEqual(["__proto__", "constructor"]);
    expect(result.toTable()).toMatch(/^\| .*proto.* \| +2 \| +– \|$/m);
  });

  it("does not overwrite a metric's own key with a reason", () => {
    const odd: Metric = { name: "odd", compute: () => ({ gap_reason: 3, gap: null }) };
    expect(resultOf([row("a", 1, "pass")], { metrics: [odd] }).toJSON().summary.a).toMatchObject({
      gap: null,
      gap_reason: 3,
    });
  });

  it.each([
    ["many rows", TWO],
    ["no rows", []],
  ])("equals what the reporter writes in chunks: %s", async (_, rows) => {
    const result = resultOf(rows);
    const text = [...(await jsonReporter.render(result))].join("");
    expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(result)));
  });
});

describe("filter", () => {
  const result = resultOf([...TWO, row("b", 3, "error", { dataset: "other", trial: 1 })]);

  it("recomputes the summary for the remaining rows", () => {
    const hard = result.filter({ exampleId: 2 });
    expect(hard.summary).toMatchObject({ a: { pass_rate: 1, num_planned: 1 }, b: { pass_rate: 0, pareto_rank: 2 } });
    expect(result.summary.b).toMatchObject({ pass_rate: 0.5, num_planned: 3 });
  });

  it("accepts every field of a filter, or a predicate", () => {
    expect(result.filter({ system: "b" }).rows).toHaveLength(3);
    expect(result.filter({ system: "b", outcome: "pass" }).rows).toHaveLength(1);
    expect(result.filter({ dataset: "other" }).rows).toHaveLength(1);
    expect(result.filter({ trial: 1 }).rows).toHaveLength(1);
    expect(result.filter((one) => one.outcome !== "error").rows).toHaveLength(4);
    expect(result.filter({ system: "b" }).filter({ outcome: "fail" }).rows).toHaveLength(1);
  });

  it("has no rank for a single remaining system", () => {
    const one = result.filter({ system: "a" });
    expect(one.summary.a?.pareto_rank).toBe(0);
    expect(one.across).toEqual({});
    expect(one.toTable()).not.toContain("Pareto");
  });

  it("may leave nothing", () => {
    const none = result.filter({ system: "zebra" });
    expect(none.summary).toEqual({});
    expect(JSON.parse(JSON.stringify(none)).rows).toEqual([]);
    expect(none.toTable()).toContain("0 trials planned");
  });

  it("does not repeat notes of failed metrics", () => {
    const broken: Metric = { name: "broken", compute: () => undefined as never };
    const noted = resultOf(TWO, { metrics: [broken], notes: ["kept"] });
    expect(noted.notes).toHaveLength(3);
    expect(noted.filter({ system: "a" }).notes).toEqual(["kept", expect.stringContaining("broken failed for a")]);
  });
});

describe("toColumns", () => {
  it("has one array for each field and score, all as long as the rows", () => {
    const columns = resultOf([row("a", 1, "pass"), row("a", 2, "error"), row("a", 3, "fail")]).toColumns();
    expect(columns["scores.f1"]).toEqual([1, null, 0.25]);
    expect(columns.outcome).toEqual(["pass", "error", "fail"]);
    expect(columns.exampleId).toEqual([1, 2, 3]);
    expect(columns).not.toHaveProperty("scores");
    for (const [field, values] of Object.entries(columns)) expect(values, field).toHaveLength(3);
    const fields = ROW_FIELDS.filter((field) => field !== "scores" && field !== "measures");
    expect(Object.keys(columns).sort()).toEqual([...fields, "scores.f1"].sort());
  });

  it("has one array for each measure", () => {
    const columns = resultOf([{ ...row("a", 1, "pass"), measures: { lines: 3 } }, row("a", 2, "pass")]).toColumns();
    expect(columns["measures.lines"]).toEqual([3, null]);
  });

  it("has every field even without rows", () => {
    const columns = resultOf([]).toColumns();
    expect(columns.costUsd).toEqual([]);
    expect(Object.keys(columns)).toHaveLength(ROW_FIELDS.length - 2);
  });
});
