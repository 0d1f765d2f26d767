import { messageOf, type Retry } from "../core/errors.js";
import { HubError } from "./errors.js";

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
