import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { basename } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import type { EvalResult, EvalRow, Outcome } from "../../core/index.js";
import { AssayError, VERSION } from "../../core/index.js";
import type { WorkerState } from "../../queue/contract.js";
import {
  encodeExampleKey,
  hasRunEnded,
  type Manifest,
  RUN_SCHEMA,
  readManifest,
  readSummary,
  readTrialLabels,
} from "../../store/index.js";
import { findPackageFile } from "../../utils/index.js";
import { buildRunCard, toCardParts } from "./cards.js";
import type { CompareView, QueueView, RunCard, RunView } from "./contract.js";
import { type GraderDetails, isEvalRun, readGraderDetails } from "./evals-view.js";
import { buildLabelView } from "./label-view.js";
import { QueueFile } from "./queue-view.js";
import { buildRowChunks, buildRowsHead } from "./rows.js";
import { buildCompareView, buildRunView } from "./run-view.js";
import { TrialFiles } from "./trial-files.js";
import { buildTrialView, readStoredTrial } from "./trial-view.js";

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
export async function renderHtmlPage(result: EvalResult, options: HtmlPageOptions = {}): Promise<Iterable<string>> {
  const { page = readPageAssets(), ...limits } = options;
  const data = await compressTexts(serializeEmbeddedReport(result, limits));
  return renderHtmlDocument({
    title: result.config.title,
    data,
    script: escapeScript(page.script),
    style: escapeStyle(page.style),
  });
}

interface HtmlDocumentParts extends PageAssets {
  title: string;
  data: Buffer;
}

function* renderHtmlDocument({ title, data, script, style }: HtmlDocumentParts): Generator<string> {
  yield `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${buildContentPolicy({ script, style })}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>${escapeHtml(title)} · Assay</title>
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
  yield* encodeBase64Lines(data);
  yield `</script>
<script type="module">`;
  yield script;
  yield "</script>\n</body>\n</html>\n";
}

/** The page creates images for downloads itself. Styles set by scripts need no permission. */
function buildContentPolicy({ script, style }: PageAssets): string {
  const rules = [
    "default-src 'none'",
    `script-src ${hashInlineText(script)}`,
    `style-src ${hashInlineText(style)}`,
    "img-src data: blob:",
    "connect-src 'none'",
    "base-uri 'none'",
    "form-action 'none'",
  ];
  return rules.join("; ");
}

function hashInlineText(text: string): string {
  return `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
}

/** Sequences that would end the script or change how it is parsed occur only in its strings, where they can be escaped. */
function escapeScript(script: string): string {
  return normalizeLineEnds(script)
    .replace(/<(?=\/script|!--)/gi, "\\x3c")
    .replaceAll("\0", "\\x00");
}

function escapeStyle(style: string): string {
  return normalizeLineEnds(style).replace(/<(?=\/style)/gi, "\\3c ");
}

/** The hash is computed over line ends as browsers read them. */
function normalizeLineEnds(text: string): string {
  return text.replace(/\r\n?/g, "\n");
}

const ENTITIES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

