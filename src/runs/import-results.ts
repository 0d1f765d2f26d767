import { rmSync } from "node:fs";
import { basename } from "node:path";
import { setImmediate as turn } from "node:timers/promises";
import { DatasetError, JournalError, messageOf } from "../core/errors.js";
import { type Example, exampleKey } from "../core/example.js";
import { digest } from "../core/fingerprint.js";
import type { DatasetConfig, EvalConfig, Timing } from "../core/result.js";
import { given } from "../core/shape.js";
import { VERSION } from "../core/version.js";
import { standardMetrics } from "../metrics/index.js";
import { loadTokenizer } from "../models/tokens/index.js";
import { gitRevision } from "../store/git.js";
import {
  type Collected,
  type CollectedDataset,
  Collector,
  type ImportedSystem,
  type OpenedResults,
  openResults,
  readTrials,
} from "../store/import/index.js";
import { importNotes } from "../store/import/notes.js";
import { Journal } from "../store/journal.js";
import { type Manifest, RUN_SCHEMA, type SystemRecord } from "../store/manifest.js";
import { makeRunDir, newRunId } from "../store/run-folder.js";
import type { ImportedRun, ImportRunOptions } from "./import-run.js";
import { loadRun } from "./load-run.js";
import { storeResult } from "./store-result.js";

const TOKENIZER = "cl100k_base";
const THRESHOLD = 0.7;
const TOLD_EVERY = 500;

/** Implements `importRun`; a separate module, so that importing the library does not load every format. */
export async function importResults(options: ImportRunOptions): Promise<ImportedRun> {
  const results = openResults(options.files, options.format);
  const counter = new TokenCounter();
  const collected = await collect(results, counter, options.onProgress);
  if (collected.rows.size === 0) throw nothingRead(results, collected);
  const notes = [...importNotes(results, collected), ...counter.notes()];
  const journal = startRun(results, collected, options);
  const result = await wholeOrNothing(journal, async () => {
    await writeTrials(journal, results, collected, options.onProgress);
    journal.writeExamples(examplesOf(results, collected));
    journal.writeSummary({ timing: timingOf(collected), notes });
    const loaded = await loadRun(journal.dir);
    // Failed trials cannot be retried here, so the run is finished.
    storeResult(journal, loaded, { isOver: true });
    return loaded;
  });
  return { result, format: results.format.name };
}

