import { basename } from "node:path";
import { computeCost, type ModelEntry, type ModelsFile, toDollars } from "../budget/index.js";
import type {
  DatasetConfig,
  EvalConfig,
  EvalResult,
  ExpertCosts,
  Metric,
  SequentialReport,
  Timing,
  TrialKey,
} from "../core/index.js";
import {
  addExpertCosts,
  createStoredTrialCounter,
  type EvalRow,
  findSequentialArm,
  listCallUsages,
  makeRow,
  RunFolderError,
  registry,
  selectRowPrice,
} from "../core/index.js";
import { describeRunHeadroom, standardMetrics } from "../metrics/index.js";
import { formatPlural, RunResult } from "../report/index.js";
import type { CountedRows, Manifest } from "../store/index.js";
import {
  encodeExampleKey,
  readExampleIndex,
  readExamples,
  readManifest,
  readQuarantine,
  readRows,
  readSummary,
  sortRowsByPlan,
  splitQuarantined,
} from "../store/index.js";
import { describeEfforts } from "./prepare-run.js";

/** Options of `loadRun`. */
export interface LoadRunOptions {
  /** Prices to recompute costs with, from recorded token usage. */
  prices?: ModelsFile;
  /** What an expert charges for one example, in dollars, instead of what the run stored. */
  expertCostUsd?: ExpertCosts;
  /** Only rows recorded so far, even if there are none: for a run in progress, where missing trials are not skipped ones. */
  soFar?: boolean;
  /** Notes where the run has no room to show anything: a first system at its ceiling, scores that never vary. */
  headroom?: boolean;
}

/**
 * Loads the result of a stored run, recomputed from its rows; nothing is run.
 * @example
 * const result = await loadRun(".assay/runs/20261115-213334-needle");
 * console.log(result.toTable());
 */
export async function loadRun(
  dir: string,
  { prices, expertCostUsd, soFar = false, headroom = false }: LoadRunOptions = {},
): Promise<EvalResult> {
  const manifest = readManifest(dir);
  const stored = readStoredRows(dir, manifest);
  if (stored.length === 0 && !soFar)
    throw new RunFolderError(`${dir} contains no finished trial, so there is nothing to report yet.`);
  // Rows that are put aside had their part in the decision.
  const sequential = await readSequentialReport(dir, manifest, stored);
  const all = soFar ? stored : addSkippedRows(stored, { dir, manifest, sequential });
  const { rows, quarantined } = splitQuarantined(all, readQuarantine(dir));
  if (rows.length === 0 && !soFar) throw createNothingCountedError(dir);
  const repriced = prices === undefined ? { rows, notes: [] } : repriceRows(rows, manifest, prices);
  const metrics = await resolveRunMetrics(manifest);
  const summary = readSummary(dir);
  return new RunResult({
    rows: repriced.rows,
    metrics: metrics.known,
    config: completeConfig(manifest, expertCostUsd),
    timing: summary?.timing ?? createEmptyTiming(manifest),
    // The stored receipt does not apply to other prices.
    budget: prices === undefined ? summary?.budget : undefined,
    sequential,
    runDir: dir,
    notes: [
      ...(summary?.notes ?? []),
      ...describeQuarantine({ rows, quarantined }),
      ...metrics.notes,
      ...repriced.notes,
      // The arms of a stress test are not compared with each other.
      ...(headroom && manifest.config.arms === undefined ? describeRunHeadroom(rows, manifest.config.systems) : []),
    ],
  });
}

/** For a run in which every trial is put aside. */
export function createNothingCountedError(dir: string): RunFolderError {
  return new RunFolderError(
    `Every finished trial of ${dir} is put aside, so there is nothing to count. List them with: assay runs quarantine ${basename(dir)}`,
  );
}

const MAX_NAMED_REASONS = 3;

/** Says how many trials are put aside and why; nothing if none is. */
export function describeQuarantine({ rows, quarantined }: CountedRows): string[] {
  if (quarantined.length === 0) return [];
  const counts = new Map<string, number>();
  for (const { reason } of quarantined) counts.set(reason, (counts.get(reason) ?? 0) + 1);
  const reasons = [...counts].sort(([, a], [, b]) => b - a);
  const named = reasons.slice(0, MAX_NAMED_REASONS).map(([reason, count]) => `${count} because "${reason}"`);
  const rest = reasons.length - named.length;
  const why = [...named, ...(rest > 0 ? [`${formatPlural(rest, "other reason")}`] : [])].join("; ");
  return [`put aside, not counted: ${quarantined.length} of ${rows.length + quarantined.length} trials (${why})`];
}

