import { type Stats, statSync } from "node:fs";
import { join } from "node:path";
import type { EvalConfig, EvalResult, JsonSummary, Summary } from "../../core/result.js";
import type { EvalRow } from "../../core/row.js";
import { ownValue } from "../../core/shape.js";
import { noTrials, type TrialCounts, trialCounts } from "../../core/trial-counts.js";
import { FILES } from "../../store/journal.js";
import type { Manifest } from "../../store/manifest.js";
import { readRunFile } from "../../store/run-file.js";
import { doneIn } from "../../store/summary-file.js";
import { writeAtomically } from "../../utils/files/atomic.js";
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

export function runCard(parts: CardParts): RunCard {
  const { id, manifest, config, planned, summary, counts } = parts;
  const systems = config.systems.map((name) => systemCard(name, parts));
  const hasRun = systems.filter(({ system }) => (ownValue(counts, system)?.trials ?? 0) > 0);
  return {
    id,
    title: String(config.title),
    createdAt: manifest.createdAt,
    status: parts.status,
    command: commandOf(manifest),
    planned,
    done: doneIn(counts),
    datasets: config.datasets.map(datasetCard),
    tags: tagsOf(Object.values(summary), config),
    systems,
    costUsd: knownCost(hasRun.map(({ system }) => ownValue(counts, system)?.costUsd ?? null)),
    unpricedSystems: hasRun.filter(isUnpriced).length,
    wallSeconds: parts.wallSeconds,
    threshold: config.threshold,
    parent: manifest.parent?.runId ?? null,
    problem: null,
  };
}

export function resultParts({ summary, rows, config }: EvalResult): Pick<CardParts, "summary" | "counts" | "config"> {
  return { summary, counts: trialCounts(rows), config };
}

/** A run whose manifest cannot be read is listed with its problem. */
export function damagedCard(id: string, { problem, createdAt }: { problem: string; createdAt: string }): RunCard {
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
    systems: [],
    costUsd: null,
    unpricedSystems: 0,
    wallSeconds: null,
    threshold: 0,
    parent: null,
    problem,
  };
}

function systemCard(system: string, { manifest, config, summary, counts }: CardParts): SystemCard {
  const own = ownValue(summary, system) ?? {};
  const record = ownValue(manifest.systems, system);
  const { outcomes, categories, costUsd } = ownValue(counts, system) ?? noTrials();
  // A total is unknown if a part of it is.
  const isKnown = (figureReader(own)("cost_unknown_trials") ?? 0) === 0;
  return {
    system,
    harness: record?.harness ?? null,
    model: record?.model ?? null,
    ...cardFigures(own, mostTrials(config)),
    outcomes,
    categories,
    costUsd: isKnown ? costUsd : null,
  };
}

/** Datasets may have their own number of trials. */
function mostTrials({ trials, datasets }: EvalConfig): number {
  return Math.max(trials, ...datasets.map(({ terms }) => terms?.trials ?? 0));
}

function datasetCard({ name, examples, fingerprint }: EvalConfig["datasets"][number]): DatasetCard {
  return { name: datasetName(name), examples, fingerprint };
}

/** A dataset created by a program need not have a name. */
export function datasetName(name: string): string {
  return name || "examples";
}

function commandOf({ invocation }: Manifest): string | null {
  const { command } = (invocation ?? {}) as { command?: unknown };
  return typeof command === "string" ? command : null;
}

/** True for a system with outputs but without a known cost. */
function isUnpriced({ costUsd, outcomes: { pass, fail, unscored } }: SystemCard): boolean {
  return costUsd === null && pass + fail + unscored > 0;
}

/** Null when no cost is known. */
function knownCost(costs: readonly (number | null)[]): number | null {
  const known = costs.flatMap((cost) => cost ?? []);
  return known.length === 0 ? null : known.reduce((total, cost) => total + cost, 0);
}

/** Reads a figure of a summary; null when it is missing, infinite or based on no task. */
export type ReadFigure = (key: string) => number | null;

/** Reads summaries in memory and as stored, where speed and efficiency are nested. */
export function figureReader(summary: Summary | JsonSummary): ReadFigure {
  const { efficiency } = summary;
  const nested = typeof efficiency === "object" && efficiency !== null ? efficiency : {};
  return (key) => (summary[`${key}_n`] === 0 ? null : (finite(summary[key]) ?? finite(nested[key])));
}

/** Also returns the k of `pass_hat`: the largest one up to `trials` that the summary has. */
export function cardFigures(
  summary: Summary | JsonSummary,
  trials: number,
): Pick<SystemCard, "k"> & { figures: Record<CardFigure, number | null> } {
  const read = figureReader(summary);
  const k = largestK(read, trials);
  const figures = {} as Record<CardFigure, number | null>;
  for (const figure of CARD_FIGURES) figures[figure] = shown(figure, read(keyOf(figure, k)));
  return { figures, k };
}

/** Scores are in [0, 1]; intervals stored by older versions may exceed that. */
export function withinScores(bound: number | null): number | null {
  return bound === null ? null : Math.min(1, Math.max(0, bound));
}

function shown(figure: CardFigure, value: number | null): number | null {
  if (figure === "mean_score_ci_low" || figure === "mean_score_ci_high") return withinScores(value);
  // A single system has no rank; its metric says 0.
  return figure === "pareto_rank" && value === 0 ? null : value;
}

const PASS_HAT = "pass_hat";

function keyOf(figure: CardFigure, k: number): string {
  return figure.startsWith(PASS_HAT) ? `${PASS_HAT}_${k}${figure.slice(PASS_HAT.length)}` : figure;
}

function largestK(read: ReadFigure, trials: number): number {
  for (let k = trials; k > 0; k--) if (read(`pass_hat_${k}`) !== null) return k;
  return trials;
}

/** Also rejects inherited values such as `constructor`. */
function finite(value: unknown): number | null {
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
  const sources = [FILES.manifest, FILES.summary, FILES.rows].map((name) => statSync(join(dir, name)));
  const file: CardFile = { schema: SCHEMA, sizes: sizesOf(sources), card };
  writeAtomically(join(dir, CARD_FILE), `${JSON.stringify(file)}\n`);
}

/** Returns null unless there is a readable card of these sources; a card can always be rebuilt. */
export function readCard(dir: string, sources: CardSources): RunCard | null {
  try {
    const { schema, sizes, card } = JSON.parse(readRunFile(dir, CARD_FILE)) as CardFile;
    return schema === SCHEMA && String(sizes) === String(sizesOf(sources)) ? card : null;
  } catch {
    return null;
  }
}

function sizesOf(sources: CardSources): number[] {
  return sources.map((source) => source?.size ?? -1);
}

const FACET = "facet:";
/** Every facet value has a mean with bounds, which identifies its key. */
const BOUND = "_ci_low";

/** Lists the tags that summaries are broken down by, such as `subject=anatomy`, without dataset prefixes. */
export function tagsOf(
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
      if (!key.startsWith(FACET) || !key.endsWith(BOUND)) continue;
      tags.add(withoutDataset(key.slice(FACET.length, -BOUND.length), prefixes));
    }
  }
  return [...tags];
}

export function hasTag({ facets }: Pick<EvalRow, "facets">, tag: string): boolean {
  return facets != null && Object.entries(facets).some(([field, value]) => `${field}=${value}` === tag);
}

function withoutDataset(tag: string, prefixes: readonly string[]): string {
  const prefix = prefixes.length > 1 ? prefixes.find((one) => tag.startsWith(one)) : undefined;
  return prefix === undefined ? tag : tag.slice(prefix.length);
}
