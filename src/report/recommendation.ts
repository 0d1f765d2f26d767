import { basename, dirname, relative } from "node:path";
import type {
  CheapestSystem,
  CostBasis,
  EvalResult,
  FastestSystem,
  QualityDifference,
  QualityKey,
  Recommendation,
} from "../core/index.js";
import { recommendSystem } from "../metrics/index.js";
import { quoteShellWord } from "../utils/index.js";
import { formatDollars, formatNumber, formatSeconds } from "./format.js";
import { createLayout } from "./layout.js";
import { findOtherField } from "./lead.js";
import { toOneLine } from "./markdown.js";

/** The part of a result that a recommendation is made from. */
type RecommendedRun = Pick<EvalResult, "rows" | "summary" | "config" | "runDir">;

/** Which of several systems to choose, and what to run next; null for one system. */
export function buildRecommendation(run: RecommendedRun): Recommendation | null {
  const recommended = recommendSystem(run);
  return recommended === null ? null : { ...recommended, next: chooseNextCommand(run, recommended) };
}

/** Runs in this folder are found by their name alone. */
const DEFAULT_RUNS_DIR = ".assay/runs";

/** How a stored run is named on the command line: its id, or its folder if that is elsewhere. */
function nameRun(runDir: string): string {
  const near = relative("", runDir);
  const isDefault = dirname(near).replaceAll("\\", "/") === DEFAULT_RUNS_DIR;
  return isDefault ? basename(near) : near.startsWith("..") ? runDir : near;
}

function chooseNextCommand(run: RecommendedRun, found: Omit<Recommendation, "next">): string | null {
  if (run.runDir === null) return null;
  const name = quoteShellWord(nameRun(run.runDir));
  const [runnerUp] = found.differences;
  if (found.best === null || runnerUp === undefined) return chooseLook(run, name);
  const { cheapest, best } = found;
  // The choice that saves money is the one to look at; otherwise the closest one.
  const other = cheapest !== null && cheapest.system !== best.system ? cheapest.system : runnerUp.system;
  return `assay compare ${name} ${formatFlag("--system-a", best.system)} ${formatFlag("--system-b", other)}`;
}

/** What to look at if nothing can be recommended. */
function chooseLook(run: RecommendedRun, name: string): string {
  const other = findOtherField(run);
  if (other !== null) return `assay grade ${name} --score-field ${quoteShellWord(other.field)}`;
  const isMissing = (["error", "unscored", "skipped"] as const).find((outcome) =>
    run.rows.some((row) => row.outcome === outcome),
  );
  return `assay show ${name} --outcome ${isMissing ?? "fail"}`;
}

/** A name that begins with a dash would be read as a flag. */
function formatFlag(flag: string, value: string): string {
  return value.startsWith("-") ? `${flag}=${quoteShellWord(value)}` : `${flag} ${quoteShellWord(value)}`;
}

/** The section at the end of a report; empty for one system. */
export function renderRecommendation(recommendation: Recommendation | null, layout = createLayout()): string[] {
  if (recommendation === null) return [];
  const { next } = recommendation;
  const bullets = layout.bullets(describeRecommendation(recommendation));
  return [layout.heading("Recommendation", 2), next === null ? bullets : `${bullets}\n${layout.command("Next", next)}`];
}

const QUALITY_WORDS: Readonly<Record<QualityKey, string>> = { pass_rate: "pass rate", mean_score: "mean score" };

/** Describes a recommendation in a few sentences. */
function describeRecommendation(recommendation: Recommendation): string[] {
  const { withheld, best, cheapest, fastest, notes } = recommendation;
  if (withheld !== null || best === null) return [`None: ${withheld}.`].map(toOneLine);
  const quality = QUALITY_WORDS[recommendation.quality];
  const interval =
    best.low === null || best.high === null ? "" : ` [${formatNumber(best.low)}, ${formatNumber(best.high)}]`;
  return [
    `Best quality: ${best.system}, ${quality} ${formatNumber(best.value)}${interval}.`,
    ...(cheapest === null ? [] : [describeCheapest(cheapest, recommendation, quality)]),
    ...(fastest === null ? [] : [describeFastest(fastest, best.system, quality)]),
    ...selectDifferences(recommendation).map((one) => describeDifference(one, recommendation, quality)),
    ...notes.map((note) => `${note.charAt(0).toUpperCase()}${note.slice(1)}.`),
  ].map(toOneLine);
}

