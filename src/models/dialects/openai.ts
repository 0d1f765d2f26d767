import type { RawUsage, UsageAccumulator } from "./answer-base.js";
import type { ProviderError } from "./dialect.js";

export function buildBearerHeaders(key: string | null): Record<string, string> {
  return key === null ? {} : { authorization: `Bearer ${key}` };
}

/** An error body for OpenAI clients. */
export function buildOpenAiErrorBody(status: number, { message, type }: ProviderError): Record<string, unknown> {
  return { error: { message, type: type ?? getDefaultErrorType(status), param: null, code: null } };
}

function getDefaultErrorType(status: number): string {
  if (status === 429) return "rate_limit_exceeded";
  return status >= 500 ? "server_error" : "invalid_request_error";
}

/** The names of the same counts in Chat Completions and Responses. */
export interface UsageNames {
  readonly input: string;
  readonly output: string;
}

/** Adds usage in OpenAI's format, where cached tokens are part of the prompt. */
export function addOpenAiUsage(fold: UsageAccumulator, usage: unknown, names: UsageNames): void {
  const raw = fold.parse(usage);
  if (raw === null) return;
  const inputDetails = `${names.input}_details`;
  const prompt = raw.readCount(names.input);
  // DeepSeek uses another name for cache hits; OpenRouter also reports cache writes.
  const cacheRead = raw.readCount("cached_tokens", inputDetails) ?? raw.readCount("prompt_cache_hit_tokens");
  const cacheWrite = raw.readCount("cache_write_tokens", inputDetails);
  const input = prompt === undefined ? undefined : prompt - (cacheRead ?? 0) - (cacheWrite ?? 0);
  fold.add(raw, { input, cacheRead, cacheWrite, ...readOutputUsage(raw, names) });
}

/** xAI counts reasoning in addition to the completion, which only the total reveals. */
function readOutputUsage(raw: RawUsage, names: UsageNames) {
  const completion = raw.readCount(names.output);
  const reasoning = raw.readCount("reasoning_tokens", `${names.output}_details`);
  if (completion === undefined || reasoning === undefined) return { output: completion, reasoning };
  const sum = (raw.readCount(names.input) ?? 0) + completion + reasoning;
  const isApart = reasoning > 0 && raw.readCount("total_tokens") === sum;
  return { output: isApart ? completion + reasoning : completion, reasoning };
}
