import { UsageError } from "../../core/errors.js";
import { type EvalRow, isScored } from "../../core/row.js";
import { adjustTogether } from "./adjust.js";
import { compareMetric } from "./compare-metric.js";
import { type CompareOptions, type Comparison, DEFAULT_LEVEL } from "./comparison.js";
import { flipsIn } from "./flips.js";
import { measuresOf } from "./measures.js";
import { isPaired, namesIn, type Pair, pairRows } from "./pair-rows.js";
import { unmatchedIn } from "./unmatched.js";

/**
 * Compares two sets of rows task by task. The unit is the task: its trials are averaged before anything else is.
 * @example
 * const comparison = compareRows(before.rows, after.rows);
 * metricIn(comparison, "pass_rate"); // { a: 0.7, b: 0.9, difference: 0.2, low: 0.05, high: 0.35, adjustedP: 0.02, … }
 */
export function compareRows(a: readonly EvalRow[], b: readonly EvalRow[], options: CompareOptions = {}): Comparison {
  const level = requireLevel(options.level ?? DEFAULT_LEVEL);
  const { pairs, notes } = pairRows(a, b, options);
  const unmatched = unmatchedIn(pairs);
  const paired = pairs.filter(isPaired);
  const scoredIn = (side: string) => unmatched.filter((task) => task.scoredIn === side).length;
  const metrics = measuresOf({ a, b }, options).map((measure) =>
    compareMetric(measure, pairs, { level, seed: options.seed ?? 0 }),
  );
  const comparison: Comparison = {
    systemA: namesIn(a, "system").join(", "),
    systemB: namesIn(b, "system").join(", "),
    level,
    tasks: { paired: paired.length, aOnly: scoredIn("a"), bOnly: scoredIn("b"), neither: scoredIn("neither") },
    trials: { a: scoredTrials(paired, "a"), b: scoredTrials(paired, "b") },
    metrics,
    flips: flipsIn(pairs),
    unmatched,
    notes: [...notes, ...lostTrials(paired)],
  };
  return adjustTogether([comparison])[0] ?? comparison;
}

function requireLevel(level: number): number {
  if (level > 0 && level < 1) return level;
  throw new UsageError(`The level must lie between 0 and 1, such as 0.95, but is ${level}.`);
}

function scoredTrials(pairs: readonly Pair[], side: "a" | "b"): number {
  return pairs.reduce((total, pair) => total + pair[side].filter(isScored).length, 0);
}

/** A task stands on the trials that were scored, which may be fewer than were planned. */
function lostTrials(pairs: readonly Pair[]): string[] {
  const lost = (side: "a" | "b") =>
    pairs.reduce((total, pair) => total + pair[side].length, 0) - scoredTrials(pairs, side);
  const [inA, inB] = [lost("a"), lost("b")];
  return inA + inB === 0
    ? []
    : [`trials of paired tasks that were not scored and do not count: ${inA} in A, ${inB} in B`];
}
