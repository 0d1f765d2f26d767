import type { EvalResult, GateVerdict, Metric, MetricRun } from "../core/index.js";
import { didYouMean, EXIT, getOwn, MEASURE_PREFIX, UsageError } from "../core/index.js";
import { listSummaryKeys } from "../metrics/index.js";
import { formatNumber, formatPlural, formatShare, getMeasured } from "../report/index.js";

/** Conditions for the command to succeed. */
export interface Gates {
  minCoverage: number;
  /** Metric key → minimum. */
  failUnder: Readonly<Record<string, number>>;
  /** Metric key → maximum. */
  failOver: Readonly<Record<string, number>>;
  /** True if every trial has to pass. */
  requirePass?: boolean;
}

/** The result of a run's gates. */
export interface GateJudgment {
  exitCode: number;
  messages: string[];
  /** Every gate from a flag that could be checked, passed or not. */
  verdicts?: readonly GateVerdict[];
  /** Number of gates that were checked and have no entry in `verdicts`. */
  checked?: number;
}

export interface GatedRun {
  trials: number;
  /** The flag that sets the number of trials. */
  trialsFlag?: string;
  metrics: readonly Metric[];
  /** Dataset tags of the examples, computed only if a gate needs them. */
  datasets: () => readonly string[];
  /** Facets of the examples, computed only if a gate needs them. */
  facets?: () => NonNullable<MetricRun["facets"]>;
}

/** Rejects gates that could never be decided, before anything is spent. */
export function checkGateFlags({ minCoverage, failUnder, failOver }: Gates, run: GatedRun): void {
  if (!(minCoverage >= 0 && minCoverage <= 1)) {
    throw new UsageError(`--min-coverage must be between 0 and 1, got ${minCoverage}.`);
  }
  for (const key of Object.keys(failUnder)) checkGate(`--fail-under ${key}`, key, run);
  for (const key of Object.keys(failOver)) checkGate(`--fail-over ${key}`, key, run);
}

/**
 * Rejects a gate on a metric that will not be measured. The keys of a metric that does not declare them are known only
 * after it has run.
 */
export function checkGate(gate: string, key: string, { metrics, datasets, facets, ...run }: GatedRun): void {
  const { trials, trialsFlag = "--trials" } = run;
  const k = Number(/^pass_(?:at|hat)_(\d+)$/.exec(key)?.[1] ?? 1);
  if (k > trials) {
    throw new UsageError(
      `${gate} needs at least ${k} trials of each task, but the run has ${trials}. Pass ${trialsFlag} ${k}.`,
    );
  }
  const known = listSummaryKeys(metrics, {
    trials,
    datasets: datasets(),
    ...(isFacetKey(key) && facets !== undefined ? { facets: facets() } : {}),
  });
  // Measures of evaluators are known only afterwards.
  if (key.startsWith(MEASURE_PREFIX)) return;
  if (known.has(key) || metrics.some((metric) => metric.keys === undefined)) return;
  throw new UsageError(`${gate}: this run has no such metric.${didYouMean(key, listHeadlineKeys(known, key))}`);
}

/** Coverage is checked first: a metric based on too few trials decides nothing. */
export function applyGates(result: EvalResult, gates: Gates): GateJudgment {
  const uncovered = checkCoverage(result, gates.minCoverage);
  if (uncovered.length > 0)
    return { exitCode: EXIT.infrastructure, messages: uncovered.map(({ words }) => words), verdicts: uncovered };
  const verdicts = [
    ...Object.entries(gates.failUnder).flatMap(([key, least]) =>
      checkLimit(result, { flag: "--fail-under", key, limit: least }, (value) =>
        value >= least ? null : `is under ${least}`,
      ),
    ),
    ...Object.entries(gates.failOver).flatMap(([key, most]) =>
      checkLimit(result, { flag: "--fail-over", key, limit: most }, (value) =>
        value <= most ? null : `is over ${most}`,
      ),
    ),
    ...(gates.requirePass === true ? [checkAllPassed(result)] : []),
  ];
  const messages = verdicts.filter(({ passed }) => !passed).map(({ words }) => words);
  return { exitCode: messages.length > 0 ? EXIT.gateFailed : EXIT.fine, messages, verdicts };
}

function checkCoverage(result: EvalResult, minCoverage: number): GateVerdict[] {
  const gate = `--min-coverage ${minCoverage}`;
  return Object.entries(result.summary).flatMap(([system, { coverage }]) => {
    if (coverage == null || coverage >= minCoverage) return [];
    const words = `${system}: only ${formatShare(coverage)} of the planned trials were scored (${gate})`;
    return [{ gate, passed: false, words }];
  });
}

function checkAllPassed({ rows }: EvalResult): GateVerdict {
  const unpassed = rows.filter(({ passed }) => passed !== true).length;
  const words = unpassed === 0 ? "every trial passed" : `${formatPlural(unpassed, "trial")} did not pass`;
  return { gate: "--require-pass", passed: unpassed === 0, words: `--require-pass: ${words}` };
}

interface GateLimit {
  flag: string;
  key: string;
  limit: number;
}

/** An unmeasured value fails the gate, whether it is null or the 0 of no tasks. */
function checkLimit(
  result: EvalResult,
  { flag, key, limit }: GateLimit,
  problemWith: (value: number) => string | null,
): GateVerdict[] {
  return Object.entries(result.summary).map(([system, summary]) => {
    if (getOwn(summary, key) === undefined) {
      throw new UsageError(
        `${flag} ${key}: there is no such metric.${didYouMean(key, listHeadlineKeys(Object.keys(summary), key))}`,
      );
    }
    const value = getMeasured(summary, key);
    const problem = value === null ? "was not measured" : problemWith(value);
    const words = `${system}: ${key} = ${formatNumber(value)}${problem === null ? "" : ` ${problem}`}`;
    return { gate: `${flag} ${key}=${limit}`, passed: problem === null, words };
  });
}

/** Metrics worth suggesting: those of the same kind, without derived keys such as interval bounds. */
function listHeadlineKeys(keys: Iterable<string>, asked: string): string[] {
  const all = [...keys].filter((key) => !/_(?:ci_low|ci_high|n)$/.test(key));
  const alike = all.filter((key) => isFacetKey(key) === isFacetKey(asked));
  return alike.length > 0 ? alike : all;
}

/** Facets can have very many keys, so they are computed only for a gate on one of them. */
function isFacetKey(key: string): boolean {
  return /^(?:facet|cell):/.test(key);
}
