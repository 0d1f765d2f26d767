import { createHash, timingSafeEqual } from "node:crypto";
import { readFileSync } from "node:fs";
import type { Server } from "node:http";
import { join } from "node:path";
import { serve } from "@hono/node-server";
import { type Context, Hono, type MiddlewareHandler } from "hono";
import { getCookie, setCookie } from "hono/cookie";
import { stream, streamSSE } from "hono/streaming";
import type { TrialKey } from "../core/index.js";
import { AssayError, getErrorMessage, RunFolderError, UsageError } from "../core/index.js";
import type { RunListQuery, RunStatus } from "../report/index.js";
import {
  isRunSort,
  MAX_EXCERPT_EXAMPLES,
  MAX_EXCERPT_TRIALS,
  MAX_RUNS,
  RUN_SORTS,
  STATUSES,
  serializeRowLines,
} from "../report/index.js";
import { checkRequestOrigin, LOOPBACK_HOSTS } from "../utils/index.js";
import { type LabelOptions, makeLabelRoutes } from "./label-routes.js";
import { type LoadRun, RunService } from "./run-service.js";

export interface ServerOptions {
  runsDir: string;
  load: LoadRun;
  /** Folder of the built page. */
  pageDir: string;
  host: string;
  /** 0 for any free port. */
  port: number;
  /** Token required on every request; null if only this machine can connect. */
  token: string | null;
  /** How labels of trials are written; null to only read. Default: null. */
  label?: LabelOptions | null;
}

export interface RunningServer {
  /** URL without the token. */
  url: string;
  port: number;
  close(): Promise<void>;
}

const PAGE_FILES: Readonly<Record<string, { file: string; type: string }>> = {
  "/": { file: "index.html", type: "text/html; charset=utf-8" },
  "/app.js": { file: "app.js", type: "text/javascript; charset=utf-8" },
  "/app.css": { file: "app.css", type: "text/css; charset=utf-8" },
};

/**
 * Serves the dashboard over the runs of a folder.
 * @example
 * const server = await startServer({ runsDir: ".assay/runs", load: loadRun, pageDir, host: "127.0.0.1", port: 0, token: null });
 */
export async function startServer(options: ServerOptions): Promise<RunningServer> {
  const app = makeApp(options);
  const server = await startHttpServer(app, options);
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : options.port;
  const shown = options.host.includes(":") ? `[${options.host}]` : options.host;
  return { url: `http://${shown}:${port}/`, port, close: () => closeHttpServer(server) };
}

function makeApp({ runsDir, load, pageDir, token, host, label = null }: ServerOptions): Hono {
  const app = new Hono();
  const hosts = token === null ? new Set([...LOOPBACK_HOSTS, host]) : null;
  app.use(addSecurityHeaders, createGuard({ token, hosts }));
  app.onError((error, context) => sendError(context, error));
  app.notFound((context) => context.json({ error: "Not found." }, 404));
  const desk = new RunService({ runsDir, load });
  app.route("/api", makeApi(desk).route("/", makeLabelRoutes(desk, label)));
  for (const [path, { file, type }] of Object.entries(PAGE_FILES)) {
    const content = readPageFile(pageDir, file);
    app.get(path, (context) => context.body(content, 200, { "Content-Type": type }));
  }
  return app;
}

function readPageFile(pageDir: string, file: string): string {
  try {
    return readFileSync(join(pageDir, file), "utf8");
  } catch (cause) {
    throw new UsageError(`The page is not built: ${join(pageDir, file)} is missing. Build it with: npm run build`, {
      cause,
    });
  }
}

function startHttpServer(app: Hono, { host, port }: ServerOptions): Promise<Server> {
  return new Promise((resolve, reject) => {
    const server = serve({ fetch: app.fetch, hostname: host, port }, () => resolve(server)) as Server;
    server.once("error", (cause) => reject(createListenError(host, port, cause)));
  });
}

