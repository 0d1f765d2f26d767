import type { Column, Estimate, Tasks } from "../core/metric.js";
import { type EvalRow, hasOutput, isScored, OUTCOMES, type Outcome, scoreOf } from "../core/row.js";
import { present, type Read, readColumn } from "../metrics/columns.js";
import {
  adjustTogether,
  type Comparison,
  compareRows,
  DEFAULT_LEVEL,
  type Lift,
  liftOf,
  type MetricComparison,
  metricIn,
} from "../metrics/compare/index.js";
import { estimateAmount, estimateScore } from "../metrics/estimates.js";
import { sumByTask, tasksOf } from "../metrics/tasks.js";
import { passCurves } from "../stats/index.js";

/** What a report needs to know about an experiment besides its rows. */
export interface ReportedExperiment {
  readonly name: string;
  readonly description?: string | null;
  readonly baseline: string;
  readonly vary?: readonly string[];
  readonly variants: readonly ReportedVariant[];
  /** The order of test cases. Default: that of the rows. */
  readonly order?: readonly StimulusPlace[];
  readonly notes?: readonly string[];
}

/** The report of an experiment, for JSON and Markdown. */
export interface ExperimentReport {
  readonly schema: "assay.experiment/1";
  readonly name: string;
  readonly description: string | null;
  readonly baseline: string;
  readonly vary: readonly string[];
  /** Confidence level of intervals. */
  readonly level: number;
  /** The score that `meanScore` averages. */
  readonly scoreField: string;
  readonly variants: readonly (Omit<ReportedVariant, "planned"> & VariantFigures)[];
  /** One for each variant except the baseline. */
  readonly lifts: readonly VariantLift[];
  /** By variant, without the baseline. */
  readonly stimuli: Readonly<Record<string, readonly StimulusDifference[]>>;
  readonly missing: readonly MissingStimulus[];
  /** Folders of the runs that the rows come from. */
  readonly runs: readonly string[];
  readonly notes: readonly string[];
}

export interface ExperimentReportOptions {
  /** Confidence level of intervals. Default: 0.95. */
  level?: number | undefined;
  seed?: number | undefined;
  runs?: readonly string[] | undefined;
}

/**
 * Builds the report of an experiment from the rows of its runs.
 * @example
 * const report = buildExperimentReport({ name: "skill", baseline: "without", variants }, rows);
 * report.lifts[0]?.lift; // "better"
 */
export function experimentReport(
  experiment: ReportedExperiment,
  rows: readonly EvalRow[],
  { level = DEFAULT_LEVEL, seed = 0, runs = [] }: ExperimentReportOptions = {},
): ExperimentReport {
  const { name, description = null, baseline, vary = [], variants, order = [], notes = [] } = experiment;
  const fields = fieldsOf(rows);
  const byVariant = rowsByVariant(variants, rows);
  for (const [variant, own] of byVariant) byVariant.set(variant, inStimulusOrder(own, order));
  const rowsOf = (variant: string) => byVariant.get(variant) ?? [];
  const others = variants.filter((variant) => variant.name !== baseline);
  return {
    schema: "assay.experiment/1",
    name,
    description,
    baseline,
    vary,
    level,
    scoreField: fields.scoreField,
    variants: variants.map((variant) => ({
      ...variant,
      ...figuresOf(rowsOf(variant.name), { ...fields, planned: variant.planned }),
    })),
    lifts: liftsOf(byVariant, { ...fields, baseline, level, seed }),
    stimuli: Object.fromEntries(
      others.map((other) => [other.name, stimulusDifferences(rowsOf(baseline), rowsOf(other.name))]),
    ),
    missing: missingStimuli(byVariant),
    runs,
    notes,
  };
}

/** The weighted score is finer than the verdict, which would repeat the pass rate. */
function fieldsOf(rows: readonly EvalRow[]): FigureFields {
  return {
    scoreField: rows.some(({ scores }) => Object.hasOwn(scores, WEIGHTED)) ? WEIGHTED : "score",
    time: rows.some(({ latency }) => latency !== null) ? "latency_mean" : "duration_mean",
  };
}

const WEIGHTED = "weighted_score";

/** A value with its interval over test cases; null with a reason if unknown. */
export interface Figure {
  readonly value: number | null;
  readonly low: number | null;
  readonly high: number | null;
  /** Number of test cases. */
  readonly n: number;
  readonly reason?: string;
}

/** Unbiased pass@k and pass^k for one k. */
interface CurveFigure {
  readonly k: number;
  readonly passAtK: Figure;
  readonly passHatK: Figure;
}

