import type { Estimate, NumberColumn, TaskIndex } from "../core/index.js";
import {
  type EvalRow,
  getScore,
  hasOutput,
  isScored,
  OUTCOMES,
  type Outcome,
  type SequentialReport,
} from "../core/index.js";
import {
  adjustTogether,
  classifyAdjustedLift,
  compareRows,
  computeComparisonCost,
  DEFAULT_LEVEL,
  type DecisionCost,
  estimateAmount,
  estimateScore,
  filterPresent,
  findMetricComparison,
  getTaskIndex,
  type MetricComparison,
  type PairedComparison,
  type RowValueReader,
  readColumn,
  sumByTask,
} from "../metrics/index.js";
import { passCurves } from "../stats/index.js";
import type {
  CurveFigure,
  ExperimentReport,
  Figure,
  MissingStimulus,
  PairedDelta,
  Passes,
  ReportedVariant,
  StimulusDifference,
  VariantFigures,
  VariantLift,
} from "./experiment-figures.js";
import { isVariantOver, useSequentialFindings } from "./sequential-experiment.js";

/** What a report needs to know about an experiment besides its rows. */
export interface ReportedExperiment {
  readonly name: string;
  readonly description?: string | null;
  readonly baseline: string;
  readonly vary?: readonly string[];
  readonly variants: readonly ReportedVariant[];
  /** The order of test cases. Default: that of the rows. */
  readonly order?: readonly StimulusId[];
  readonly notes?: readonly string[];
}

export interface ExperimentReportOptions {
  /** Confidence level of intervals. Default: 0.95. */
  level?: number | undefined;
  seed?: number | undefined;
  runs?: readonly string[] | undefined;
  /** What a run that may stop before its last test case has decided. */
  sequential?: SequentialReport | null | undefined;
}

/**
 * Builds the report of an experiment from the rows of its runs.
 * @example
 * const report = buildExperimentReport({ name: "skill", baseline: "without", variants }, rows);
 * report.lifts[0]?.lift; // "better"
 */
export function buildExperimentReport(
  experiment: ReportedExperiment,
  rows: readonly EvalRow[],
  { level = DEFAULT_LEVEL, seed = 0, runs = [], sequential = null }: ExperimentReportOptions = {},
): ExperimentReport {
  const { name, description = null, baseline, vary = [], variants, order = [], notes = [] } = experiment;
  const fields = chooseFigureFields(rows);
  const byVariant = groupRowsByVariant(variants, rows);
  for (const [variant, own] of byVariant) byVariant.set(variant, sortByStimulusOrder(own, order));
  const rowsOf = (variant: string) => byVariant.get(variant) ?? [];
  const others = variants.filter((variant) => variant.name !== baseline);
  const report: ExperimentReport = {
    schema: "assay.experiment/1",
    name,
    description,
    baseline,
    vary,
    level,
    scoreField: fields.scoreField,
    variants: variants.map((variant) => ({
      ...variant,
      ...computeVariantFigures(rowsOf(variant.name), { ...fields, planned: variant.planned }),
    })),
    ...computeLifts(byVariant, { ...fields, baseline, level, seed }),
    stimuli: Object.fromEntries(
      others.map((other) => [other.name, compareStimuli(rowsOf(baseline), rowsOf(other.name))]),
    ),
    missing: findMissingStimuli(byVariant, (variant) => sequential !== null && isVariantOver(sequential, variant)),
    sequential,
    runs,
    notes,
  };
  return sequential === null ? report : useSequentialFindings(report, sequential);
}

/** The weighted score is finer than the verdict, which would repeat the pass rate. */
function chooseFigureFields(rows: readonly EvalRow[]): FigureFields {
  return {
    scoreField: rows.some(({ scores }) => Object.hasOwn(scores, WEIGHTED_SCORE_FIELD)) ? WEIGHTED_SCORE_FIELD : "score",
    time: rows.some(({ latency }) => latency !== null) ? "latency_mean" : "duration_mean",
  };
}

