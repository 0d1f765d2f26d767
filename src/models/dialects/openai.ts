import type { RawUsage, UsageFold } from "./answer-base.js";
import type { ProviderError } from "./dialect.js";

export function bearer(key: string | null): Record<string, string> {
  return key === null ? {} : { authorization: `Bearer ${key}` };
}

/** An error body for OpenAI clients. */
export function openAiErrorBody(status: number, { message, type }: ProviderError): Record<string, unknown> {
  return { error: { message, type: type ?? usualType(status), param: null, code: null } };
}

function usualType(status: number): string {
  if (status === 429) return "rate_limit_exceeded";
  return status >= 500 ? "server_error" : "invalid_request_error";
}

/** The names of the same counts in Chat Completions and Responses. */
export interface UsageNames {
  readonly input: string;
  readonly output: string;
}

/** Adds usage in OpenAI's format, where cached tokens are part of the prompt. */
export function addOpenAiUsage(fold: UsageFold, usage: unknown, names: UsageNames): void {
  const raw = fold.open(usage);
  if (raw === null) return;
  const inputDetails = `${names.input}_details`;
  const prompt = raw.count(names.input);
  // DeepSeek uses another name for cache hits; OpenRouter also reports cache writes.
  const cacheRead = raw.count("cached_tokens", inputDetails) ?? raw.count("prompt_cache_hit_tokens");
  const cacheWrite = raw.count("cache_write_tokens", inputDetails);
  const input = prompt === undefined ? undefined : prompt - (cacheRead ?? 0) - (cacheWrite ?? 0);
  fold.add(raw, { input, cacheRead, cacheWrite, ...outputOf(raw, names) });
}

/** xAI counts reasoning in addition to the completion, which only the total reveals. */
function outputOf(raw: RawUsage, names: UsageNames) {
  const completion = raw.count(names.output);
  const reasoning = raw.count("reasoning_tokens", `${names.output}_details`);
  if (completion === undefined || reasoning === undefined) return { output: completion, reasoning };
  const sum = (raw.count(names.input) ?? 0) + completion + reasoning;
  const isApart = reasoning > 0 && raw.count("total_tokens") === sum;
  return { output: isApart ? completion + reasoning : completion, reasoning };
}
