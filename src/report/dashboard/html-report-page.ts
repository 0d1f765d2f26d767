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
  /** The page to embed. Default: the one of the package. */
  page?: PageAssets;
  /** Maximum size of the trials' JSON, in bytes. */
  mostBytes?: number;
}

/**
 * Renders a run as one self-contained HTML file: the page and its data. It is safe to share: it loads nothing and runs only
 * its own script.
 * @example
 * writeFileSync("report.html", [...(await renderHtmlPage(await loadRun(dir)))].join(""));
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

/** The page creates images for downloads itself. Styles set by scripts need no permission. */
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

/** Sequences that would end the script or change how it is parsed occur only in its strings, where they can be escaped. */
function inScript(script: string): string {
  return withPlainEnds(script)
    .replace(/<(?=\/script|!--)/gi, "\\x3c")
    .replaceAll("\0", "\\x00");
}

function inStyle(style: string): string {
  return withPlainEnds(style).replace(/<(?=\/style)/gi, "\\3c ");
}

/** The hash is computed over line ends as browsers read them. */
function withPlainEnds(text: string): string {
  return text.replace(/\r\n?/g, "\n");
}

const ENTITIES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

function escaped(text: string): string {
  return text.replace(/[&<>"]/g, (character) => ENTITIES[character] ?? "");
}

/** A multiple of three, so that base64 chunks can be concatenated. */
const PIECE_BYTES = 3 << 15;

/** Compresses texts as they arrive, so that they are never in memory as a whole. */
export async function packed(pieces: AsyncIterable<string>): Promise<Buffer> {
  const parts: Buffer[] = [];
  await pipeline(Readable.from(pieces), createGzip(), async (gzipped: AsyncIterable<Buffer>) => {
    for await (const part of gzipped) parts.push(part);
  });
  return Buffer.concat(parts);
}

/** One line for each chunk. */
export function* base64Lines(bytes: Buffer): Generator<string> {
  for (let start = 0; start < bytes.length; start += PIECE_BYTES)
    yield `${bytes.toString("base64", start, Math.min(bytes.length, start + PIECE_BYTES))}\n`;
}

/** The built page is missing. */
export class PageError extends AssayError {
  constructor(message: string, options: { cause?: unknown } = {}) {
    super("PAGE", message, options);
  }
}

/** The built page: one script and one stylesheet. */
export interface PageAssets {
  readonly script: string;
  readonly style: string;
}

/**
 * Reads the page that comes with the package.
 * @example
 * const { script, style } = readPageAssets();
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

/** The pairs of a dozen systems; more would take long to compute and are rarely viewed. */
const MOST_PAIRS = 66;

/** The name of a run that is not stored. */
const UNNAMED = "run";

/**
 * Serializes everything the page shows of a run as an `EmbeddedReport`, in chunks.
 * @example
 * for await (const chunk of serializeEmbeddedReport(await loadRun(dir))) file.write(chunk);
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

function embeddedRun(result: EvalResult, manifest: Manifest = manifestOf(result)): RunView {
  const { runDir, rows } = result;
  const parts = resultParts(result);
  const stored = runDir === null ? null : readSummary(runDir);
  const isAll = hasEnded({ complete: stored?.complete === true, counts: parts.counts }, rows.length);
  const timing = runDir === null ? result.timing : stored?.timing;
  const card = runCard({
    id: runDir === null ? UNNAMED : basename(runDir),
    manifest,
    // Every planned trial has a row, even if it was not run.
    planned: rows.length,
    wallSeconds: timing?.wallSeconds ?? null,
    status: isAll ? "complete" : "incomplete",
    ...parts,
  });
  const queue = runDir === null ? null : queueForFile(new QueueFile(runDir).look({ isGoing: false }));
  return runView({ result, manifest, card, queue });
}

/** A result that is not stored has no manifest. */
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
 * Removes the names of machines and the address of the queue, because the file may be shared. Reasons and notes may
 * contain both, so they are removed, too.
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

/** JSON before compression: an amount that browsers open quickly. */
const MOST_BYTES = 40_000_000;

/** Failures are viewed first. */
const ORDER: readonly Outcome[] = ["fail", "error", "unscored", "pass", "skipped"];

export interface EmbeddedTrials {
  dir: string | null;
  rows: readonly EvalRow[];
  threshold: number;
  run: string;
  systems: Manifest["systems"];
  /** Maximum size of the JSON in bytes. Default: 40 MB. */
  mostBytes?: number;
}

/** Yields trials as JSON, failures first, until the limit is reached. Returns the number of trials left out. */
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