const WEIGHTED_SCORE_FIELD = "weighted_score";

/** The row fields that figures are computed from. */
interface FigureFields {
  readonly scoreField: string;
  readonly time: "latency_mean" | "duration_mean";
}

interface PlannedCount {
  /** Planned trials of the variant; null if unknown. Default: the number of rows. */
  readonly planned?: number | null | undefined;
}

function computeVariantFigures(rows: readonly EvalRow[], fields: FigureFields & PlannedCount): VariantFigures {
  const { scoreField, time, planned = rows.length } = fields;
  const trials = countVariantOutcomes(rows);
  const costs = rows.filter((row) => row.costUsd !== null);
  const unknown = rows.filter((row) => hasOutput(row) && row.costUsd === null).length;
  const total = costs.length === 0 || unknown > 0 ? null : costs.reduce((sum, row) => sum + (row.costUsd ?? 0), 0);
  const seconds = requireOutput(
    (row) => (time === "latency_mean" ? row.latency : convertMsToSeconds(row.durationMs)) ?? undefined,
  );
  return {
    stimuli: new Set(rows.filter(hasStimulus).map(formatStimulusId)).size,
    trials,
    ...computeCoverage(trials.pass + trials.fail, planned),
    passRate: computeFigure(estimateScore, rows, readPassed),
    curves: computeCurves(rows),
    meanScore: computeFigure(estimateScore, rows, (row) => (isScored(row) ? getScore(row, scoreField) : undefined)),
    meanCostUsd: computeFigure(
      estimateTaskAmount,
      rows,
      requireOutput((row) => row.costUsd ?? undefined),
    ),
    totalCostUsd: total,
    costPerPassUsd: total === null || trials.pass === 0 ? null : total / trials.pass,
    costUnknownTrials: unknown,
    meanSeconds: computeFigure(estimateTaskAmount, rows, seconds),
  };
}

function computeCoverage(
  scored: number,
  planned: number | null,
): Pick<VariantFigures, "planned" | "coverage" | "coverageReason"> {
  if (planned === null)
    return { planned, coverage: null, coverageReason: "the run does not record how many trials were planned" };
  return { planned, coverage: planned === 0 ? 0 : scored / planned };
}

function countVariantOutcomes(rows: readonly EvalRow[]): Record<Outcome, number> {
  const counts = Object.fromEntries(OUTCOMES.map((outcome) => [outcome, 0])) as Record<Outcome, number>;
  for (const { outcome } of rows) counts[outcome] += 1;
  return counts;
}

/** Trials without an output are not counted: a trial that failed at once was neither cheap nor fast. */
function requireOutput(read: RowValueReader): RowValueReader {
  return (row) => (hasOutput(row) ? read(row) : undefined);
}

function convertMsToSeconds(ms: number | null): number | null {
  return ms === null ? null : ms / 1000;
}

const readPassed: RowValueReader = (row) => (isScored(row) ? Number(row.outcome === "pass") : undefined);

type Estimator = (tasks: TaskIndex, column: NumberColumn) => Estimate;

const estimateTaskAmount: Estimator = (tasks, column) => estimateAmount(sumByTask(tasks, column));

function computeFigure(estimate: Estimator, rows: readonly EvalRow[], read: RowValueReader): Figure {
  const column = readColumn(rows, read);
  if (filterPresent(column).length === 0) return { value: null, low: null, high: null, n: 0, reason: "not measured" };
  const { value, interval } = estimate(getTaskIndex(rows), column);
  return {
    value,
    low: interval?.low ?? null,
    high: interval?.high ?? null,
    n: interval?.n ?? 0,
    ...(interval?.reason === undefined ? {} : { reason: interval.reason }),
  };
}

