import { EXIT, UsageError } from "../core/errors.js";
import type { EvalResult, Summary } from "../core/result.js";
import { didYouMean } from "../core/suggest.js";
import { formatNumber, formatShare } from "../report/format.js";

export interface Gates {
  minCoverage: number;
  failUnder: Readonly<Record<string, number>>;
}

/** What a run's gates decide. */
export interface Judgement {
  exitCode: number;
  messages: string[];
}

/** Refuses gates that could never be decided, before anything is spent. */
export function checkGates({ minCoverage, failUnder }: Gates, trials: number): void {
  if (!(minCoverage >= 0 && minCoverage <= 1))
    throw new UsageError(`--min-coverage must lie in [0, 1], but is ${minCoverage}.`);
  for (const key of Object.keys(failUnder)) {
    const k = Number(/^pass_(?:at|hat)_(\d+)$/.exec(key)?.[1] ?? 1);
    if (k > trials)
      throw new UsageError(
        `--fail-under ${key} needs at least ${k} trials of each task, but the run has ${trials}. Pass --trials ${k}.`,
      );
  }
}

/** Holds a result against its gates. Too little coverage comes first: a figure that stands on too little decides nothing. */
export function judge(result: EvalResult, gates: Gates): Judgement {
  const uncovered = lowCoverage(result, gates.minCoverage);
  if (uncovered.length > 0) return { exitCode: EXIT.infrastructure, messages: uncovered };
  const failed = Object.entries(gates.failUnder).flatMap(([key, least]) => belowGate(result, key, least));
  return { exitCode: failed.length > 0 ? EXIT.gateFailed : EXIT.fine, messages: failed };
}

function lowCoverage(result: EvalResult, minCoverage: number): string[] {
  return Object.entries(result.summary).flatMap(([system, { coverage }]) => {
    if (coverage == null || coverage >= minCoverage) return [];
    return [
      `${system}: only ${formatShare(coverage)} of the planned trials were scored (--min-coverage ${minCoverage})`,
    ];
  });
}

function belowGate(result: EvalResult, key: string, least: number): string[] {
  return Object.entries(result.summary).flatMap(([system, summary]) => {
    const value = summary[key];
    if (value === undefined)
      throw new UsageError(`--fail-under: there is no metric "${key}".${didYouMean(key, headlines(summary))}`);
    if (value !== null && value >= least) return [];
    return [`${system}: ${key} = ${formatNumber(value)} is under ${least}`];
  });
}

/** What is worth naming in a message: the metrics without what belongs to each of them. */
function headlines(summary: Summary): string[] {
  return Object.keys(summary).filter((key) => !/_(?:ci_low|ci_high|n)$/.test(key));
}
