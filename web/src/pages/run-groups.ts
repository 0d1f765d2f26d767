import { LOW_COVERAGE } from "../../../src/metrics/low-coverage.js";
import type { DatasetCard, RunCard, SystemCard } from "../../../src/report/dashboard/contract.js";
import { paretoFronts } from "../../../src/stats/pareto.js";
import { buildAddress, formatShare, type RouteQuery, revealLine } from "../ui/index.js";
import { buildRowFilterQuery } from "./row-filter.js";

export interface RunSystem {
  run: RunCard;
  card: SystemCard;
}

/** The latest run of a system, and the one before it. */
export interface LeaderboardEntry extends RunSystem {
  key: string;
  /** With the harness where several systems have this name. */
  name: string;
  previous: RunSystem | null;
  /** Why its figures may mislead; null when they do not. */
  doubt: string | null;
  /** The newest run of the system, if it hardly worked and does not replace this one. */
  passedOver: RunSystem | null;
  /** Its Pareto front by quality and `chooseRankingCost`; null when one of them is not known. */
  rank: number | null;
}

/** Runs over the same examples, which can be compared. */
export interface RunGroup {
  key: string;
  datasets: readonly DatasetCard[];
  /** Newest first. */
  runs: readonly RunCard[];
}

export interface LeaderboardData {
  group: RunGroup;
  entries: readonly LeaderboardEntry[];
}

export function formatDatasetNames(datasets: readonly DatasetCard[]): string {
  return datasets.length === 0 ? "No dataset named" : revealLine(datasets.map(({ name }) => name).join(" + "));
}

/**
 * Groups runs by datasets with the same content, or by the one dataset of the filter. The group with the newest run
 * comes
 * first.
 */
export function groupRuns(runs: readonly RunCard[], dataset?: string): RunGroup[] {
  const groups = new Map<string, { key: string; datasets: readonly DatasetCard[]; runs: RunCard[] }>();
  for (const run of sortNewestFirst(runs)) {
    const datasets = selectDatasets(run, dataset);
    const key = buildGroupKey(datasets);
    const group = groups.get(key) ?? { key, datasets, runs: [] };
    group.runs.push(run);
    groups.set(key, group);
  }
  return [...groups.values()];
}

function selectDatasets({ datasets }: RunCard, dataset: string | undefined): readonly DatasetCard[] {
  const wanted = datasets.filter(({ name }) => name === dataset);
  return wanted.length > 0 ? wanted : datasets;
}

function buildGroupKey(datasets: readonly DatasetCard[]): string {
  return datasets
    .map(({ name, fingerprint }) => JSON.stringify([name, fingerprint]))
    .sort()
    .join();
}

function sortNewestFirst(runs: readonly RunCard[]): RunCard[] {
  return [...runs].sort((x, y) => Date.parse(y.createdAt) - Date.parse(x.createdAt));
}

/** Only finished, readable runs can be compared. */
function isFinished({ status }: RunCard): boolean {
  return status === "complete" || status === "incomplete";
}

/** The latest run of each matching system and harness, ranked. A run that hardly worked does not replace a good one. */
export function buildLeaderboardEntries(group: RunGroup, fits: (candidate: RunSystem) => boolean): LeaderboardEntry[] {
  const latest = new Map<string, Omit<LeaderboardEntry, "rank" | "name">>();
  const all = group.runs.filter(isFinished).flatMap((run) => run.systems.map((card) => ({ run, card })));
  const newest = new Map(all.toReversed().map((candidate) => [buildSystemKey(candidate.card), candidate]));
  for (const candidate of sortGoodFirst(all)) {
    const who = buildSystemKey(candidate.card);
    const found = latest.get(who);
    if (found === undefined && fits(candidate))
      latest.set(who, {
        ...candidate,
        key: buildEntryKey(candidate),
        previous: null,
        doubt: explainDoubt(candidate),
        passedOver: findPassedOver(candidate, newest.get(who)),
      });
    else if (found?.previous === null && hasFigures(candidate.card) && explainDoubt(candidate) === null)
      found.previous = candidate;
  }
  const formatName = createSystemNamer([...latest.values()].map(({ card }) => card));
  return rankEntries([...latest.values()].map((entry) => ({ ...entry, name: formatName(entry.card) })));
}

/** Good runs come first, then those that hardly worked, then those in which no trial ended. */
function sortGoodFirst(all: readonly RunSystem[]): RunSystem[] {
  const order = (candidate: RunSystem) => (!hasStarted(candidate.card) ? 2 : explainDoubt(candidate) === null ? 0 : 1);
  return all.toSorted((a, b) => order(a) - order(b));
}

/**
 * Why the figures of a system in a run may mislead; null when they do not.
 * @example
 * explainDoubt({ run, card }); // "35 % of its planned trials were scored"
 */
export function explainDoubt({ run, card }: RunSystem): string | null {
  const { coverage } = card.figures;
  if (coverage !== null && coverage < LOW_COVERAGE) {
    const stopped = run.status === "incomplete" ? "the run was stopped: " : "";
    return `${stopped}${formatShare(coverage)} of its planned trials were scored`;
  }
  return null;
}

