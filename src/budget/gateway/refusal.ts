import type { ServerResponse } from "node:http";
import { AssayError, getErrorMessage } from "../../core/index.js";
import type { Dialect, GatewayDialectName } from "../../models/index.js";

/**
 * The status for errors that no retry can fix. 402 would fit, but Codex retries every error status it does not know, and
 * it knows 400; the SDKs of all providers give up on it too.
 */
const NOT_RETRIED_STATUS = 400;

/** The kinds of errors the gateway itself sends. */
export type RefusalKind = "budget" | "request" | "upstream";

/** Each provider's own error types, so that its clients classify the error correctly. */
const ERROR_TYPES: Readonly<Record<RefusalKind, Readonly<Record<GatewayDialectName, string>>>> = {
  budget: {
    chat: "insufficient_quota",
    responses: "insufficient_quota",
    anthropic: "billing_error",
    gemini: "FAILED_PRECONDITION",
  },
  request: {
    chat: "invalid_request_error",
    responses: "invalid_request_error",
    anthropic: "invalid_request_error",
    gemini: "INVALID_ARGUMENT",
  },
  upstream: { chat: "server_error", responses: "server_error", anthropic: "api_error", gemini: "UNAVAILABLE" },
};

/** A request that the gateway refuses instead of forwarding it. */
export class RefusalError extends AssayError {
  readonly kind: RefusalKind;
  readonly status: number;
  /** The message for the record of the request. */
  readonly story: string;

  constructor(kind: RefusalKind, message: string, options: { status?: number; cause?: unknown; story?: string } = {}) {
    super("GATEWAY_REFUSAL", `Assay gateway: ${message}`, options);
    this.kind = kind;
    this.status = options.status ?? NOT_RETRIED_STATUS;
    this.story = options.story ?? this.message;
  }
}

/** Node rejected a path or a header, so nothing was sent. */
export class UnsendableRequestError extends AssayError {
  constructor(cause: unknown) {
    super("UNSENDABLE_REQUEST", getErrorMessage(cause), { cause });
  }
}

/** Sends an error in the format that the dialect's clients expect. */
export function sendRefusal(client: ServerResponse, dialect: Dialect<GatewayDialectName>, refusal: RefusalError): void {
  if (client.headersSent || client.destroyed) return;
  const body = JSON.stringify(buildRefusalBody(dialect, refusal));
  client.writeHead(refusal.status, {
    "content-type": "application/json",
    "content-length": Buffer.byteLength(body),
    // The SDKs of OpenAI and Anthropic obey this header whatever the status.
    "x-should-retry": String(refusal.kind === "upstream"),
  });
  client.end(body);
}

function buildRefusalBody(
  dialect: Dialect<GatewayDialectName>,
  { status, message, kind }: RefusalError,
): Record<string, unknown> {
  return dialect.errorBody(status, { message, type: ERROR_TYPES[kind][dialect.name] });
}

/** Formats the events that end a stream with an error. Responses events are numbered: `next` is the first free number. */
export function formatRefusalEvents(dialect: Dialect<GatewayDialectName>, refusal: RefusalError, next: number): string {
  const type = ERROR_TYPES[refusal.kind][dialect.name];
  if (dialect.name === "responses") return formatResponsesEvents(type, refusal.message, next);
  const data = `data: ${JSON.stringify(buildRefusalBody(dialect, refusal))}\n\n`;
  return dialect.name === "anthropic" ? `event: error\n${data}` : data;
}

/** OpenAI's SDKs throw on `error`; others, such as Codex, only look for `response.failed`. */
function formatResponsesEvents(code: string, message: string, next: number): string {
  const error = { type: "error", sequence_number: next, code, message, param: null };
  const response = { status: "failed", error: { code, message } };
  const failed = { type: "response.failed", sequence_number: next + 1, response };
  return [error, failed].map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join("");
}

export const CONNECTION_BROKEN = "The connection broke off before the answer was complete.";

/** Enough for any error message. */
const MAX_ERROR_BYTES = 16 * 1024;

/** Keeps the beginning of an error body while it is passed on, for the record. */
export class ErrorBody {
  #chunks: Buffer[] = [];
  #bytes = 0;

  push(chunk: Buffer): void {
    if (this.#bytes >= MAX_ERROR_BYTES) return;
    this.#chunks.push(chunk.subarray(0, MAX_ERROR_BYTES - this.#bytes));
    this.#bytes += chunk.length;
  }

  /** The provider's message if the body can be parsed, else the body itself. */
  message(dialect: Dialect<GatewayDialectName>, status: number): string {
    const text = Buffer.concat(this.#chunks).toString("utf8");
    this.#chunks = [];
    return extractUpstreamMessage(dialect, text) || text.trim() || `status ${status} without a word`;
  }
}

function extractUpstreamMessage(dialect: Dialect<GatewayDialectName>, text: string): string {
  try {
    return dialect.errorIn(JSON.parse(text))?.message ?? "";
  } catch {
    return "";
  }
}