interface VariantFigures {
  readonly stimuli: number;
  readonly trials: Readonly<Record<Outcome, number>>;
  /** Planned trials, run or not; null if unknown. */
  readonly planned: number | null;
  /** The share of the planned trials that were scored; null with a reason if the number of planned trials is unknown. */
  readonly coverage: number | null;
  readonly coverageReason?: string;
  readonly passRate: Figure;
  readonly curves: readonly CurveFigure[];
  readonly meanScore: Figure;
  readonly meanCostUsd: Figure;
  /** Of all trials; null if the cost of some is unknown. */
  readonly totalCostUsd: number | null;
  readonly costPerPassUsd: number | null;
  /** Trials with an output but without a known cost. */
  readonly costUnknownTrials: number;
  readonly meanSeconds: Figure;
}

/** The row fields that figures are computed from. */
interface FigureFields {
  readonly scoreField: string;
  readonly time: "latency_mean" | "duration_mean";
}

interface Planned {
  /** Planned trials of the variant; null if unknown. Default: the number of rows. */
  readonly planned?: number | null | undefined;
}

function figuresOf(rows: readonly EvalRow[], fields: FigureFields & Planned): VariantFigures {
  const { scoreField, time, planned = rows.length } = fields;
  const trials = outcomesOf(rows);
  const costs = rows.filter((row) => row.costUsd !== null);
  const unknown = rows.filter((row) => hasOutput(row) && row.costUsd === null).length;
  const total = costs.length === 0 || unknown > 0 ? null : costs.reduce((sum, row) => sum + (row.costUsd ?? 0), 0);
  const seconds = ofOutput((row) => (time === "latency_mean" ? row.latency : inSeconds(row.durationMs)) ?? undefined);
  return {
    stimuli: new Set(rows.filter(isOfStimulus).map(stimulusKey)).size,
    trials,
    ...coverageOf(trials.pass + trials.fail, planned),
    passRate: figureOf(estimateScore, rows, passedOf),
    curves: curvesOf(rows),
    meanScore: figureOf(estimateScore, rows, (row) => (isScored(row) ? scoreOf(row, scoreField) : undefined)),
    meanCostUsd: figureOf(
      amountOf,
      rows,
      ofOutput((row) => row.costUsd ?? undefined),
    ),
    totalCostUsd: total,
    costPerPassUsd: total === null || trials.pass === 0 ? null : total / trials.pass,
    costUnknownTrials: unknown,
    meanSeconds: figureOf(amountOf, rows, seconds),
  };
}

function coverageOf(
  scored: number,
  planned: number | null,
): Pick<VariantFigures, "planned" | "coverage" | "coverageReason"> {
  if (planned === null)
    return { planned, coverage: null, coverageReason: "the run does not record how many trials were planned" };
  return { planned, coverage: planned === 0 ? 0 : scored / planned };
}

function outcomesOf(rows: readonly EvalRow[]): Record<Outcome, number> {
  const counts = Object.fromEntries(OUTCOMES.map((outcome) => [outcome, 0])) as Record<Outcome, number>;
  for (const { outcome } of rows) counts[outcome] += 1;
  return counts;
}

/** Trials without an output are not counted: a trial that failed at once was neither cheap nor fast. */
function ofOutput(read: Read): Read {
  return (row) => (hasOutput(row) ? read(row) : undefined);
}

function inSeconds(ms: number | null): number | null {
  return ms === null ? null : ms / 1000;
}

const passedOf: Read = (row) => (isScored(row) ? Number(row.outcome === "pass") : undefined);

type Estimator = (tasks: Tasks, column: Column) => Estimate;

const amountOf: Estimator = (tasks, column) => estimateAmount(sumByTask(tasks, column));

function figureOf(estimate: Estimator, rows: readonly EvalRow[], read: Read): Figure {
  const column = readColumn(rows, read);
  if (present(column).length === 0) return { value: null, low: null, high: null, n: 0, reason: "not measured" };
  const { value, interval } = estimate(tasksOf(rows), column);
  return {
    value,
    low: interval?.low ?? null,
    high: interval?.high ?? null,
    n: interval?.n ?? 0,
    ...(interval?.reason === undefined ? {} : { reason: interval.reason }),
  };
}

function curvesOf(rows: readonly EvalRow[]): CurveFigure[] {
  const { sums, counts } = sumByTask(tasksOf(rows), readColumn(rows, passedOf));
  const tasks = Array.from(sums, (c, i) => ({ n: counts?.[i] ?? 1, c }));
  return passCurves(tasks).map(({ k, passAtK, passHatK, passAtKInterval, passHatKInterval, tasks: n }) => ({
    k,
    passAtK: { value: passAtK, ...boundsOf(passAtKInterval), n },
    passHatK: { value: passHatK, ...boundsOf(passHatKInterval), n },
  }));
}

