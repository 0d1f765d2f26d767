import type { AssayError } from "../../core/index.js";
import { computeRetryDelay, isLoopback, type RetryPolicy } from "../../core/index.js";
import { type RetryState, retry } from "../../utils/index.js";
import {
  createHubBusyError,
  createHubConnectionError,
  createHubTimeoutError,
  explainRefusal,
  HubError,
  RETRY_NOW,
  type RequestSubject,
} from "./errors.js";
import type { HubContext } from "./hub.js";

interface HubFetchOptions {
  readonly about: RequestSubject;
  /** Called with the number of bytes received. */
  readonly onBytes: (bytes: number) => void;
}

const MAX_REDIRECTS = 10;
const REDIRECT_STATUSES = new Set([301, 302, 303, 307, 308]);

/** The server sends whole files instead of ranges. */
export class RangesIgnoredError extends HubError {}

/**
 * Creates the `fetch` for the hub's library. It sends the token only to the hub's origin, closes idle connections, checks
 * that a range is the requested one, and throws errors with a remedy.
 */
export function createHubFetch(context: HubContext, options: HubFetchOptions): typeof fetch {
  return async (input, init) => {
    const origin = toEndpoint(context, input instanceof Request ? input.url : input.toString());
    const headers = new Headers(init?.headers);
    let url = context.locations.get(origin.href) ?? origin;
    for (let hop = 0; hop <= MAX_REDIRECTS; hop++) {
      const response = await requestOnce(context, { url, headers, ...options });
      const location = REDIRECT_STATUSES.has(response.status) ? response.headers.get("location") : null;
      if (location === null) {
        context.locations.delete(origin.href);
        await requireSuccess(context, { url, headers, response, ...options });
        if (url.origin !== origin.origin) context.locations.set(origin.href, url);
        return response;
      }
      await response.body?.cancel();
      url = resolveRedirect(url, location);
    }
    throw new HubError(`${url.host} redirects in a loop. Check HF_ENDPOINT.`);
  };
}

/** A mirror's links to further pages may point to the hub itself. */
function toEndpoint({ settings }: HubContext, address: string): URL {
  const url = new URL(address, `${settings.endpoint}/`);
  const api = url.pathname.indexOf("/api/datasets/");
  return api === -1 ? url : new URL(`${settings.endpoint}${url.pathname.slice(api)}${url.search}`);
}

interface HubRequest extends HubFetchOptions {
  readonly url: URL;
  readonly headers: Headers;
}

async function requestOnce(context: HubContext, { url, headers, onBytes }: HubRequest): Promise<Response> {
  const sent = new Headers(headers);
  sent.set("user-agent", "assay");
  sent.set("accept-encoding", "identity");
  // Never to another origin, and never unencrypted.
  const { token, endpoint } = context.settings;
  if (token !== null && url.origin === new URL(endpoint).origin && canSendToken(url))
    sent.set("authorization", `Bearer ${token}`);
  const watch = new IdleTimeout(context, url);
  const response = await watch.waitFor(fetch(url, { redirect: "manual", headers: sent, signal: watch.signal }));
  const { status, headers: received, body } = response;
  return new Response(body === null ? null : watchBody(body.getReader(), watch, onBytes), {
    status,
    headers: received,
  });
}

/** Passes on a body and aborts it if it stays idle for too long. */
function watchBody(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  watch: IdleTimeout,
  onBytes: (bytes: number) => void,
): ReadableStream<Uint8Array> {
  const pull = async (controller: ReadableStreamDefaultController<Uint8Array>) => {
    const { done, value } = await watch.waitFor(reader.read());
    if (done) return controller.close();
    onBytes(value.length);
    controller.enqueue(value);
  };
  return new ReadableStream({ pull, cancel: (reason) => reader.cancel(reason) }, { highWaterMark: 0 });
}

async function requireSuccess(context: HubContext, request: HubRequest & { response: Response }): Promise<void> {
  const { response } = request;
  const problem = response.ok ? findRangeProblem(context, request) : explainHubFailure(context, request);
  if (problem === null) return;
  await response.body?.cancel();
  throw problem;
}

function explainHubFailure({ settings, ports }: HubContext, request: HubRequest & { response: Response }): AssayError {
  const { url, about, response } = request;
  const { status, headers } = response;
  if (status === 429 || status === 408 || status >= 500)
    return createHubBusyError({ status, headers, url, now: ports.now() });
  if (url.origin !== new URL(settings.endpoint).origin) {
    // The URL of a large file expires: the hub returns a new one.
    return new HubError(`${url.host} refused ${about.path ?? about.repo} (${status}).`, { retry: RETRY_NOW });
  }
  const token = settings.token === null ? "none" : canSendToken(url) ? "sent" : "kept back";
  return explainRefusal({ status, headers, about, endpoint: settings.endpoint, token });
}

