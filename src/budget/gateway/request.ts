import type { IncomingMessage, OutgoingHttpHeaders } from "node:http";
import { brotliDecompressSync, gunzipSync, inflateSync } from "node:zlib";
import { getErrorMessage } from "../../core/index.js";
import type { GatewayDialectName, ImageReader, TransportAnswer } from "../../models/index.js";
import { countEncodedImage } from "./encoded-image.js";
import { hasQueryField, listQueryKeys } from "./path.js";
import { type GatewayProvider, isForeignKey, type Upstream } from "./provider.js";
import { RefusalError } from "./refusal.js";
import { addUsageOption, hasUsageOption, parseServiceTier } from "./request-meter.js";
import { type Route, replaceModelInPath } from "./route.js";

/** A client's request to a model, as forwarded to the upstream. */
export interface ParsedRequest {
  readonly model: string;
  /** As the client sent it. */
  readonly json: Readonly<Record<string, unknown>>;
  /** The requested service tier; null for the standard one. */
  readonly tier: string | null;
  /** Including the query. */
  readonly path: string;
  readonly body: Buffer;
  /** True when the answer is streamed, so that it can be cut off. */
  readonly isStreamed: boolean;
  /** True when the answer is fetched later, so that its cost is never seen here. */
  readonly isBackground: boolean;
  /** True when the gateway added the request for usage, so the usage event is hidden from the client. */
  readonly hidesUsage: boolean;
  /** Approximate prompt length, used when no usage is reported. */
  readonly promptTokens: number;
  /** The most tokens that can be generated before the answer can be cut off: 0 for a streamed answer. */
  readonly maxOutputTokens: number;
}

/** Used for requests that name no model, which servers with a single model accept. */
const NO_MODEL = "(none)";

type RequestFields = Record<string, unknown>;

/** Parses a request and applies the necessary changes: the mapped model and the request for usage. All else stays the same. */
export function parseGatewayRequest(route: Route, body: Buffer, mapModel: (model: string) => string): ParsedRequest {
  const { dialect, query, kind } = route;
  const json = parseRequestFields(body);
  const given = route.model ?? json.model;
  const named = typeof given === "string" && given !== "" ? given : NO_MODEL;
  const model = mapModel(named);
  const isMapped = model !== named;
  const isStreamed = kind === "answer" && wantsEventStream(route, json);
  const hidesUsage = dialect === "chat" && isStreamed && !hasUsageOption(json);
  const sent = isMapped && route.model === null ? Buffer.from(JSON.stringify({ ...json, model })) : body;
  return {
    model,
    json,
    tier: parseServiceTier(json),
    path: (isMapped ? replaceModelInPath(route, model) : route.path) + query,
    body: hidesUsage ? addUsageOption(sent, isMapped ? { ...json, model } : json) : sent,
    isStreamed,
    isBackground: dialect === "responses" && Boolean(json.background),
    hidesUsage,
    promptTokens: countPromptTokens(json, { model, dialect }),
    maxOutputTokens: kind === "answer" && !isStreamed ? getMaxOutputTokens(dialect, json) : 0,
  };
}

/**
 * Gemini streams by path, and without `alt=sse` sends one list at the end. A compaction is never streamed, whatever the
 * request says.
 */
function wantsEventStream({ dialect, path, query }: Route, json: RequestFields): boolean {
  if (dialect !== "gemini") return json.stream === true && !path.endsWith("/compact");
  return path.endsWith(":streamGenerateContent") && hasQueryField(query, "alt", "sse");
}

function parseRequestFields(body: Buffer): RequestFields {
  let json: unknown;
  try {
    json = JSON.parse(body.toString("utf8"));
  } catch (cause) {
    throw new RefusalError("request", "the request's body is not valid JSON.", { cause });
  }
  if (isRequestFields(json)) return json;
  throw new RefusalError("request", "the request's body is not a JSON object.");
}

const BYTES_PER_TOKEN = 4;

/** Fields with images, files and signatures, which are not billed by their characters. */
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