function boundsOf(interval: { low: number; high: number } | null): Pick<Figure, "low" | "high" | "reason"> {
  if (interval === null) return { low: null, high: null, reason: "fewer than two test cases" };
  return { low: interval.low, high: interval.high };
}

/** A paired difference from the baseline. */
export interface Delta {
  readonly difference: number | null;
  readonly low: number | null;
  readonly high: number | null;
  /** Test cases with a value in both. */
  readonly n: number;
  /** Two-sided p-value of the exact test. */
  readonly p: number | null;
  /** After Holm correction over all variants; null if not corrected, or if there are too few test cases. */
  readonly adjustedP: number | null;
  readonly reason?: string;
}

/** The difference between a variant and the baseline. */
export interface VariantLift {
  readonly variant: string;
  readonly lift: Lift;
  /** Test cases scored in both. */
  readonly paired: number;
  readonly passRate: Delta;
  readonly meanScore: Delta;
  readonly costUsd: Delta;
  /** The difference as a share of the baseline's cost; null when that is 0 or unknown. */
  readonly costChange: number | null;
  readonly seconds: Delta;
  readonly timeChange: number | null;
  /** The minimum detectable difference of the pass rate at 80 % power; null if unknown. */
  readonly detectable: number | null;
}

interface LiftSettings extends FigureFields {
  readonly baseline: string;
  readonly level: number;
  readonly seed: number;
}

/** Compares every other variant with the baseline, test case by test case. */
function liftsOf(rows: ReadonlyMap<string, readonly EvalRow[]>, settings: LiftSettings): VariantLift[] {
  const { baseline, level, seed, scoreField, time } = settings;
  const ofStimuli = (name: string) => (rows.get(name) ?? []).filter(isOfStimulus);
  const variants = [...rows.keys()].filter((name) => name !== baseline);
  const metrics = ["pass_rate", "mean_score", "mean_cost_usd", time];
  const compared = variants.map((name) =>
    compareRows(ofStimuli(baseline), ofStimuli(name), { keyOf: stimulusKey, scoreField, level, seed, metrics }),
  );
  const adjusted = adjustTogether(compared, ({ metric }) => metric === "pass_rate");
  return adjusted.flatMap((comparison, i) => {
    const variant = variants[i];
    return variant === undefined ? [] : [liftIn(comparison, variant, time)];
  });
}

function liftIn(comparison: Comparison, variant: string, time: FigureFields["time"]): VariantLift {
  const [passRate, meanScore, cost, seconds] = ["pass_rate", "mean_score", "mean_cost_usd", time].map((name) =>
    metricIn(comparison, name),
  );
  return {
    variant,
    lift: liftOf(withAdjusted(comparison)),
    paired: comparison.tasks.paired,
    passRate: deltaOf(passRate),
    meanScore: deltaOf(meanScore),
    costUsd: deltaOf(cost),
    costChange: changeOf(cost),
    seconds: deltaOf(seconds),
    timeChange: changeOf(seconds),
    detectable: passRate?.detectable?.difference ?? null,
  };
}

/** With several variants, the chance of a false positive grows, so the corrected p-value decides. */
function withAdjusted(comparison: Comparison): Comparison {
  const metrics = comparison.metrics.map((metric) => ({ ...metric, p: metric.adjustedP ?? metric.p }));
  return { ...comparison, metrics };
}

function deltaOf(metric: MetricComparison | undefined): Delta {
  if (metric === undefined)
    return { difference: null, low: null, high: null, n: 0, p: null, adjustedP: null, reason: "not measured" };
  const { difference, low, high, n, p, adjustedP, reason } = metric;
  return { difference, low, high, n, p, adjustedP, ...(reason === undefined ? {} : { reason }) };
}

function changeOf(metric: MetricComparison | undefined): number | null {
  if (metric?.difference == null || metric.a === null || metric.a === 0) return null;
  return metric.difference / metric.a;
}

/** A variant of an experiment, and the names of the systems of its rows. */
export interface ReportedVariant {
  readonly name: string;
  readonly systems: readonly string[];
  /** JSON pointers with the values of the variant. */
  readonly settings?: Readonly<Record<string, unknown>>;
  /** Planned trials; null if unknown. Default: the number of rows. */
  readonly planned?: number | null;
}

/** The name of the eval, which is the same in all variants, and the name of the test case. */
type StimulusPlace = readonly [evalName: string, stimulus: string | number];

/**
 * Groups rows as if each variant were one system and its evals had the same names in all variants: rows of one test case
 * are trials of one task in every variant.
 */