/** Runs of older versions name efforts only with their systems. */
function completeConfig({ config, systems }: Manifest, expertCostUsd: ExpertCosts | undefined): EvalConfig {
  const efforts = describeEfforts(config.systems.map((name) => [name, systems[name]?.effort]));
  if (expertCostUsd === undefined) return { ...config, ...efforts };
  return { ...config, ...efforts, datasets: addExpertCosts(config.datasets, expertCostUsd, "--expert-cost") };
}

/** What a stored run has decided, by all of its rows; null without a question, as for most. */
export async function readSequentialReport(
  dir: string,
  { config }: Pick<Manifest, "config">,
  rows = readStoredRows(dir, { config }),
): Promise<SequentialReport | null> {
  if (config.until === undefined) return null;
  const { reportSequentialRun } = await import("./sequential-run.js");
  const stored = config.until.against === undefined ? [] : (await import("./stored-baseline.js")).readBaselineRows(dir);
  return reportSequentialRun({ config, rows, stored, examples: [...readExamples(dir)] });
}

/** Whether a trial without a row is missing, rather than not needed. */
function isTrialNeeded(report: SequentialReport | null, system: string): boolean {
  if (report === null) return true;
  return !report.isDecided && findSequentialArm(report, system)?.droppedAfter === null;
}

function encodeTrialKey({ system, dataset, exampleId, trial }: TrialKey): string {
  return JSON.stringify([system, dataset, exampleId, trial]);
}

/** Keeps the last row of each trial: a trial repeated after a resume has several. */
export function keepLastRows(rows: readonly EvalRow[]): EvalRow[] {
  return [...new Map(rows.map((row) => [encodeTrialKey(row), row])).values()];
}

/** The rows of a stored run that figures count, and which trials are put aside. */
export function readCountedRows(dir: string, manifest: Manifest): CountedRows {
  return splitQuarantined(readStoredRows(dir, manifest), readQuarantine(dir));
}

/** The rows of a stored run, one per trial, in the order of the plan; also those that are put aside. */
export function readStoredRows(dir: string, { config }: Pick<Manifest, "config">): EvalRow[] {
  return sortRowsByPlan(readRows(dir), { systems: config.systems, examples: readExampleIndex(dir) });
}

interface LoadedRun {
  dir: string;
  manifest: Manifest;
  sequential: SequentialReport | null;
}

/** Adds a row for each missing trial, so that coverage is correct for a stopped run. Trials that are not needed are not missing. */
function addSkippedRows(
  rows: readonly EvalRow[],
  { dir, manifest: { config }, sequential }: LoadedRun,
): readonly EvalRow[] {
  const planned = config.datasets.reduce((sum, dataset) => sum + countPlannedTrials(dataset, config), 0);
  if (rows.length >= planned) return rows;
  const examples = readExampleIndex(dir);
  const keys = [...(examples?.listKeys() ?? [])];
  const skipped = config.datasets
    .flatMap((dataset) => createSkippedRows(dataset, { rows, keys, config }))
    .filter(({ system }) => isTrialNeeded(sequential, system));
  return sortRowsByPlan([...rows, ...skipped], { systems: config.systems, examples });
}

function countPlannedTrials(dataset: DatasetConfig, config: EvalConfig): number {
  return countSystemTrials(dataset, config) * (dataset.terms?.systems ?? config.systems).length;
}

/** The planned trials of each system. */
function countSystemTrials({ examples, terms, limits }: DatasetConfig, { trials }: EvalConfig): number {
  const usual = limits?.trials ?? terms?.trials ?? trials;
  const own = (limits?.examples ?? []).reduce((sum, each) => sum + (each.trials ?? usual) - usual, 0);
  return examples * usual + own;
}

type ExampleKey = Pick<TrialKey, "dataset" | "exampleId">;

interface StoredRun {
  rows: readonly EvalRow[];
  /** Of all examples; empty for runs of versions that did not store them. */
  keys: readonly ExampleKey[];
  config: EvalConfig;
}

