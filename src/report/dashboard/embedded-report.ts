import { basename } from "node:path";
import type { EvalResult } from "../../core/result.js";
import { VERSION } from "../../core/version.js";
import { readManifest } from "../../store/journal.js";
import { type Manifest, RUN_SCHEMA } from "../../store/manifest.js";
import { hasEnded, readSummary } from "../../store/summary-file.js";
import { resultParts, runCard } from "./cards.js";
import { compareView } from "./compare-view.js";
import type { CompareView, RunCard, RunView } from "./contract.js";
import { trialTexts } from "./embedded-trials.js";
import { QueueFile } from "./queue-file.js";
import { queueForFile } from "./queue-for-file.js";
import { rowChunks, rowsHead } from "./rows.js";
import { runView } from "./run-view.js";

/** The pairs of a dozen systems; more are looked at by nobody, and take long to work out. */
const MOST_PAIRS = 66;

/** What a run that is not kept is called. */
const UNNAMED = "run";

/**
 * All that the page shows of a run, as the JSON of an `EmbeddedReport`, piece by piece.
 * @example
 * for await (const piece of embeddedJson(await loadRun(dir))) file.write(piece);
 */
export async function* embeddedJson(result: EvalResult, limits: { mostBytes?: number } = {}): AsyncGenerator<string> {
  const { rows, runDir: dir } = result;
  const manifest = manifestOf(result);
  const { card, ...run } = embeddedRun(result, manifest);
  const head = rowsHead(rows);
  yield `{"schema":"assay.page/1","run":${JSON.stringify({ card, ...run })},"head":${JSON.stringify(head)}`;
  yield* listOf("chunks", rowChunks(rows, head));
  yield* listOf("comparisons", comparisonsIn(result, card));
  yield ',"trials":[';
  const trials = trialTexts({
    dir,
    rows,
    threshold: card.threshold,
    run: card.id,
    systems: manifest.systems,
    ...limits,
  });
  let separator = "";
  let next = await trials.next();
  for (; next.done !== true; next = await trials.next()) {
    yield separator + next.value;
    separator = ",";
  }
  yield `],"trialsLeftOut":${next.value}}`;
}

function* listOf(name: string, items: Iterable<unknown>): Generator<string> {
  yield `,"${name}":[`;
  let separator = "";
  for (const item of items) {
    yield separator + JSON.stringify(item);
    separator = ",";
  }
  yield "]";
}

/** Everything about the run but its rows. */
function embeddedRun(result: EvalResult, manifest: Manifest = manifestOf(result)): RunView {
  const { runDir, rows } = result;
  const parts = resultParts(result);
  const stored = runDir === null ? null : readSummary(runDir);
  const isAll = hasEnded({ complete: stored?.complete === true, counts: parts.counts }, rows.length);
  const timing = runDir === null ? result.timing : stored?.timing;
  const card = runCard({
    id: runDir === null ? UNNAMED : basename(runDir),
    manifest,
    // Every planned trial has a row, be it of one that was never run.
    planned: rows.length,
    wallSeconds: timing?.wallSeconds ?? null,
    status: isAll ? "complete" : "incomplete",
    ...parts,
  });
  const queue = runDir === null ? null : queueForFile(new QueueFile(runDir).look({ isGoing: false }));
  return runView({ result, manifest, card, queue });
}

/** A result that is not kept knows no more of how it was made. */
function manifestOf({ rows, config, timing, runDir }: EvalResult): Manifest {
  if (runDir !== null) return { ...readManifest(runDir), config };
  return {
    schema: RUN_SCHEMA,
    runId: UNNAMED,
    createdAt: timing.startedAt,
    assayVersion: VERSION,
    nodeVersion: process.version,
    platform: `${process.platform}-${process.arch}`,
    gitRevision: null,
    planned: rows.length,
    config,
    systems: {},
    invocation: null,
  };
}

/** Each pair of systems, in the order of the run. */
function* comparisonsIn(result: EvalResult, card: RunCard): Generator<CompareView> {
  const run = { card, result };
  for (const [systemA, systemB] of pairsOf(result.config.systems).slice(0, MOST_PAIRS))
    yield compareView({ a: run, b: run, systemA, systemB });
}

function pairsOf(names: readonly string[]): [string, string][] {
  return names.flatMap((a, index) => names.slice(index + 1).map((b): [string, string] => [a, b]));
}
