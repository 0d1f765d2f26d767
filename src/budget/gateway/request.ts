import type { IncomingMessage, OutgoingHttpHeaders } from "node:http";
import { brotliDecompressSync, gunzipSync, inflateSync } from "node:zlib";
import { messageOf } from "../../core/errors.js";
import type { DialectName } from "../../models/dialects/dialect.js";
import { hasField, keysInQuery } from "./path.js";
import { isForeignKey, type Provider, type Upstream } from "./provider.js";
import { RefusalError } from "./refusal.js";
import { asksForUsage, tierIn, withUsage } from "./request-meter.js";
import { pathFor, type Route } from "./route.js";

/** What a client asks of a model, as it goes on to the upstream. */
export interface Asked {
  readonly model: string;
  /** The service tier that is asked for; null for the usual one. */
  readonly tier: string | null;
  /** With the query. */
  readonly path: string;
  readonly body: Buffer;
  /** True when the answer comes event by event, so that it can be cut part-way. */
  readonly isStreamed: boolean;
  /** True when the answer is to be fetched later: what it costs is never seen here. */
  readonly isBackground: boolean;
  /** True when usage was asked for on the client's behalf: the event with it is not for the client. */
  readonly hidesUsage: boolean;
  /** Roughly the length of the prompt, for answers that never tell. */
  readonly promptTokens: number;
  /** The most tokens that can come back before the answer can be cut: none of one that comes event by event. */
  readonly maxOutputTokens: number;
}

/** Stands for the model of requests that name none, which servers with a single model take. */
const NO_MODEL = "(none)";

type Json = Record<string, unknown>;

/** Reads a request, and changes in it what has to be changed: another model, usage asked for. All else stays as it came. */
export function readAsked(route: Route, body: Buffer, modelMap: Readonly<Record<string, string>>): Asked {
  const { dialect, query, kind } = route;
  const json = parseObject(body);
  const given = route.model ?? json.model;
  const named = typeof given === "string" && given !== "" ? given : NO_MODEL;
  const model = Object.hasOwn(modelMap, named) ? (modelMap[named] ?? named) : named;
  const isMapped = model !== named;
  const isStreamed = kind === "answer" && asksForEvents(route, json);
  const hidesUsage = dialect === "chat" && isStreamed && !asksForUsage(json);
  const sent = isMapped && route.model === null ? Buffer.from(JSON.stringify({ ...json, model })) : body;
  return {
    model,
    tier: tierIn(json),
    path: (isMapped ? pathFor(route, model) : route.path) + query,
    body: hidesUsage ? withUsage(sent, isMapped ? { ...json, model } : json) : sent,
    isStreamed,
    isBackground: dialect === "responses" && Boolean(json.background),
    hidesUsage,
    promptTokens: Math.ceil(promptLength(json) / BYTES_PER_TOKEN),
    maxOutputTokens: kind === "answer" && !isStreamed ? mostOutput(dialect, json) : 0,
  };
}

/**
 * Gemini says so in the path, and without `alt=sse` its streams come as one list when they are complete. A compaction
 * comes in one piece, whatever is asked for.
 */
function asksForEvents({ dialect, path, query }: Route, json: Json): boolean {
  if (dialect !== "gemini") return json.stream === true && !path.endsWith("/compact");
  return path.endsWith(":streamGenerateContent") && hasField(query, "alt", "sse");
}

function parseObject(body: Buffer): Json {
  let json: unknown;
  try {
    json = JSON.parse(body.toString("utf8"));
  } catch (cause) {
    throw new RefusalError("request", "the request's body is not valid JSON.", { cause });
  }
  if (isObject(json)) return json;
  throw new RefusalError("request", "the request's body is not a JSON object.");
}

const BYTES_PER_TOKEN = 4;

/** Where the dialects keep images, files and signatures, which are not billed by their characters. */
const ENCODED_FIELDS = new Set([
  "data",
  "encrypted_content",
  "file_data",
  "image_url",
  "signature",
  "thought_signature",
  "thoughtSignature",
  "url",
]);

/** Shorter ones count for little. */
const ENCODED_FROM = 1000;

/** The bytes of all texts inside. A stack of its own, because clients nest deeper than calls may. */
function promptLength(json: Json): number {
  let length = 0;
  const open: [field: string, value: unknown][] = [["", json]];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const [field, value] = next;
    if (typeof value === "string") length += isEncoded(field, value) ? 0 : Buffer.byteLength(value);
    // Prompts may be given as lists of tokens.
    else if (typeof value === "number") length += BYTES_PER_TOKEN;
    else if (typeof value === "object" && value !== null) for (const inner of Object.entries(value)) open.push(inner);
  }
  return length;
}

/** Decided by the place: texts in Chinese, and JSON, have no spaces either. */
function isEncoded(field: string, text: string): boolean {
  return ENCODED_FIELDS.has(field) && text.length >= ENCODED_FROM && !/\s/.test(text.slice(0, ENCODED_FROM));
}

/** For requests that set no limit: as much as the usual limit of a trial is made for. */
const DEFAULT_OUTPUT_TOKENS = 32_000;

/** Where each dialect has its limit. Only those count that it obeys. */
const LIMITS: Readonly<Record<DialectName, readonly string[]>> = {
  chat: ["max_completion_tokens", "max_tokens"],
  responses: ["max_output_tokens"],
  anthropic: ["max_tokens"],
  gemini: ["maxOutputTokens", "max_output_tokens"],
};

