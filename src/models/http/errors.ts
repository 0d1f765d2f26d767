import {
  getErrorMessage,
  type InfrastructureCategory,
  type Outlook,
  type Retry,
  TrialError,
} from "../../core/index.js";

/** Retry without a requested delay. */
const RETRYABLE: { retry: Retry } = { retry: { afterMs: null } };

/** Explains a failed connection by Node's error code. */
type ErrorExplainer = (host: string) => { message: string; again: boolean };

const EXPLAINERS_BY_CODE: Readonly<Record<string, ErrorExplainer>> = {
  ECONNREFUSED: (host) => ({
    message: `Nothing listens on ${host}: the connection was refused. Start the endpoint, or check host and port.`,
    again: true,
  }),
  ENOTFOUND: (host) => ({ message: `Unknown host ${host}. Check the spelling of the base URL.`, again: false }),
  EAI_AGAIN: (host) => ({
    message: `The DNS server did not answer for ${host}. Check the network connection.`,
    again: true,
  }),
  ECONNRESET: explainClosedEarly,
  UND_ERR_SOCKET: explainClosedEarly,
  EPIPE: (host) => ({ message: `${host} closed the connection while the request was being sent.`, again: true }),
  EHOSTUNREACH: (host) => ({ message: `${host} is unreachable. Check the network connection.`, again: true }),
  ENETUNREACH: (host) => ({ message: `${host} is unreachable. Check the network connection.`, again: true }),
  DEPTH_ZERO_SELF_SIGNED_CERT: explainSelfSigned,
  SELF_SIGNED_CERT_IN_CHAIN: explainSelfSigned,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: explainSelfSigned,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: explainSelfSigned,
  CERT_HAS_EXPIRED: (host) => ({ message: `The certificate of ${host} has expired. Renew it.`, again: false }),
  ERR_TLS_CERT_ALTNAME_INVALID: (host) => ({
    message: `The certificate of ${host} is for another host. Check the base URL.`,
    again: false,
  }),
};

function explainClosedEarly(host: string): { message: string; again: boolean } {
  return { message: `${host} closed the connection before its response was complete.`, again: true };
}

function explainSelfSigned(host: string): { message: string; again: boolean } {
  return {
    message: `The certificate of ${host} is not signed by a trusted authority. If it is your own, set NODE_EXTRA_CA_CERTS to its file before starting.`,
    again: false,
  };
}

/**
 * Converts a connection failure to an error that says what to do. `host` is host and port.
 * @example
 * createHttpConnectionError(new Error("connect ECONNREFUSED"), "127.0.0.1:8080");
 */
export function createHttpConnectionError(cause: unknown, host: string): TrialError {
  if (cause instanceof TrialError) return cause;
  const code = getNodeErrorCode(cause);
  if (code === "ETIMEDOUT")
    return createHttpTimeoutError(`${host} did not answer the connection attempt.`, cause, "down");
  const known = Object.hasOwn(EXPLAINERS_BY_CODE, code) ? EXPLAINERS_BY_CODE[code]?.(host) : undefined;
  const { message, again } = known ?? explainUnknownError({ cause, code, host });
  return new TrialError("api_error", message, { cause, outlook: "down", ...(again ? RETRYABLE : {}) });
}

export function createHttpTimeoutError(message: string, cause?: unknown, outlook?: Outlook): TrialError {
  const known = { ...(cause === undefined ? {} : { cause }), ...(outlook === undefined ? {} : { outlook }) };
  return new TrialError("timeout", message, { ...known, ...RETRYABLE });
}

function explainUnknownError({ cause, code, host }: { cause: unknown; code: string; host: string }) {
  if (code.startsWith("HPE_") || (cause instanceof Error && cause.name === "HTTPParserError")) {
    return {
      message: `${host} does not respond with HTTP (${code || getErrorMessage(cause)}). Check the port, and whether it is https.`,
      again: false,
    };
  }
  if (/^(?:ERR_SSL|ERR_TLS|CERT_|EPROTO)/.test(code)) {
    return {
      message: `The TLS connection to ${host} failed (${code}). Check whether it is http instead of https, and its certificate.`,
      again: false,
    };
  }
  return { message: `The connection to ${host} failed: ${getErrorMessage(cause)}.`, again: true };
}

/** Node's error code; "" if there is none. */
export function getNodeErrorCode(error: unknown): string {
  const { code } = (error ?? {}) as { code?: unknown };
  return typeof code === "string" ? code : "";
}

/** The category of an error status. */
export function classifyHttpStatus(status: number): InfrastructureCategory {
  if (status === 429 || status === 529) return "rate_limit";
  // 524 is Cloudflare's status for a server that did not answer in time.
  return [408, 504, 524].includes(status) ? "timeout" : "api_error";
}
