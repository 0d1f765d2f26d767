import { present, withExtra } from "./body.js";
import type { Dialect, Message, ModelRequest } from "./dialect.js";
import { bearer, openAiErrorBody } from "./openai.js";
import { providerErrorIn } from "./provider-error.js";
import { withoutParameters } from "./refused-parameter.js";
import { ResponsesReader } from "./responses-reader.js";

/** OpenAI Responses. */
export const responses: Dialect = {
  name: "responses",
  path: () => "/responses",
  headers: bearer,
  body,
  reader: () => new ResponsesReader(),
  errorIn: providerErrorIn,
  errorBody: openAiErrorBody,
};

function body({ model, system, messages, temperature, maxTokens, stream, answer, extraBody, refused }: ModelRequest) {
  const plain = present({
    model: model === "" ? undefined : model,
    instructions: system,
    input: messages.map(itemOf),
    temperature,
    max_output_tokens: maxTokens,
    text: answer && { format: { type: "json_schema", ...answer, strict: true } },
    stream: stream || undefined,
  });
  return withoutParameters(withExtra(plain, extraBody), refused ?? []);
}

function itemOf({ role, parts }: Message) {
  const type = role === "assistant" ? "output_text" : "input_text";
  return { role, content: parts.map((text) => ({ type, text })) };
}
