import type { AssayError } from "../core/errors.js";
import { AGAIN, connectionError } from "./connection-error.js";
import { HubError } from "./errors.js";
import type { HubPorts } from "./ports.js";
import { refusal, type Subject } from "./refusal.js";
import { retryAfterMs } from "./retry-after.js";
import { type HubSettings, isLoopback } from "./settings.js";
import { Watch } from "./watch.js";

/** One question to the hub, or to a store of large files that it has named. */
export interface WireRequest {
  readonly url: URL;
  readonly headers?: Readonly<Record<string, string>>;
  readonly about: Subject;
  /** Statuses that are no error here. */
  readonly accept?: readonly number[];
}

/** An answer whose body has not been read yet. */
export interface WireAnswer {
  readonly status: number;
  readonly headers: Headers;
  /** Where it came from in the end. */
  readonly url: URL;
  /** The body as it comes; throws a `HubError` when it breaks off. */
  chunks(): AsyncGenerator<Uint8Array>;
  /** Leaves what is unread of the body. */
  discard(): Promise<void>;
}

interface WireOptions {
  readonly settings: HubSettings;
  readonly ports: HubPorts;
  readonly signal: AbortSignal | undefined;
}

const MOST_REDIRECTS = 10;
const REDIRECTS = new Set([301, 302, 303, 307, 308]);

/** Asks once, follows redirects, and keeps the token to the hub's own origin. */
export class Wire {
  readonly #options: WireOptions;
  readonly #origin: string;

  constructor(options: WireOptions) {
    this.#options = options;
    this.#origin = new URL(options.settings.endpoint).origin;
  }

  async open(request: WireRequest): Promise<WireAnswer> {
    let { url } = request;
    for (let hop = 0; hop <= MOST_REDIRECTS; hop++) {
      const answer = await this.#once({ ...request, url });
      const location = REDIRECTS.has(answer.status) ? answer.headers.get("location") : null;
      if (location === null) return this.#checked(request, answer);
      await answer.discard();
      url = nextUrl(url, location);
    }
    throw new HubError(`${url.host} redirects in a circle. Check HF_ENDPOINT.`);
  }

  async #once({ url, headers }: WireRequest): Promise<WireAnswer> {
    const { ports, signal } = this.#options;
    const watch = new Watch({ idleMs: ports.idleMs, signal, url });
    const sent = { "user-agent": "assay", "accept-encoding": "identity", ...this.#authorization(url), ...headers };
    try {
      const response = await fetch(url, { redirect: "manual", headers: sent, signal: watch.signal });
      return new FetchedAnswer(response, url, watch);
    } catch (error) {
      watch.stop();
      throw watch.reason() ?? connectionError(error, url);
    }
  }

  /** Never to another origin, and never where others can listen in. */
  #authorization(url: URL): Record<string, string> {
    const { token } = this.#options.settings;
    if (token === null || url.origin !== this.#origin || !isPrivateWay(url)) return {};
    return { authorization: `Bearer ${token}` };
  }

  async #checked(request: WireRequest, answer: WireAnswer): Promise<WireAnswer> {
    const { status } = answer;
    if ((status >= 200 && status < 300) || request.accept?.includes(status)) return answer;
    await answer.discard();
    throw this.#problem(request, answer);
  }

  #problem({ about }: WireRequest, { status, headers, url }: WireAnswer): AssayError {
    const { settings, ports } = this.#options;
    if (status === 429 || status === 408 || status >= 500) return busyError({ status, headers, url, now: ports.now() });
    if (url.origin !== this.#origin) {
      // The address of a large file is valid for a while only: asking the hub again gives a new one.
      return new HubError(`${url.host} refused ${about.path ?? about.repo} (${status}).`, { retry: AGAIN });
    }
    const token = settings.token === null ? "none" : isPrivateWay(url) ? "sent" : "kept back";
    return refusal({ status, headers, about, endpoint: settings.endpoint, token });
  }
}

/** An answer of `fetch`. */
class FetchedAnswer implements WireAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly url: URL;
  /** Held as a whole: a body whose response has been garbage collected ends early, as if it had been complete. */
  readonly #response: Response;
  readonly #watch: Watch;

  constructor(response: Response, url: URL, watch: Watch) {
    this.status = response.status;
    this.headers = response.headers;
    this.#response = response;
    this.url = url;
    this.#watch = watch;
  }

  async *chunks(): AsyncGenerator<Uint8Array> {
    try {
      for await (const chunk of this.#response.body ?? []) {
        this.#watch.pause();
        yield chunk as Uint8Array;
        this.#watch.resume();
      }
    } catch (error) {
      throw this.#watch.reason() ?? connectionError(error, this.url);
    } finally {
      this.#watch.stop();
    }
  }

  async discard(): Promise<void> {
    this.#watch.stop();
    await this.#response.body?.cancel().catch(() => {});
  }
}

function isPrivateWay(url: URL): boolean {
  return url.protocol === "https:" || isLoopback(url);
}

function nextUrl(from: URL, location: string): URL {
  const to = URL.canParse(location, from.href) ? new URL(location, from) : null;
  const isFine = to?.protocol === "https:" || (to?.protocol === "http:" && from.protocol === "http:");
  if (to !== null && isFine) return to;
  throw new HubError(`${from.host} redirects to an address that is not safe to follow. Check HF_ENDPOINT.`);
}

function busyError({ status, headers, url, now }: { status: number; headers: Headers; url: URL; now: number }) {
  const afterMs = retryAfterMs(headers.get("retry-after"), now);
  const asks = afterMs === null ? "" : ` and asks to wait ${Math.ceil(afterMs / 1000)} s`;
  const what = status === 429 ? "gets too many requests" : "has a problem of its own";
  const advice = status === 429 ? "Try again later; with HF_TOKEN set, more is allowed" : "Try again later";
  return new HubError(`${url.host} ${what} (${status})${asks}. ${advice}.`, { retry: { afterMs } });
}