function escapeHtml(text: string): string {
  return text.replace(/[&<>"]/g, (character) => ENTITIES[character] ?? "");
}

/** A multiple of three, so that base64 chunks can be concatenated. */
const CHUNK_BYTES = 3 << 15;

/** Compresses texts as they arrive, so that they are never in memory as a whole. */
export async function compressTexts(pieces: AsyncIterable<string>): Promise<Buffer> {
  const parts: Buffer[] = [];
  await pipeline(Readable.from(pieces), createGzip(), async (gzipped: AsyncIterable<Buffer>) => {
    for await (const part of gzipped) parts.push(part);
  });
  return Buffer.concat(parts);
}

/** One line for each chunk. */
export function* encodeBase64Lines(bytes: Buffer): Generator<string> {
  for (let start = 0; start < bytes.length; start += CHUNK_BYTES)
    yield `${bytes.toString("base64", start, Math.min(bytes.length, start + CHUNK_BYTES))}\n`;
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
export function readPageAssets(folder = findPackageFile("dist/web/")): PageAssets {
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
const MAX_PAIRS = 66;

/** The name of a run that is not stored. */
const UNNAMED_RUN = "run";

/**
 * Serializes everything the page shows of a run as an `EmbeddedReport`, in chunks.
 * @example
 * for await (const chunk of serializeEmbeddedReport(await loadRun(dir))) file.write(chunk);
 */
export async function* serializeEmbeddedReport(
  result: EvalResult,
  limits: { mostBytes?: number } = {},
): AsyncGenerator<string> {
  const { rows, runDir: dir } = result;
  const manifest = buildEmbeddedManifest(result);
  const graders = isEvalRun(result, manifest) ? await readGraderDetails(result, new TrialFiles()) : new Map();
  const { card, ...run } = buildEmbeddedRun(result, manifest, graders);
  const head = buildRowsHead(rows);
  yield `{"schema":"assay.page/1","run":${JSON.stringify({ card, ...run })},"head":${JSON.stringify(head)}`;
  yield* serializeList("chunks", buildRowChunks(rows, head));
  yield* serializeList("comparisons", buildComparisons(result, card));
  yield ',"trials":[';
  const trials = serializeTrials({
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
  const labels = buildLabelView(rows, dir === null ? [] : readTrialLabels(dir));
  yield `],"trialsLeftOut":${next.value},"labels":${JSON.stringify(labels)}}`;
}

function* serializeList(name: string, items: Iterable<unknown>): Generator<string> {
  yield `,"${name}":[`;
  let separator = "";
  for (const item of items) {
    yield separator + JSON.stringify(item);
    separator = ",";
  }
  yield "]";
}

function buildEmbeddedRun(result: EvalResult, manifest: Manifest, graders: GraderDetails): RunView {
  const { runDir, rows } = result;
  const parts = toCardParts(result);
  const stored = runDir === null ? null : readSummary(runDir);
  const isAll = hasRunEnded({ complete: stored?.complete === true, counts: parts.counts }, rows.length);
  const timing = runDir === null ? result.timing : stored?.timing;
  const card = buildRunCard({
    id: runDir === null ? UNNAMED_RUN : basename(runDir),
    manifest,
    // Every planned trial has a row, even if it was not run.
    planned: rows.length,
    wallSeconds: timing?.wallSeconds ?? null,
    status: isAll ? "complete" : "incomplete",
    ...parts,
  });
  const queue = runDir === null ? null : redactQueueView(new QueueFile(runDir).read({ isGoing: false }));
  return buildRunView({ result, manifest, card, queue, graders });
}

/** A result that is not stored has no manifest. */
function buildEmbeddedManifest({ rows, config, timing, runDir }: EvalResult): Manifest {
  if (runDir !== null) return { ...readManifest(runDir), config };
  return {
    schema: RUN_SCHEMA,
    runId: UNNAMED_RUN,
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
function* buildComparisons(result: EvalResult, card: RunCard): Generator<CompareView> {
  const run = { card, result };
  for (const [systemA, systemB] of listPairs(result.config.systems).slice(0, MAX_PAIRS))
    yield buildCompareView({ a: run, b: run, systemA, systemB });
}

function listPairs(names: readonly string[]): [string, string][] {
  return names.flatMap((a, index) => names.slice(index + 1).map((b): [string, string] => [a, b]));
}

/**
 * Removes the names of machines and the address of the queue, because the file may be shared. Reasons and notes may
 * contain both, so they are removed, too.
 */
export function redactQueueView(view: QueueView | null): QueueView | null {
  if (view === null || view.phase === "unreadable") return null;
  const workers = view.state.workers.filter(({ refuses }) => refuses === null);
  const names = numberMachines(workers);
  const nameless = workers.map((worker, place): WorkerState => {
    const host = names.get(worker.host) ?? "";
    return { ...worker, id: String(place), host, run: "", waiting: null };
  });
  return { ...view, state: { ...view.state, url: "", workers: nameless, notes: [] } };
}

/** By host: `machine 1` and so on. */
function numberMachines(workers: readonly WorkerState[]): Map<string, string> {
  const hosts = [...new Set(workers.map(({ host }) => host))];
  return new Map(hosts.map((host, place) => [host, `machine ${place + 1}`]));
}

/** JSON before compression: an amount that browsers open quickly. */
const DEFAULT_MAX_BYTES = 40_000_000;

/** Failures are viewed first. */
const OUTCOME_ORDER: readonly Outcome[] = ["fail", "error", "unscored", "pass", "skipped"];

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
export async function* serializeTrials(request: EmbeddedTrials): AsyncGenerator<string, number> {
  const { dir, rows, threshold, run, systems, mostBytes = DEFAULT_MAX_BYTES } = request;
  const files = new TrialFiles();
  const byExample = groupRowsByExample(rows);
  let room = mostBytes;
  let told = 0;
  for (const row of sortFailuresFirst(rows)) {
    const siblings = (byExample.get(formatExampleKey(row)) ?? []).filter((other) => other !== row);
    const stored = await readStoredTrial(dir, row, files);
    const text = JSON.stringify(buildTrialView({ row, siblings, threshold, run, systems, ...stored }));
    room -= Buffer.byteLength(text);
    if (room < 0) break;
    told += 1;
    yield text;
  }
  return rows.length - told;
}

function groupRowsByExample(rows: readonly EvalRow[]): Map<string, EvalRow[]> {
  const groups = new Map<string, EvalRow[]>();
  for (const row of rows) {
    const key = formatExampleKey(row);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [row]);
    else group.push(row);
  }
  return groups;
}

function formatExampleKey({ dataset, exampleId }: EvalRow): string {
  return encodeExampleKey(dataset, exampleId);
}

function sortFailuresFirst(rows: readonly EvalRow[]): EvalRow[] {
  return rows.toSorted((a, b) => OUTCOME_ORDER.indexOf(a.outcome) - OUTCOME_ORDER.indexOf(b.outcome));
}
