import { UsageError } from "../../core/errors.js";
import { type EvalRow, getMeasure, getScore, hasOutput, isScored, MEASURE_PREFIX } from "../../core/row.js";
import { didYouMean } from "../../core/suggest.js";
import type { Better, CompareOptions, MetricKind } from "./comparison.js";

/** A metric that can be compared; `read` returns undefined if a row has no value. */
export interface ComparableMetric {
  readonly metric: string;
  readonly kind: MetricKind;
  readonly better: Better;
  readonly read: (row: EvalRow) => number | undefined;
}

interface ComparedRows {
  readonly a: readonly EvalRow[];
  readonly b: readonly EvalRow[];
}

const FIELD_PREFIX = "field:";

/** The requested metrics, else all that have values. */
export function selectComparableMetrics(
  sides: ComparedRows,
  options: Pick<CompareOptions, "metrics" | "scoreField">,
): ComparableMetric[] {
  const { metrics, scoreField = "score" } = options;
  const known = [...createQualityMetrics(scoreField), ...ECONOMY_METRICS];
  if (metrics === undefined) return listDefaultComparisons(sides, known, scoreField);
  const fields = new Set([...collectScoreFields(sides.a), ...collectScoreFields(sides.b)]);
  const measures = new Set([...collectMeasures(sides.a), ...collectMeasures(sides.b)]);
  return [...new Set(metrics)].map((name) => {
    const found = known.find(({ metric }) => metric === name);
    const field = name.startsWith(FIELD_PREFIX) ? name.slice(FIELD_PREFIX.length) : name;
    if (found !== undefined) return found;
    if (fields.has(field)) return createFieldMetric(field);
    if (measures.has(name)) return createMeasureMetric(name);
    throw new UsageError(
      `Unknown metric "${name}".${didYouMean(name, [...known.map(({ metric }) => metric), ...fields, ...measures])}`,
    );
  });
}

function listDefaultComparisons(
  sides: ComparedRows,
  known: readonly ComparableMetric[],
  scoreField: string,
): ComparableMetric[] {
  const isMeasured = ({ read }: ComparableMetric) => [...sides.a, ...sides.b].some((row) => read(row) !== undefined);
  const hasLatency = known.some((measure) => measure.metric === "latency_mean" && isMeasured(measure));
  const economy = known.filter(({ kind }) => kind === "economy").filter(isMeasured);
  const ofB = new Set(collectScoreFields(sides.b));
  const fields = [...collectScoreFields(sides.a)].filter(
    (field) => ofB.has(field) && !isPrimaryScore(field, sides, scoreField),
  );
  return [
    ...known.filter(({ kind }) => kind === "quality"),
    // Both measure the time of a trial; testing the same question twice weakens the correction for both.
    ...economy.filter(({ metric }) => metric !== "duration_mean" || !hasLatency),
    ...fields.sort().map(createFieldMetric),
  ];
}

function createQualityMetrics(scoreField: string): ComparableMetric[] {
  const ofScored = (read: ComparableMetric["read"]) => (row: EvalRow) => (isScored(row) ? read(row) : undefined);
  return [
    { metric: "pass_rate", kind: "quality", better: "more", read: ofScored((row) => Number(row.outcome === "pass")) },
    { metric: "mean_score", kind: "quality", better: "more", read: ofScored((row) => getScore(row, scoreField)) },
  ];
}

function createFieldMetric(field: string): ComparableMetric {
  const read = ({ scores }: EvalRow) => (Object.hasOwn(scores, field) ? scores[field] : undefined);
  return { metric: `${FIELD_PREFIX}${field}`, kind: "field", better: "more", read };
}

function createMeasureMetric(metric: string): ComparableMetric {
  const field = metric.slice(MEASURE_PREFIX.length);
  return { metric, kind: "measure", better: "neither", read: (row) => getMeasure(row, field) };
}

/** Only trials with an output: one that failed immediately was neither cheap nor fast. */
function createEconomyMetric(metric: string, read: (row: EvalRow) => number | null): ComparableMetric {
  return {
    metric,
    kind: "economy",
    better: "less",
    read: (row) => (hasOutput(row) ? (read(row) ?? undefined) : undefined),
  };
}

const ECONOMY_METRICS: readonly ComparableMetric[] = [
  createEconomyMetric("mean_cost_usd", ({ costUsd }) => costUsd),
  createEconomyMetric("latency_mean", ({ latency }) => latency),
  createEconomyMetric("duration_mean", ({ durationMs }) => (durationMs == null ? null : durationMs / 1000)),
  createEconomyMetric("mean_output_tokens", ({ outputTokens }) => outputTokens),
  createEconomyMetric("mean_turns", ({ turns }) => turns),
];

function collectScoreFields(rows: readonly EvalRow[]): Set<string> {
  const fields = new Set<string>();
  for (const { scores } of rows) for (const field in scores) fields.add(field);
  return fields;
}

/** The names of measures, as in summaries. */
function collectMeasures(rows: readonly EvalRow[]): Set<string> {
  const names = new Set<string>();
  // Rows of older versions have no measures.
  for (const { measures } of rows) for (const field in measures ?? {}) names.add(`${MEASURE_PREFIX}${field}`);
  return names;
}

/** The primary field is already compared as the score. */
function isPrimaryScore(field: string, { a, b }: ComparedRows, scoreField: string): boolean {
  if (field === scoreField) return true;
  const isPrimary = (row: EvalRow) =>
    !isScored(row) || (row.primaryField === field && !Object.hasOwn(row.scores, "score"));
  return scoreField === "score" && a.every(isPrimary) && b.every(isPrimary);
}
