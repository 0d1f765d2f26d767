import {
  type BestSystem,
  type CheapestSystem,
  type CostBasis,
  type EvalResult,
  type EvalRow,
  type FastestSystem,
  getOwn,
  getScore,
  isScored,
  listAgentSystems,
  type QualityDifference,
  type QualityKey,
  type Recommendation,
  type Summary,
} from "../../core/index.js";
import { holm, requiredTasks } from "../../stats/index.js";
import { LOW_COVERAGE } from "../low-coverage.js";
import { compareSample, POWER } from "./compare-sample.js";
import { DEFAULT_LEVEL, type MetricComparison, toAlpha } from "./comparison.js";
import { computeMinTasks } from "./regressions.js";
import { collectTaskValues } from "./task-values.js";

/** The part of a result that a recommendation is made from. */
export type RecommendedRun = Pick<EvalResult, "rows" | "summary" | "config">;

/** A recommendation without the command to run next. */
export type SystemRecommendation = Omit<Recommendation, "next">;

/** A system and its figures. */
interface Candidate {
  readonly system: string;
  readonly summary: Summary;
}

/**
 * Says which of several systems to choose: the best by pass rate, the cheapest that is not significantly worse, and the
 * fastest. Null for one system.
 * @example
 * recommendSystem(await loadRun(".assay/runs/20261115-213334-gsm8k"))?.best; // { system: "large", value: 0.82, low: 0.74, high: 0.88 }
 */
export function recommendSystem(run: RecommendedRun): SystemRecommendation | null {
  const candidates = Object.entries(run.summary).map(([system, summary]) => ({ system, summary }));
  if (candidates.length < 2) return null;
  const quality = candidates.every(({ summary }) => Object.hasOwn(summary, "pass_rate")) ? "pass_rate" : "mean_score";
  const problem = findProblem(candidates, quality);
  if (problem !== null) return withhold(problem, quality);
  const values = collectTaskValues(run.rows, createQualityReader(quality, run.config.scoreField));
  if (!values.isSamePlan) return withhold("the systems did not run the same examples", quality);
  const cost = selectCost(candidates, listAgentSystems(run.rows));
  const [best, ...others] = sortByQuality(candidates, quality, cost?.key);
  if (best === undefined) return null;
  const { seed } = run.config;
  const compared = others.map(({ system }): ComparedSystem => {
    const sample = values.pair(best.system, system);
    const metric = { metric: quality, kind: "quality", better: "more" } as const;
    return {
      system,
      metric: compareSample(metric, sample, { level: DEFAULT_LEVEL, seed }),
      differing: sample.a.filter((value, task) => value !== sample.b[task]).length,
    };
  });
  const differences = judgeDifferences(compared);
  const worse = new Set(differences.flatMap(({ system, verdict }) => (verdict === "worse" ? system : [])));
  const good = [best, ...others].filter(({ system }) => !worse.has(system));
  return {
    withheld: null,
    quality,
    best: describeBest(best, quality),
    cheapest: cost === null ? null : findCheapest(good, best, cost),
    fastest: findFastest([best, ...others], worse),
    differences,
    notes: describeCostNotes(candidates, cost),
  };
}

function withhold(reason: string, quality: QualityKey): SystemRecommendation {
  return { withheld: reason, quality, best: null, cheapest: null, fastest: null, differences: [], notes: [] };
}

/** A figure that is based on at least one task. */
function getFigure({ summary }: Candidate, key: string, counted = key): number | null {
  return getOwn(summary, `${counted}_n`) === 0 ? null : (getOwn(summary, key) ?? null);
}

/** Why the systems cannot be ranked. */
function findProblem(candidates: readonly Candidate[], quality: QualityKey): string | null {
  if (candidates.some(({ summary }) => !Object.hasOwn(summary, quality)))
    return "neither pass_rate nor mean_score is among the metrics";
  const thin = candidates.filter(({ summary }) => (getOwn(summary, "coverage") ?? 0) < LOW_COVERAGE);
  if (thin.length > 0) {
    const names = thin.map(({ system }) => system).join(", ");
    return `fewer than ${LOW_COVERAGE * 100} % of the trials of ${names} were scored`;
  }
  const areZero = quality === "pass_rate" && candidates.every((one) => getFigure(one, quality) === 0);
  return areZero ? "no trial passed" : null;
}

function createQualityReader(quality: QualityKey, scoreField: string): (row: EvalRow) => number | undefined {
  if (quality === "pass_rate") return (row) => (isScored(row) ? Number(row.outcome === "pass") : undefined);
  return (row) => (isScored(row) ? getScore(row, scoreField) : undefined);
}

/** Equal quality is decided by the mean score, then by cost, then by the order in the run. */
function sortByQuality(candidates: readonly Candidate[], quality: QualityKey, costKey: string | undefined) {
  const read = (one: Candidate, key: string, unknown: number) => getFigure(one, key) ?? unknown;
  const cost = (one: Candidate) => (costKey === undefined ? 0 : read(one, costKey, Number.POSITIVE_INFINITY));
  return candidates.toSorted(
    (a, b) =>
      read(b, quality, 0) - read(a, quality, 0) ||
      read(b, "mean_score", 0) - read(a, "mean_score", 0) ||
      compareCosts(cost(a), cost(b)),
  );
}

/** Infinite minus infinite is not a number. */
function compareCosts(a: number, b: number): number {
  return a === b ? 0 : a - b;
}

