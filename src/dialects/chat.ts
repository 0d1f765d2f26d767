import { present, withExtra } from "./body.js";
import { ChatReader } from "./chat-reader.js";
import type { Dialect, Message, ModelRequest } from "./dialect.js";
import { bearer, openAiErrorBody } from "./openai.js";
import { providerErrorIn } from "./provider-error.js";

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

function body({ model, system, messages, temperature, maxTokens, stream, answer, extraBody }: ModelRequest) {
  const all: readonly Message[] = system === undefined ? messages : [{ role: "system", parts: [system] }, ...messages];
  const plain = present({
    model: model === "" ? undefined : model,
    messages: all.map(({ role, parts }) => ({ role, content: contentOf(parts) })),
    temperature,
    // The newer max_completion_tokens is unknown to most compatible servers.
    max_tokens: maxTokens,
    response_format: answer && { type: "json_schema", json_schema: { ...answer, strict: true } },
    ...(stream ? { stream, stream_options: { include_usage: true } } : {}),
  });
  return withExtra(plain, extraBody);
}

/** A single part as plain text, because not every compatible server takes a list. */
function contentOf(parts: readonly string[]): unknown {
  const [first = ""] = parts;
  return parts.length <= 1 ? first : parts.map((text) => ({ type: "text", text }));
}
