import { UsageError } from "../../core/errors.js";
import { type EvalRow, hasOutput, isScored, scoreOf } from "../../core/row.js";
import { didYouMean } from "../../core/suggest.js";
import type { Better, CompareOptions, MetricKind } from "./comparison.js";

/** A metric that can be compared; `read` returns undefined if a row has no value. */
export interface Measure {
  readonly metric: string;
  readonly kind: MetricKind;
  readonly better: Better;
  readonly read: (row: EvalRow) => number | undefined;
}

interface Sides {
  readonly a: readonly EvalRow[];
  readonly b: readonly EvalRow[];
}

const FIELD = "field:";

/** The requested metrics, else all that have values. */
export function measuresOf(sides: Sides, options: Pick<CompareOptions, "metrics" | "scoreField">): Measure[] {
  const { metrics, scoreField = "score" } = options;
  const known = [...qualityMeasures(scoreField), ...ECONOMY];
  if (metrics === undefined) return usualMeasures(sides, known, scoreField);
  const fields = new Set([...fieldsIn(sides.a), ...fieldsIn(sides.b)]);
  return [...new Set(metrics)].map((name) => {
    const found = known.find(({ metric }) => metric === name);
    const field = name.startsWith(FIELD) ? name.slice(FIELD.length) : name;
    if (found !== undefined) return found;
    if (fields.has(field)) return fieldMeasure(field);
    throw new UsageError(
      `Unknown metric "${name}".${didYouMean(name, [...known.map(({ metric }) => metric), ...fields])}`,
    );
  });
}

function usualMeasures(sides: Sides, known: readonly Measure[], scoreField: string): Measure[] {
  const isMeasured = ({ read }: Measure) => [...sides.a, ...sides.b].some((row) => read(row) !== undefined);
  const hasLatency = known.some((measure) => measure.metric === "latency_mean" && isMeasured(measure));
  const economy = known.filter(({ kind }) => kind === "economy").filter(isMeasured);
  const ofB = new Set(fieldsIn(sides.b));
  const fields = [...fieldsIn(sides.a)].filter((field) => ofB.has(field) && !isTheScore(field, sides, scoreField));
  return [
    ...known.filter(({ kind }) => kind === "quality"),
    // Both measure the time of a trial; testing the same question twice weakens the correction for both.
    ...economy.filter(({ metric }) => metric !== "duration_mean" || !hasLatency),
    ...fields.sort().map(fieldMeasure),
  ];
}

function qualityMeasures(scoreField: string): Measure[] {
  const ofScored = (read: Measure["read"]) => (row: EvalRow) => (isScored(row) ? read(row) : undefined);
  return [
    { metric: "pass_rate", kind: "quality", better: "more", read: ofScored((row) => Number(row.outcome === "pass")) },
    { metric: "mean_score", kind: "quality", better: "more", read: ofScored((row) => scoreOf(row, scoreField)) },
  ];
}

function fieldMeasure(field: string): Measure {
  const read = ({ scores }: EvalRow) => (Object.hasOwn(scores, field) ? scores[field] : undefined);
  return { metric: `${FIELD}${field}`, kind: "field", better: "more", read };
}

/** Only trials with an output: one that failed immediately was neither cheap nor fast. */
function economyMeasure(metric: string, read: (row: EvalRow) => number | null): Measure {
  return {
    metric,
    kind: "economy",
    better: "less",
    read: (row) => (hasOutput(row) ? (read(row) ?? undefined) : undefined),
  };
}

const ECONOMY: readonly Measure[] = [
  economyMeasure("mean_cost_usd", ({ costUsd }) => costUsd),
  economyMeasure("latency_mean", ({ latency }) => latency),
  economyMeasure("duration_mean", ({ durationMs }) => (durationMs == null ? null : durationMs / 1000)),
  economyMeasure("mean_output_tokens", ({ outputTokens }) => outputTokens),
  economyMeasure("mean_turns", ({ turns }) => turns),
];

function fieldsIn(rows: readonly EvalRow[]): Set<string> {
  const fields = new Set<string>();
  for (const { scores } of rows) for (const field in scores) fields.add(field);
  return fields;
}

/** The primary field is already compared as the score. */
function isTheScore(field: string, { a, b }: Sides, scoreField: string): boolean {
  if (field === scoreField) return true;
  const isPrimary = (row: EvalRow) =>
    !isScored(row) || (row.primaryField === field && !Object.hasOwn(row.scores, "score"));
  return scoreField === "score" && a.every(isPrimary) && b.every(isPrimary);
}