function describeBest(best: Candidate, quality: QualityKey): BestSystem {
  const bound = (end: "low" | "high") => getOwn(best.summary, `${quality}_ci_${end}`) ?? null;
  return { system: best.system, value: getFigure(best, quality) ?? 0, low: bound("low"), high: bound("high") };
}

/** The cost by which systems are ranked. */
interface CostFigure {
  readonly basis: CostBasis;
  readonly key: string;
}

/** Dollars if several systems have a price. The tokens of an agent's last message say nothing about its cost. */
function selectCost(candidates: readonly Candidate[], agents: ReadonlySet<string>): CostFigure | null {
  const all = (key: string) => candidates.every((one) => getFigure(one, key) !== null);
  if (candidates.filter(isPriced).length > 1) return { basis: "usd", key: "cost_per_pass_usd" };
  if (all("mean_context_tokens")) return { basis: "context_tokens", key: "mean_context_tokens" };
  if (agents.size > 0 || !all("cost_of_pass")) return null;
  return { basis: "tokens", key: "cost_of_pass" };
}

function hasUnknownCost({ summary }: Candidate): boolean {
  return (getOwn(summary, "cost_unknown_trials") ?? 0) > 0;
}

function isPriced(one: Candidate): boolean {
  return getFigure(one, "cost_per_pass_usd") !== null && !hasUnknownCost(one);
}

function describeCostNotes(candidates: readonly Candidate[], cost: CostFigure | null): string[] {
  const unpriced = candidates.filter((one) => !isPriced(one));
  if (unpriced.length === 0) return [];
  // Without any price nobody expects dollars, unless there is nothing else to count.
  if (unpriced.length === candidates.length && cost !== null) return [];
  const names = unpriced.map(({ system }) => system).join(", ");
  return [
    `the cost in dollars is unknown for ${names}${cost === null ? "" : cost.basis === "usd" ? " (left out)" : ", so tokens are compared"}`,
  ];
}

function findCheapest(good: readonly Candidate[], best: Candidate, { basis, key }: CostFigure): CheapestSystem | null {
  const cost = (one: Candidate) =>
    basis === "usd" && !isPriced(one) ? Number.POSITIVE_INFINITY : (getFigure(one, key) ?? Number.POSITIVE_INFINITY);
  // The best comes first, so it wins a tie.
  const cheapest = good.reduce((least, one) => (cost(one) < cost(least) ? one : least), best);
  if (!Number.isFinite(cost(cheapest))) return null;
  const ofBest = cost(best);
  const bestCost = Number.isFinite(ofBest) ? ofBest : null;
  return { system: cheapest.system, basis, cost: cost(cheapest), bestCost };
}

function findFastest(candidates: readonly Candidate[], worse: ReadonlySet<string>): FastestSystem | null {
  const timed = candidates.flatMap((one) => {
    const seconds = getFigure(one, "latency_median", "latency_mean");
    return seconds === null ? [] : { system: one.system, seconds };
  });
  const [best] = timed;
  if (best === undefined || timed.length < candidates.length) return null;
  const fastest = timed.reduce((least, one) => (one.seconds < least.seconds ? one : least), best);
  return { ...fastest, bestSeconds: best.seconds, isWorse: worse.has(fastest.system) };
}

/** A system compared with the best one. */
interface ComparedSystem {
  readonly system: string;
  readonly metric: MetricComparison;
  /** Examples in which the two differ; only these count in an exact test. */
  readonly differing: number;
}

/**
 * The best was chosen by the same data, so any pair of systems could have been compared, and the correction covers all
 * pairs. Those that were not compared count as not significant.
 */
function judgeDifferences(compared: readonly ComparedSystem[]): QualityDifference[] {
  const alpha = toAlpha(DEFAULT_LEVEL);
  const pairs = (compared.length * (compared.length + 1)) / 2;
  const ps = compared.map(({ metric }) => metric.p ?? 1);
  const adjusted = holm([...ps, ...Array<number>(pairs - ps.length).fill(1)]);
  return compared.map((one, i) => {
    const { system, metric } = one;
    const { n, difference, low, high, p, se } = metric;
    const adjustedP = p === null ? null : (adjusted[i] ?? null);
    const isWorse = difference !== null && difference < 0 && adjustedP !== null && adjustedP < alpha;
    const verdict = difference === 0 && se === 0 ? "same" : isWorse ? "worse" : "unclear";
    return {
      system,
      examples: n,
      difference,
      low,
      high,
      p,
      adjustedP,
      verdict,
      moreExamples: verdict === "unclear" ? estimateMoreExamples(one, { alpha, pairs }) : null,
    };
  });
}

/** By the measured variance; the same kind of examples is assumed, in groups of the same size if they have groups. */
function estimateMoreExamples(
  { metric, differing }: ComparedSystem,
  { alpha, pairs }: { alpha: number; pairs: number },
): number | null {
  const { n, groups, difference, se } = metric;
  if (difference === null || difference >= 0 || se === null) return null;
  const enough =
    se === 0
      ? 0
      : requiredTasks({
          difference: -difference,
          omega2: se ** 2 * n,
          sigmaA2: 0,
          sigmaB2: 0,
          alpha: alpha / pairs,
          power: POWER,
        });
  // With fewer differing tasks or groups than this, not even the largest difference is significant.
  const fewest = (computeMinTasks(DEFAULT_LEVEL, pairs) ?? 0) * (n / (groups ?? n)) * (n / Math.max(1, differing));
  return Math.max(1, Math.ceil(Math.max(enough, fewest)) - n);
}
