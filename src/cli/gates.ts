import { EXIT, UsageError } from "../core/errors.js";
import type { Metric, MetricRun } from "../core/metric.js";
import type { GateVerdict } from "../core/registry.js";
import type { EvalResult } from "../core/result.js";
import { ownValue } from "../core/shape.js";
import { didYouMean } from "../core/suggest.js";
import { MEASURE_PREFIX, summaryKeys } from "../metrics/index.js";
import { measured } from "../report/cells.js";
import { formatNumber, formatShare, plural } from "../report/format.js";

/** What a run must keep to for the command to succeed. */
export interface Gates {
  minCoverage: number;
  /** Metric key → the least it may be. */
  failUnder: Readonly<Record<string, number>>;
  /** Metric key → the most it may be. */
  failOver: Readonly<Record<string, number>>;
  /** Whether every trial has to pass. */
  requirePass?: boolean;
}

/** What a run's gates decide. */
export interface Judgement {
  exitCode: number;
  messages: string[];
  /** Every gate that was asked for by a flag and could be held against the result, passed or not. */
  verdicts?: readonly GateVerdict[];
}

export interface Gated {
  trials: number;
  /** The flag that asks for more of them. */
  trialsFlag?: string;
  metrics: readonly Metric[];
  /** The dataset tags of the examples; looked for only when a gate asks. */
  datasets: () => readonly string[];
  /** The facets of the examples; looked for only when a gate is about one. */
  facets?: () => NonNullable<MetricRun["facets"]>;
}

/** Refuses gates that could never be decided, before anything is spent. */
export function checkGates({ minCoverage, failUnder, failOver }: Gates, run: Gated): void {
  if (!(minCoverage >= 0 && minCoverage <= 1)) {
    throw new UsageError(`--min-coverage must lie in [0, 1], but is ${minCoverage}.`);
  }
  for (const key of Object.keys(failUnder)) checkGate(`--fail-under ${key}`, key, run);
  for (const key of Object.keys(failOver)) checkGate(`--fail-over ${key}`, key, run);
}

/**
 * Refuses a gate on a figure that nobody will measure. The keys of a metric that does not say them are known only when it
 * has run.
 */
export function checkGate(gate: string, key: string, { metrics, datasets, facets, ...run }: Gated): void {
  const { trials, trialsFlag = "--trials" } = run;
  const k = Number(/^pass_(?:at|hat)_(\d+)$/.exec(key)?.[1] ?? 1);
  if (k > trials) {
    throw new UsageError(
      `${gate} needs at least ${k} trials of each task, but the run has ${trials}. Pass ${trialsFlag} ${k}.`,
    );
  }
  const known = summaryKeys(metrics, {
    trials,
    datasets: datasets(),
    ...(isOfFacets(key) && facets !== undefined ? { facets: facets() } : {}),
  });
  // What evaluators measure is known only when they have done so.
  if (key.startsWith(MEASURE_PREFIX)) return;
  if (known.has(key) || metrics.some((metric) => metric.keys === undefined)) return;
  throw new UsageError(`${gate}: this run has no such metric.${didYouMean(key, headlines(known, key))}`);
}

/** Holds a result against its gates. Too little coverage comes first: a figure that stands on too little decides nothing. */
export function judge(result: EvalResult, gates: Gates): Judgement {
  const uncovered = lowCoverage(result, gates.minCoverage);
  if (uncovered.length > 0)
    return { exitCode: EXIT.infrastructure, messages: uncovered.map(({ words }) => words), verdicts: uncovered };
  const verdicts = [
    ...Object.entries(gates.failUnder).flatMap(([key, least]) =>
      held(result, { flag: "--fail-under", key, limit: least }, (value) =>
        value >= least ? null : `is under ${least}`,
      ),
    ),
    ...Object.entries(gates.failOver).flatMap(([key, most]) =>
      held(result, { flag: "--fail-over", key, limit: most }, (value) => (value <= most ? null : `is over ${most}`)),
    ),
    ...(gates.requirePass === true ? [allPassed(result)] : []),
  ];
  const messages = verdicts.filter(({ passed }) => !passed).map(({ words }) => words);
  return { exitCode: messages.length > 0 ? EXIT.gateFailed : EXIT.fine, messages, verdicts };
}

function lowCoverage(result: EvalResult, minCoverage: number): GateVerdict[] {
  const gate = `--min-coverage ${minCoverage}`;
  return Object.entries(result.summary).flatMap(([system, { coverage }]) => {
    if (coverage == null || coverage >= minCoverage) return [];
    const words = `${system}: only ${formatShare(coverage)} of the planned trials were scored (${gate})`;
    return [{ gate, passed: false, words }];
  });
}

function allPassed({ rows }: EvalResult): GateVerdict {
  const unpassed = rows.filter(({ passed }) => passed !== true).length;
  const words = unpassed === 0 ? "every trial passed" : `${plural(unpassed, "trial")} did not pass`;
  return { gate: "--require-pass", passed: unpassed === 0, words: `--require-pass: ${words}` };
}

interface Limit {
  flag: string;
  key: string;
  limit: number;
}

/** A value that was not measured keeps no promise: neither one that is null, nor the 0 of no tasks. */
function held(
  result: EvalResult,
  { flag, key, limit }: Limit,
  problemWith: (value: number) => string | null,
): GateVerdict[] {
  return Object.entries(result.summary).map(([system, summary]) => {
    if (ownValue(summary, key) === undefined) {
      throw new UsageError(
        `${flag} ${key}: there is no such metric.${didYouMean(key, headlines(Object.keys(summary), key))}`,
      );
    }
    const value = measured(summary, key);
    const problem = value === null ? "was not measured" : problemWith(value);
    const words = `${system}: ${key} = ${formatNumber(value)}${problem === null ? "" : ` ${problem}`}`;
    return { gate: `${flag} ${key}=${limit}`, passed: problem === null, words };
  });
}

/** What is worth naming in a message: the metrics of that kind without what belongs to each of them. */
function headlines(keys: Iterable<string>, asked: string): string[] {
  const all = [...keys].filter((key) => !/_(?:ci_low|ci_high|n)$/.test(key));
  const alike = all.filter((key) => isOfFacets(key) === isOfFacets(asked));
  return alike.length > 0 ? alike : all;
}

/** A breakdown by facets may have very many keys, which only a gate on one of them needs. */
function isOfFacets(key: string): boolean {
  return /^(?:facet|cell):/.test(key);
}