function mostOutput(dialect: DialectName, json: Json): number {
  const config = dialect === "gemini" ? (json.generationConfig ?? json.generation_config) : json;
  const fields = isObject(config) ? config : {};
  const limits = LIMITS[dialect].map((name) => fields[name]).filter(isCount);
  const choices = ["n", "best_of", "candidateCount", "candidate_count"].map((name) => fields[name]).filter(isCount);
  const prompts = dialect === "chat" && Array.isArray(json.prompt) ? json.prompt.filter(isPrompt).length : 1;
  const each = limits.length === 0 ? DEFAULT_OUTPUT_TOKENS : Math.max(...limits);
  return Math.min(each * Math.max(1, ...choices) * Math.max(1, prompts), MOST_TOKENS);
}

/** No answer is longer, and a sum of prices stays exact. */
const MOST_TOKENS = 100_000_000;

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) > 0;
}

/** One of several prompts of a request, each of which is answered. A number is a token of a single one. */
function isPrompt(value: unknown): boolean {
  return typeof value !== "number";
}

function isObject(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Larger requests are refused: they have to be held to be read. */
const MAX_BODY_BYTES = 64 * 1024 * 1024;

/** The body of a request, unpacked. Throws a `RefusalError` when it cannot be had. */
export async function readBody(request: IncomingMessage, maxBytes = MAX_BODY_BYTES): Promise<Buffer> {
  if (Number(request.headers["content-length"]) > maxBytes) throw tooLarge(request, maxBytes);
  const bytes = await collect(request, maxBytes);
  return unpacked(bytes, request.headers["content-encoding"]?.trim().toLowerCase(), maxBytes);
}

function collect(request: IncomingMessage, maxBytes: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    request.on("data", (chunk: Buffer) => {
      size += chunk.length;
      if (size <= maxBytes) chunks.push(chunk);
      else reject(tooLarge(request, maxBytes));
    });
    request.on("end", () =>
      resolve(chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks)),
    );
    const gone = () => {
      // Every request closes in the end: an error for each would take time for its stack.
      if (request.readableEnded) return;
      reject(new RefusalError("request", "the client went away before its request was complete."));
    };
    request.on("error", gone);
    request.on("close", gone);
  });
}

/** What else comes is read and dropped, so that the client gets to read why. */
function tooLarge(request: IncomingMessage, maxBytes: number): RefusalError {
  request.removeAllListeners("data");
  request.resume();
  return new RefusalError("request", `the request is larger than ${maxBytes / 2 ** 20} MiB, the most that is taken.`, {
    status: 413,
  });
}

function unpacked(bytes: Buffer, encoding: string | undefined, maxOutputLength: number): Buffer {
  try {
    if (encoding === undefined || encoding === "identity") return bytes;
    if (encoding === "gzip" || encoding === "x-gzip") return gunzipSync(bytes, { maxOutputLength });
    if (encoding === "deflate") return inflateSync(bytes, { maxOutputLength });
    if (encoding === "br") return brotliDecompressSync(bytes, { maxOutputLength });
  } catch (cause) {
    throw new RefusalError("request", `the request's body cannot be unpacked: ${messageOf(cause)}.`, { cause });
  }
  throw new RefusalError(
    "request",
    `requests packed with ${encoding} cannot be metered, only plain ones and those packed with gzip, deflate or brotli. Turn off the compression of requests.`,
    { status: 415 },
  );
}

/** Of one connection only: they are made anew for the next. */
const HOP_BY_HOP = [
  "connection",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
];

/** Of the client's own request, and wrong once it goes elsewhere. */
const OF_CLIENT = ["host", "expect"];

/** Some servers take these for the method or the path, in place of those that were looked up. */
const OVERRIDES = ["x-http-method", "x-http-method-override", "x-method-override", "x-original-url", "x-rewrite-url"];

function pairsOf({ rawHeaders }: IncomingMessage): [name: string, value: string][] {
  const pairs: [string, string][] = [];
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) pairs.push([rawHeaders[i] ?? "", rawHeaders[i + 1] ?? ""]);
  return pairs;
}

/** The headers that end here: those of the connection, and those it names itself. */
function endingHere({ headers }: IncomingMessage, more: readonly string[]): Set<string> {
  const named = headers.connection?.toLowerCase().split(/\s*,\s*/) ?? [];
  return new Set([...HOP_BY_HOP, ...more, ...named]);
}

/** What goes on to the upstream. */
export function requestHeaders(request: IncomingMessage, upstream: Upstream): OutgoingHttpHeaders {
  const { provider, key, replacesKey } = upstream;
  const dropped = endingHere(request, [...OF_CLIENT, ...OVERRIDES, ...(replacesKey ? provider.keyHeaders : [])]);
  const headers: Record<string, string[]> = {};
  for (const [rawName, value] of pairsOf(request)) {
    const name = rawName.toLowerCase();
    if (dropped.has(name) || isForeignKey(provider, name)) continue;
    const known = headers[name];
    if (known === undefined) headers[name] = [value];
    else known.push(value);
  }
  if (key !== null && (replacesKey || !hasKey(request, provider)))
    headers[provider.keyHeaders[0] ?? ""] = [provider.keyPrefix + key];
  return headers;
}

function hasKey({ headers, url }: IncomingMessage, { name, keyHeaders }: Provider): boolean {
  if (keyHeaders.some((header) => headers[header] !== undefined)) return true;
  return name === "google" && keysInQuery(url ?? "").length > 0;
}

/** What goes back to the client: as it came, spelling and order included. */
export function answerHeaders(answer: IncomingMessage, more: readonly string[] = []): string[] {
  const dropped = endingHere(answer, more);
  return pairsOf(answer)
    .filter(([name]) => !dropped.has(name.toLowerCase()))
    .flat();
}