function createListenError(host: string, port: number, cause: Error): UsageError {
  const taken = (cause as NodeJS.ErrnoException).code === "EADDRINUSE";
  const what = taken
    ? `Port ${port} is in use. Choose another with --port, or omit it to use any free port.`
    : `The server cannot listen on ${host}:${port}: ${getErrorMessage(cause)}.`;
  return new UsageError(what, { cause });
}

/** Open event streams would keep the server alive. */
function closeHttpServer(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}

interface GuardOptions {
  /** Token required on every request; null if only this machine can connect. */
  token: string | null;
  /** Host names the server accepts; null for any. */
  hosts: ReadonlySet<string> | null;
}

/** The page shows text written by models, so it may load its own files and nothing else. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

const SECURITY_HEADERS: Readonly<Record<string, string>> = {
  "Content-Security-Policy": CONTENT_SECURITY_POLICY,
  "X-Content-Type-Options": "nosniff",
  "Referrer-Policy": "no-referrer",
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Resource-Policy": "same-origin",
  "Cache-Control": "no-cache",
};

const addSecurityHeaders: MiddlewareHandler = async (context, next) => {
  await next();
  for (const [name, value] of Object.entries(SECURITY_HEADERS)) context.res.headers.set(name, value);
};

/**
 * Rejects requests under foreign host names (DNS rebinding) and, if there is a token, requests without it. A token in the
 * URL is exchanged for a cookie, and removed from the URL.
 */
function createGuard({ token, hosts }: GuardOptions): MiddlewareHandler {
  const cookie = getCookieName(token ?? "");
  return async (context, next) => {
    const intrusion = checkRequestOrigin((name) => context.req.header(name), hosts);
    if (intrusion !== null) return refuseRequest(context, intrusion.status, intrusion.message);
    if (token === null) return next();
    const given = context.req.query("token");
    if (given !== undefined && isSameToken(given, token)) return setTokenCookie(context, cookie, token);
    const known = parseBearerToken(context.req.header("authorization")) ?? getCookie(context, cookie);
    if (known !== undefined && isSameToken(known, token)) return next();
    return refuseRequest(
      context,
      401,
      "This server requires its token: open it with ?token=… as printed by `assay serve`.",
    );
  };
}

function refuseRequest(context: Context, status: 401 | 403 | 421, error: string): Response {
  return context.json({ error }, status);
}

function setTokenCookie(context: Context, cookie: string, token: string): Response {
  setCookie(context, cookie, token, { httpOnly: true, sameSite: "Strict", path: "/" });
  const url = new URL(context.req.url);
  url.searchParams.delete("token");
  // A URL that begins with two slashes points to another server.
  return context.redirect(`${url.pathname.replace(/^\/+/, "/")}${url.search}`);
}

/** Browsers share cookies between all ports of a host: the name must differ, or a second server would overwrite the token of the first. */
function getCookieName(token: string): string {
  return `assay-token-${hashText(token).toString("hex").slice(0, 8)}`;
}

function parseBearerToken(header: string | undefined): string | undefined {
  return header?.match(/^Bearer (.+)$/i)?.[1];
}

/** Constant-time comparison, so that a token cannot be guessed character by character. */
function isSameToken(given: string, token: string): boolean {
  return timingSafeEqual(hashText(given), hashText(token));
}

function hashText(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}

/** Proxies and browsers close idle connections. */
const KEEP_ALIVE_INTERVAL_MS = 15_000;

