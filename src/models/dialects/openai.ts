import type { ProviderError } from "./dialect.js";

/** The headers of OpenAI's APIs. */
export function bearer(key: string | null): Record<string, string> {
  return key === null ? {} : { authorization: `Bearer ${key}` };
}

/** An error as OpenAI's clients expect it. */
export function openAiErrorBody(status: number, { message, type }: ProviderError): Record<string, unknown> {
  return { error: { message, type: type ?? usualType(status), param: null, code: null } };
}

function usualType(status: number): string {
  if (status === 429) return "rate_limit_exceeded";
  return status >= 500 ? "server_error" : "invalid_request_error";
}
