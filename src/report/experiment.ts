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

/** What a report needs to know of an experiment besides its rows. */
export interface ReportedExperiment {
  readonly name: string;
  readonly description?: string | null;
  readonly baseline: string;
  readonly vary?: readonly string[];
  readonly variants: readonly ReportedVariant[];
  /** The order in which stimuli are listed; that of the rows unless told. */
  readonly order?: readonly StimulusPlace[];
  readonly notes?: readonly string[];
}

/** The report of an experiment: what programs read as JSON, and what the Markdown is made of. */
export interface ExperimentReport {
  readonly schema: "assay.experiment/1";
  readonly name: string;
  readonly description: string | null;
  readonly baseline: string;
  readonly vary: readonly string[];
  /** What intervals cover. */
  readonly level: number;
  /** The score that `meanScore` is the mean of. */
  readonly scoreField: string;
  readonly variants: readonly (Omit<ReportedVariant, "planned"> & VariantFigures)[];
  /** One for each variant but the baseline. */
  readonly lifts: readonly VariantLift[];
  /** By variant, but the baseline. */
  readonly stimuli: Readonly<Record<string, readonly StimulusDifference[]>>;
  readonly missing: readonly MissingStimulus[];
  /** Folders of the runs that the rows are of. */
  readonly runs: readonly string[];
  readonly notes: readonly string[];
}

export interface ExperimentReportOptions {
  /** What intervals cover; 0.95 unless told. */
  level?: number | undefined;
  seed?: number | undefined;
  runs?: readonly string[] | undefined;
}

/**
 * The report of an experiment from the rows of its runs.
 * @example
 * const report = experimentReport({ name: "skill", baseline: "without", variants }, rows);
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

/** What graders say together is a finer score than their verdict, which is the pass rate again. */
function fieldsOf(rows: readonly EvalRow[]): FigureFields {
  return {
    scoreField: rows.some(({ scores }) => Object.hasOwn(scores, WEIGHTED)) ? WEIGHTED : "score",
    time: rows.some(({ latency }) => latency !== null) ? "latency_mean" : "duration_mean",
  };
}

const WEIGHTED = "weighted_score";

/** A value with its interval over stimuli. What is not known is null, with a reason. */
export interface Figure {
  readonly value: number | null;
  readonly low: number | null;
  readonly high: number | null;
  /** Stimuli behind it. */
  readonly n: number;
  readonly reason?: string;
}

/** Unbiased pass@k and pass^k for one k. */
interface CurveFigure {
  readonly k: number;
  readonly passAtK: Figure;
  readonly passHatK: Figure;
}

/** The figures of one variant. */
interface VariantFigures {
  readonly stimuli: number;
  readonly trials: Readonly<Record<Outcome, number>>;
  /** Trials that were planned, run or not; null when that is not known. */
  readonly planned: number | null;
  /** The share of the planned trials that were scored; null, with a reason, when it is not known how many were planned. */
  readonly coverage: number | null;
  readonly coverageReason?: string;
  readonly passRate: Figure;
  readonly curves: readonly CurveFigure[];
  readonly meanScore: Figure;
  readonly meanCostUsd: Figure;
  /** Of all trials; null when that of some is not known. */
  readonly totalCostUsd: number | null;
  readonly costPerPassUsd: number | null;
  /** Trials that gave something back and whose cost nobody knows. */
  readonly costUnknownTrials: number;
  readonly meanSeconds: Figure;
}

/** The fields of rows that figures are made of. */
interface FigureFields {
  readonly scoreField: string;
  readonly time: "latency_mean" | "duration_mean";
}

interface Planned {
  /** Trials of the variant; null when that is not known, as many as there are rows unless told. */
  readonly planned?: number | null | undefined;
}

/** The figures of a variant from its rows. */
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
    return { planned, coverage: null, coverageReason: "the run does not say how many trials were planned in all" };
  return { planned, coverage: planned === 0 ? 0 : scored / planned };
}

function outcomesOf(rows: readonly EvalRow[]): Record<Outcome, number> {
  const counts = Object.fromEntries(OUTCOMES.map((outcome) => [outcome, 0])) as Record<Outcome, number>;
  for (const { outcome } of rows) counts[outcome] += 1;
  return counts;
}

