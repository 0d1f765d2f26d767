import type { AssayError } from "../../core/errors.js";
import { isLoopback } from "../../core/loopback.js";
import { type RetryPolicy, waitBeforeRetry } from "../../core/retry.js";
import { retry, type Tries } from "../../utils/retry.js";
import { AGAIN, busyError, connectionError, explainRefusal, HubError, type Subject, silenceError } from "./errors.js";
import type { HubContext } from "./hub.js";

interface FetchOptions {
  readonly about: Subject;
  /** Told of bytes as they come. */
  readonly onBytes: (bytes: number) => void;
}

const MAX_REDIRECTS = 10;
const REDIRECTS = new Set([301, 302, 303, 307, 308]);

/** The server answers with whole files, whatever range is asked for. */
export class RangesIgnored extends HubError {}

/**
 * Creates what the hub's library asks with. It keeps the token to the hub's own origin, ends connections that stay
 * silent, checks that a part is the one asked for, and throws errors that say what to do.
 */
export function createHubFetch(context: HubContext, options: FetchOptions): typeof fetch {
  return async (input, init) => {
    const origin = toEndpoint(context, input instanceof Request ? input.url : input.toString());
    const headers = new Headers(init?.headers);
    let url = context.locations.get(origin.href) ?? origin;
    for (let hop = 0; hop <= MAX_REDIRECTS; hop++) {
      const response = await requestOnce(context, { url, headers, ...options });
      const location = REDIRECTS.has(response.status) ? response.headers.get("location") : null;
      if (location === null) {
        context.locations.delete(origin.href);
        await requireAnswer(context, { url, headers, response, ...options });
        if (url.origin !== origin.origin) context.locations.set(origin.href, url);
        return response;
      }
      await response.body?.cancel();
      url = resolveRedirect(url, location);
    }
    throw new HubError(`${url.host} redirects in a circle. Check HF_ENDPOINT.`);
  };
}

/** Links to further pages may name the hub where a mirror is meant. */
function toEndpoint({ settings }: HubContext, address: string): URL {
  const url = new URL(address, `${settings.endpoint}/`);
  const api = url.pathname.indexOf("/api/datasets/");
  return api === -1 ? url : new URL(`${settings.endpoint}${url.pathname.slice(api)}${url.search}`);
}

interface Request extends FetchOptions {
  readonly url: URL;
  readonly headers: Headers;
}

async function requestOnce(context: HubContext, { url, headers, onBytes }: Request): Promise<Response> {
  const sent = new Headers(headers);
  sent.set("user-agent", "assay");
  sent.set("accept-encoding", "identity");
  // Never to another origin, and never where others can listen in.
  const { token, endpoint } = context.settings;
  if (token !== null && url.origin === new URL(endpoint).origin && isPrivateWay(url))
    sent.set("authorization", `Bearer ${token}`);
  const watch = new SilenceWatch(context, url);
  const response = await watch.during(fetch(url, { redirect: "manual", headers: sent, signal: watch.signal }));
  const { status, headers: received, body } = response;
  return new Response(body === null ? null : watchBody(body.getReader(), watch, onBytes), {
    status,
    headers: received,
  });
}

/** Passes on a body as it is read, and ends it when nothing comes for too long. */
function watchBody(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  watch: SilenceWatch,
  onBytes: (bytes: number) => void,
): ReadableStream<Uint8Array> {
  const pull = async (controller: ReadableStreamDefaultController<Uint8Array>) => {
    const { done, value } = await watch.during(reader.read());
    if (done) return controller.close();
    onBytes(value.length);
    controller.enqueue(value);
  };
  return new ReadableStream({ pull, cancel: (reason) => reader.cancel(reason) }, { highWaterMark: 0 });
}

async function requireAnswer(context: HubContext, request: Request & { response: Response }): Promise<void> {
  const { response } = request;
  const problem = response.ok ? findRangeProblem(context, request) : explain(context, request);
  if (problem === null) return;
  await response.body?.cancel();
  throw problem;
}

