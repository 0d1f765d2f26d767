import { bareValues, type Estimate, type Metric } from "../core/metric.js";
import { type EvalRow, isScored, SLOW } from "../core/row.js";
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

const SECONDS_A_MINUTE = 60;

/** Speed and cost of passing trials; null if not measured. */
export class Efficiency implements Metric {
  readonly name = "efficiency";

  compute(rows: readonly EvalRow[]) {
    return bareValues(this.estimate(rows));
  }

  estimate(rows: readonly EvalRow[]): Record<string, Estimate> {
    const seen = look(rows);
    const timeToSuccess = median(seen.times);
    return {
      median_time_to_first_attempt_ms: middle(seen.firstAttempts),
      median_time_to_success_ms: orReason(timeToSuccess),
      median_turns_to_success: middle(seen.turns),
      median_tokens_per_sec: middle(seen.rates),
      p90_cost_per_success: { ...orReason(seen.costs.length === 0 ? null : quantile(seen.costs, 0.9)) },
      p90_cost_per_success_n: { value: seen.costs.length },
      speed_efficiency_score: speedScore(seen, timeToSuccess),
      cost_killed_count: { value: seen.costKilled },
      time_to_success_fallback: { value: seen.fallbacks },
      slow_count: { value: seen.slow },
    };
  }

  keys() {
    return [...EFFICIENCY_KEYS, "p90_cost_per_success_n", "time_to_success_fallback", "slow_count"];
  }
}

interface Seen {
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

function look(rows: readonly EvalRow[]): Seen {
  const seen: Seen = {
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
    if (row.notes !== undefined && row.notes.length > 0 && isSlow(row)) seen.slow += 1;
    if (!isScored(row)) continue;
    seen.scored += 1;
    if (row.passed === true) lookAtPass(row, seen);
  }
  return seen;
}

function isSlow({ notes }: EvalRow): boolean {
  return notes.some((note) => note.startsWith(`${SLOW}:`));
}

/** Older records store 0 for a time that was not measured. */
function lookAtPass(row: EvalRow, seen: Seen): void {
  seen.passed += 1;
  const { firstAttemptMs, successAtMs, durationMs, turns, tokensPerSec, costUsd } = row;
  if (isPositive(firstAttemptMs)) seen.firstAttempts.push(firstAttemptMs);
  if (isPositive(tokensPerSec)) seen.rates.push(tokensPerSec);
  if (turns != null) seen.turns.push(turns);
  if (costUsd != null) seen.costs.push(costUsd);
  if (isPositive(successAtMs)) seen.times.push(successAtMs);
  else if (durationMs != null) {
    seen.times.push(durationMs);
    seen.fallbacks += 1;
  }
}

function isPositive(value: number | null | undefined): value is number {
  return typeof value === "number" && value > 0;
}

function median(values: readonly number[]): number | null {
  return values.length === 0 ? null : quantile(values, 0.5);
}

function middle(values: readonly number[]): Estimate {
  return orReason(median(values));
}

function orReason(value: number | null): Estimate {
  return value === null ? { value, reason: "not measured in any passing trial" } : { value };
}

/** A time that was not measured must not count as 0. */
function speedScore({ scored, passed }: Seen, timeToSuccessMs: number | null): Estimate {
  if (scored === 0) return { value: null, reason: "no scored trials" };
  if (passed === 0) return { value: 0 };
  if (timeToSuccessMs === null) return { value: null, reason: "no time was measured" };
  return { value: passed / scored / (1 + timeToSuccessMs / 1000 / SECONDS_A_MINUTE) };
}