function rowsByVariant(variants: readonly ReportedVariant[], rows: readonly EvalRow[]): Map<string, EvalRow[]> {
  const variantOf = new Map(variants.flatMap(({ name, systems }) => systems.map((system) => [system, name])));
  const found = new Map<string, EvalRow[]>(variants.map(({ name }) => [name, []]));
  const trials = new Map<string, number>();
  for (const row of rows) {
    const variant = variantOf.get(row.system);
    if (variant === undefined) continue;
    const dataset = evalOf(row.dataset, variant);
    const key = JSON.stringify([variant, dataset, row.exampleId]);
    const trial = trials.get(key) ?? 0;
    trials.set(key, trial + 1);
    found.get(variant)?.push({ ...row, system: variant, dataset, trial });
  }
  return found;
}

/** Rows of test cases that the order does not name come last. */
function inStimulusOrder(rows: readonly EvalRow[], order: readonly StimulusPlace[]): EvalRow[] {
  const places = new Map(order.map((name, place) => [JSON.stringify(name), place]));
  const placeOf = (row: EvalRow) => places.get(stimulusKey(row)) ?? order.length;
  return rows.toSorted((a, b) => placeOf(a) - placeOf(b));
}

/** Datasets of an experiment are named `<variant>/<eval>`. */
function evalOf(dataset: string, variant: string): string {
  return dataset.startsWith(`${variant}/`) ? dataset.slice(variant.length + 1) : dataset;
}

function stimulusKey({ dataset, exampleId }: Pick<EvalRow, "dataset" | "exampleId">): string {
  return JSON.stringify([dataset, exampleId]);
}

/** False for placeholder rows of trials that a stopped run never started, which name no test case. */
function isOfStimulus({ dataset, outcome }: EvalRow): boolean {
  return dataset !== "" || outcome !== "skipped";
}

/** How often a test case passed. */
export interface Passes {
  readonly passes: number;
  /** Scored trials. */
  readonly trials: number;
  /** Null when no trial was scored. */
  readonly rate: number | null;
}

/** A test case in the baseline and in a variant. */
export interface StimulusDifference {
  readonly eval: string;
  readonly stimulus: string;
  readonly baseline: Passes;
  readonly variant: Passes;
  /** Variant minus baseline; null when one of them has no scored trial. */
  readonly difference: number | null;
}

/** A test case that some variants lack or have not scored. */
interface MissingStimulus {
  readonly eval: string;
  readonly stimulus: string;
  /** The variants that lack it or have not scored it. */
  readonly variants: readonly string[];
}

type ByVariant = ReadonlyMap<string, readonly EvalRow[]>;

/** Every test case of the baseline and a variant, in order of appearance. */
function stimulusDifferences(baseline: readonly EvalRow[], variant: readonly EvalRow[]): StimulusDifference[] {
  const [before, after] = [byStimulus(baseline), byStimulus(variant)];
  return [...new Map([...before, ...after]).keys()].map((key) => {
    const [ofBaseline, ofVariant] = [passesOf(before.get(key) ?? []), passesOf(after.get(key) ?? [])];
    const { rate: a } = ofBaseline;
    const { rate: b } = ofVariant;
    return {
      ...nameOf(key),
      baseline: ofBaseline,
      variant: ofVariant,
      difference: a === null || b === null ? null : b - a,
    };
  });
}

function missingStimuli(rows: ByVariant): MissingStimulus[] {
  const found = Array.from(rows, ([variant, own]) => ({ variant, stimuli: byStimulus(own) }));
  const keys = new Set(found.flatMap(({ stimuli }) => [...stimuli.keys()]));
  return [...keys].flatMap((key) => {
    const without = found.filter(({ stimuli }) => !(stimuli.get(key) ?? []).some(isScored));
    return without.length === 0 ? [] : [{ ...nameOf(key), variants: without.map(({ variant }) => variant) }];
  });
}

function byStimulus(rows: readonly EvalRow[]): Map<string, EvalRow[]> {
  const found = new Map<string, EvalRow[]>();
  for (const row of rows.filter(isOfStimulus)) {
    const known = found.get(stimulusKey(row));
    if (known === undefined) found.set(stimulusKey(row), [row]);
    else known.push(row);
  }
  return found;
}

function nameOf(key: string): { eval: string; stimulus: string } {
  const [dataset, id] = JSON.parse(key) as [string, string | number];
  return { eval: dataset, stimulus: String(id) };
}

function passesOf(rows: readonly EvalRow[]): Passes {
  const trials = rows.filter(isScored).length;
  const passes = rows.filter(({ outcome }) => outcome === "pass").length;
  return { passes, trials, rate: trials === 0 ? null : passes / trials };
}
