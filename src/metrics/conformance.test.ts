import { existsSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { describe, expect, it } from "vitest";
import type { Metric } from "../core/metric.js";
import { type EvalRow, makeRow } from "../core/row.js";
import { loadTokenizer } from "../models/tokens/index.js";
import { CompressionRatio, CostOfPass, MeanScore, PassRate, PerDatasetBreakdown } from "./index.js";

const CASES = resolve(import.meta.dirname, "../../../shared/cases/metrics.json");

interface Case {
  area: string;
  name: string;
  input: { rows: Partial<EvalRow>[]; options: Record<string, never>; text: string };
  expected: Record<string, number | "inf"> | number;
}

const METRICS: Record<string, (options: Record<string, never>) => Metric> = {
  "metric.mean_score": (options) => new MeanScore(options),
  "metric.pass_rate": (options) => new PassRate(options),
  "metric.compression_ratio": () => new CompressionRatio(),
  "metric.cost_of_pass": (options) => new CostOfPass(options),
  "metric.per_dataset": (options) => new PerDatasetBreakdown(options),
};

function actual({ area, input }: Case): unknown {
  if (area.startsWith("tokens.")) return loadTokenizer(area.slice("tokens.".length)).count(input.text);
  const metric = METRICS[area];
  if (metric === undefined) throw new Error(`no metric for ${area}`);
  const rows = input.rows.map((row, i) => makeRow({ system: "s", exampleId: i, outcome: "pass", ...row }));
  return metric(input.options).compute(rows);
}

if (!existsSync(CASES)) console.info(`conformance cases skipped: ${CASES} is not there`);

describe.skipIf(!existsSync(CASES))("conformance cases", () => {
  const cases = existsSync(CASES) ? (JSON.parse(readFileSync(CASES, "utf8")) as Case[]) : [];

  it("has cases", () => {
    expect(cases.length).toBeGreaterThan(10);
  });

  it.each(cases.map((entry) => [`${entry.area} ${entry.name}`, entry] as const))("%s", (_, entry) => {
    const found = actual(entry);
    if (typeof entry.expected === "number") return expect(found).toBe(entry.expected);
    const wanted = Object.entries(entry.expected).map(([key, value]) => [key, value === "inf" ? Infinity : value]);
    expect(Object.keys(found as object).sort()).toEqual(wanted.map(([key]) => String(key)).sort());
    for (const [key, value] of wanted) {
      expect((found as Record<string, number>)[String(key)], String(key)).toBeCloseTo(Number(value), 9);
    }
  });
});
