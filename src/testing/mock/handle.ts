import type { IncomingMessage, ServerResponse } from "node:http";
import type { LiveBehaviour } from "./behaviour.js";
import { Exchange } from "./exchange.js";
import { BadRequest } from "./prompt.js";
import { findRefusal } from "./refusals.js";
import { carriesKey, parseBody, readBody } from "./request-body.js";
import type { MockRequest, RequestLog } from "./request-log.js";
import { fail, respond } from "./respond.js";
import { asksForModels, modelList, type Route, routeOf } from "./routes.js";
import type { MockScript } from "./script.js";
import { inputTokens } from "./usage.js";
import { chatWire } from "./wires/chat.js";

/** All that handling a request needs. */
export interface Desk {
  readonly script: MockScript;
  readonly behaviours: (model: string) => LiveBehaviour;
  readonly log: RequestLog;
  readonly now: () => number;
  readonly keepBodies: boolean;
  readonly onRequest: ((request: MockRequest) => void) | null;
}

const JSON_HEADERS = { "content-type": "application/json" };

/** Takes one request from its first byte to its last. */
export function handle(desk: Desk, request: IncomingMessage, response: ServerResponse): void {
  const { log, now, onRequest } = desk;
  const entry = log.begin(request, now());
  const exchange = new Exchange(request, response, entry);
  response.on("close", () => {
    exchange.closed();
    log.end(entry, now());
    onRequest?.(entry);
  });
  readBody(request, (bytes) => dispatch(desk, exchange, bytes));
}

function dispatch(desk: Desk, exchange: Exchange, bytes: Buffer): void {
  const { request, entry } = exchange;
  const { path } = entry;
  const query = (request.url ?? "").slice(path.length + 1);
  const route = routeOf(path);
  const wire = route?.wire ?? chatWire;
  entry.dialect = route?.wire.name ?? null;
  const refuse = (status: number, message?: string) =>
    fail(exchange, wire, { status, at: entry.startedAt, ...(message !== undefined && { message }) });
  const key = desk.script.requireKey;
  if (wantsWebSocket(request)) refuse(426, "assay mock speaks no WebSockets: ask over plain HTTP.");
  else if (key !== undefined && !carriesKey(request, query, key)) {
    entry.fault = "requireKey";
    refuse(401);
  } else if (asksForModels(entry.method, path)) {
    exchange.send(200, JSON_HEADERS, JSON.stringify(modelList(desk.script, { path, headers: request.headers })));
  } else if (route === null) refuse(404, `assay mock has nothing at ${path}. ${PATHS}`);
  else if (entry.method !== "POST") refuse(405);
  else answerOrRefuse(desk, exchange, { route, bytes, query, refuse });
}

/** Codex tries one first, and takes this status for a sign that there is none. */
function wantsWebSocket({ headers }: IncomingMessage): boolean {
  return headers.upgrade?.toLowerCase() === "websocket";
}

const PATHS =
  "Paths end with /chat/completions, /responses, /messages, /models or /models/NAME:generateContent and its like.";

interface Post {
  readonly route: Route;
  readonly bytes: Buffer;
  readonly query: string;
  readonly refuse: (status: number, message: string) => void;
}

function answerOrRefuse(desk: Desk, exchange: Exchange, post: Post): void {
  try {
    takePost(desk, exchange, post);
  } catch (error) {
    if (!(error instanceof BadRequest)) throw error;
    post.refuse(400, error.message);
  }
}

/** Throws `BadRequest` for what a provider would refuse. */
function takePost(desk: Desk, exchange: Exchange, { route, bytes, query }: Post): void {
  const { request, entry } = exchange;
  const { wire, model, streams } = route;
  const body = parseBody(bytes, request);
  if (desk.keepBodies) entry.body = body;
  const prompt = route.read({ body, headers: request.headers, model, streams, query });
  if (route.action === "count") {
    entry.model = prompt.model;
    exchange.send(200, JSON_HEADERS, JSON.stringify(wire.count(inputTokens(prompt))));
    return;
  }
  const live = desk.behaviours(prompt.model);
  const refusal = findRefusal(body, live.script.refuses ?? [], wire.name);
  if (refusal !== null) {
    entry.model = prompt.model;
    entry.fault = "refuses";
    fail(exchange, wire, { status: 400, message: refusal.message, at: entry.startedAt, refusal });
    return;
  }
  const known = live.replier.known(prompt);
  respond(exchange, live, { wire, prompt, known, index: entry.index, at: entry.startedAt });
}
