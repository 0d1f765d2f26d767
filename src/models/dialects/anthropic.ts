import { AnthropicReader } from "./anthropic-reader.js";
import { present, withExtra } from "./body.js";
import type { AnswerShape, Dialect, Message, ModelRequest, ProviderError } from "./dialect.js";
import { providerErrorIn } from "./provider-error.js";
import { withoutParameters } from "./refused-parameter.js";
import { systemTexts } from "./system-texts.js";

/** This dialect asks for a limit in every request. */
const USUAL_MAX_TOKENS = 4096;

const ERROR_TYPES: Readonly<Record<number, string>> = {
  400: "invalid_request_error",
  401: "authentication_error",
  402: "billing_error",
  403: "permission_error",
  404: "not_found_error",
  413: "request_too_large",
  429: "rate_limit_error",
  529: "overloaded_error",
};

/** Anthropic Messages. */
export const anthropic: Dialect = {
  name: "anthropic",
  usualMaxTokens: USUAL_MAX_TOKENS,
  path: () => "/v1/messages",
  headers: (key) => ({ "anthropic-version": "2023-06-01", ...(key === null ? {} : { "x-api-key": key }) }),
  body,
  reader: (answerName) => new AnthropicReader(answerName),
  errorIn: providerErrorIn,
  errorBody,
};

function body(request: ModelRequest): Record<string, unknown> {
  const { model, messages, temperature, maxTokens, stream, answer, extraBody, refused = [] } = request;
  const system = systemTexts(request);
  const plain = present({
    model: model === "" ? undefined : model,
    system: system.length <= 1 ? system[0] : blocksOf(system),
    messages: messages.filter(({ role }) => role !== "system").map(messageOf),
    temperature,
    max_tokens: maxTokens ?? USUAL_MAX_TOKENS,
    stream: stream || undefined,
    ...(answer && shapeOf(answer, refused)),
  });
  // A request without max_tokens is none here.
  const left = refused.filter((name) => name !== "max_tokens");
  return withoutParameters(withExtra(plain, extraBody), left);
}

/** Models that know no structured output are made to make a call instead. */
function shapeOf({ name, schema }: AnswerShape, refused: readonly string[]): Record<string, unknown> {
  if (!refused.includes("output_config")) return { output_config: { format: { type: "json_schema", schema } } };
  return {
    tools: [{ name, description: "Gives the answer.", input_schema: schema }],
    tool_choice: { type: "tool", name },
  };
}

function messageOf({ role, parts }: Message) {
  const [first = ""] = parts;
  return { role, content: parts.length <= 1 ? first : blocksOf(parts) };
}

function blocksOf(texts: readonly string[]) {
  return texts.map((text) => ({ type: "text", text }));
}

function errorBody(status: number, { message, type }: ProviderError): Record<string, unknown> {
  const usual = ERROR_TYPES[status] ?? (status >= 500 ? "api_error" : "invalid_request_error");
  return { type: "error", error: { type: type ?? usual, message } };
}
