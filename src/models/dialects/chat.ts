import { present, withExtra } from "./body.js";
import { ChatReader } from "./chat-reader.js";
import type { Dialect, Message, ModelRequest } from "./dialect.js";
import { bearer, openAiErrorBody } from "./openai.js";
import { providerErrorIn } from "./provider-error.js";
import { withoutParameters } from "./refused-parameter.js";

/** OpenAI Chat Completions, which most other servers speak as well. */
export const chat: Dialect = {
  name: "chat",
  path: () => "/chat/completions",
  headers: bearer,
  body,
  reader: () => new ChatReader(),
  errorIn: providerErrorIn,
  errorBody: openAiErrorBody,
};

/** OpenAI's reasoning models, which refuse `max_tokens`. Most other servers know nothing else. */
const COUNTS_COMPLETION = /^(?:o\d|gpt-(?:[5-9]|\d{2}))/;

function body({ model, system, messages, temperature, maxTokens, stream, answer, extraBody, refused }: ModelRequest) {
  const limit = COUNTS_COMPLETION.test(model.split("/").at(-1) ?? "") ? "max_completion_tokens" : "max_tokens";
  const all: readonly Message[] = system === undefined ? messages : [{ role: "system", parts: [system] }, ...messages];
  const plain = present({
    model: model === "" ? undefined : model,
    messages: all.map(({ role, parts }) => ({ role, content: contentOf(parts) })),
    temperature,
    [limit]: maxTokens,
    response_format: answer && { type: "json_schema", json_schema: { ...answer, strict: true } },
    ...(stream ? { stream, stream_options: { include_usage: true } } : {}),
  });
  return withoutParameters(withExtra(plain, extraBody), refused ?? []);
}

/** A single part as plain text, because not every compatible server takes a list. */
function contentOf(parts: readonly string[]): unknown {
  const [first = ""] = parts;
  return parts.length <= 1 ? first : parts.map((text) => ({ type: "text", text }));
}
