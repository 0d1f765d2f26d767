import { rmSync } from "node:fs";
import { basename } from "node:path";
import { setImmediate as turn } from "node:timers/promises";
import type { DatasetConfig, EvalConfig, Timing } from "../core/index.js";
import {
  DatasetError,
  digest,
  type Example,
  getErrorMessage,
  getExampleKey,
  JournalError,
  omitUndefined,
  VERSION,
} from "../core/index.js";
import { standardMetrics } from "../metrics/index.js";
import { loadTokenizer } from "../models/index.js";
import {
  type CollectedDataset,
  type CollectedTrials,
  createRunId,
  FORMAT_TITLES,
  type ImportedSystem,
  listImportNotes,
  type Manifest,
  makeRunDir,
  type OpenedResults,
  openResultFiles,
  RUN_SCHEMA,
  RunJournal,
  readGitRevision,
  readTrials,
  type SystemRecord,
  TrialCollector,
} from "../store/index.js";
import type { ImportedRun, ImportRunOptions } from "./import-run.js";
import { loadRun } from "./load-run.js";
import { storeResult } from "./store-result.js";

const DEFAULT_TOKENIZER = "cl100k_base";
const DEFAULT_THRESHOLD = 0.7;
const PROGRESS_INTERVAL_RECORDS = 500;

/** Implements `importRun`; a separate module, so that importing the library does not load every format. */
export async function importResults(options: ImportRunOptions): Promise<ImportedRun> {
  const results = openResultFiles(options.files, options.format);
  const counter = new ImportTokenCounter();
  const collected = await collectResults(results, counter, options.onProgress);
  if (collected.rows.size === 0) throw createNothingReadError(results, collected);
  const notes = [...listImportNotes(results, collected), ...counter.listNotes()];
  const journal = startImportedRun(results, collected, options);
  const result = await writeAllOrRemove(journal, async () => {
    await writeTrials(journal, results, collected, options.onProgress);
    journal.writeExamples(listExamples(results, collected));
    journal.writeSummary({ timing: buildImportTiming(collected), notes });
    const loaded = await loadRun(journal.dir);
    // Failed trials cannot be retried here, so the run is finished.
    storeResult(journal, loaded, { isOver: true });
    return loaded;
  });
  return { result, format: results.format.name };
}

/** An incomplete import cannot be resumed: its folder is removed if the import fails or the process ends. */
async function writeAllOrRemove<T>(journal: RunJournal, write: () => Promise<T>): Promise<T> {
  const discard = () => rmSync(journal.dir, { recursive: true, force: true });
  let isWhole = false;
  process.once("exit", discard);
  try {
    const written = await write();
    isWhole = true;
    return written;
  } catch (error) {
    if (!(error instanceof JournalError)) throw error;
    const why = getErrorMessage(error.cause ?? error);
    throw new JournalError(
      `The run could not be written to ${journal.dir}: ${why}. Free some space, then import again.`,
      {
        cause: error,
      },
    );
  } finally {
    process.off("exit", discard);
    journal.close();
    if (!isWhole) discard();
  }
}

type OnProgress = ImportRunOptions["onProgress"];

async function collectResults(
  results: OpenedResults,
  counter: ImportTokenCounter,
  onProgress: OnProgress,
): Promise<CollectedTrials> {
  const collector = new TrialCollector(results.damaged, (text) => counter.count(text));
  for (const found of readTrials(results)) {
    collector.add(found);
    if (collector.size % PROGRESS_INTERVAL_RECORDS !== 0) continue;
    onProgress?.({ records: collector.size, phase: "reading" });
    // Lets signals be handled.
    await turn();
  }
  return collector.finish();
}

function createNothingReadError({ files, format }: OpenedResults, { bad }: CollectedTrials): DatasetError {
  const first = bad[0];
  const why = first === undefined ? "It contains no trials." : `${first.place}: ${first.message}.`;
  return new DatasetError(
    `Nothing in ${files.join(", ")} can be read as ${FORMAT_TITLES[format.name]} results. ${why}`,
  );
}

/** Counts tokens of texts that came without a count; the tokenizer is loaded only if needed. */
class ImportTokenCounter {
  #tokenizer: { count(text: string): number } | null = null;
  #texts = 0;

  count(text: string): number {
    if (text === "") return 0;
    this.#texts += 1;
    this.#tokenizer ??= loadTokenizer(DEFAULT_TOKENIZER);
    return this.#tokenizer.count(text);
  }

