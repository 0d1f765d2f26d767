import type { EvalRow } from "../core/row.js";
import {
  adjustTogether,
  type Comparison,
  compareRows,
  type Lift,
  liftOf,
  type MetricComparison,
  metricIn,
} from "../metrics/compare/index.js";
import type { FigureFields } from "./experiment-figures.js";
import { isOfStimulus, stimulusKey } from "./experiment-rows.js";

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

export interface LiftSettings extends FigureFields {
  readonly baseline: string;
  readonly level: number;
  readonly seed: number;
}

/** Holds every other variant against the baseline, stimulus by stimulus. */
export function liftsOf(rows: ReadonlyMap<string, readonly EvalRow[]>, settings: LiftSettings): VariantLift[] {
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