function makeApi(desk: RunService): Hono {
  const api = new Hono();
  api.onError((error, context) => sendError(context, error));
  api.notFound((context) => context.json({ error: "Not found." }, 404));
  api.use(answerHeadRequests);
  api.get("/runs", async (context) => {
    const soFar = context.req.query("soFar") === "true";
    return context.json(await desk.listRuns(parseRunQuery(context.req.query()), { soFar }));
  });
  api.get("/cards", async (context) =>
    context.json({ runs: await desk.listCards((context.req.queries("id") ?? []).slice(0, MAX_RUNS)) }),
  );
  api.get("/runs/:id", async (context) => context.json(await desk.getRun(context.req.param("id"))));
  api.get("/runs/:id/rows", (context) => sendRows(context, desk, context.req.param("id")));
  api.get("/runs/:id/trial", async (context) =>
    context.json(await desk.getTrial(context.req.param("id"), parseTrialKey(context))),
  );
  api.get("/runs/:id/text", (context) => sendTrialText(context, desk, context.req.param("id")));
  api.get("/runs/:id/texts", async (context) => {
    const ids = (context.req.queries("example") ?? []).slice(0, MAX_EXCERPT_EXAMPLES).map(parseExampleId);
    return context.json(await desk.getExcerpts(context.req.param("id"), context.req.query("dataset") ?? "", ids));
  });
  api.get("/runs/:id/trial-texts", async (context) => {
    const keys = parseTrialKeys(context).slice(0, MAX_EXCERPT_TRIALS);
    return context.json(await desk.getTrialExcerpts(context.req.param("id"), keys));
  });
  api.get("/runs/:id/search", async (context) => {
    const text = requireParam(context, "q");
    return context.json(await desk.search(context.req.param("id"), text, context.req.raw.signal));
  });
  api.get("/runs/:id/events", (context) => sendProgress(context, desk, context.req.param("id")));
  api.get("/compare", async (context) => {
    const wanted = { a: requireParam(context, "a"), b: requireParam(context, "b") };
    return context.json(await desk.compare({ ...wanted, ...pickParams(context, ["systemA", "systemB"]) }));
  });
  api.get("/events", (context) => sendChanges(context, desk));
  return api;
}

/** The body of a HEAD request is never read, so an event stream would never end. */
const answerHeadRequests: MiddlewareHandler = async (context, next) => {
  if (context.req.method !== "HEAD" || !context.req.path.endsWith("/events")) return next();
  return context.body(null, 200, { "Content-Type": "text/event-stream" });
};

function pickParams<K extends string>(context: Context, names: readonly K[]): Partial<Record<K, string>> {
  const given = names.map((name) => [name, context.req.query(name)] as const);
  return Object.fromEntries(given.filter(([, value]) => value !== undefined && value !== "")) as Partial<
    Record<K, string>
  >;
}

function requireParam(context: Context, name: string): string {
  const value = context.req.query(name);
  if (value !== undefined && value !== "") return value;
  throw new UsageError(`The URL lacks the parameter "${name}".`);
}

function parseTrialKey(context: Context): TrialKey {
  const [system, example] = [requireParam(context, "system"), requireParam(context, "example")];
  return {
    system,
    dataset: context.req.query("dataset") ?? "",
    exampleId: parseExampleId(example),
    trial: Number(context.req.query("trial") ?? 0),
  };
}

/** Many trials in one address: each parameter is repeated, once for each trial. */
function parseTrialKeys(context: Context): TrialKey[] {
  const read = (name: string) => context.req.queries(name) ?? [];
  const [datasets, examples, trials] = [read("dataset"), read("example"), read("trial")];
  return read("system").map((system, place) => ({
    system,
    dataset: datasets[place] ?? "",
    exampleId: parseExampleId(examples[place] ?? ""),
    trial: Number(trials[place] ?? 0),
  }));
}

/** Ids are JSON, because the number 1 and the string "1" differ. */
function parseExampleId(text: string): string | number {
  try {
    const id: unknown = JSON.parse(text);
    if (typeof id === "string" || typeof id === "number") return id;
  } catch {
    // Not JSON: a plain id.
  }
  return text;
}

async function sendRows(context: Context, desk: RunService, id: string): Promise<Response> {
  const { rows } = await desk.loadResult(id);
  context.header("Content-Type", "application/x-ndjson; charset=utf-8");
  return stream(context, async (out) => {
    for (const line of serializeRowLines(rows)) {
      if (out.aborted) return;
      await out.write(line);
    }
  });
}

