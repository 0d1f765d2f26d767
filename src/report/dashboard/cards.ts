import { type Stats, statSync } from "node:fs";
import { join } from "node:path";
import type { EvalConfig, EvalResult, EvalRow, JsonSummary, Summary } from "../../core/index.js";
import { countTrials, createTrialCounts, getOwn, type TrialCounts } from "../../core/index.js";
import type { Manifest } from "../../store/index.js";
import { countFinishedTrials, RUN_FILES, readRunFile } from "../../store/index.js";
import { writeAtomically } from "../../utils/index.js";
import {
  CARD_FIGURES,
  type CardFigure,
  type DatasetCard,
  type RunCard,
  type RunStatus,
  type SystemCard,
} from "./contract.js";

/** The data of a card, stored with the run or computed from its rows. */
export interface CardParts {
  id: string;
  manifest: Manifest;
  /** The config that the figures are about: that of the manifest, or what a filter leaves of it. */
  config: EvalConfig;
  planned: number;
  summary: Readonly<Record<string, Summary | JsonSummary>>;
  counts: Readonly<Record<string, TrialCounts>>;
  wallSeconds: number | null;
  status: RunStatus;
}

export function buildRunCard(parts: CardParts): RunCard {
  const { id, manifest, config, planned, summary, counts } = parts;
  const systems = config.systems.map((name) => buildSystemCard(name, parts));
  const hasRun = systems.filter(({ system }) => (getOwn(counts, system)?.trials ?? 0) > 0);
  return {
    id,
    title: String(config.title),
    createdAt: manifest.createdAt,
    status: parts.status,
    command: readRunCommand(manifest),
    planned,
    done: countFinishedTrials(counts),
    datasets: config.datasets.map(buildDatasetCard),
    tags: listSummaryTags(Object.values(summary), config),
    runTags: [],
    systems,
    costUsd: sumSystemCosts(hasRun.map(({ system }) => getOwn(counts, system)?.costUsd ?? null)),
    unpricedSystems: hasRun.filter(isUnpriced).length,
    // Imported results say nothing about it, and 0 would look like a measurement.
    wallSeconds: parts.wallSeconds === 0 ? null : parts.wallSeconds,
    threshold: config.threshold,
    parent: manifest.parent?.runId ?? null,
    problem: null,
  };
}

export function toCardParts({ summary, rows, config }: EvalResult): Pick<CardParts, "summary" | "counts" | "config"> {
  return { summary, counts: countTrials(rows), config };
}

/** A run whose manifest cannot be read is listed with its problem. */
export function buildDamagedCard(id: string, { problem, createdAt }: { problem: string; createdAt: string }): RunCard {
  return {
    id,
    title: id,
    createdAt,
    status: "damaged",
    command: null,
    planned: 0,
    done: 0,
    datasets: [],
    tags: [],
    runTags: [],
    systems: [],
    costUsd: null,
    unpricedSystems: 0,
    wallSeconds: null,
    threshold: 0,
    parent: null,
    problem,
  };
}

function buildSystemCard(system: string, { manifest, config, summary, counts }: CardParts): SystemCard {
  const own = getOwn(summary, system) ?? {};
  const record = getOwn(manifest.systems, system);
  const { outcomes, categories, costUsd } = getOwn(counts, system) ?? createTrialCounts();
  // A total is unknown if a part of it is.
  const isKnown = (createFigureReader(own)("cost_unknown_trials") ?? 0) === 0;
  return {
    system,
    harness: record?.harness ?? null,
    model: record?.model ?? null,
    ...readCardFigures(own, getMaxTrials(config)),
    outcomes,
    categories,
    costUsd: isKnown ? costUsd : null,
  };
}

/** Datasets may have their own number of trials. */
function getMaxTrials({ trials, datasets }: EvalConfig): number {
  return Math.max(trials, ...datasets.map(({ terms }) => terms?.trials ?? 0));
}

function buildDatasetCard({ name, examples, fingerprint }: EvalConfig["datasets"][number]): DatasetCard {
  return { name: getDatasetLabel(name), examples, fingerprint };
}

/** A dataset created by a program need not have a name. */
export function getDatasetLabel(name: string): string {
  return name || "examples";
}

function readRunCommand({ invocation }: Manifest): string | null {
  const { command } = (invocation ?? {}) as { command?: unknown };
  return typeof command === "string" ? command : null;
}

/** True for a system with outputs but without a known cost. */
function isUnpriced({ costUsd, outcomes: { pass, fail, unscored } }: SystemCard): boolean {
  return costUsd === null && pass + fail + unscored > 0;
}

/** Null when no cost is known. */
function sumSystemCosts(costs: readonly (number | null)[]): number | null {
  const known = costs.flatMap((cost) => cost ?? []);
  return known.length === 0 ? null : known.reduce((total, cost) => total + cost, 0);
}

/** Reads a figure of a summary; null when it is missing, infinite or based on no task. */
export type FigureReader = (key: string) => number | null;

