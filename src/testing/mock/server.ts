import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { getErrorMessage, UsageError } from "../../core/index.js";
import type { RecordedAnswers } from "../../models/index.js";
import { estimatePromptTokens } from "./answer.js";
import { loadScriptAnswers } from "./answer-file.js";
import { findBatchRoute, type RoutedBatchCall } from "./batch-routes.js";
import { BatchStore } from "./batch-store.js";
import { chooseLatency, createBehaviors, type LiveBehavior } from "./behavior.js";
import { checkScript } from "./check-script.js";
import { readEffort } from "./effort.js";
import { MockExchange } from "./exchange.js";
import { BadRequestError, type MockJson, toObject } from "./prompt.js";

import { anthropicProtocol, readAnthropicCount, readVertexRequest } from "./protocols/anthropic.js";
import { bedrockProtocol, readAccessKeyId } from "./protocols/bedrock.js";
import { chatProtocol } from "./protocols/chat.js";
import { geminiProtocol } from "./protocols/gemini.js";
import type { MockProtocol } from "./protocols/protocol.js";
import { responsesProtocol } from "./protocols/responses.js";
import { findRefusal } from "./refusals.js";
import { type MockCounts, type MockRequest, RequestLog } from "./request-log.js";
import { respondToQuestion, sendFailure } from "./respond.js";
import type { MockScript } from "./script.js";

/** A script, and how to serve it. */
export interface MockOptions extends MockScript {
  /** Default: a free port. */
  readonly port?: number;
  /** Default: 127.0.0.1, only this machine. */
  readonly host?: string;
  /** Number of requests to keep. Default: 10,000. */
  readonly keepRequests?: number;
  /** Keeps request bodies, too. */
  readonly keepBodies?: boolean;
  /** Recorded answers, given instead of those of the script. */
  readonly recorded?: RecordedAnswers;
  /** Called with each request when it is finished. */
  readonly onRequest?: (request: MockRequest) => void;
  /** Milliseconds since 1970. Default: the real clock. */
  readonly now?: () => number;
}

/** A running model endpoint. */
export interface Mock {
  /** Such as http://127.0.0.1:41234. OpenAI clients need `/v1` after it. */
  readonly url: string;
  readonly port: number;
  /** The latest requests, newest last. Open ones still change. */
  readonly requests: readonly MockRequest[];
  readonly counts: MockCounts;
  /** Ends open requests and frees the port. */
  close(): Promise<void>;
}

/**
 * Starts a local model endpoint with five API formats that behaves as scripted.
 * @example
 * const mock = await startMock({ reply: "Paris", faults: [{ kind: 429, first: 1, retryAfter: 1 }] });
 * await fetch(`${mock.url}/v1/chat/completions`, { method: "POST", body: JSON.stringify(request) });
 * await mock.close();
 */
export async function startMock(options: MockOptions = {}): Promise<Mock> {
  const { port = 0, host = "127.0.0.1", keepRequests = 10_000, keepBodies = false, ...rest } = options;
  const { onRequest = null, now = getRealTime, recorded = null, ...given } = rest;
  const script = await loadScriptAnswers(checkScript(given));
  const log = new RequestLog(keepRequests);
  const behaviours = createBehaviors(script, now);
  const batches = new BatchStore({ behaviours, log, now, keepBodies });
  const desk = { script, behaviours, batches, log, now, keepBodies, onRequest, recorded };
  // Clients keep connections as long as they like; closing idle ones would race with their next request.
  const server = createServer({ keepAliveTimeout: 0, requestTimeout: 0, headersTimeout: 0 }, (request, response) =>
    handleRequest(desk, request, response),
  );
  await listenForMock(server, port, host);
  const address = server.address() as AddressInfo;
  return {
    url: `http://${host.includes(":") ? `[${host}]` : host}:${address.port}`,
    port: address.port,
    get requests() {
      batches.advance();
      return log.latest();
    },
    get counts() {
      batches.advance();
      return log.counts();
    },
    close: () => closeMockServer(server),
  };
}

function getRealTime(): number {
  return performance.timeOrigin + performance.now();
}

