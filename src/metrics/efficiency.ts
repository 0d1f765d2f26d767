import { type Estimate, type EvalRow, isScored, type Metric, pickValues, SLOW_NOTE } from "../core/index.js";
import { quantile } from "../stats/index.js";

/** The keys of the `efficiency` block in the JSON report. */
export const EFFICIENCY_KEYS = [
  "median_time_to_first_attempt_ms",
  "median_time_to_success_ms",
  "median_turns_to_success",
  "median_tokens_per_sec",
  "p90_cost_per_success",
  "speed_efficiency_score",
  "cost_killed_count",
] as const;

const SECONDS_PER_MINUTE = 60;

/** Speed and cost of passing trials; null if not measured. */
export class Efficiency implements Metric {
  readonly name = "efficiency";

  compute(rows: readonly EvalRow[]) {
    return pickValues(this.estimate(rows));
  }

  estimate(rows: readonly EvalRow[]): Record<string, Estimate> {
    const seen = collectEfficiencySamples(rows);
    const timeToSuccess = computeMedianOrNull(seen.times);
    return {
      median_time_to_first_attempt_ms: estimateMedian(seen.firstAttempts),
      median_time_to_success_ms: toEstimate(timeToSuccess),
      median_turns_to_success: estimateMedian(seen.turns),
      median_tokens_per_sec: estimateMedian(seen.rates),
      p90_cost_per_success: { ...toEstimate(seen.costs.length === 0 ? null : quantile(seen.costs, 0.9)) },
      p90_cost_per_success_n: { value: seen.costs.length },
      speed_efficiency_score: computeSpeedScore(seen, timeToSuccess),
      cost_killed_count: { value: seen.costKilled },
      time_to_success_fallback: { value: seen.fallbacks },
      slow_count: { value: seen.slow },
    };
  }

  keys() {
    return [...EFFICIENCY_KEYS, "p90_cost_per_success_n", "time_to_success_fallback", "slow_count"] as const;
  }
}

interface EfficiencySamples {
  firstAttempts: number[];
  times: number[];
  turns: number[];
  rates: number[];
  costs: number[];
  scored: number;
  passed: number;
  costKilled: number;
  /** Passing trials that use the time of the whole trial, because the time of success was not measured. */
  fallbacks: number;
  slow: number;
}

function collectEfficiencySamples(rows: readonly EvalRow[]): EfficiencySamples {
  const seen: EfficiencySamples = {
    firstAttempts: [],
    times: [],
    turns: [],
    rates: [],
    costs: [],
    scored: 0,
    passed: 0,
    costKilled: 0,
    fallbacks: 0,
    slow: 0,
  };
  for (let i = 0; i < rows.length; i++) {
    const row = rows[i] as EvalRow;
    if (row.errorCategory === "cost_killed") seen.costKilled += 1;
    if (row.notes !== undefined && row.notes.length > 0 && isSlowTrial(row)) seen.slow += 1;
    if (!isScored(row)) continue;
    seen.scored += 1;
    if (row.passed === true) addPassingTrial(row, seen);
  }
  return seen;
}

function isSlowTrial({ notes }: EvalRow): boolean {
  return notes.some((note) => note.startsWith(`${SLOW_NOTE}:`));
}

/** Older records store 0 for a time that was not measured. */
function addPassingTrial(row: EvalRow, seen: EfficiencySamples): void {
  seen.passed += 1;
  const { firstAttemptMs, successAtMs, durationMs, turns, tokensPerSec, costUsd } = row;
  if (isPositiveNumber(firstAttemptMs)) seen.firstAttempts.push(firstAttemptMs);
  if (isPositiveNumber(tokensPerSec)) seen.rates.push(tokensPerSec);
  if (turns != null) seen.turns.push(turns);
  if (costUsd != null) seen.costs.push(costUsd);
  if (isPositiveNumber(successAtMs)) seen.times.push(successAtMs);
  else if (durationMs != null) {
    seen.times.push(durationMs);
    seen.fallbacks += 1;
  }
}

function isPositiveNumber(value: number | null | undefined): value is number {
  return typeof value === "number" && value > 0;
}

function computeMedianOrNull(values: readonly number[]): number | null {
  return values.length === 0 ? null : quantile(values, 0.5);
}

function estimateMedian(values: readonly number[]): Estimate {
  return toEstimate(computeMedianOrNull(values));
}

function toEstimate(value: number | null): Estimate {
  return value === null ? { value, reason: "not measured in any passing trial" } : { value };
}

/** A time that was not measured must not count as 0. */
function computeSpeedScore({ scored, passed }: EfficiencySamples, timeToSuccessMs: number | null): Estimate {
  if (scored === 0) return { value: null, reason: "no scored trials" };
  if (passed === 0) return { value: 0 };
  if (timeToSuccessMs === null) return { value: null, reason: "no time was measured" };
  return { value: passed / scored / (1 + timeToSuccessMs / 1000 / SECONDS_PER_MINUTE) };
}