function explain({ settings, ports }: HubContext, request: Request & { response: Response }): AssayError {
  const { url, about, response } = request;
  const { status, headers } = response;
  if (status === 429 || status === 408 || status >= 500) return busyError({ status, headers, url, now: ports.now() });
  if (url.origin !== new URL(settings.endpoint).origin) {
    // The address of a large file is valid for a while only: asking the hub again gives a new one.
    return new HubError(`${url.host} refused ${about.path ?? about.repo} (${status}).`, { retry: AGAIN });
  }
  const token = settings.token === null ? "none" : isPrivateWay(url) ? "sent" : "kept back";
  return explainRefusal({ status, headers, about, endpoint: settings.endpoint, token });
}

function findRangeProblem({ etags }: HubContext, request: Request & { response: Response }): HubError | null {
  const { url, about, response } = request;
  const { status, headers } = response;
  const { repo, path } = about;
  const asked = request.headers.get("range");
  if (asked === null) return null;
  if (status === 200) return new RangesIgnored(`Of ${repo}/${path}, no parts can be had.`);
  const range = asked.replace("bytes=", "bytes ");
  const etag = headers.get("etag");
  const known = etags.get(`${url.origin}${url.pathname}`) ?? etag;
  if (etag !== null && etag !== known)
    return new HubError(
      `${repo}/${path} changed while it was being read: the server has another version of it now. Run again to read the new one.`,
    );
  if (etag !== null) etags.set(`${url.origin}${url.pathname}`, etag);
  if (headers.get("content-range")?.startsWith(`${range}/`)) return null;
  return new HubError(
    `Of ${repo}/${path}, another part came than was asked for. Try again; check HF_ENDPOINT if it lasts.`,
    { retry: AGAIN },
  );
}

/** Ends a request on which nothing comes for too long, or that is no longer wanted. */
class SilenceWatch {
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

  /** Waits for what the server is to send next. */
  async during<T>(next: Promise<T>): Promise<T> {
    const { signal, ports } = this.#context;
    const timer = setTimeout(() => this.#controller.abort(), ports.idleMs);
    try {
      return await next;
    } catch (error) {
      if (signal?.aborted) throw signal.reason instanceof Error ? signal.reason : new Error("It was stopped.");
      const isSilent = this.#controller.signal.aborted;
      throw isSilent ? silenceError(this.#url, ports.idleMs) : connectionError(error, this.#url);
    } finally {
      clearTimeout(timer);
    }
  }
}

function isPrivateWay(url: URL): boolean {
  return url.protocol === "https:" || isLoopback(url.hostname);
}

function resolveRedirect(from: URL, location: string): URL {
  const to = URL.canParse(location, from.href) ? new URL(location, from) : null;
  const isSafe = to?.protocol === "https:" || (to?.protocol === "http:" && from.protocol === "http:");
  if (to !== null && isSafe) return to;
  throw new HubError(`${from.host} redirects to an address that is not safe to follow. Check HF_ENDPOINT.`);
}

interface RetryOptions {
  /** How often it is tried at most. Default: 5. */
  readonly tries?: number;
  /** A number that grows as the work gets on: tries that got far enough do not count. */
  readonly mark?: () => number;
}

const MAX_WAIT_MS = 60_000;
const FAR_ENOUGH_BYTES = 1024 * 1024;

/** Does the work again while its errors say that this may help. */
export async function withRetries<T>(
  { ports, signal }: HubContext,
  work: () => Promise<T>,
  { tries = 5, mark = () => 0 }: RetryOptions = {},
): Promise<T> {
  const policy: RetryPolicy = { maxRetries: tries - 1, maxWaitMs: MAX_WAIT_MS };
  let since = { failed: 0, waitedMs: 0, mark: mark() };
  const waitAfter = (error: unknown, all: Tries) => {
    if (!(error instanceof HubError) || error.retry === null) return null;
    if (mark() - since.mark >= FAR_ENOUGH_BYTES)
      since = { failed: all.failed - 1, waitedMs: all.waitedMs, mark: mark() };
    const counted = { failed: all.failed - since.failed, waitedMs: all.waitedMs - since.waitedMs };
    const ms = waitBeforeRetry(error.retry, counted, { policy, random: ports.random });
    if (ms === null) throw countTries(error, counted.failed);
    return ms;
  };
  return retry(work, { waitAfter, signal, sleep: ports.sleep });
}

function countTries(error: HubError, failed: number): HubError {
  if (failed === 1) return error;
  return new HubError(`${error.message} It was tried ${failed} times.`, { cause: error, isOutage: error.isOutage });
}