  listNotes(): string[] {
    if (this.#texts === 0) return [];
    return [`texts without token counts, counted here (${DEFAULT_TOKENIZER}): ${this.#texts}`];
  }
}

function startImportedRun(
  results: OpenedResults,
  collected: CollectedTrials,
  { runsDir, title, files }: ImportRunOptions,
): RunJournal {
  const config = buildImportConfig(results, collected, title);
  const now = new Date();
  const dir = makeRunDir(runsDir, createRunId(config.title, now));
  const invocation = { command: "import", format: results.format.name, files };
  const manifest: Manifest = {
    schema: RUN_SCHEMA,
    runId: basename(dir),
    createdAt: new Date(collected.firstAt ?? now).toISOString(),
    assayVersion: VERSION,
    nodeVersion: process.version,
    platform: `${process.platform}-${process.arch}`,
    gitRevision: readGitRevision(process.cwd()),
    planned: countPlanned(collected),
    config,
    systems: Object.fromEntries(collected.systems.map((system) => [system.name, toSystemRecord(system)])),
    invocation,
  };
  return RunJournal.create(dir, manifest);
}

function toSystemRecord({ name, model, harness }: ImportedSystem): SystemRecord {
  return { fingerprint: digest([name, model, harness]), ...omitUndefined({ model, harness }) };
}

/** Trials that the files lack count as never run. */
function countPlanned({ datasets, rows }: CollectedTrials): number {
  const asked = datasets.reduce((sum, { examples, trials, systems }) => sum + examples * trials * systems.length, 0);
  return Math.max(asked, rows.size);
}

const MAX_NAMED_SYSTEMS = 3;

function buildImportConfig(
  { format }: OpenedResults,
  collected: CollectedTrials,
  title: string | undefined,
): EvalConfig {
  const systems = collected.systems.map(({ name }) => name);
  const trials = Math.max(...collected.datasets.map((dataset) => dataset.trials));
  const shown = systems.slice(0, MAX_NAMED_SYSTEMS).join(", ");
  const more = systems.length > MAX_NAMED_SYSTEMS ? ` and ${systems.length - MAX_NAMED_SYSTEMS} more` : "";
  return {
    title: title ?? `${format.name}: ${shown}${more}`,
    systems,
    datasets: collected.datasets.map((dataset) =>
      buildDatasetConfig(dataset, { systems, trials, evaluator: format.name }),
    ),
    evaluators: [format.name],
    metrics: standardMetrics(systems.length, collected.datasets.length).map(({ name }) => name),
    scoreField: "score",
    threshold: DEFAULT_THRESHOLD,
    trials,
    seed: 0,
    tokenizer: DEFAULT_TOKENIZER,
    importedFrom: format.name,
  };
}

interface RunShape {
  systems: readonly string[];
  trials: number;
  evaluator: string;
}

function buildDatasetConfig(dataset: CollectedDataset, run: RunShape): DatasetConfig {
  const terms = {
    ...(dataset.systems.length === run.systems.length ? {} : { systems: dataset.systems }),
    ...(dataset.trials === run.trials ? {} : { trials: dataset.trials }),
  };
  return {
    name: dataset.name,
    examples: dataset.examples,
    fingerprint: dataset.fingerprint,
    tags: [dataset.name],
    primaryField: dataset.primaryField,
    evaluators: { [run.evaluator]: { fingerprint: digest(`import ${run.evaluator}`) } },
    ...(Object.keys(terms).length === 0 ? {} : { terms }),
  };
}

/** Reads everything a second time, for the texts. */
async function writeTrials(
  journal: RunJournal,
  results: OpenedResults,
  { rows }: CollectedTrials,
  onProgress: OnProgress,
): Promise<void> {
  let index = -1;
  for (const found of readTrials(results)) {
    index += 1;
    const row = rows.get(index);
    if (row === undefined || "message" in found) continue;
    const { output, evidence, grades } = found.trial;
    journal.append({ row, output, evidence, grades });
    if (index % PROGRESS_INTERVAL_RECORDS !== 0) continue;
    journal.flush();
    onProgress?.({ records: index, phase: "writing" });
    await turn();
  }
  journal.flush();
}

/** Each example once, taken from its first trial. */
function* listExamples(results: OpenedResults, { rows }: CollectedTrials): Generator<Example> {
  const seen = new Set<string>();
  let index = -1;
  for (const found of readTrials(results)) {
    index += 1;
    if ("message" in found || !rows.has(index)) continue;
    const { example } = found.trial;
    const key = getExampleKey(example);
    if (seen.has(key)) continue;
    seen.add(key);
    yield example;
  }
}

/** When it was measured, if the files say so; the time of the import itself is not recorded. */
function buildImportTiming({ firstAt, lastAt, rows }: CollectedTrials): Timing {
  const start = firstAt ?? Date.now();
  const end = lastAt ?? start;
  const wallSeconds = (end - start) / 1000;
  return {
    startedAt: new Date(start).toISOString(),
    finishedAt: new Date(end).toISOString(),
    wallSeconds,
    wallSecondsBySystem: {},
    trialsPerSecond: wallSeconds === 0 ? 0 : rows.size / wallSeconds,
    cachedTrials: 0,
  };
}
