import { costOf, dollars, type ModelEntry, type ModelsFile } from "../budget/index.js";
import { RunFolderError } from "../core/errors.js";
import type { Metric } from "../core/metric.js";
import { registry } from "../core/registry.js";
import type { EvalResult, Timing } from "../core/result.js";
import { type EvalRow, makeRow } from "../core/row.js";
import { usagesOf } from "../core/usage.js";
import { standardMetrics } from "../metrics/index.js";
import { RunResult } from "../report/result.js";
import { readExamplePlaces } from "../store/examples.js";
import { readManifest, readRows } from "../store/journal.js";
import type { Manifest } from "../store/manifest.js";
import { inOrder } from "../store/row-order.js";
import { readSummary } from "../store/summary-file.js";

/** Options of `loadRun`. */
export interface LoadRunOptions {
  /** Prices to recompute costs with, from recorded token usage. */
  prices?: ModelsFile;
  /** Only rows recorded so far, even if there are none: for a run in progress, where missing trials are not skipped ones. */
  soFar?: boolean;
}

/**
 * Loads the result of a stored run, recomputed from its rows; nothing is run.
 * @example
 * const result = await loadRun(".assay/runs/20261115-213334-needle");
 * console.log(result.toTable());
 */
export async function loadRun(dir: string, { prices, soFar = false }: LoadRunOptions = {}): Promise<EvalResult> {
  const manifest = readManifest(dir);
  const stored = storedRows(dir, manifest);
  if (stored.length === 0 && !soFar)
    throw new RunFolderError(`${dir} contains no finished trial, so there is nothing to report yet.`);
  const repriced = prices === undefined ? { rows: stored, notes: [] } : reprice(stored, manifest, prices);
  const metrics = await metricsOf(manifest);
  const summary = readSummary(dir);
  return new RunResult({
    rows: soFar ? repriced.rows : [...repriced.rows, ...neverRun(stored, manifest)],
    metrics: metrics.known,
    config: manifest.config,
    timing: summary?.timing ?? untimed(manifest),
    // The stored receipt does not apply to other prices.
    budget: prices === undefined ? summary?.budget : undefined,
    runDir: dir,
    notes: [...(summary?.notes ?? []), ...metrics.notes, ...repriced.notes],
  });
}

function keyOf({ system, dataset, exampleId, trial }: EvalRow): string {
  return JSON.stringify([system, dataset, exampleId, trial]);
}

/** Keeps the last row of each trial: a trial repeated after a resume has several. */
export function lastOfEach(rows: readonly EvalRow[]): EvalRow[] {
  return [...new Map(rows.map((row) => [keyOf(row), row])).values()];
}

/** The rows of a stored run, one per trial, in the order of the plan. */
export function storedRows(dir: string, { config }: Manifest): EvalRow[] {
  return inOrder(readRows(dir), { systems: config.systems, examples: readExamplePlaces(dir) });
}

/** Creates rows for planned trials without one, so that coverage is correct for a stopped run. */
function neverRun(rows: readonly EvalRow[], { config }: Manifest): EvalRow[] {
  return config.datasets.flatMap(({ examples, tags, terms }) =>
    (terms?.systems ?? config.systems).flatMap((system) => {
      const run = rows.filter((row) => row.system === system && tags.includes(row.dataset)).length;
      const missing = examples * (terms?.trials ?? config.trials) - run;
      const dataset = tags[0] ?? "";
      return Array.from({ length: Math.max(0, missing) }, (_, i) =>
        makeRow({ system, dataset, exampleId: `never run ${i + 1}`, outcome: "skipped", errorCategory: "skipped" }),
      );
    }),
  );
}

/** The metrics of the run that are available here; those of a plugin may not be. */
export async function metricsOf({ config }: Pick<Manifest, "config">): Promise<{ known: Metric[]; notes: string[] }> {
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

function reprice(
  rows: readonly EvalRow[],
  manifest: Manifest,
  prices: ModelsFile,
): { rows: EvalRow[]; notes: string[] } {
  const entries = new Map(manifest.config.systems.map((system) => [system, entryOf(system, manifest, prices)]));
  const notes = Array.from(entries, ([system, entry]) => {
    if (entry?.price == null) return `${system}: ${prices.file} has no price for it; its costs are unchanged`;
    return `${system}: costs computed with the prices of ${entry.name} in ${prices.file}`;
  });
  const unknown = rows.filter((row) => row.costUsd !== null && !isReported(row)).length;
  if (unknown > 0) notes.push(`trials without reported tokens, whose costs are unchanged: ${unknown}`);
  return { rows: rows.map((row) => repriced(row, entries.get(row.system))), notes };
}

function entryOf(system: string, { systems }: Manifest, { models }: ModelsFile): ModelEntry | undefined {
  const model = systems[system]?.model;
  const byName = models.get(system) ?? (model === undefined ? undefined : models.get(model));
  return byName ?? [...models.values()].find(({ apiName }) => apiName === model);
}

/** An estimated cost has no reported usage. */
function isReported({ usage, costSource }: EvalRow): boolean {
  return usage !== null && costSource !== "estimated";
}

function repriced(row: EvalRow, entry: ModelEntry | undefined): EvalRow {
  const price = entry?.price ?? null;
  if (price === null || row.usage === null || !isReported(row)) return row;
  const pico = usagesOf(row, row.usage).reduce((total, usage) => total + costOf(price, usage), 0);
  return { ...row, costUsd: dollars(pico), costSource: "priced" };
}

function untimed({ createdAt }: Manifest): Timing {
  return {
    startedAt: createdAt,
    finishedAt: createdAt,
    wallSeconds: 0,
    wallSecondsBySystem: {},
    trialsPerSecond: 0,
    cachedTrials: 0,
  };
}