/** Always a download, never a page: a model wrote it. */
async function sendTrialText(context: Context, desk: RunService, id: string): Promise<Response> {
  const of = requireParam(context, "of") === "example" ? "example" : "output";
  const text = await desk.getText(id, parseTrialKey(context), { of, name: requireParam(context, "name") });
  return context.body(text, 200, {
    "Content-Type": "text/plain; charset=utf-8",
    "Content-Disposition": "attachment; filename=text.txt",
  });
}

async function sendProgress(context: Context, desk: RunService, id: string): Promise<Response> {
  const gone = new AbortController();
  const news = await desk.watch(id, gone.signal);
  return streamSSE(context, async (out) => {
    out.onAbort(() => gone.abort());
    const alive = setInterval(() => void out.writeSSE({ event: "alive", data: "" }), KEEP_ALIVE_INTERVAL_MS);
    try {
      for await (const { event, data } of news) await out.writeSSE({ event, data: JSON.stringify(data) });
      await out.writeSSE({ event: "end", data: "" });
    } catch (error) {
      await out.writeSSE({ event: "failed", data: JSON.stringify({ error: getErrorMessage(error) }) });
    } finally {
      clearInterval(alive);
    }
  });
}

async function sendChanges(context: Context, desk: RunService): Promise<Response> {
  return streamSSE(context, async (out) => {
    const tell = () => void out.writeSSE({ event: "runs", data: "{}" });
    const stop = await desk.watchList(tell);
    const alive = setInterval(() => void out.writeSSE({ event: "alive", data: "" }), KEEP_ALIVE_INTERVAL_MS);
    // Notify at once: the list may have changed between the client's request for it and this subscription.
    tell();
    await new Promise<void>((resolve) => {
      out.onAbort(resolve);
      if (out.aborted) resolve();
    });
    clearInterval(alive);
    stop();
  });
}

function sendError(context: Context, error: unknown): Response {
  return context.json({ error: getErrorMessage(error) }, getErrorStatus(error));
}

function getErrorStatus(error: unknown): 400 | 404 | 422 | 500 {
  if (error instanceof RunFolderError) return 404;
  if (error instanceof UsageError) return 400;
  return error instanceof AssayError ? 422 : 500;
}

type QueryParams = Readonly<Record<string, string | undefined>>;

/**
 * Parses the query parameters of a run list. Empty values are ignored.
 * @example
 * parseRunQuery({ q: "gsm8k", sort: "-cost", limit: "20" }); // { q: "gsm8k", sort: "-cost", limit: 20 }
 */
export function parseRunQuery(words: QueryParams): RunListQuery {
  const { q, status, command, hasDataset, dataset, tag, sort, limit, offset } = words;
  return {
    ...(q && { q }),
    ...(status && { status: parseRunStatus(status) }),
    ...(command && { command }),
    ...(hasDataset && { hasDataset }),
    ...(dataset && { dataset }),
    ...(tag && { tag }),
    ...(sort && { sort: parseSortOrder(sort) }),
    ...(limit && { limit: parseQueryCount("limit", limit, { min: 1, max: MAX_RUNS }) }),
    ...(offset && { offset: parseQueryCount("offset", offset, { min: 0, max: Number.MAX_SAFE_INTEGER }) }),
  };
}

function parseRunStatus(text: string): RunStatus {
  const status = STATUSES.find((known) => known === text);
  if (status !== undefined) return status;
  throw new UsageError(`"status" is "${text}". It must be one of: ${STATUSES.join(", ")}.`);
}

function parseSortOrder(text: string): string {
  if (isRunSort(text.replace(/^-/, ""))) return text;
  const known = Object.keys(RUN_SORTS).join(", ");
  throw new UsageError(`"sort" is "${text}". It must be one of: ${known}, with - in front for descending order.`);
}

function parseQueryCount(name: string, text: string, { min, max }: { min: number; max: number }): number {
  const count = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (count >= min && count <= max) return count;
  const most = max === Number.MAX_SAFE_INTEGER ? `of ${min} or more` : `from ${min} to ${max}`;
  throw new UsageError(`"${name}" is "${text}". It must be a whole number ${most}.`);
}
