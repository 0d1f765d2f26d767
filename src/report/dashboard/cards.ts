import { ownValue } from "../../core/own-value.js";
import type { EvalConfig, EvalResult, JsonSummary, Summary } from "../../core/result.js";
import { noTrials, type TrialCounts, trialCounts } from "../../core/trial-counts.js";
import type { Manifest } from "../../store/manifest.js";
import { doneIn } from "../../store/summary-file.js";
import { cardFigures, figureReader } from "./card-figures.js";
import { tagsOf } from "./card-tags.js";
import type { DatasetCard, RunCard, RunStatus, SystemCard } from "./contract.js";

/** What a card is made of, be it stored with the run or worked out from its rows. */
export interface CardParts {
  id: string;
  manifest: Manifest;
  /** What the figures are of: that of the manifest, or what a filter leaves of it. */
  config: EvalConfig;
  planned: number;
  summary: Readonly<Record<string, Summary | JsonSummary>>;
  counts: Readonly<Record<string, TrialCounts>>;
  wallSeconds: number | null;
  status: RunStatus;
}

/** A run in short. */
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

/** The parts of a card that a result holds. */
export function resultParts({ summary, rows, config }: EvalResult): Pick<CardParts, "summary" | "counts" | "config"> {
  return { summary, counts: trialCounts(rows), config };
}

/** A run whose manifest cannot be read: it is listed, with what is wrong with it. */
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
  // A total of which a part is not known is not known.
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

/** Datasets may have numbers of trials of their own. */
function mostTrials({ trials, datasets }: EvalConfig): number {
  return Math.max(trials, ...datasets.map(({ terms }) => terms?.trials ?? 0));
}

function datasetCard({ name, examples, fingerprint }: EvalConfig["datasets"][number]): DatasetCard {
  return { name: datasetName(name), examples, fingerprint };
}

/** A dataset that a program handed over need not have a name. */
export function datasetName(name: string): string {
  return name || "examples";
}

function commandOf({ invocation }: Manifest): string | null {
  const { command } = (invocation ?? {}) as { command?: unknown };
  return typeof command === "string" ? command : null;
}

/** A system that gave something back, whose cost is not known. */
function isUnpriced({ costUsd, outcomes: { pass, fail, unscored } }: SystemCard): boolean {
  return costUsd === null && pass + fail + unscored > 0;
}

/** What is known of the costs; null when nothing is. */
function knownCost(costs: readonly (number | null)[]): number | null {
  const known = costs.flatMap((cost) => cost ?? []);
  return known.length === 0 ? null : known.reduce((total, cost) => total + cost, 0);
}
