import type { ProtocolError } from "./wire.js";

interface OpenaiErrorKind {
  readonly type: string;
  readonly code: string | null;
}

const ERROR_KINDS: Readonly<Record<number, OpenaiErrorKind>> = {
  400: { type: "invalid_request_error", code: null },
  401: { type: "invalid_request_error", code: "invalid_api_key" },
  404: { type: "invalid_request_error", code: "model_not_found" },
  429: { type: "requests", code: "rate_limit_exceeded" },
};
const SERVER_ERROR: OpenaiErrorKind = { type: "server_error", code: "server_error" };

/** The error body of both OpenAI API formats. */
export function makeOpenaiError({ status, message, refusal }: ProtocolError): Record<string, unknown> {
  const { type, code } = ERROR_KINDS[status] ?? SERVER_ERROR;
  return { error: { message, type, param: refusal?.param ?? null, code: refusal?.code ?? code } };
}