/** With the default backlog, a large burst of clients would wait seconds for a retry. */
const BACKLOG = 4096;

async function listenForMock(server: Server, port: number, host: string): Promise<void> {
  server.listen({ port, host, backlog: BACKLOG });
  try {
    await once(server, "listening");
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    const why =
      code === "EADDRINUSE"
        ? "it is in use. Choose another port, or leave it out for a free one"
        : `${getErrorMessage(cause)}. Choose another host or port`;
    throw new UsageError(`The mock cannot listen on port ${port} of ${host}: ${why}.`, { cause });
  }
}

async function closeMockServer(server: Server): Promise<void> {
  if (!server.listening) return;
  const over = once(server, "close");
  server.close();
  server.closeAllConnections();
  await over;
}

interface MockContext {
  readonly script: MockScript;
  readonly behaviours: (model: string, effort: string | null) => LiveBehavior;
  readonly batches: BatchStore;
  readonly log: RequestLog;
  readonly now: () => number;
  readonly keepBodies: boolean;
  readonly onRequest: ((request: MockRequest) => void) | null;
  readonly recorded: RecordedAnswers | null;
}

const JSON_HEADERS = { "content-type": "application/json" };

function handleRequest(desk: MockContext, request: IncomingMessage, response: ServerResponse): void {
  const { log, now, onRequest } = desk;
  const entry = log.begin(request, now());
  const exchange = new MockExchange(request, response, entry);
  response.on("close", () => {
    exchange.handleClose();
    log.end(entry, now());
    onRequest?.(entry);
  });
  collectMockBody(request, (bytes) => dispatchRequest(desk, exchange, bytes));
}

function dispatchRequest(desk: MockContext, exchange: MockExchange, bytes: Buffer): void {
  const { request, entry } = exchange;
  const { path } = entry;
  const query = (request.url ?? "").slice(path.length + 1);
  const route = findRoute(path);
  const batchRoute = desk.script.batch === false || route !== null ? null : findBatchRoute(entry.method, path);
  const wire = (route ?? batchRoute)?.wire ?? chatProtocol;
  entry.dialect = route?.wire.name ?? null;
  const refuse = (status: number, message?: string) =>
    sendFailure(exchange, wire, { status, at: entry.startedAt, ...(message !== undefined && { message }) });
  const key = desk.script.requireKey;
  if (isWebSocketUpgrade(request)) refuse(426, "assay mock speaks no WebSockets: ask over plain HTTP.");
  else if (key !== undefined && !hasRequiredKey(request, query, key)) {
    entry.fault = "requireKey";
    refuse(401);
  } else if (desk.recorded !== null && route !== null && entry.method === "POST") {
    sendRecorded(exchange, desk.recorded, { bytes, query, refuse });
  } else if (isModelListRequest(entry.method, path)) {
    exchange.send(200, JSON_HEADERS, JSON.stringify(formatModelList(desk.script, { path, headers: request.headers })));
  } else if (batchRoute !== null) answerBatchCall(desk, exchange, { route: batchRoute, bytes, query, refuse });
  else if (route === null) refuse(404, `assay mock has nothing at ${path}. ${SUPPORTED_PATHS}`);
  else if (entry.method !== "POST") refuse(405);
  else answerOrReject(desk, exchange, { route, bytes, query, refuse });
}

/** As it was recorded, with the same chunks, and broken off where it never ended. */
function sendRecorded(
  exchange: MockExchange,
  recorded: RecordedAnswers,
  { bytes, query, refuse }: Pick<PostRequest, "bytes" | "query" | "refuse">,
): void {
  const { path, method } = exchange.entry;
  const found = recorded.find({ method, path: query === "" ? path : `${path}?${query}`, body: bytes });
  if ("problem" in found) {
    refuse(404, found.problem);
    return;
  }
  const { status, headers, chunks, isComplete } = found.reply;
  exchange.writeHead(status, { ...headers });
  for (const chunk of chunks) exchange.response.write(chunk);
  if (isComplete) exchange.end();
  else exchange.destroy();
}

