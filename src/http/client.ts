import type { Agent, Client, Dispatcher } from "undici";
import { TrialError } from "../core/errors.js";
import { Answer, type HttpAnswer } from "./answer.js";
import { codeOf, connectionError, timeoutError } from "./errors.js";

const DEFAULT_CONNECT_MS = 10_000;
const DEFAULT_HEADERS_MS = 600_000;
/** Models think. */
const DEFAULT_IDLE_MS = 300_000;
/** How long an unused connection is kept where the server does not say. */
const KEEP_ALIVE_MS = 60_000;

/** One call. Header names are in lower case. */
export interface HttpRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly signal: AbortSignal;
  /** For making the connection. Default: 10 s. */
  readonly connectTimeoutMs?: number;
  /** From the request to the head of the answer. Default: 10 minutes. */
  readonly headersTimeoutMs?: number;
  /** Between two parts of the answer. Default: 5 minutes. */
  readonly idleTimeoutMs?: number;
}

/** Makes calls over one pool of connections, which are kept open between calls. */
export interface HttpClient {
  /** Resolves when the head of the answer is there, whatever its status. Rejects with a `TrialError`, or with the reason of the signal. */
  post(request: HttpRequest): Promise<HttpAnswer>;
  /** Ends all connections. */
  close(): void;
}

export interface HttpClientOptions {
  /** The most connections to one host. Default: as many as there are calls. */
  readonly maxSockets?: number;
}

/**
 * Opens a client of its own; systems share one unless they are given another.
 * @example
 * const client = openClient();
 * const answer = await client.post({ url: "http://127.0.0.1:8080/v1/chat/completions", headers: {}, body: "{}", signal });
 */
export function openClient(options: HttpClientOptions = {}): HttpClient {
  return new PooledClient(options);
}

/** Connections to all hosts that have the same time to be made: to undici, that is a setting of the pool. */
interface Pool {
  readonly agent: Agent;
  /** One connection of its own, which is closed after the next request. */
  openFresh(origin: string): Client;
  /** True for the failure of a connection that had served another request before. */
  isOfReused(error: unknown): boolean;
}

class PooledClient implements HttpClient {
  readonly #maxSockets: number | null;
  readonly #pools = new Map<number, Promise<Pool>>();

  constructor({ maxSockets }: HttpClientOptions) {
    this.#maxSockets = maxSockets ?? null;
  }

  async post(request: HttpRequest): Promise<HttpAnswer> {
    const { signal, connectTimeoutMs = DEFAULT_CONNECT_MS } = request;
    const url = new URL(request.url);
    const explain = (error: unknown) => explainFailure(error, url.host, request);
    try {
      signal.throwIfAborted();
      const pool = await this.#poolFor(connectTimeoutMs);
      const { statusCode: status, headers, body } = await send(pool, url, request);
      const answer = new Answer({ status, headers, body, host: url.host, explain });
      const { location } = headers;
      if (status < 300 || status >= 400 || typeof location !== "string") return answer;
      answer.discard();
      throw redirected(url, location);
    } catch (error) {
      throw explain(error);
    }
  }

  close(): void {
    for (const pool of this.#pools.values()) void pool.then(({ agent }) => agent.destroy()).catch(() => {});
    this.#pools.clear();
  }

  #poolFor(connectMs: number): Promise<Pool> {
    const pool = this.#pools.get(connectMs) ?? openPool(connectMs, this.#maxSockets);
    this.#pools.set(connectMs, pool);
    return pool;
  }
}

async function openPool(connectMs: number, connections: number | null): Promise<Pool> {
  const { Agent, buildConnector, Client } = await import("undici");
  const connectSocket = buildConnector({ timeout: connectMs });
  const ofReused = new WeakSet<Error>();
  const connect: typeof connectSocket = (options, callback) =>
    connectSocket(options, (...[error, socket]) => {
      // Before undici's own listener, so that the error is known when the request fails with it.
      socket?.on("error", (cause: Error) => {
        if (socket.bytesRead > 0) ofReused.add(cause);
      });
      if (error === null) callback(null, socket);
      else callback(error, null);
    });
  const settings = { connect, keepAliveTimeout: KEEP_ALIVE_MS };
  return {
    agent: new Agent({ ...settings, connections }),
    openFresh: (origin) => new Client(origin, settings),
    isOfReused: (error) => error instanceof Error && (ofReused.has(error) || bytesReadBefore(error) > 0),
  };
}

/** A connection that the other side closed in order says itself what it has read. */
function bytesReadBefore(error: Error): number {
  const { socket } = error as { socket?: { bytesRead?: number } | null };
  return socket?.bytesRead ?? 0;
}

async function send(pool: Pool, url: URL, request: HttpRequest): Promise<Dispatcher.ResponseData> {
  const { headers, body, signal, headersTimeoutMs, idleTimeoutMs } = request;
  const options: Dispatcher.RequestOptions & { origin: string } = {
    origin: url.origin,
    path: url.pathname + url.search,
    method: "POST",
    headers: { "accept-encoding": "identity", ...headers },
    body,
    signal,
    headersTimeout: headersTimeoutMs ?? DEFAULT_HEADERS_MS,
    bodyTimeout: idleTimeoutMs ?? DEFAULT_IDLE_MS,
  };
  try {
    return await pool.agent.request(options);
  } catch (error) {
    // The server may close an unused connection at the very moment it is used again. Then nothing was answered, and a
    // fresh connection does.
    if (signal.aborted || !CLOSED.has(codeOf(error)) || !pool.isOfReused(error)) throw error;
  }
  const fresh = pool.openFresh(url.origin);
  const answer = fresh.request(options);
  void fresh.close();
  return answer;
}

const CLOSED = new Set(["ECONNRESET", "EPIPE", "UND_ERR_SOCKET"]);

/** The reason of the signal, or what went wrong in words that say what to do. */
function explainFailure(error: unknown, host: string, request: HttpRequest): unknown {
  if (request.signal.aborted) return request.signal.reason;
  const { connectTimeoutMs = DEFAULT_CONNECT_MS, headersTimeoutMs = DEFAULT_HEADERS_MS } = request;
  const { idleTimeoutMs = DEFAULT_IDLE_MS } = request;
  switch (codeOf(error)) {
    case "UND_ERR_CONNECT_TIMEOUT":
      return timeoutError(`${host} did not accept the connection within ${connectTimeoutMs} ms.`, error);
    case "UND_ERR_HEADERS_TIMEOUT":
      return timeoutError(`${host} did not begin to answer within ${headersTimeoutMs} ms.`, error);
    case "UND_ERR_BODY_TIMEOUT":
      return timeoutError(`${host} stopped sending in the middle of its answer for ${idleTimeoutMs} ms.`, error);
    default:
      return connectionError(error, host);
  }
}

/** Not followed: the key was meant for this host, and a POST that is redirected often becomes a GET. */
function redirected(from: URL, location: string): TrialError {
  const to = URL.canParse(location, from.href) ? new URL(location, from) : null;
  const target = to === null ? "nowhere that makes sense" : to.origin + to.pathname;
  return new TrialError(
    "api_error",
    `${from.origin}${from.pathname} redirects to ${target}. Redirects are not followed: give the right base URL.`,
  );
}
