import type { Column, Estimate, Tasks } from "../core/metric.js";
import { type EvalRow, hasOutput, isScored, OUTCOMES, type Outcome, scoreOf } from "../core/row.js";
import { present, type Read, readColumn } from "../metrics/columns.js";
import { estimateAmount, estimateScore } from "../metrics/estimates.js";
import { sumByTask, tasksOf } from "../metrics/tasks.js";
import { passCurves } from "../stats/index.js";
import { isOfStimulus, stimulusKey } from "./experiment-rows.js";

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
export interface VariantFigures {
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
export interface FigureFields {
  readonly scoreField: string;
  readonly time: "latency_mean" | "duration_mean";
}

interface Planned {
  /** Trials of the variant; null when that is not known, as many as there are rows unless told. */
  readonly planned?: number | null | undefined;
}

/** The figures of a variant from its rows. */
export function figuresOf(rows: readonly EvalRow[], fields: FigureFields & Planned): VariantFigures {
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