/** Codex tries one first, and falls back on this status. */
function isWebSocketUpgrade({ headers }: IncomingMessage): boolean {
  return headers.upgrade?.toLowerCase() === "websocket";
}

const SUPPORTED_PATHS =
  "Paths end with /chat/completions, /responses, /messages, /models, /models/NAME:generateContent and its like, or /model/NAME/converse and /converse-stream.";

interface BatchApiRequest {
  readonly route: RoutedBatchCall;
  readonly bytes: Buffer;
  readonly query: string;
  readonly refuse: (status: number, message: string) => void;
}

/** A batch is created when its request has arrived; the answer may come later. */
function answerBatchCall(desk: MockContext, exchange: MockExchange, call: BatchApiRequest): void {
  const { route, bytes, query, refuse } = call;
  const { entry } = exchange;
  try {
    const answer = route.answer({ store: desk.batches, exchange, query: new URLSearchParams(query), bytes });
    const subject = { model: "", task: entry.path, arrival: entry.index };
    exchange.schedule(chooseLatency(desk.script, subject), () => {
      if (answer === null) refuse(404, `There is nothing at ${entry.path}.`);
      else if ("text" in answer) exchange.send(200, { "content-type": "application/jsonl" }, answer.text);
      else exchange.send(200, { ...JSON_HEADERS, ...answer.headers }, JSON.stringify(answer.json));
    });
  } catch (error) {
    if (!(error instanceof BadRequestError)) throw error;
    refuse(400, error.message);
  }
}

interface PostRequest {
  readonly route: MockRoute;
  readonly bytes: Buffer;
  readonly query: string;
  readonly refuse: (status: number, message: string) => void;
}

function answerOrReject(desk: MockContext, exchange: MockExchange, post: PostRequest): void {
  try {
    answerPost(desk, exchange, post);
  } catch (error) {
    if (!(error instanceof BadRequestError)) throw error;
    post.refuse(error.status, error.message);
  }
}

/** Throws `BadRequestError` for what a provider would reject. */
function answerPost(desk: MockContext, exchange: MockExchange, { route, bytes, query }: PostRequest): void {
  const { request, entry } = exchange;
  const { wire, model, streams } = route;
  const body = parseMockBody(bytes, request);
  if (desk.keepBodies) entry.body = body;
  const prompt = route.read({ body, headers: request.headers, model, streams, query });
  if (route.action === "count") {
    entry.model = prompt.model;
    exchange.send(200, JSON_HEADERS, JSON.stringify(wire.count(estimatePromptTokens(prompt))));
    return;
  }
  const live = desk.behaviours(prompt.model, readEffort(body));
  const refusal = findRefusal(body, live.script.refuses ?? [], wire.name);
  if (refusal !== null) {
    entry.model = prompt.model;
    entry.fault = "refuses";
    sendFailure(exchange, wire, { status: 400, message: refusal.message, at: entry.startedAt, refusal });
    return;
  }
  const known = live.replier.findKnownAnswer(prompt);
  respondToQuestion(exchange, live, { wire, prompt, known, index: entry.index, at: entry.startedAt });
}

/** Never calls back if the client disconnects in the middle. */
function collectMockBody(request: IncomingMessage, done: (bytes: Buffer) => void): void {
  const chunks: Buffer[] = [];
  request.on("data", (chunk: Buffer) => chunks.push(chunk));
  request.on("end", () => done(chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks)));
}

function parseMockBody(bytes: Buffer, { headers }: IncomingMessage): MockJson {
  const encoding = headers["content-encoding"];
  if (encoding !== undefined && encoding !== "identity")
    throw new BadRequestError(`The body is encoded as ${encoding}; assay mock reads plain JSON only.`);
  try {
    return toObject(JSON.parse(bytes.toString("utf8")));
  } catch (cause) {
    throw new BadRequestError(`The body is not valid JSON: ${getErrorMessage(cause)}.`, { cause });
  }
}