function computeCurves(rows: readonly EvalRow[]): CurveFigure[] {
  const { sums, counts } = sumByTask(getTaskIndex(rows), readColumn(rows, readPassed));
  const tasks = Array.from(sums, (c, i) => ({ n: counts?.[i] ?? 1, c }));
  return passCurves(tasks).map(({ k, passAtK, passHatK, passAtKInterval, passHatKInterval, tasks: n }) => ({
    k,
    passAtK: { value: passAtK, ...toBounds(passAtKInterval), n },
    passHatK: { value: passHatK, ...toBounds(passHatKInterval), n },
  }));
}

function toBounds(interval: { low: number; high: number } | null): Pick<Figure, "low" | "high" | "reason"> {
  if (interval === null) return { low: null, high: null, reason: "fewer than two test cases" };
  return { low: interval.low, high: interval.high };
}

interface LiftSettings extends FigureFields {
  readonly baseline: string;
  readonly level: number;
  readonly seed: number;
}

/** Compares every other variant with the baseline, test case by test case, and says what that cost. */
function computeLifts(
  rows: ReadonlyMap<string, readonly EvalRow[]>,
  settings: LiftSettings,
): { lifts: VariantLift[]; cost: DecisionCost } {
  const { baseline, level, seed, scoreField, time } = settings;
  const ofStimuli = (name: string) => (rows.get(name) ?? []).filter(hasStimulus);
  const variants = [...rows.keys()].filter((name) => name !== baseline);
  const metrics = ["pass_rate", "mean_score", "mean_cost_usd", time];
  const compared = variants.map((name) =>
    compareRows(ofStimuli(baseline), ofStimuli(name), { keyOf: formatStimulusId, scoreField, level, seed, metrics }),
  );
  const adjusted = adjustTogether(compared, ({ metric }) => metric === "pass_rate");
  const named = adjusted.map((comparison, i) => ({ comparison, variant: variants[i] ?? "" }));
  const toSide = (name: string) => ({ key: name, rows: ofStimuli(name) });
  const paid = named.map(({ comparison, variant }) => ({ comparison, a: toSide(baseline), b: toSide(variant) }));
  return {
    lifts: named.map(({ comparison, variant }) => computeLift(comparison, variant, time)),
    cost: computeComparisonCost(paid, { scoreField, seed }),
  };
}

function computeLift(comparison: PairedComparison, variant: string, time: FigureFields["time"]): VariantLift {
  const [passRate, meanScore, cost, seconds] = ["pass_rate", "mean_score", "mean_cost_usd", time].map((name) =>
    findMetricComparison(comparison, name),
  );
  return {
    variant,
    lift: classifyAdjustedLift(comparison),
    paired: comparison.tasks.paired,
    passRate: toDelta(passRate),
    meanScore: toDelta(meanScore),
    costUsd: toDelta(cost),
    costChange: computeRelativeChange(cost),
    seconds: toDelta(seconds),
    timeChange: computeRelativeChange(seconds),
    detectable: passRate?.detectable?.difference ?? null,
  };
}

function toDelta(metric: MetricComparison | undefined): PairedDelta {
  if (metric === undefined)
    return { difference: null, low: null, high: null, n: 0, p: null, adjustedP: null, reason: "not measured" };
  const { difference, low, high, n, p, adjustedP, reason } = metric;
  return { difference, low, high, n, p, adjustedP, ...(reason === undefined ? {} : { reason }) };
}

function computeRelativeChange(metric: MetricComparison | undefined): number | null {
  if (metric?.difference == null || metric.a === null || metric.a === 0) return null;
  return metric.difference / metric.a;
}

/** The name of the eval, which is the same in all variants, and the name of the test case. */
type StimulusId = readonly [evalName: string, stimulus: string | number];

/**
 * Groups rows as if each variant were one system and its evals had the same names in all variants: rows of one test case
 * are trials of one task in every variant.
 */
