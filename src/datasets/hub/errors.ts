import { AssayError, DatasetError, EXIT, messageOf, type Retry } from "../../core/errors.js";
import { retryAfterMs } from "../../models/http/retry-after.js";

interface HubErrorOptions {
  cause?: unknown;
  /** Present when trying again may help. */
  retry?: Retry;
  /** True when the hub could not be reached or could not answer: what the cache holds may stand in. */
  isOutage?: boolean;
}

/** The hub, the network or the cache failed; the user's question was fine. */
export class HubError extends AssayError {
  readonly retry: Retry | null;
  readonly isOutage: boolean;

  constructor(message: string, { cause, retry, isOutage }: HubErrorOptions = {}) {
    super("HUB", message, { cause, exitCode: EXIT.infrastructure });
    this.retry = retry ?? null;
    this.isOutage = isOutage ?? retry !== undefined;
  }
}

/** What is asked for is not in the cache, and the network may not be used. */
export function offlineError(what: string): HubError {
  return new HubError(
    `${what} is not in the cache, and HF_HUB_OFFLINE forbids to fetch it. Run the same command once without HF_HUB_OFFLINE; afterwards it works offline.`,
  );
}

/** A size as people read it. */
export function sizeText(bytes: number): string {
  const units = ["bytes", "KiB", "MiB", "GiB", "TiB"];
  const power = bytes < 1 ? 0 : Math.min(units.length - 1, Math.floor(Math.log2(bytes) / 10));
  const value = bytes / 1024 ** power;
  return `${power === 0 ? value : value.toFixed(1)} ${units[power]}`;
}

/** Trying again can help, and nobody said when. */
export const AGAIN: Retry = { afterMs: null };

const NO_CONNECTION: Readonly<Record<string, string>> = {
  ENOTFOUND: "there is no such host, or no network",
  EAI_AGAIN: "the name server did not answer",
  ECONNREFUSED: "the connection was refused",
  EHOSTUNREACH: "it cannot be reached",
  ENETUNREACH: "there is no network",
  ETIMEDOUT: "it did not answer",
  UND_ERR_CONNECT_TIMEOUT: "it did not answer",
};

const BAD_CERTIFICATE = /CERT|SELF_SIGNED|UNABLE_TO|ERR_TLS|ERR_SSL|EPROTO/;

/** What a connection that failed means, and what to do about it. */
export function connectionError(thrown: unknown, url: URL): HubError {
  const cause = (thrown as { cause?: unknown } | null)?.cause ?? thrown;
  const code = codeOf(cause);
  if (BAD_CERTIFICATE.test(code)) {
    return new HubError(
      `No safe connection to ${url.host} could be made (${code}). If its certificate is your own, name its file in NODE_EXTRA_CA_CERTS; else check HF_ENDPOINT.`,
      { cause: thrown, isOutage: true },
    );
  }
  const why = Object.hasOwn(NO_CONNECTION, code) ? NO_CONNECTION[code] : undefined;
  if (why === undefined) {
    return new HubError(`The connection to ${url.host} broke off: ${messageOf(cause)}. Try again.`, {
      cause: thrown,
      retry: AGAIN,
    });
  }
  const message = `${url.host} cannot be reached: ${why}. Check the network and HF_ENDPOINT; with HF_HUB_OFFLINE=1 only what is in the cache is used.`;
  // A name that is not known will not be a second later.
  return new HubError(message, { cause: thrown, isOutage: true, ...(code === "ENOTFOUND" ? {} : { retry: AGAIN }) });
}

/** A connection on which nothing came for too long. */
export function silenceError(url: URL, ms: number): HubError {
  return new HubError(`${url.host} sent nothing for ${ms / 1000} s. Check the network, and try again.`, {
    retry: AGAIN,
  });
}

/** An error of Node's may hold several, one for each address of a host. */
function codeOf(error: unknown): string {
  const { code, errors } = (error ?? {}) as { code?: unknown; errors?: unknown };
  if (typeof code === "string") return code;
  return Array.isArray(errors) && errors.length > 0 ? codeOf(errors[0]) : "";
}

/** A server that asks for patience. */
export function busyError({ status, headers, url, now }: { status: number; headers: Headers; url: URL; now: number }) {
  const afterMs = retryAfterMs(Object.fromEntries(headers), now);
  const asks = afterMs === null ? "" : ` and asks to wait ${Math.ceil(afterMs / 1000)} s`;
  const what = status === 429 ? "gets too many requests" : "has a problem of its own";
  const advice = status === 429 ? "Try again later; with HF_TOKEN set, more is allowed" : "Try again later";
  return new HubError(`${url.host} ${what} (${status})${asks}. ${advice}.`, { retry: { afterMs } });
}

/** What a request is about, for messages. */
export interface Subject {
  readonly repo: string;
  readonly revision?: string;
  readonly path?: string;
}

interface Refused {
  readonly status: number;
  readonly headers: Headers;
  readonly about: Subject;
  readonly endpoint: string;
  /** Whether a token was sent, is there but was kept back, or is not there. */
  readonly token: "sent" | "kept back" | "none";
}

/** The repository is there, but not the branch, tag or commit. */
export class RevisionMissing extends DatasetError {}

/** Says what a status of the hub itself means, and what to do about it. */
export function explainRefusal({ status, headers, about, endpoint, token }: Refused): AssayError {
  const { repo, revision = "main", path = "" } = about;
  const { host } = new URL(endpoint);
  const reason = readReason(headers);
  const isSent = token === "sent";
  const keptBack =
    token === "kept back" ? " (there is one, but it is not sent over plain http: use an https address)" : "";
  const code = headers.get("x-error-code");
  if (code === "GatedRepo") {
    const then = isSent ? "with the account that HF_TOKEN belongs to" : `and set HF_TOKEN${keptBack}`;
    const page = `${endpoint}/datasets/${repo}`;
    return new DatasetError(`${repo} is gated. Open ${page}, accept its terms, ${then}; then run again.`);
  }
  if (code === "RevisionNotFound")
    return new RevisionMissing(`${repo} has no revision "${revision}". Give a branch, a tag or a commit of it.`);
  if (code === "EntryNotFound") return new DatasetError(`${repo} has no file "${path}" at ${revision}.`);
  if (code === "RepoNotFound" || status === 404) {
    const hint = isSent ? "that HF_TOKEN may read it" : `set HF_TOKEN if it is private${keptBack}`;
    return new DatasetError(`There is no dataset ${repo} on ${host}. Check its name, or ${hint}.`);
  }
  if (status === 401) {
    return new DatasetError(
      isSent
        ? `${host} does not accept the token. Make a new one there, under Settings, and put it into HF_TOKEN; public datasets need none.`
        : `${host} asks for a token to read ${repo}. Set HF_TOKEN${keptBack}.`,
    );
  }
  if (status === 403) {
    return new DatasetError(
      `${host} does not let this account read ${repo}${reason}. Give HF_TOKEN the right to read it, or ask its owner.`,
    );
  }
  return new HubError(`${host} answered ${status} for ${repo}${reason}.`);
}

/** The hub's own words, so far as they are words. */
function readReason(headers: Headers): string {
  const message = headers.get("x-error-message")?.replace(/[^\x20-\x7e]/g, " ") ?? "";
  return message === "" ? "" : ` (${message.slice(0, 200).replace(/\.$/, "")})`;
}
