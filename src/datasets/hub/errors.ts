import { AssayError, DatasetError, EXIT, getErrorMessage, type Retry } from "../../core/index.js";
import { parseRetryAfter } from "../../models/index.js";

interface HubErrorOptions {
  cause?: unknown;
  /** Set if a retry may help. */
  retry?: Retry;
  /** True if the hub could not be reached or could not answer: the cache may be used instead. */
  isOutage?: boolean;
}

/** The hub, the network or the cache failed; the request itself was valid. */
export class HubError extends AssayError {
  readonly retry: Retry | null;
  readonly isOutage: boolean;

  constructor(message: string, { cause, retry, isOutage }: HubErrorOptions = {}) {
    super("HUB", message, { cause, exitCode: EXIT.infrastructure });
    this.retry = retry ?? null;
    this.isOutage = isOutage ?? retry !== undefined;
  }
}

export function createHubOfflineError(what: string): HubError {
  return new HubError(
    `${what} is not in the cache, and HF_HUB_OFFLINE forbids downloads. Run the same command once without HF_HUB_OFFLINE; afterwards it works offline.`,
  );
}

export function formatDownloadSize(bytes: number): string {
  const units = ["bytes", "KiB", "MiB", "GiB", "TiB"];
  const power = bytes < 1 ? 0 : Math.min(units.length - 1, Math.floor(Math.log2(bytes) / 10));
  const value = bytes / 1024 ** power;
  return `${power === 0 ? value : value.toFixed(1)} ${units[power]}`;
}

/** Retry with the default delay. */
export const RETRY_NOW: Retry = { afterMs: null };

const CONNECTION_PROBLEMS: Readonly<Record<string, string>> = {
  ENOTFOUND: "the host does not exist, or there is no network",
  EAI_AGAIN: "the name server did not answer",
  ECONNREFUSED: "the connection was refused",
  EHOSTUNREACH: "it cannot be reached",
  ENETUNREACH: "there is no network",
  ETIMEDOUT: "it did not answer",
  UND_ERR_CONNECT_TIMEOUT: "it did not answer",
};

const BAD_CERTIFICATE = /CERT|SELF_SIGNED|UNABLE_TO|ERR_TLS|ERR_SSL|EPROTO/;

export function createHubConnectionError(thrown: unknown, url: URL): HubError {
  const cause = (thrown as { cause?: unknown } | null)?.cause ?? thrown;
  const code = getHubErrorCode(cause);
  if (BAD_CERTIFICATE.test(code)) {
    return new HubError(
      `No secure connection to ${url.host} could be made (${code}). If its certificate is your own, set NODE_EXTRA_CA_CERTS to its file; otherwise check HF_ENDPOINT.`,
      { cause: thrown, isOutage: true },
    );
  }
  const why = Object.hasOwn(CONNECTION_PROBLEMS, code) ? CONNECTION_PROBLEMS[code] : undefined;
  if (why === undefined) {
    return new HubError(`The connection to ${url.host} was interrupted: ${getErrorMessage(cause)}. Try again.`, {
      cause: thrown,
      retry: RETRY_NOW,
    });
  }
  const message = `${url.host} cannot be reached: ${why}. Check the network and HF_ENDPOINT; with HF_HUB_OFFLINE=1 only the cache is used.`;
  // An unknown host name will still be unknown a second later.
  return new HubError(message, {
    cause: thrown,
    isOutage: true,
    ...(code === "ENOTFOUND" ? {} : { retry: RETRY_NOW }),
  });
}

export function createHubTimeoutError(url: URL, ms: number): HubError {
  return new HubError(`${url.host} sent nothing for ${ms / 1000} s. Check the network, and try again.`, {
    retry: RETRY_NOW,
  });
}

/** Node's error may contain several, one for each address of a host. */
function getHubErrorCode(error: unknown): string {
  const { code, errors } = (error ?? {}) as { code?: unknown; errors?: unknown };
  if (typeof code === "string") return code;
  return Array.isArray(errors) && errors.length > 0 ? getHubErrorCode(errors[0]) : "";
}

export function createHubBusyError({
  status,
  headers,
  url,
  now,
}: {
  status: number;
  headers: Headers;
  url: URL;
  now: number;
}) {
  const afterMs = parseRetryAfter(Object.fromEntries(headers), now);
  const asks = afterMs === null ? "" : ` and asks to wait ${Math.ceil(afterMs / 1000)} s`;
  const what = status === 429 ? "gets too many requests" : "has an internal problem";
  const advice = status === 429 ? "Try again later; HF_TOKEN raises the limit" : "Try again later";
  return new HubError(`${url.host} ${what} (${status})${asks}. ${advice}.`, { retry: { afterMs } });
}

/** What a request is about, for messages. */
export interface RequestSubject {
  readonly repo: string;
  readonly revision?: string;
  readonly path?: string;
}

interface RefusedResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly about: RequestSubject;
  readonly endpoint: string;
  /** Whether a token was sent, withheld, or not set. */
  readonly token: "sent" | "kept back" | "none";
}

/** The repository exists, but not the branch, tag or commit. */
export class RevisionMissingError extends DatasetError {}

/** Explains an error status of the hub, with a remedy. */
export function explainRefusal({ status, headers, about, endpoint, token }: RefusedResponse): AssayError {
  const { repo, revision = "main", path = "" } = about;
  const { host } = new URL(endpoint);
  const reason = readRefusalReason(headers);
  const isSent = token === "sent";
  const keptBack = token === "kept back" ? " (it is set, but is not sent over plain http: use an https address)" : "";
  const code = headers.get("x-error-code");
  if (code === "GatedRepo") {
    const then = isSent ? "with the account that HF_TOKEN belongs to" : `and set HF_TOKEN${keptBack}`;
    const page = `${endpoint}/datasets/${repo}`;
    return new DatasetError(`${repo} is gated. Open ${page}, accept its terms, ${then}; then run again.`);
  }
  if (code === "RevisionNotFound")
    return new RevisionMissingError(`${repo} has no revision "${revision}". Use one of its branches, tags or commits.`);
  if (code === "EntryNotFound") return new DatasetError(`${repo} has no file "${path}" at ${revision}.`);
  if (code === "RepoNotFound" || status === 404) {
    const hint = isSent ? "that HF_TOKEN may read it" : `set HF_TOKEN if it is private${keptBack}`;
    return new DatasetError(`No dataset ${repo} on ${host}. Check its name, or ${hint}.`);
  }
  if (status === 401) {
    return new DatasetError(
      isSent
        ? `${host} rejects the token. Create a new one there, under Settings, and set HF_TOKEN to it; public datasets need none.`
        : `${host} requires a token to read ${repo}. Set HF_TOKEN${keptBack}.`,
    );
  }
  if (status === 403) {
    return new DatasetError(
      `${host} does not let this account read ${repo}${reason}. Give HF_TOKEN permission to read it, or ask its owner.`,
    );
  }
  return new HubError(`${host} answered ${status} for ${repo}${reason}.`);
}

/** The hub's own message, if it is readable. */
function readRefusalReason(headers: Headers): string {
  const message = headers.get("x-error-message")?.replace(/[^\x20-\x7e]/g, " ") ?? "";
  return message === "" ? "" : ` (${message.slice(0, 200).replace(/\.$/, "")})`;
}
