import type { Agent } from "undici";
import { TrialError, type TrialKey } from "../../core/index.js";
import { createHttpConnectionError, createHttpTimeoutError, getNodeErrorCode } from "./errors.js";
import { type HttpResponse, StreamedResponse } from "./response.js";
import {
  listRawHeaders,
  type Transport,
  type TransportAnswer,
  type TransportRequest,
  type WrapTransport,
} from "./transport.js";

const DEFAULT_CONNECT_MS = 10_000;
const DEFAULT_HEADERS_MS = 600_000;
/** Long, because models may reason silently. */
const DEFAULT_IDLE_MS = 300_000;
/** Idle time of a connection if the server names none. Many servers close it after 5 s. */
const KEEP_ALIVE_MS = 4000;

/** One request. Header names are in lower case. */
export interface HttpRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly signal: AbortSignal;
  /** What the request is for, where equal requests must be told apart. */
  readonly trial?: TrialKey;
  /** Who asks. Default: system. */
  readonly by?: "system" | "judge" | "user";
  /** Time to connect. Default: 10 s. */
  readonly connectTimeoutMs?: number;
  /** Time from the request to the response headers. Default: 10 minutes. */
  readonly headersTimeoutMs?: number;
  /** Time between two chunks of the response. Default: 5 minutes. */
  readonly idleTimeoutMs?: number;
}

type HttpMethod = "GET" | "POST";

/** A GET request has no body. */
type SentRequest = Omit<HttpRequest, "body"> & Partial<Pick<HttpRequest, "body">>;

/** An HTTP client with a pool of persistent connections. */
export interface HttpClient {
  /** Resolves with the response headers, for any status. Rejects with a `TrialError`, or with the signal's reason. */
  post(request: HttpRequest): Promise<HttpResponse>;
  /** The same for a GET request. */
  get(request: Omit<HttpRequest, "body">): Promise<HttpResponse>;
  /** Closes all connections. */
  close(): void;
}

interface HttpClientOptions {
  /** Maximum connections per host. Default: unlimited. */
  readonly maxSockets?: number;
  /** Puts something between this client and the network. */
  readonly wrap?: WrapTransport;
}

/**
 * Opens a separate client; by default systems share one.
 * @example
 * const client = openClient();
 * const answer = await client.post({ url: "http://127.0.0.1:8080/v1/chat/completions", headers: {}, body: "{}", signal });
 */
export function openClient(options: HttpClientOptions = {}): HttpClient {
  return new PooledClient(options);
}

class PooledClient implements HttpClient {
  readonly #network: PooledNetwork;
  readonly #transport: Transport;

  constructor({ maxSockets, wrap }: HttpClientOptions) {
    this.#network = new PooledNetwork(maxSockets ?? null);
    this.#transport = wrap?.(this.#network) ?? this.#network;
  }

  post(request: HttpRequest): Promise<HttpResponse> {
    return this.#send("POST", request);
  }

  get(request: Omit<HttpRequest, "body">): Promise<HttpResponse> {
    return this.#send("GET", request);
  }

  async #send(method: HttpMethod, request: SentRequest): Promise<HttpResponse> {
    const url = new URL(request.url);
    const explain = (error: unknown) => explainRequestFailure(error, url.host, request);
    try {
      request.signal.throwIfAborted();
      const headers = { "accept-encoding": "identity", ...request.headers };
      const place = { origin: url.origin, path: url.pathname + url.search };
      const sent = { ...request, ...place, method, headers, body: request.body ?? null };
      const { status, headers: told, body } = await this.#transport.send(sent);
      const answer = new StreamedResponse({ status, headers: told, body, host: url.host, explain });
      const { location } = told;
      if (status < 300 || status >= 400 || typeof location !== "string") return answer;
      answer.discard();
      throw createRedirectError(url, location);
    } catch (error) {
      throw explain(error);
    }
  }

  close(): void {
    this.#network.close();
  }
}

/** Sends over persistent connections. */
class PooledNetwork implements Transport {
  readonly #maxSockets: number | null;
  /** By connect timeout, which undici sets per pool. */
  readonly #pools = new Map<number, Promise<Agent>>();