/** Looks in every place that an API format has for the key. */
function hasRequiredKey({ headers }: IncomingMessage, query: string, key: string): boolean {
  const given = [
    headers["x-api-key"],
    headers["x-goog-api-key"],
    headers["api-key"],
    parseBearer(headers.authorization),
    readAccessKeyId(headers.authorization),
  ];
  return given.includes(key) || new URLSearchParams(query).get("key") === key;
}

function parseBearer(authorization: string | undefined): string | undefined {
  return authorization?.replace(/^Bearer\s+/i, "");
}

interface MockRoute {
  readonly wire: MockProtocol;
  readonly action: "answer" | "count";
  readonly read: MockProtocol["read"];
  /** Model and streaming, for the API format that has them in the path. */
  readonly model: string;
  readonly streams: boolean;
}

/** The end of the path decides, so that any base URL works. */
const ROUTES: readonly (readonly [string, MockRoute])[] = [
  ["/chat/completions", makeRoute(chatProtocol)],
  ["/responses", makeRoute(responsesProtocol)],
  ["/messages", makeRoute(anthropicProtocol)],
  ["/messages/count_tokens", { ...makeRoute(anthropicProtocol), action: "count", read: readAnthropicCount }],
];

const GEMINI_PATH = /\/([^/]+):(generateContent|streamGenerateContent|countTokens)$/;

/** Anthropic's models on Vertex AI. */
const VERTEX_PATH = /\/publishers\/anthropic\/models\/([^/]+):(rawPredict|streamRawPredict)$/;

/** Colons and slashes in names of models are escaped. */
const BEDROCK_PATH = /\/model\/([^/]+)\/(converse|converse-stream)$/;

function makeRoute(wire: MockProtocol): MockRoute {
  return { wire, action: "answer", read: wire.read, model: "", streams: false };
}

/** Null for an unknown path. */
function findRoute(path: string): MockRoute | null {
  const known = ROUTES.find(([ending]) => path.endsWith(ending));
  if (known !== undefined) return known[1];
  const [, vertexName, verb] = VERTEX_PATH.exec(path) ?? [];
  if (vertexName !== undefined)
    return {
      ...makeRoute(anthropicProtocol),
      read: readVertexRequest,
      model: decodeModelName(vertexName),
      streams: verb === "streamRawPredict",
    };
  const [, bedrockName, operation] = BEDROCK_PATH.exec(path) ?? [];
  if (bedrockName !== undefined)
    return {
      ...makeRoute(bedrockProtocol),
      model: decodeModelName(bedrockName),
      streams: operation === "converse-stream",
    };
  const [, name, method] = GEMINI_PATH.exec(path) ?? [];
  if (name === undefined) return null;
  return {
    ...makeRoute(geminiProtocol),
    action: method === "countTokens" ? "count" : "answer",
    model: decodeModelName(name),
    streams: method === "streamGenerateContent",
  };
}

function decodeModelName(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}

function isModelListRequest(method: string, path: string): boolean {
  return method === "GET" && path.endsWith("/models");
}

/** Lists the models in the format of each provider, detected from the headers of its clients. */
function formatModelList(
  { models = {} }: MockScript,
  { path, headers }: { path: string; headers: Readonly<Record<string, unknown>> },
): Record<string, unknown> {
  const own = Object.keys(models);
  const names = own.length === 0 ? ["mock-model"] : own;
  if (path.includes("/v1beta/") || "x-goog-api-key" in headers) return { models: names.map(toGeminiModel) };
  if ("anthropic-version" in headers)
    return { data: names.map(toAnthropicModel), has_more: false, first_id: names[0], last_id: names.at(-1) };
  // Codex requests its own list on the same path, and accepts an empty one.
  return { object: "list", data: names.map(toOpenaiModel), models: [] };
}

function toOpenaiModel(id: string) {
  return { id, object: "model", created: 0, owned_by: "assay-mock" };
}

function toAnthropicModel(id: string) {
  return { type: "model", id, display_name: id, created_at: "1970-01-01T00:00:00Z" };
}

function toGeminiModel(name: string) {
  const supportedGenerationMethods = ["generateContent", "streamGenerateContent", "countTokens"];
  return { name: `models/${name}`, version: "1", displayName: name, supportedGenerationMethods };
}