function findPassedOver(chosen: RunSystem, newest: RunSystem | undefined): LeaderboardEntry["passedOver"] {
  if (newest === undefined || newest.run.id === chosen.run.id || explainDoubt(newest) === null) return null;
  return Date.parse(newest.run.createdAt) > Date.parse(chosen.run.createdAt) ? newest : null;
}

/**
 * Why a run does not replace good ones, for all of its systems together.
 * @example
 * explainPassedOver(systems); // "the run was stopped: only 31.1 % to 41.7 % of the planned trials of each system were scored"
 */
export function explainPassedOver(systems: readonly RunSystem[]): string {
  const shares = systems.flatMap(({ card }) => card.figures.coverage ?? []).sort((a, b) => a - b);
  const [least = 0, most = least] = [shares[0], shares.at(-1)].map((share) => share ?? 0);
  const range = least === most ? formatShare(least) : `${formatShare(least)} to ${formatShare(most)}`;
  const stopped = systems.some(({ run }) => run.status === "incomplete") ? "the run was stopped: " : "";
  return `${stopped}only ${range} of the planned trials${systems.length > 1 ? " of each system" : ""} were scored`;
}

function hasStarted({ outcomes: { skipped: _, ...ended } }: SystemCard): boolean {
  return Object.values(ended).some((count) => count > 0);
}

/** A run without figures cannot be compared with. */
function hasFigures({ figures }: SystemCard): boolean {
  return figures.pass_rate !== null || figures.mean_score !== null;
}

function buildSystemKey({ system, harness }: SystemCard): string {
  return JSON.stringify([system, harness]);
}

export function buildEntryKey({ run, card }: RunSystem): string {
  return JSON.stringify([run.id, card.system]);
}

/** Adds the harness where one name has several. */
export function createSystemNamer(cards: readonly SystemCard[]): (card: SystemCard) => string {
  const harnesses = new Map<string, Set<string | null>>();
  for (const { system, harness } of cards) harnesses.set(system, (harnesses.get(system) ?? new Set()).add(harness));
  return ({ system, harness }) =>
    revealLine((harnesses.get(system)?.size ?? 0) > 1 ? `${system} (${harness ?? "no harness"})` : system);
}

/** The systems of all runs of a group. */
export function listSystemNames({ runs }: Pick<RunGroup, "runs">): string[] {
  const cards = runs.flatMap(({ systems }) => systems);
  return [...new Set(cards.map(createSystemNamer(cards)))];
}

/** The cost that systems are ranked by, as in a run: dollars per pass where all have a price, else output tokens. */
export function chooseRankingCost(entries: readonly RunSystem[]): "cost_per_pass_usd" | "cost_of_pass" {
  const isPriced = entries.some(({ card }) => hasPrice(card)) && entries.every(({ card }) => !isMissingPrice(card));
  return isPriced ? "cost_per_pass_usd" : "cost_of_pass";
}

function hasPrice({ costUsd, figures }: SystemCard): boolean {
  return costUsd !== null || figures.cost_per_pass_usd !== null;
}

/** A system that never gave an output needs no price. */
function isMissingPrice(card: SystemCard): boolean {
  const { pass, fail, unscored } = card.outcomes;
  return !hasPrice(card) && pass + fail + unscored > 0;
}

/** When nothing passed, the cost per pass is infinite, and quality decides the rank. */
function getRankingCost({ figures, outcomes }: SystemCard, cost: ReturnType<typeof chooseRankingCost>): number | null {
  return figures[cost] ?? (outcomes.pass === 0 && outcomes.fail > 0 ? Number.POSITIVE_INFINITY : null);
}

function rankEntries(entries: readonly Omit<LeaderboardEntry, "rank">[]): LeaderboardEntry[] {
  const cost = chooseRankingCost(entries);
  const points = entries.map(({ card }) => ({ quality: card.figures.mean_score, cost: getRankingCost(card, cost) }));
  // Entries that lack a figure rank last; if all do, there is no rank.
  const fronts = points.some(({ quality, cost: price }) => quality !== null && price !== null)
    ? paretoFronts(points)
    : [];
  return entries.map((entry, place) => ({ ...entry, rank: fronts[place] ?? null }));
}

/** With different thresholds, pass rates cannot be compared. */
export function listThresholds(entries: readonly LeaderboardEntry[]): number[] {
  return [...new Set(entries.map(({ run }) => run.threshold))].sort((x, y) => x - y);
}

/** The part of a run that figures cover. */
export interface FigureScope {
  dataset?: string | undefined;
  tag?: string | undefined;
}

export function buildRowsAddress(line: RunSystem, scope: FigureScope): string {
  return buildAddress(["run", line.run.id, "rows"], buildRowsQuery(line, scope));
}

/** The filter that selects the rows behind an entry. */
export function buildRowsQuery({ card }: RunSystem, { dataset, tag }: FigureScope): RouteQuery {
  return buildRowFilterQuery({ systems: [card.system], datasets: dataset ? [dataset] : [], tags: tag ? [tag] : [] });
}
