import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { basename } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import { AssayError } from "../../core/errors.js";
import type { EvalResult } from "../../core/result.js";
import type { EvalRow, Outcome } from "../../core/row.js";
import { VERSION } from "../../core/version.js";
import type { WorkerState } from "../../queue/contract.js";
import { encodeExampleKey } from "../../store/examples.js";
import { readManifest } from "../../store/journal.js";
import { type Manifest, RUN_SCHEMA } from "../../store/manifest.js";
import { hasEnded, readSummary } from "../../store/summary-file.js";
import { findPackageFile } from "../../utils/package-file.js";
import { resultParts, runCard } from "./cards.js";
import { compareView } from "./compare-view.js";
import type { CompareView, QueueView, RunCard, RunView } from "./contract.js";
import { QueueFile } from "./queue-view.js";
import { rowChunks, rowsHead } from "./rows.js";
import { runView } from "./run-view.js";
import { TrialFiles } from "./trial-files.js";
import { storedOf, viewOf } from "./trial-view.js";

export interface HtmlPageOptions {
  /** The page that is put into the file; the one of the package unless told. */
  page?: PageAssets;
  /** How much JSON of single trials it may hold, in bytes. */
  mostBytes?: number;
}

/**
 * A run as one HTML file that needs nothing else: the page, and the data it shows. It may be sent to anybody: it fetches
 * nothing, and runs its own script alone.
 * @example
 * writeFileSync("report.html", [...(await htmlPage(await loadRun(dir)))].join(""));
 */
export async function htmlPage(result: EvalResult, options: HtmlPageOptions = {}): Promise<Iterable<string>> {
  const { page = readPage(), ...limits } = options;
  const data = await packed(embeddedJson(result, limits));
  return documentOf({ title: result.config.title, data, script: inScript(page.script), style: inStyle(page.style) });
}

interface Parts extends PageAssets {
  title: string;
  data: Buffer;
}

function* documentOf({ title, data, script, style }: Parts): Generator<string> {
  yield `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policyOf({ script, style })}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>${escaped(title)} · Assay</title>
<link rel="icon" href="data:,">
<style>`;
  yield style;
  yield `</style>
</head>
<body>
<div id="app"></div>
<noscript>This page draws its charts with JavaScript: switch it on to see them.</noscript>
<script type="application/octet-stream" id="assay-data">
`;
  yield* base64Lines(data);
  yield `</script>
<script type="module">`;
  yield script;
  yield "</script>\n</body>\n</html>\n";
}

/** Pictures are made by the page itself, for downloads. Styles that a script sets on an element need no word here. */
function policyOf({ script, style }: PageAssets): string {
  const rules = [
    "default-src 'none'",
    `script-src ${hashOf(script)}`,
    `style-src ${hashOf(style)}`,
    "img-src data: blob:",
    "connect-src 'none'",
    "base-uri 'none'",
    "form-action 'none'",
  ];
  return rules.join("; ");
}