/** Reads summaries in memory and as stored, where speed and efficiency are nested. */
export function createFigureReader(summary: Summary | JsonSummary): FigureReader {
  const { efficiency } = summary;
  const nested = typeof efficiency === "object" && efficiency !== null ? efficiency : {};
  return (key) => (summary[`${key}_n`] === 0 ? null : (toFiniteFigure(summary[key]) ?? toFiniteFigure(nested[key])));
}

/** Also returns the k of `pass_hat`: the largest one up to `trials` that the summary has. */
export function readCardFigures(
  summary: Summary | JsonSummary,
  trials: number,
): Pick<SystemCard, "k"> & { figures: Record<CardFigure, number | null> } {
  const read = createFigureReader(summary);
  const k = findLargestK(read, trials);
  const figures = {} as Record<CardFigure, number | null>;
  for (const figure of CARD_FIGURES) figures[figure] = getShownFigure(figure, read(getFigureKey(figure, k)));
  return { figures, k };
}

/** Scores are in [0, 1]; intervals stored by older versions may exceed that. */
export function clampToScore(bound: number | null): number | null {
  return bound === null ? null : Math.min(1, Math.max(0, bound));
}

function getShownFigure(figure: CardFigure, value: number | null): number | null {
  if (figure === "mean_score_ci_low" || figure === "mean_score_ci_high") return clampToScore(value);
  // A single system has no rank; its metric says 0.
  return figure === "pareto_rank" && value === 0 ? null : value;
}

const PASS_HAT = "pass_hat";

function getFigureKey(figure: CardFigure, k: number): string {
  return figure.startsWith(PASS_HAT) ? `${PASS_HAT}_${k}${figure.slice(PASS_HAT.length)}` : figure;
}

function findLargestK(read: FigureReader, trials: number): number {
  for (let k = trials; k > 0; k--) if (read(`pass_hat_${k}`) !== null) return k;
  return trials;
}

/** Also rejects inherited values such as `constructor`. */
function toFiniteFigure(value: unknown): number | null {
  return typeof value === "number" && Number.isFinite(value) ? value : null;
}

/** Changes with the format of cards, so that cards of other versions are not used. */
const SCHEMA = "assay.card/2";
export const CARD_FILE = "card.json";

/** The files that a card is made from; undefined where one is missing. */
export type CardSources = readonly (Pick<Stats, "size"> | undefined)[];

/** A card stored in the run folder: reading a thousand cards is faster than reading a thousand summaries. */
interface CardFile {
  schema: string;
  /** Sizes of the source files: they differ if the run was continued or changed by hand. */
  sizes: readonly number[];
  card: RunCard;
}

/** Stores the card of a finished run. */
export function writeCard(dir: string, card: RunCard): void {
  const sources = [RUN_FILES.manifest, RUN_FILES.summary, RUN_FILES.rows].map((name) => statSync(join(dir, name)));
  const file: CardFile = { schema: SCHEMA, sizes: listSourceSizes(sources), card };
  writeAtomically(join(dir, CARD_FILE), `${JSON.stringify(file)}\n`);
}

/** Returns null unless there is a readable card of these sources; a card can always be rebuilt. */
export function readCard(dir: string, sources: CardSources): RunCard | null {
  try {
    const { schema, sizes, card } = JSON.parse(readRunFile(dir, CARD_FILE)) as CardFile;
    return schema === SCHEMA && String(sizes) === String(listSourceSizes(sources)) ? card : null;
  } catch {
    return null;
  }
}

function listSourceSizes(sources: CardSources): number[] {
  return sources.map((source) => source?.size ?? -1);
}

const FACET_PREFIX = "facet:";
/** Every facet value has a mean with bounds, which identifies its key. */
const LOWER_BOUND_SUFFIX = "_ci_low";

/** Lists the tags that summaries are broken down by, such as `subject=anatomy`, without dataset prefixes. */
export function listSummaryTags(
  summaries: Iterable<Summary | JsonSummary>,
  { datasets }: Pick<EvalConfig, "datasets">,
): string[] {
  const prefixes = datasets.flatMap(({ tags }) => tags.map((tag) => `${tag || "unknown"}:`));
  // All systems have the same tags, unless a dataset is run by some systems only.
  const isEnough = datasets.every(({ terms }) => terms?.systems === undefined);
  const tags = new Set<string>();
  for (const summary of summaries) {
    if (isEnough && tags.size > 0) break;
    for (const key of Object.keys(summary)) {
      if (!key.startsWith(FACET_PREFIX) || !key.endsWith(LOWER_BOUND_SUFFIX)) continue;
      tags.add(stripDatasetPrefix(key.slice(FACET_PREFIX.length, -LOWER_BOUND_SUFFIX.length), prefixes));
    }
  }
  return [...tags];
}

export function hasTag({ facets }: Pick<EvalRow, "facets">, tag: string): boolean {
  return facets != null && Object.entries(facets).some(([field, value]) => `${field}=${value}` === tag);
}

function stripDatasetPrefix(tag: string, prefixes: readonly string[]): string {
  const prefix = prefixes.length > 1 ? prefixes.find((one) => tag.startsWith(one)) : undefined;
  return prefix === undefined ? tag : tag.slice(prefix.length);
}