function groupRowsByVariant(variants: readonly ReportedVariant[], rows: readonly EvalRow[]): Map<string, EvalRow[]> {
  const variantOf = new Map(variants.flatMap(({ name, systems }) => systems.map((system) => [system, name])));
  const found = new Map<string, EvalRow[]>(variants.map(({ name }) => [name, []]));
  const trials = new Map<string, number>();
  for (const row of rows) {
    const variant = variantOf.get(row.system);
    if (variant === undefined) continue;
    const dataset = parseEvalName(row.dataset, variant);
    const key = JSON.stringify([variant, dataset, row.exampleId]);
    const trial = trials.get(key) ?? 0;
    trials.set(key, trial + 1);
    found.get(variant)?.push({ ...row, system: variant, dataset, trial });
  }
  return found;
}

/** Rows of test cases that the order does not name come last. */
function sortByStimulusOrder(rows: readonly EvalRow[], order: readonly StimulusId[]): EvalRow[] {
  const places = new Map(order.map((name, place) => [JSON.stringify(name), place]));
  const placeOf = (row: EvalRow) => places.get(formatStimulusId(row)) ?? order.length;
  return rows.toSorted((a, b) => placeOf(a) - placeOf(b));
}

/** Datasets of an experiment are named `<variant>/<eval>`. */
function parseEvalName(dataset: string, variant: string): string {
  return dataset.startsWith(`${variant}/`) ? dataset.slice(variant.length + 1) : dataset;
}

function formatStimulusId({ dataset, exampleId }: Pick<EvalRow, "dataset" | "exampleId">): string {
  return JSON.stringify([dataset, exampleId]);
}

/** False for placeholder rows of trials that a stopped run never started, which name no test case. */
function hasStimulus({ dataset, outcome }: EvalRow): boolean {
  return dataset !== "" || outcome !== "skipped";
}

type RowsByVariant = ReadonlyMap<string, readonly EvalRow[]>;

/** Every test case of the baseline and a variant, in order of appearance. */
function compareStimuli(baseline: readonly EvalRow[], variant: readonly EvalRow[]): StimulusDifference[] {
  const [before, after] = [groupByStimulusId(baseline), groupByStimulusId(variant)];
  return [...new Map([...before, ...after]).keys()].map((key) => {
    const [ofBaseline, ofVariant] = [countPasses(before.get(key) ?? []), countPasses(after.get(key) ?? [])];
    const { rate: a } = ofBaseline;
    const { rate: b } = ofVariant;
    return {
      ...parseStimulusId(key),
      baseline: ofBaseline,
      variant: ofVariant,
      difference: a === null || b === null ? null : b - a,
    };
  });
}

/** Test cases that were not run although a variant needed them, or that it did not score. */
function findMissingStimuli(rows: RowsByVariant, isOver: (variant: string) => boolean): MissingStimulus[] {
  const found = Array.from(rows, ([variant, own]) => ({ variant, stimuli: groupByStimulusId(own) }));
  const keys = new Set(found.flatMap(({ stimuli }) => [...stimuli.keys()]));
  return [...keys].flatMap((key) => {
    const without = found.filter(({ variant, stimuli }) => {
      const own = stimuli.get(key) ?? [];
      return own.length === 0 ? !isOver(variant) : !own.some(isScored);
    });
    return without.length === 0 ? [] : [{ ...parseStimulusId(key), variants: without.map(({ variant }) => variant) }];
  });
}

function groupByStimulusId(rows: readonly EvalRow[]): Map<string, EvalRow[]> {
  const found = new Map<string, EvalRow[]>();
  for (const row of rows.filter(hasStimulus)) {
    const known = found.get(formatStimulusId(row));
    if (known === undefined) found.set(formatStimulusId(row), [row]);
    else known.push(row);
  }
  return found;
}

function parseStimulusId(key: string): { eval: string; stimulus: string } {
  const [dataset, id] = JSON.parse(key) as [string, string | number];
  return { eval: dataset, stimulus: String(id) };
}

function countPasses(rows: readonly EvalRow[]): Passes {
  const trials = rows.filter(isScored).length;
  const passes = rows.filter(({ outcome }) => outcome === "pass").length;
  return { passes, trials, rate: trials === 0 ? null : passes / trials };
}