function hashOf(text: string): string {
  return `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
}

/** What would end the script, or change how it is read, stands in its texts alone, where it can be spelled otherwise. */
function inScript(script: string): string {
  return withPlainEnds(script)
    .replace(/<(?=\/script|!--)/gi, "\\x3c")
    .replaceAll("\0", "\\x00");
}

function inStyle(style: string): string {
  return withPlainEnds(style).replace(/<(?=\/style)/gi, "\\3c ");
}

/** Line ends as browsers read them, because the hash is of what they read. */
function withPlainEnds(text: string): string {
  return text.replace(/\r\n?/g, "\n");
}

const ENTITIES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

function escaped(text: string): string {
  return text.replace(/[&<>"]/g, (character) => ENTITIES[character] ?? "");
}

/** A multiple of three, so that pieces of base64 can be put behind each other. */
const PIECE_BYTES = 3 << 15;

/** Presses texts together as they come, so that the whole of them is nowhere in memory. */
export async function packed(pieces: AsyncIterable<string>): Promise<Buffer> {
  const parts: Buffer[] = [];
  await pipeline(Readable.from(pieces), createGzip(), async (gzipped: AsyncIterable<Buffer>) => {
    for await (const part of gzipped) parts.push(part);
  });
  return Buffer.concat(parts);
}

/** Bytes as base64, a line for each piece. */
export function* base64Lines(bytes: Buffer): Generator<string> {
  for (let start = 0; start < bytes.length; start += PIECE_BYTES)
    yield `${bytes.toString("base64", start, Math.min(bytes.length, start + PIECE_BYTES))}\n`;
}

/** The page is not where it should be. */
export class PageError extends AssayError {
  constructor(message: string, options: { cause?: unknown } = {}) {
    super("PAGE", message, options);
  }
}

/** The page as it was built: one script and one stylesheet. */
export interface PageAssets {
  readonly script: string;
  readonly style: string;
}

/**
 * Reads the page that comes with the package.
 * @example
 * const { script, style } = readPage();
 */
export function readPage(folder = findPackageFile("dist/web/")): PageAssets {
  return { script: readAsset(new URL("app.js", folder)), style: readAsset(new URL("app.css", folder)) };
}

function readAsset(file: URL): string {
  try {
    return readFileSync(file, "utf8");
  } catch (cause) {
    throw new PageError(
      `The page is not built: ${file.pathname} cannot be read. Reinstall assay, or run \`npm run build\` in a checkout.`,
      { cause },
    );
  }
}

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

/**
 * Workers as a file shows them that may be sent to anybody: who did how much, without the names of machines and the
 * address of the queue. Reasons and notes name both, so that they stay at home.
 */
export function queueForFile(view: QueueView | null): QueueView | null {
  if (view === null || view.phase === "unreadable") return null;
  const workers = view.state.workers.filter(({ refuses }) => refuses === null);
  const names = machineNames(workers);
  const nameless = workers.map((worker, place): WorkerState => {
    const host = names.get(worker.host) ?? "";
    return { ...worker, id: String(place), host, run: "", waiting: null };
  });
  return { ...view, state: { ...view.state, url: "", workers: nameless, notes: [] } };
}

/** By host: `machine 1` and so on. */
function machineNames(workers: readonly WorkerState[]): Map<string, string> {
  const hosts = [...new Set(workers.map(({ host }) => host))];
  return new Map(hosts.map((host, place) => [host, `machine ${place + 1}`]));
}

/** Of JSON, before it is pressed together: what a browser opens without a long wait. */
const MOST_BYTES = 40_000_000;

/** Failures are looked at first. */
const ORDER: readonly Outcome[] = ["fail", "error", "unscored", "pass", "skipped"];

export interface EmbeddedTrials {
  dir: string | null;
  rows: readonly EvalRow[];
  threshold: number;
  run: string;
  systems: Manifest["systems"];
  /** At most so much JSON; 40 MB unless told. */
  mostBytes?: number;
}

/** Trials as JSON one by one, failures first, until there is no more room. What it returns is how many are left out. */
export async function* trialTexts(request: EmbeddedTrials): AsyncGenerator<string, number> {
  const { dir, rows, threshold, run, systems, mostBytes = MOST_BYTES } = request;
  const files = new TrialFiles();
  const byExample = grouped(rows);
  let room = mostBytes;
  let told = 0;
  for (const row of failuresFirst(rows)) {
    const siblings = (byExample.get(exampleOf(row)) ?? []).filter((other) => other !== row);
    const stored = await storedOf(dir, row, files);
    const text = JSON.stringify(viewOf({ row, siblings, threshold, run, systems, ...stored }));
    room -= Buffer.byteLength(text);
    if (room < 0) break;
    told += 1;
    yield text;
  }
  return rows.length - told;
}

function grouped(rows: readonly EvalRow[]): Map<string, EvalRow[]> {
  const groups = new Map<string, EvalRow[]>();
  for (const row of rows) {
    const key = exampleOf(row);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [row]);
    else group.push(row);
  }
  return groups;
}

function exampleOf({ dataset, exampleId }: EvalRow): string {
  return encodeExampleKey(dataset, exampleId);
}

function failuresFirst(rows: readonly EvalRow[]): EvalRow[] {
  return rows.toSorted((a, b) => ORDER.indexOf(a.outcome) - ORDER.indexOf(b.outcome));
}