/** A trial that failed at once was neither cheap nor fast. */
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
  if (interval === null) return { low: null, high: null, reason: "fewer than two stimuli" };
  return { low: interval.low, high: interval.high };
}

/** A paired difference to the baseline. */
export interface Delta {
  readonly difference: number | null;
  readonly low: number | null;
  readonly high: number | null;
  /** Stimuli that have it in both. */
  readonly n: number;
  /** Two-sided, by the exact test. */
  readonly p: number | null;
  /** By Holm over all variants; null for what is not adjusted, or stands on too few stimuli to be. */
  readonly adjustedP: number | null;
  readonly reason?: string;
}

/** What a variant brings over the baseline. */
export interface VariantLift {
  readonly variant: string;
  readonly lift: Lift;
  /** Stimuli that were scored in both. */
  readonly paired: number;
  readonly passRate: Delta;
  readonly meanScore: Delta;
  readonly costUsd: Delta;
  /** What share of the baseline's cost the difference is; null when that is 0 or not known. */
  readonly costChange: number | null;
  readonly seconds: Delta;
  readonly timeChange: number | null;
  /** The smallest difference of the pass rate that the design finds four times in five; null when that is not known. */
  readonly detectable: number | null;
}

interface LiftSettings extends FigureFields {
  readonly baseline: string;
  readonly level: number;
  readonly seed: number;
}

/** Holds every other variant against the baseline, stimulus by stimulus. */
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

/** With several variants, one that only seems better is the more likely the more there are. */
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

/** A variant of an experiment, and the names of the systems that its rows are of. */
export interface ReportedVariant {
  readonly name: string;
  readonly systems: readonly string[];
  /** JSON pointers with the values that make the variant. */
  readonly settings?: Readonly<Record<string, unknown>>;
  /** Trials that were planned; null when that is not known. As many as there are rows unless told. */
  readonly planned?: number | null;
}

/** A stimulus by the name its eval has in all variants, and its own. */
type StimulusPlace = readonly [evalName: string, stimulus: string | number];

/**
 * The rows of each variant, as if the variant were one system and its evals had the names they have everywhere: rows of
 * one stimulus are trials of one task, whatever the variant.
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

/** Rows by the order of their stimuli; those of stimuli that it does not name come last, as they are. */
function inStimulusOrder(rows: readonly EvalRow[], order: readonly StimulusPlace[]): EvalRow[] {
  const places = new Map(order.map((name, place) => [JSON.stringify(name), place]));
  const placeOf = (row: EvalRow) => places.get(stimulusKey(row)) ?? order.length;
  return rows.toSorted((a, b) => placeOf(a) - placeOf(b));
}

/** Datasets of an experiment are called `<variant>/<eval>`. */
function evalOf(dataset: string, variant: string): string {
  return dataset.startsWith(`${variant}/`) ? dataset.slice(variant.length + 1) : dataset;
}

/** What tells a stimulus from all others of an experiment. */
function stimulusKey({ dataset, exampleId }: Pick<EvalRow, "dataset" | "exampleId">): string {
  return JSON.stringify([dataset, exampleId]);
}

/** Rows that belong to a stimulus: those that stand for trials of a stopped run that never began say of none. */
function isOfStimulus({ dataset, outcome }: EvalRow): boolean {
  return dataset !== "" || outcome !== "skipped";
}

/** How often a stimulus passed. */
export interface Passes {
  readonly passes: number;
  /** Trials that were scored. */
  readonly trials: number;
  /** Null when none was. */
  readonly rate: number | null;
}

/** A stimulus in the baseline and in a variant. */
export interface StimulusDifference {
  readonly eval: string;
  readonly stimulus: string;
  readonly baseline: Passes;
  readonly variant: Passes;
  /** Variant minus baseline; null when one of them has no scored trial. */
  readonly difference: number | null;
}

/** A stimulus that variants have and others lack, be it not there at all or without a scored trial. */
interface MissingStimulus {
  readonly eval: string;
  readonly stimulus: string;
  /** The variants in which it is not there, or nothing of it was scored. */
  readonly variants: readonly string[];
}

type ByVariant = ReadonlyMap<string, readonly EvalRow[]>;

/** Every stimulus of the baseline and a variant, in the order they are met. */
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

/** The stimuli that are not scored in every variant. */
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
