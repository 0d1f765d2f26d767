import type { EvalResult, QualityDifference, Recommendation } from "../../core/index.js";
import { getOwn } from "../../core/index.js";
import { LOW_COVERAGE } from "../../metrics/index.js";
import { formatDollars, formatNumber, formatSeconds } from "../format.js";
import { describeSequential } from "../sequential.js";
import { createFigureReader, type FigureReader } from "./cards.js";
import type { PickUnit, RunPicks, SystemPick } from "./contract.js";

/** A system with the figures it is picked by. */
interface PickCandidate {
  readonly system: string;
  readonly figure: FigureReader;
  /** Trials of each example: the k of pass^k. */
  readonly k: number;
}

type PickedResult = Pick<EvalResult, "summary" | "config" | "recommendation"> & Partial<Pick<EvalResult, "sequential">>;

/**
 * Which system to pick for quality, cost, speed and reliability, with a reason each. The first three are those of the
 * recommendation, so that the page, the command line and the JSON report agree.
 * @example
 * buildRunPicks(result).picks[0]; // { role: "quality", system: "atlas-large", value: 0.97, … }
 */
export function buildRunPicks(result: PickedResult): RunPicks {
  if (result.sequential != null)
    return { verdict: describeSequential(result.sequential), withheld: null, picks: [], notes: [] };
  const candidates = listCandidates(result);
  const { recommendation } = result;
  if (recommendation === null) return describeOnlySystem(candidates);
  const { withheld, notes } = recommendation;
  if (withheld !== null) return { withheld, picks: [], notes };
  const find = (system: string | undefined) => candidates.find((candidate) => candidate.system === system) ?? null;
  const picks = [
    pickQuality(recommendation, candidates.length),
    pickCost(recommendation, find(recommendation.cheapest?.system)),
    pickSpeed(recommendation, find(recommendation.fastest?.system)),
    pickReliability(candidates),
  ];
  return { withheld: null, picks: picks.filter((pick) => pick !== null), notes };
}

function listCandidates({ summary, config }: PickedResult): PickCandidate[] {
  return config.systems.map((system) => {
    const figure = createFigureReader(getOwn(summary, system) ?? {});
    return { system, figure, k: findLargestK(figure, config.trials) };
  });
}

function findLargestK(figure: FigureReader, trials: number): number {
  for (let k = trials; k > 1; k--) if (figure(`pass_hat_${k}`) !== null) return k;
  return 1;
}

const QUALITY_LABELS = { pass_rate: "pass rate", mean_score: "mean score" } as const;

function pickQuality({ best, quality, differences }: Recommendation, systems: number): SystemPick | null {
  if (best === null) return null;
  const label = QUALITY_LABELS[quality];
  const [runnerUp] = differences;
  const reason = `Highest ${label} of ${systems} systems${runnerUp === undefined ? "" : `; ${describeRunnerUp(runnerUp)}`}.`;
  return { role: "quality", ...best, label, unit: "score", reason };
}

function describeRunnerUp({ system, verdict, adjustedP, examples }: QualityDifference): string {
  if (verdict === "same") return `${system} has the same result in each of ${examples} examples`;
  if (adjustedP === null) return `${system} shares no scored example with it`;
  const p = `p ${adjustedP < 0.001 ? "< 0.001" : `= ${formatNumber(adjustedP)}`}`;
  return verdict === "worse"
    ? `${system} is significantly worse (${p})`
    : `${system} is not significantly worse (${p})`;
}

const COST_LABELS = { usd: "per pass", tokens: "output tokens per pass", context_tokens: "tokens of context" } as const;
const COST_KEYS = { usd: "cost_per_pass_usd", tokens: "cost_of_pass", context_tokens: "mean_context_tokens" } as const;

function pickCost({ cheapest, best, quality, differences }: Recommendation, own: PickCandidate | null) {
  if (cheapest === null || best === null || own === null) return null;
  const { system, basis, cost, bestCost } = cheapest;
  const unit: PickUnit = basis === "usd" ? "usd" : "tokens";
  const pick = { role: "cost" as const, system, label: COST_LABELS[basis], unit, value: cost };
  const interval = readInterval(own.figure, COST_KEYS[basis]);
  if (system === best.system)
    return { ...pick, ...interval, reason: "The best quality is also the cheapest of those not significantly worse." };
  const than = bestCost === null ? "" : `; ${best.system} costs ${formatCost(bestCost, unit)}`;
  const low = differences.find((one) => one.system === system)?.low ?? null;
  const risk =
    low === null || low >= 0
      ? ""
      : `. Its ${QUALITY_LABELS[quality]} may be up to ${formatNumber(Math.min(1, -low))} lower`;
  return {
    ...pick,
    ...interval,
    reason: `Cheapest that is not significantly worse than ${best.system}${than}${risk}.`,
  };
}