/** Shorter texts are negligible. */
const MIN_ENCODED_LENGTH = 1000;

/**
 * Counts the bytes of all texts, and the most that images can count. Uses its own stack because requests may be nested
 * deeper than the call stack.
 */
function countPromptTokens(json: RequestFields, reader: ImageReader): number {
  let length = 0;
  let imageTokens = 0;
  const open: [field: string, value: unknown, parent: string][] = [["", json, ""]];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const [field, value, parent] = next;
    if (typeof value === "string") {
      const image = countEncodedImage({ field, parent, value }, reader);
      if (image !== null) imageTokens += image;
      else if (!isEncoded(field, value)) length += Buffer.byteLength(value);
    }
    // Prompts may be lists of tokens.
    else if (typeof value === "number") length += BYTES_PER_TOKEN;
    else if (typeof value === "object" && value !== null)
      for (const [name, inner] of Object.entries(value))
        open.push([name, inner, Array.isArray(value) ? parent : field]);
  }
  return Math.ceil(length / BYTES_PER_TOKEN) + imageTokens;
}

/** Decided by the field: Chinese text and JSON have no spaces either. */
function isEncoded(field: string, text: string): boolean {
  return (
    ENCODED_FIELDS.has(field) && text.length >= MIN_ENCODED_LENGTH && !/\s/.test(text.slice(0, MIN_ENCODED_LENGTH))
  );
}

/** For requests without a limit: the output that the default limit of a trial allows for. */
const DEFAULT_OUTPUT_TOKENS = 32_000;

/** The limit fields of each dialect. Only fields that the dialect obeys are listed. */
const OUTPUT_LIMIT_KEYS: Readonly<Record<GatewayDialectName, readonly string[]>> = {
  chat: ["max_completion_tokens", "max_tokens"],
  responses: ["max_output_tokens"],
  anthropic: ["max_tokens"],
  gemini: ["maxOutputTokens", "max_output_tokens"],
};

function getMaxOutputTokens(dialect: GatewayDialectName, json: RequestFields): number {
  const config = dialect === "gemini" ? (json.generationConfig ?? json.generation_config) : json;
  const fields = isRequestFields(config) ? config : {};
  const limits = OUTPUT_LIMIT_KEYS[dialect].map((name) => fields[name]).filter(isPositiveCount);
  const choices = ["n", "best_of", "candidateCount", "candidate_count"]
    .map((name) => fields[name])
    .filter(isPositiveCount);
  const prompts = dialect === "chat" && Array.isArray(json.prompt) ? json.prompt.filter(isPrompt).length : 1;
  const each = limits.length === 0 ? DEFAULT_OUTPUT_TOKENS : Math.max(...limits);
  return Math.min(each * Math.max(1, ...choices) * Math.max(1, prompts), MAX_TOKENS);
}

/** No answer is longer, and sums of prices stay exact. */
const MAX_TOKENS = 100_000_000;

function isPositiveCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) > 0;
}

/** One of several prompts of a request, each of which is answered. A number is a token of a single prompt. */
function isPrompt(value: unknown): boolean {
  return typeof value !== "number";
}

function isRequestFields(value: unknown): value is RequestFields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Larger requests are refused because they have to be buffered. */
const MAX_BODY_BYTES = 64 * 1024 * 1024;

/** Reads and decompresses the body of a request. Throws a `RefusalError` when that fails. */
export async function readBody(request: IncomingMessage, maxBytes = MAX_BODY_BYTES): Promise<Buffer> {
  if (Number(request.headers["content-length"]) > maxBytes) throw createBodyTooLargeError(request, maxBytes);
  const bytes = await collectRequestBody(request, maxBytes);
  return decompressBody(bytes, request.headers["content-encoding"]?.trim().toLowerCase(), maxBytes);
}