/** An incomplete import cannot be resumed: its folder is removed if the import fails or the process ends. */
async function wholeOrNothing<T>(journal: Journal, write: () => Promise<T>): Promise<T> {
  const discard = () => rmSync(journal.dir, { recursive: true, force: true });
  let isWhole = false;
  process.once("exit", discard);
  try {
    const written = await write();
    isWhole = true;
    return written;
  } catch (error) {
    if (!(error instanceof JournalError)) throw error;
    const why = messageOf(error.cause ?? error);
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

async function collect(results: OpenedResults, counter: TokenCounter, onProgress: OnProgress): Promise<Collected> {
  const collector = new Collector(results.damaged, (text) => counter.count(text));
  for (const found of readTrials(results)) {
    collector.add(found);
    if (collector.size % TOLD_EVERY !== 0) continue;
    onProgress?.({ records: collector.size, phase: "reading" });
    // Lets signals be handled.
    await turn();
  }
  return collector.finish();
}

function nothingRead({ files, format }: OpenedResults, { bad }: Collected): DatasetError {
  const first = bad[0];
  const why = first === undefined ? "It contains no trials." : `${first.place}: ${first.message}.`;
  return new DatasetError(`Nothing in ${files.join(", ")} can be read as ${format.name} results. ${why}`);
}

/** Counts tokens of texts that came without a count; the tokenizer is loaded only if needed. */
class TokenCounter {
  #tokenizer: { count(text: string): number } | null = null;
  #texts = 0;

  count(text: string): number {
    if (text === "") return 0;
    this.#texts += 1;
    this.#tokenizer ??= loadTokenizer(TOKENIZER);
    return this.#tokenizer.count(text);
  }

  notes(): string[] {
    if (this.#texts === 0) return [];
    return [`texts without token counts, counted here (${TOKENIZER}): ${this.#texts}`];
  }
}

function startRun(results: OpenedResults, collected: Collected, { runsDir, title, files }: ImportRunOptions): Journal {
  const config = configOf(results, collected, title);
  const now = new Date();
  const dir = makeRunDir(runsDir, newRunId(config.title, now));
  const invocation = { command: "import", format: results.format.name, files };
  const manifest: Manifest = {
    schema: RUN_SCHEMA,
    runId: basename(dir),
    createdAt: new Date(collected.firstAt ?? now).toISOString(),
    assayVersion: VERSION,
    nodeVersion: process.version,
    platform: `${process.platform}-${process.arch}`,
    gitRevision: gitRevision(process.cwd()),
    planned: plannedOf(collected),
    config,
    systems: Object.fromEntries(collected.systems.map((system) => [system.name, recordOf(system)])),
    invocation,
  };
  return Journal.create(dir, manifest);
}

function recordOf({ name, model, harness }: ImportedSystem): SystemRecord {
  return { fingerprint: digest([name, model, harness]), ...given({ model, harness }) };
}

/** Trials that the files lack count as never run. */
function plannedOf({ datasets, rows }: Collected): number {
  const asked = datasets.reduce((sum, { examples, trials, systems }) => sum + examples * trials * systems.length, 0);
  return Math.max(asked, rows.size);
}

const NAMED_SYSTEMS = 3;

function configOf({ format }: OpenedResults, collected: Collected, title: string | undefined): EvalConfig {
  const systems = collected.systems.map(({ name }) => name);
  const trials = Math.max(...collected.datasets.map((dataset) => dataset.trials));
  const shown = systems.slice(0, NAMED_SYSTEMS).join(", ");
  const more = systems.length > NAMED_SYSTEMS ? ` and ${systems.length - NAMED_SYSTEMS} more` : "";
  return {
    title: title ?? `${format.name}: ${shown}${more}`,
    systems,
    datasets: collected.datasets.map((dataset) => datasetConfig(dataset, { systems, trials, evaluator: format.name })),
    evaluators: [format.name],
    metrics: standardMetrics(systems.length, collected.datasets.length).map(({ name }) => name),
    scoreField: "score",
    threshold: THRESHOLD,
    trials,
    seed: 0,
    tokenizer: TOKENIZER,
  };
}

interface RunShape {
  systems: readonly string[];
  trials: number;
  evaluator: string;
}

function datasetConfig(dataset: CollectedDataset, run: RunShape): DatasetConfig {
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
  journal: Journal,
  results: OpenedResults,
  { rows }: Collected,
  onProgress: OnProgress,
): Promise<void> {
  let index = -1;
  for (const found of readTrials(results)) {
    index += 1;
    const row = rows.get(index);
    if (row === undefined || "message" in found) continue;
    const { output, evidence, grades } = found.trial;
    journal.append({ row, output, evidence, grades });
    if (index % TOLD_EVERY !== 0) continue;
    journal.flush();
    onProgress?.({ records: index, phase: "writing" });
    await turn();
  }
  journal.flush();
}

/** Each example once, taken from its first trial. */
function* examplesOf(results: OpenedResults, { rows }: Collected): Generator<Example> {
  const seen = new Set<string>();
  let index = -1;
  for (const found of readTrials(results)) {
    index += 1;
    if ("message" in found || !rows.has(index)) continue;
    const { example } = found.trial;
    const key = exampleKey(example);
    if (seen.has(key)) continue;
    seen.add(key);
    yield example;
  }
}

/** When it was measured, if the files say so; the time of the import itself is not recorded. */
function timingOf({ firstAt, lastAt, rows }: Collected): Timing {
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