  constructor(maxSockets: number | null) {
    this.#maxSockets = maxSockets;
  }

  /** Sends only once: after a closed connection it is unknown whether the call was received and billed. */
  async send(request: TransportRequest): Promise<TransportAnswer> {
    const { method, origin, path, headers, body, signal, headersTimeoutMs, idleTimeoutMs } = request;
    const pool = await this.#getPool(request.connectTimeoutMs ?? DEFAULT_CONNECT_MS);
    const answer = await pool.request({
      origin,
      path,
      method: method === "GET" ? "GET" : "POST",
      headers: listRawHeaders(headers),
      body,
      signal,
      headersTimeout: headersTimeoutMs ?? DEFAULT_HEADERS_MS,
      bodyTimeout: idleTimeoutMs ?? DEFAULT_IDLE_MS,
    });
    const { statusCode: status, statusText, headers: told } = answer;
    return { status, statusText, headers: told, rawHeaders: listRawHeaders(told), body: answer.body };
  }

  close(): void {
    for (const pool of this.#pools.values()) void pool.then((agent) => agent.destroy()).catch(() => {});
    this.#pools.clear();
  }

  #getPool(connectMs: number): Promise<Agent> {
    const pool = this.#pools.get(connectMs) ?? openConnectionPool(connectMs, this.#maxSockets);
    this.#pools.set(connectMs, pool);
    return pool;
  }
}

async function openConnectionPool(connectMs: number, connections: number | null): Promise<Agent> {
  const { Agent: UndiciAgent } = await import("undici");
  return new UndiciAgent({ connect: { timeout: connectMs }, keepAliveTimeout: KEEP_ALIVE_MS, connections });
}

/** The signal's reason, or an error that says what to do. */
function explainRequestFailure(error: unknown, host: string, request: SentRequest): unknown {
  if (request.signal.aborted) return request.signal.reason;
  const { connectTimeoutMs = DEFAULT_CONNECT_MS, headersTimeoutMs = DEFAULT_HEADERS_MS } = request;
  const { idleTimeoutMs = DEFAULT_IDLE_MS } = request;
  switch (getNodeErrorCode(error)) {
    case "UND_ERR_CONNECT_TIMEOUT":
      return createHttpTimeoutError(
        `${host} did not accept the connection within ${connectTimeoutMs} ms.`,
        error,
        "down",
      );
    case "UND_ERR_HEADERS_TIMEOUT":
      return createHttpTimeoutError(`${host} did not start to respond within ${headersTimeoutMs} ms.`, error);
    case "UND_ERR_BODY_TIMEOUT":
      return createHttpTimeoutError(
        `${host} sent no data for ${idleTimeoutMs} ms in the middle of its response.`,
        error,
      );
    default:
      return createHttpConnectionError(error, host);
  }
}

/** The endpoint answered with another address. */
export class RedirectError extends TrialError {}

/** Not followed: the key is meant for this host only, and a redirected POST often becomes a GET. */
function createRedirectError(from: URL, location: string): RedirectError {
  const to = URL.canParse(location, from.href) ? new URL(location, from) : null;
  const target = to === null ? "an invalid location" : to.origin + to.pathname;
  return new RedirectError(
    "api_error",
    `${from.origin}${from.pathname} redirects to ${target}. Redirects are not followed; use the address it redirects to, if you trust it.`,
  );
}

// Deliberate module state: all systems of a process share one pool, so that each endpoint has one set of connections.
let sharedClient: HttpClient | null = null;
let leaseCount = 0;

/** A lease of the shared client. */
export interface ClientLease {
  readonly client: HttpClient;
  /** Ends the lease. The last one closes the connections. */
  release(): void;
}

/**
 * Acquires the HTTP client shared by all systems of this process.
 * @example
 * const lease = leaseClient();
 * lease.release();
 */
export function leaseClient(): ClientLease {
  sharedClient ??= openClient();
  leaseCount += 1;
  let isHeld = true;
  return {
    client: sharedClient,
    release() {
      if (!isHeld) return;
      isHeld = false;
      leaseCount -= 1;
      if (leaseCount === 0) sharedClient?.close();
    },
  };
}