function createSkippedRows(dataset: DatasetConfig, { rows, keys, config }: StoredRun): EvalRow[] {
  const { tags, terms } = dataset;
  const trialsOf = createStoredTrialCounter(dataset, config.trials);
  const each = countSystemTrials(dataset, config);
  const own = rows.filter(({ dataset }) => tags.includes(dataset));
  const known = new Set(own.map(encodeTrialKey));
  const facts = new Map(own.map((row) => [encodeExampleKey(row.dataset, row.exampleId), row]));
  const planned = keys
    .filter(({ dataset }) => tags.includes(dataset))
    .flatMap((key) => Array.from({ length: trialsOf(key.exampleId) }, (_, trial) => ({ ...key, trial })));
  return (terms?.systems ?? config.systems).flatMap((system) => {
    const done = own.filter((row) => row.system === system).length;
    const missing = Math.max(0, each - done);
    const named = planned.filter((key) => !known.has(encodeTrialKey({ ...key, system }))).slice(0, missing);
    return [...named, ...createUnnamedTrials(missing - named.length, config.trials, tags[0] ?? "")].map((key) => {
      const { facets = null, group = null } = facts.get(encodeExampleKey(key.dataset, key.exampleId)) ?? {};
      return makeRow({ ...key, system, outcome: "skipped", errorCategory: "skipped", facets, group });
    });
  });
}

/** Stands for trials of examples that were not stored. */
function createUnnamedTrials(count: number, trials: number, dataset: string): Omit<TrialKey, "system">[] {
  return Array.from({ length: count }, (_, i) => ({
    dataset,
    exampleId: `never run ${Math.floor(i / trials) + 1}`,
    trial: i % trials,
  }));
}

/** The metrics of the run that are available here; those of a plugin may not be. */
export async function resolveRunMetrics({
  config,
}: Pick<Manifest, "config">): Promise<{ known: Metric[]; notes: string[] }> {
  const asked = new Set(config.metrics);
  const all = standardMetrics(config.systems.length, config.datasets.length);
  const standard = all.filter(({ name }) => asked.has(name));
  const names = new Set(standard.map(({ name }) => name));
  const others = config.metrics.filter((name) => !names.has(name));
  const known = others.filter((name) => registry.has("metric", name));
  const named = await Promise.all(known.map(async (name) => makeMetric(name)));
  const unknown = others.filter((name) => !known.includes(name));
  const notes = unknown.map((name) => `the metric ${name} is not available here and was omitted`);
  return { known: [...standard, ...named], notes };
}

async function makeMetric(name: string): Promise<Metric> {
  const metric = registry.get("metric", name);
  return typeof metric === "function" ? metric(undefined) : metric;
}

function repriceRows(
  rows: readonly EvalRow[],
  manifest: Manifest,
  prices: ModelsFile,
): { rows: EvalRow[]; notes: string[] } {
  const entries = new Map(manifest.config.systems.map((system) => [system, findModelEntry(system, manifest, prices)]));
  const notes = Array.from(entries, ([system, entry]) => {
    if (entry?.price == null) return `${system}: ${prices.file} has no price for it; its costs are unchanged`;
    return `${system}: costs computed with the prices of ${entry.name} in ${prices.file}`;
  });
  const unknown = rows.filter((row) => row.costUsd !== null && !hasReportedUsage(row)).length;
  if (unknown > 0) notes.push(`trials without reported tokens, whose costs are unchanged: ${unknown}`);
  return { rows: rows.map((row) => repriceRow(row, entries.get(row.system))), notes };
}

function findModelEntry(system: string, { systems }: Manifest, { models }: ModelsFile): ModelEntry | undefined {
  const model = systems[system]?.model;
  const byName = models.get(system) ?? (model === undefined ? undefined : models.get(model));
  return byName ?? [...models.values()].find(({ apiName }) => apiName === model);
}

/** An estimated cost has no reported usage. */
function hasReportedUsage({ usage, costSource }: EvalRow): boolean {
  return usage !== null && costSource !== "estimated";
}

function repriceRow(row: EvalRow, entry: ModelEntry | undefined): EvalRow {
  const price = entry?.price == null ? null : selectRowPrice(entry.price, row);
  if (price === null || row.usage === null || !hasReportedUsage(row)) return row;
  const pico = listCallUsages(row, row.usage).reduce((total, usage) => total + computeCost(price, usage), 0);
  return { ...row, costUsd: toDollars(pico), costSource: "priced" };
}

function createEmptyTiming({ createdAt }: Manifest): Timing {
  return {
    startedAt: createdAt,
    finishedAt: createdAt,
    wallSeconds: 0,
    wallSecondsBySystem: {},
    trialsPerSecond: 0,
    cachedTrials: 0,
  };
}
