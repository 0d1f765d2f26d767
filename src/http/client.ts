import { Agent as HttpAgent, type RequestOptions } from "node:http";
import { Agent as HttpsAgent } from "node:https";
import { TrialError } from "../core/errors.js";
import { Answer, type HttpAnswer } from "./answer.js";
import { codeOf } from "./errors.js";
import { Exchange, type Patience } from "./exchange.js";

/** One call. Header names are in lower case. */
export interface HttpRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly signal: AbortSignal;
  /** For making the connection; 10 s unless told. */
  readonly connectTimeoutMs?: number;
  /** From the request to the head of the answer; 10 minutes unless told. */
  readonly headersTimeoutMs?: number;
  /** Between two parts of the answer; 5 minutes unless told, because models think. */
  readonly idleTimeoutMs?: number;
}

/** Makes calls over one pool of connections, which are kept open between calls. */
export interface HttpClient {
  /** Resolves when the head of the answer is there, whatever its status. Rejects with a `TrialError`, or with the reason of the signal. */
  post(request: HttpRequest): Promise<HttpAnswer>;
  /** Ends the connections that are not in use. */
  close(): void;
}

export interface HttpClientOptions {
  /** The most connections to one host; as many as there are calls unless told. */
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

class PooledClient implements HttpClient {
  readonly #http: HttpAgent;
  readonly #https: HttpsAgent;

  constructor({ maxSockets = Number.POSITIVE_INFINITY }: HttpClientOptions) {
    // Node keeps 256 unused connections by default: with more calls at a time than that, the rest would be made anew.
    const options = { keepAlive: true, maxSockets, maxFreeSockets: 65_536 };
    this.#http = new HttpAgent(options);
    this.#https = new HttpsAgent(options);
  }

  async post(request: HttpRequest): Promise<HttpAnswer> {
    const url = new URL(request.url);
    const first = this.#send(request, url, true);
    try {
      return await answerOf(first, url);
    } catch (error) {
      if (!wasStale(first, error)) throw error;
    }
    return answerOf(this.#send(request, url, false), url);
  }

  close(): void {
    this.#http.destroy();
    this.#https.destroy();
  }

  #send(request: HttpRequest, url: URL, isPooled: boolean): Exchange {
    const { body, signal } = request;
    if (signal.aborted) throw signal.reason;
    const isSecure = url.protocol === "https:";
    const agent = isPooled && (isSecure ? this.#https : this.#http);
    const options: RequestOptions = {
      method: "POST",
      host: hostnameOf(url),
      port: url.port || (isSecure ? 443 : 80),
      path: url.pathname + url.search,
      headers: headersOf(request),
      agent,
    };
    return new Exchange({ isSecure, options, body, signal, patience: patienceOf(request), host: url.host });
  }
}

/** The server may close an unused connection at the very moment it is used again. Then nothing was answered, and a fresh connection does. */
function wasStale(exchange: Exchange, error: unknown): boolean {
  if (!exchange.isReused || !(error instanceof TrialError)) return false;
  return ["ECONNRESET", "EPIPE"].includes(codeOf(error.cause));
}

async function answerOf(exchange: Exchange, url: URL): Promise<HttpAnswer> {
  const message = await exchange.response();
  const answer = new Answer(exchange, message);
  const { location } = message.headers;
  if (answer.status < 300 || answer.status >= 400 || location === undefined) return answer;
  answer.discard();
  throw redirected(url, location);
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

function headersOf({ headers, body }: HttpRequest): Record<string, string | number> {
  return { "accept-encoding": "identity", ...headers, "content-length": Buffer.byteLength(body) };
}

function patienceOf({ connectTimeoutMs, headersTimeoutMs, idleTimeoutMs }: HttpRequest): Patience {
  return {
    connectMs: connectTimeoutMs ?? 10_000,
    headersMs: headersTimeoutMs ?? 600_000,
    idleMs: idleTimeoutMs ?? 300_000,
  };
}

/** URL writes IPv6 addresses in brackets, sockets take them without. */
function hostnameOf({ hostname }: URL): string {
  return hostname.startsWith("[") ? hostname.slice(1, -1) : hostname;
}
