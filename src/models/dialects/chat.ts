import { given, ownValue } from "../../core/shape.js";
import { AnswerBase, deltaOf, type Fields, fieldsOf, listOf, NO_TEXT, textOf, withExtra } from "./answer-base.js";
import type { Delta, Dialect, Finish, Message, ModelRequest } from "./dialect.js";
import { addOpenAiUsage, bearer, openAiErrorBody } from "./openai.js";
import { errorField, providerErrorIn } from "./provider-error.js";
import { withoutParameters } from "./refused-parameter.js";

/** OpenAI Chat Completions, which most other servers support. */
export const chat: Dialect = {
  name: "chat",
  path: () => "/chat/completions",
  headers: bearer,
  body,
  reader: () => new ChatReader(),
  errorIn: providerErrorIn,
  errorBody: openAiErrorBody,
};

/** OpenAI's reasoning models reject `max_tokens`; most other servers support nothing else. */
const COUNTS_COMPLETION = /^(?:o\d|gpt-(?:[5-9]|\d{2}))/;

function body({ model, system, messages, temperature, maxTokens, stream, answer, extraBody, refused }: ModelRequest) {
  const limit = COUNTS_COMPLETION.test(model.split("/").at(-1) ?? "") ? "max_completion_tokens" : "max_tokens";
  const all: readonly Message[] = system === undefined ? messages : [{ role: "system", parts: [system] }, ...messages];
  const plain = given({
    model: model === "" ? undefined : model,
    messages: all.map(({ role, parts }) => ({ role, content: contentOf(parts) })),
    temperature,
    [limit]: maxTokens,
    response_format: answer && { type: "json_schema", json_schema: { ...answer, strict: true } },
    ...(stream ? { stream, stream_options: { include_usage: true } } : {}),
  });
  return withoutParameters(withExtra(plain, extraBody), refused ?? []);
}

/** A single part is sent as a string, because not every compatible server accepts a list. */
function contentOf(parts: readonly string[]): unknown {
  const [first = ""] = parts;
  return parts.length <= 1 ? first : parts.map((text) => ({ type: "text", text }));
}

const NAMES = { input: "prompt_tokens", output: "completion_tokens" };

const FINISHES: Readonly<Record<string, Finish>> = {
  length: "truncated",
  max_tokens: "truncated",
  content_filter: "refused",
  refusal: "refused",
  tool_calls: "tool_calls",
  function_call: "tool_calls",
};

/** Ends a stream instead of an event. */
const DONE = "[DONE]";

/** Reads an answer of Chat Completions, legacy completions or embeddings, which report usage alike. Also receives the literal `[DONE]` that ends a stream. */
class ChatReader extends AnswerBase {
  readEvent(event: unknown): Delta {
    if (event === DONE) {
      this.isComplete = true;
      return NO_TEXT;
    }
    return this.#read(event, "delta");
  }

  readWhole(body: unknown): Delta {
    const delta = this.#read(body, "message");
    this.isComplete = this.unknownEvents === 0;
    return delta;
  }

  #read(body: unknown, part: "delta" | "message"): Delta {
    const fields = fieldsOf(body);
    if (fields === null || !isKnown(fields)) return this.unknown();
    this.readModel(fields.model);
    this.error ??= errorField(fields.error);
    addOpenAiUsage(this.fold, fields.usage, NAMES);
    const choices = listOf(fields.choices);
    if (choices.length === 1) return this.#readChoice(choices[0], part);
    const deltas = choices.map((choice) => this.#readChoice(choice, part));
    return deltaOf(deltas.map(({ text }) => text).join(""), deltas.map(({ hidden }) => hidden).join(""));
  }

  #readChoice(choice: unknown, part: "delta" | "message"): Delta {
    const fields = fieldsOf(choice);
    if (fields === null) return NO_TEXT;
    const message = this.#readMessage(fieldsOf(fields[part]));
    // Legacy completions have their text in the choice itself.
    const delta = typeof fields.text === "string" ? deltaOf(fields.text + message.text, message.hidden) : message;
    // The first choice is the answer; the others are billed too.
    const isOther = typeof fields.index === "number" && fields.index > 0;
    if (isOther) return deltaOf("", delta.text + delta.hidden);
    this.#readFinish(fields.finish_reason);
    return delta;
  }

  #readMessage(message: Fields | null): Delta {
    if (message === null) return NO_TEXT;
    const { content } = message;
    const refusal = textOf(message.refusal);
    if (refusal !== "") this.end("refused", null);
    const reasoning = textOf(message.reasoning_content) || textOf(message.reasoning);
    const calls = callArguments(message);
    if (typeof content === "string") return deltaOf(content + refusal, reasoning + calls);
    const parts = partsOf(content);
    return deltaOf(parts.text + refusal, parts.hidden + reasoning + calls);
  }

  #readFinish(reason: unknown): void {
    if (typeof reason !== "string" || reason === "") return;
    this.isComplete = true;
    this.end(ownValue(FINISHES, reason) ?? "stop", reason);
  }
}

function isKnown(fields: Fields): boolean {
  return Array.isArray(fields.choices) || fields.usage != null || fields.error != null;
}

function callArguments(message: Fields): string {
  if (message.tool_calls == null && message.function_call == null) return "";
  const calls = [...listOf(message.tool_calls).map((call) => fieldsOf(call)?.function), message.function_call];
  return calls.map((call) => textOf(fieldsOf(call)?.arguments)).join("");
}

/** Mistral sends the content in parts when it reasons. */
function partsOf(content: unknown): Delta {
  let text = "";
  let hidden = "";
  for (const part of listOf(content)) {
    const fields = fieldsOf(part);
    if (fields?.type === "thinking") hidden += thoughtsIn(fields.thinking);
    else text += textOf(fields?.text);
  }
  return { text, hidden };
}

function thoughtsIn(thinking: unknown): string {
  if (typeof thinking === "string") return thinking;
  return listOf(thinking)
    .map((part) => textOf(fieldsOf(part)?.text))
    .join("");
}