function findRangeProblem({ etags }: HubContext, request: HubRequest & { response: Response }): HubError | null {
  const { url, about, response } = request;
  const { status, headers } = response;
  const { repo, path } = about;
  const asked = request.headers.get("range");
  if (asked === null) return null;
  if (status === 200) return new RangesIgnoredError(`${repo}/${path} cannot be read in ranges.`);
  const range = asked.replace("bytes=", "bytes ");
  const etag = headers.get("etag");
  const known = etags.get(`${url.origin}${url.pathname}`) ?? etag;
  if (etag !== null && etag !== known)
    return new HubError(
      `${repo}/${path} changed while it was being read: the server has another version now. Run again to read the new one.`,
    );
  if (etag !== null) etags.set(`${url.origin}${url.pathname}`, etag);
  if (headers.get("content-range")?.startsWith(`${range}/`)) return null;
  return new HubError(
    `The server sent the wrong range of ${repo}/${path}. Try again; check HF_ENDPOINT if it happens again.`,
    { retry: RETRY_NOW },
  );
}

/** Aborts a request that is idle for too long or no longer needed. */
class IdleTimeout {
  readonly #controller = new AbortController();
  readonly #context: HubContext;
  readonly #url: URL;

  constructor(context: HubContext, url: URL) {
    this.#context = context;
    this.#url = url;
    context.signal?.throwIfAborted();
  }

  get signal(): AbortSignal {
    const { signal } = this.#context;
    return signal === undefined ? this.#controller.signal : AbortSignal.any([signal, this.#controller.signal]);
  }

  /** Waits for the next data of the server. */
  async waitFor<T>(next: Promise<T>): Promise<T> {
    const { signal, ports } = this.#context;
    const timer = setTimeout(() => this.#controller.abort(), ports.idleMs);
    try {
      return await next;
    } catch (error) {
      if (signal?.aborted) throw signal.reason instanceof Error ? signal.reason : new Error("It was stopped.");
      const isSilent = this.#controller.signal.aborted;
      throw isSilent ? createHubTimeoutError(this.#url, ports.idleMs) : createHubConnectionError(error, this.#url);
    } finally {
      clearTimeout(timer);
    }
  }
}

function canSendToken(url: URL): boolean {
  return url.protocol === "https:" || isLoopback(url.hostname);
}

function resolveRedirect(from: URL, location: string): URL {
  const to = URL.canParse(location, from.href) ? new URL(location, from) : null;
  const isSafe = to?.protocol === "https:" || (to?.protocol === "http:" && from.protocol === "http:");
  if (to !== null && isSafe) return to;
  throw new HubError(`${from.host} redirects to an unsafe URL. Check HF_ENDPOINT.`);
}

interface HubRetryOptions {
  /** Maximum number of tries. Default: 5. */
  readonly tries?: number;
  /** A number that grows with progress: tries that made enough progress do not count. */
  readonly mark?: () => number;
}

const MAX_WAIT_MS = 60_000;
const MIN_PROGRESS_BYTES = 1024 * 1024;

/** Retries the work while its errors allow it. */
export async function withRetries<T>(
  { ports, signal }: HubContext,
  work: () => Promise<T>,
  { tries = 5, mark = () => 0 }: HubRetryOptions = {},
): Promise<T> {
  const policy: RetryPolicy = { maxRetries: tries - 1, maxWaitMs: MAX_WAIT_MS };
  let since = { failed: 0, waitedMs: 0, mark: mark() };
  const waitAfter = (error: unknown, all: RetryState) => {
    if (!(error instanceof HubError) || error.retry === null) return null;
    if (mark() - since.mark >= MIN_PROGRESS_BYTES)
      since = { failed: all.failed - 1, waitedMs: all.waitedMs, mark: mark() };
    const counted = { failed: all.failed - since.failed, waitedMs: all.waitedMs - since.waitedMs };
    const ms = computeRetryDelay(error.retry, counted, { policy, random: ports.random });
    if (ms === null) throw countTries(error, counted.failed);
    return ms;
  };
  return retry(work, { waitAfter, signal, sleep: ports.sleep });
}

function countTries(error: HubError, failed: number): HubError {
  if (failed === 1) return error;
  return new HubError(`${error.message} Tried ${failed} times.`, { cause: error, isOutage: error.isOutage });
}