function collectRequestBody(request: IncomingMessage, maxBytes: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    request.on("data", (chunk: Buffer) => {
      size += chunk.length;
      if (size <= maxBytes) chunks.push(chunk);
      else reject(createBodyTooLargeError(request, maxBytes));
    });
    request.on("end", () =>
      resolve(chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks)),
    );
    const gone = () => {
      // Every request closes eventually; creating an error for each would be slow.
      if (request.readableEnded) return;
      reject(new RefusalError("request", "the client disconnected before its request was complete."));
    };
    request.on("error", gone);
    request.on("close", gone);
  });
}

/** Reads and drops the rest, so that the client receives the error. */
function createBodyTooLargeError(request: IncomingMessage, maxBytes: number): RefusalError {
  request.removeAllListeners("data");
  request.resume();
  return new RefusalError("request", `the request is larger than ${maxBytes / 2 ** 20} MiB, the maximum.`, {
    status: 413,
  });
}

function decompressBody(bytes: Buffer, encoding: string | undefined, maxOutputLength: number): Buffer {
  try {
    if (encoding === undefined || encoding === "identity") return bytes;
    if (encoding === "gzip" || encoding === "x-gzip") return gunzipSync(bytes, { maxOutputLength });
    if (encoding === "deflate") return inflateSync(bytes, { maxOutputLength });
    if (encoding === "br") return brotliDecompressSync(bytes, { maxOutputLength });
  } catch (cause) {
    throw new RefusalError("request", `the request's body cannot be decompressed: ${getErrorMessage(cause)}.`, {
      cause,
    });
  }
  throw new RefusalError(
    "request",
    `requests compressed with ${encoding} cannot be metered. Use gzip, deflate or brotli, or turn off request compression.`,
    { status: 415 },
  );
}

/** Headers of one connection, not forwarded. */
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

/** Headers that are wrong after forwarding. */
const CLIENT_HEADERS = ["host", "expect"];

/** Some servers take these instead of the method or path that was checked. */
const OVERRIDE_HEADERS = [
  "x-http-method",
  "x-http-method-override",
  "x-method-override",
  "x-original-url",
  "x-rewrite-url",
];

function listHeaderPairs({ rawHeaders }: Pick<TransportAnswer, "rawHeaders">): [name: string, value: string][] {
  const pairs: [string, string][] = [];
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) pairs.push([rawHeaders[i] ?? "", rawHeaders[i + 1] ?? ""]);
  return pairs;
}

/** Headers that are not forwarded: those of the connection, and those listed in its `connection` header. */
function listOwnHeaders({ headers }: Pick<TransportAnswer, "headers">, more: readonly string[]): Set<string> {
  const named = headers.connection?.toLowerCase().split(/\s*,\s*/) ?? [];
  return new Set([...HOP_BY_HOP, ...more, ...named]);
}

export function buildRequestHeaders(request: IncomingMessage, upstream: Upstream): OutgoingHttpHeaders {
  const { provider, key, replacesKey } = upstream;
  const dropped = listOwnHeaders(request, [
    ...CLIENT_HEADERS,
    ...OVERRIDE_HEADERS,
    ...(replacesKey ? provider.keyHeaders : []),
  ]);
  const headers: Record<string, string[]> = {};
  for (const [rawName, value] of listHeaderPairs(request)) {
    const name = rawName.toLowerCase();
    if (dropped.has(name) || isForeignKey(provider, name)) continue;
    const known = headers[name];
    if (known === undefined) headers[name] = [value];
    else known.push(value);
  }
  if (key !== null && (replacesKey || !hasClientKey(request, provider)))
    headers[provider.keyHeaders[0] ?? ""] = [provider.keyPrefix + key];
  return headers;
}

function hasClientKey({ headers, url }: IncomingMessage, { name, keyHeaders }: GatewayProvider): boolean {
  if (keyHeaders.some((header) => headers[header] !== undefined)) return true;
  return name === "google" && listQueryKeys(url ?? "").length > 0;
}

/** Keeps spelling and order. */
export function buildResponseHeaders(answer: TransportAnswer, more: readonly string[] = []): string[] {
  const dropped = listOwnHeaders(answer, more);
  return listHeaderPairs(answer)
    .filter(([name]) => !dropped.has(name.toLowerCase()))
    .flat();
}