const COST_WORDS: Readonly<Record<CostBasis, (cost: number) => string>> = {
  usd: (cost) => `${formatDollars(cost)} per pass`,
  tokens: (cost) => `${formatNumber(cost, 1)} output ${cost === 1 ? "token" : "tokens"} per pass`,
  context_tokens: (cost) => `${formatNumber(cost, 0)} tokens of context`,
};

function describeCheapest(cheapest: CheapestSystem, { best, differences }: Recommendation, quality: string): string {
  const { system, basis, cost, bestCost } = cheapest;
  const words = COST_WORDS[basis](cost);
  if (system === best?.system) return `Cheapest that is not significantly worse: ${system} itself, ${words}.`;
  const beside =
    bestCost === null
      ? ""
      : ` (${best?.system}: ${basis === "usd" ? formatDollars(bestCost) : formatNumber(bestCost, 1)})`;
  const low = differences.find((one) => one.system === system)?.low ?? null;
  // The interval of a difference of shares may go beyond what is possible.
  const risk = low === null || low >= 0 ? "" : `; its ${quality} may be up to ${formatNumber(Math.min(1, -low))} lower`;
  return `Cheapest that is not significantly worse: ${system}, ${words}${beside}${risk}.`;
}

function describeFastest(
  { system, seconds, bestSeconds, isWorse }: FastestSystem,
  best: string,
  quality: string,
): string {
  if (system === best) return `Fastest: ${system} itself, median latency ${formatLatency(seconds)}.`;
  const but = isWorse ? `, but its ${quality} is significantly lower` : "";
  return `Fastest: ${system}, median latency ${formatLatency(seconds)} (${best}: ${formatLatency(bestSeconds)})${but}.`;
}

function formatLatency(seconds: number): string {
  return seconds < 0.0001 ? "under 0.1 ms" : formatSeconds(seconds);
}

/** The closest system, and the cheapest if it is another one. */
function selectDifferences({ differences, cheapest }: Recommendation): QualityDifference[] {
  return differences.filter(({ system }, place) => place === 0 || system === cheapest?.system);
}

function describeDifference(one: QualityDifference, { best, differences }: Recommendation, quality: string): string {
  const { system, difference, low, high, adjustedP, verdict, examples, moreExamples } = one;
  if (verdict === "same")
    return `${best?.system} and ${system} have the same ${quality} in each of ${examples} examples.`;
  if (difference === null || adjustedP === null)
    return `${best?.system} and ${system} share no scored example, so they cannot be compared.`;
  const pairs = (differences.length * (differences.length + 1)) / 2;
  const p = `p ${adjustedP < 0.001 ? "< 0.001" : `= ${formatNumber(adjustedP)}`}${pairs > 1 ? `, corrected for ${pairs} pairs` : ""}`;
  const range = low === null || high === null ? "" : ` [${formatNumber(low)}, ${formatNumber(high)}]`;
  if (verdict === "worse")
    return `${system} is significantly worse than ${best?.system}: ${quality} ${formatNumber(difference)}${range} (${p}).`;
  const size = difference === 0 ? "" : ` of ${formatNumber(Math.abs(difference))}`;
  return `The difference${size} between ${best?.system} and ${system} is not significant (${p})${describeMore(moreExamples)}.`;
}

/** More examples than this are no practical advice. */
const MANY_EXAMPLES = 1_000_000;

function describeMore(more: number | null): string {
  if (more === null) return ": they look equal, and more examples need not show a difference";
  const amount = more > MANY_EXAMPLES ? "more than a million more" : `about ${formatRoughly(more)} more`;
  return `; if it stays this large, ${amount} ${more === 1 ? "example" : "examples"} would show it at 80 % power`;
}

/** Two digits: the estimate is not more exact than that. */
function formatRoughly(count: number): string {
  return String(Number(count.toPrecision(2)));
}