function formatCost(cost: number, unit: PickUnit): string {
  return unit === "usd" ? formatDollars(cost) : `${formatNumber(cost, 1)} tokens`;
}

function pickSpeed({ fastest, best, quality }: Recommendation, own: PickCandidate | null): SystemPick | null {
  if (fastest === null || best === null || own === null) return null;
  const { system, seconds, bestSeconds, isWorse } = fastest;
  const but = isWorse ? `, but a significantly lower ${QUALITY_LABELS[quality]}` : "";
  const reason =
    system === best.system
      ? "Lowest median latency, and the best quality."
      : `Lowest median latency${but}; ${best.system} takes ${formatSeconds(bestSeconds)}.`;
  const interval = readInterval(own.figure, "latency_median");
  return { role: "speed", system, label: "median latency", unit: "seconds", value: seconds, ...interval, reason };
}

/** By pass^k where examples had several trials, else by the share of trials that were scored. */
function pickReliability(candidates: readonly PickCandidate[]): SystemPick | null {
  const k = Math.min(...candidates.map((candidate) => candidate.k));
  const key = k > 1 ? `pass_hat_${k}` : "coverage";
  const known = candidates.flatMap((candidate) => {
    const value = candidate.figure(key);
    return value === null ? [] : [{ ...candidate, value }];
  });
  const [best, next] = known.sort((a, b) => b.value - a.value || countErrors(a) - countErrors(b));
  if (best === undefined) return null;
  const tie = next !== undefined && next.value === best.value && countErrors(next) === countErrors(best);
  return {
    role: "reliability",
    system: best.system,
    label: k > 1 ? `pass^${k}` : "coverage",
    unit: k > 1 ? "score" : "share",
    value: best.value,
    ...readInterval(best.figure, key),
    reason: describeReliability(best, { k, tie: tie ? next.system : null }),
  };
}

function countErrors({ figure }: PickCandidate): number {
  return figure("error_rate") ?? 0;
}

function describeReliability(best: PickCandidate, { k, tie }: { k: number; tie: string | null }): string {
  const errors = countErrors(best);
  const failures =
    errors === 0
      ? "no trial ended with an error"
      : `${formatNumber(errors * 100, 1)} % of its trials ended with an error`;
  const also = tie === null ? "" : `; ${tie} does as well`;
  if (k === 1) return `Largest share of trials that were scored: ${failures}${also}.`;
  return `Most likely to pass all ${k} trials of an example; ${failures}${also}.`;
}

function readInterval(figure: FigureReader, key: string): { low: number | null; high: number | null } {
  return { low: figure(`${key}_ci_low`), high: figure(`${key}_ci_high`) };
}

/** A single system has figures, but nothing to be compared with. */
function describeOnlySystem([own]: readonly PickCandidate[]): RunPicks {
  if (own === undefined) return { withheld: null, picks: [], notes: [] };
  if ((own.figure("coverage") ?? 1) < LOW_COVERAGE)
    return {
      withheld: `fewer than ${LOW_COVERAGE * 100} % of the trials of ${own.system} were scored`,
      picks: [],
      notes: [],
    };
  return { withheld: null, picks: listOwnFigures(own), notes: [] };
}

function listOwnFigures(own: PickCandidate): SystemPick[] {
  const { system, figure, k } = own;
  const reason = "Nothing to compare it with in this run.";
  const make = (role: SystemPick["role"], key: string, label: string, unit: PickUnit): SystemPick[] => {
    const value = figure(key);
    return value === null ? [] : [{ role, system, label, unit, value, ...readInterval(figure, key), reason }];
  };
  const quality = figure("pass_rate") === null ? "mean_score" : "pass_rate";
  const dollars = make("cost", "cost_per_pass_usd", COST_LABELS.usd, "usd");
  return [
    ...make("quality", quality, QUALITY_LABELS[quality], "score"),
    ...(dollars.length > 0 ? dollars : make("cost", "cost_of_pass", COST_LABELS.tokens, "tokens")),
    ...make("speed", "latency_median", "median latency", "seconds"),
    ...(k > 1
      ? make("reliability", `pass_hat_${k}`, `pass^${k}`, "score")
      : make("reliability", "coverage", "coverage", "share")),
  ];
}
