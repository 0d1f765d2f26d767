import { getOwn, omitUndefined } from "../../core/index.js";
import {
  BaseAnswerReader,
  type JsonFields,
  makeDelta,
  mergeExtraBody,
  NO_TEXT,
  parseErrorField,
  parseProviderError,
  readJsonList,
  readJsonObject,
  readJsonString,
} from "./answer-base.js";
import {
  type AnswerDelta,
  type Dialect,
  type EffortRequest,
  type Finish,
  formatDataUrl,
  type Message,
  type MessageFile,
  type ModelRequest,
} from "./dialect.js";
import { addOpenAiUsage, buildBearerHeaders, buildOpenAiErrorBody } from "./openai.js";
import { removeParameters } from "./refused-parameter.js";

/** OpenAI Chat Completions, which most other servers support. */
export const chat: Dialect<"chat"> = {
  name: "chat",
  serviceTiers: ["flex", "priority"],
  path: () => "/chat/completions",
  headers: buildBearerHeaders,
  body: buildChatBody,
  takesUrl: (kind) => kind === "image",
  reader: () => new ChatAnswerReader(),
  errorIn: parseProviderError,
  errorBody: buildOpenAiErrorBody,
};

/** OpenAI's reasoning models reject `max_tokens`; most other servers support nothing else. */
const COMPLETION_TOKEN_MODELS = /^(?:o\d|gpt-(?:[5-9]|\d{2}))/;

function buildChatBody({
  model,
  system,
  messages,
  temperature,
  maxTokens,
  effort,
  stream,
  serviceTier,
  answer,
  extraBody,
  refused,
}: ModelRequest) {
  const limit = COMPLETION_TOKEN_MODELS.test(model.split("/").at(-1) ?? "") ? "max_completion_tokens" : "max_tokens";
  const all: readonly Message[] = system === undefined ? messages : [{ role: "system", parts: [system] }, ...messages];
  const plain = omitUndefined({
    model: model === "" ? undefined : model,
    messages: all.map((message) => ({ role: message.role, content: toChatContent(message) })),
    temperature,
    [limit]: maxTokens,
    ...(effort && buildChatEffort(effort)),
    service_tier: serviceTier,
    response_format: answer && { type: "json_schema", json_schema: { ...answer, strict: true } },
    ...(stream ? { stream, stream_options: { include_usage: true } } : {}),
  });
  return removeParameters(mergeExtraBody(plain, extraBody), refused ?? []);
}

/** OpenRouter translates its own object for the provider of each model. */
function buildChatEffort({ value, isRouted }: EffortRequest): Record<string, unknown> {
  if (!isRouted) return { reasoning_effort: value };
  return { reasoning: typeof value === "number" ? { max_tokens: value } : { effort: value } };
}

/** A single part is sent as a string, because not every compatible server accepts a list. */
function toChatContent({ parts, files = [] }: Message): unknown {
  const [first = ""] = parts;
  if (parts.length <= 1 && files.length === 0) return first;
  return [...files.map(toChatFile), ...parts.map((text) => ({ type: "text", text }))];
}

function toChatFile({ kind, name, source }: MessageFile) {
  if (kind === "image") return { type: "image_url", image_url: { url: formatSource(source) } };
  return { type: "file", file: { filename: name, file_data: formatSource(source) } };
}

function formatSource(source: MessageFile["source"]): string {
  return "url" in source ? source.url : formatDataUrl(source);
}

const USAGE_NAMES = { input: "prompt_tokens", output: "completion_tokens" };

const FINISH_BY_REASON: Readonly<Record<string, Finish>> = {
  length: "truncated",
  max_tokens: "truncated",
  content_filter: "refused",
  refusal: "refused",
  tool_calls: "tool_calls",
  function_call: "tool_calls",
};

/** Ends a stream instead of an event. */
const DONE_EVENT = "[DONE]";

/** Reads an answer of Chat Completions, legacy completions or embeddings, which report usage alike. Also receives the literal `[DONE]` that ends a stream. */
class ChatAnswerReader extends BaseAnswerReader {
  readEvent(event: unknown): AnswerDelta {
    if (event === DONE_EVENT) {
      this.isComplete = true;
      return NO_TEXT;
    }
    return this.#read(event, "delta");
  }

  readWhole(body: unknown): AnswerDelta {
    const delta = this.#read(body, "message");
    this.isComplete = this.unknownEvents === 0;
    return delta;
  }

  #read(body: unknown, part: "delta" | "message"): AnswerDelta {
    const fields = readJsonObject(body);
    if (fields === null || !isChatAnswer(fields)) return this.countUnknownEvent();
    this.readModel(fields.model);
    this.readServiceTier(fields.service_tier);
    this.error ??= parseErrorField(fields.error);
    addOpenAiUsage(this.fold, fields.usage, USAGE_NAMES);
    const choices = readJsonList(fields.choices);
    if (choices.length === 1) return this.#readChoice(choices[0], part);
    const deltas = choices.map((choice) => this.#readChoice(choice, part));
    return makeDelta(deltas.map(({ text }) => text).join(""), deltas.map(({ hidden }) => hidden).join(""));
  }

  #readChoice(choice: unknown, part: "delta" | "message"): AnswerDelta {
    const fields = readJsonObject(choice);
    if (fields === null) return NO_TEXT;
    const message = this.#readMessage(readJsonObject(fields[part]));
    // Legacy completions have their text in the choice itself.
    const delta = typeof fields.text === "string" ? makeDelta(fields.text + message.text, message.hidden) : message;
    // The first choice is the answer; the others are billed too.
    const isOther = typeof fields.index === "number" && fields.index > 0;
    if (isOther) return makeDelta("", delta.text + delta.hidden);
    this.#readFinish(fields.finish_reason);
    return delta;
  }

  #readMessage(message: JsonFields | null): AnswerDelta {
    if (message === null) return NO_TEXT;
    const { content } = message;
    const refusal = readJsonString(message.refusal);
    if (refusal !== "") this.setFinish("refused", null);
    const reasoning = readJsonString(message.reasoning_content) || readJsonString(message.reasoning);
    const calls = readCallArguments(message);
    if (typeof content === "string") return makeDelta(content + refusal, reasoning + calls);
    const parts = readContentParts(content);
    return makeDelta(parts.text + refusal, parts.hidden + reasoning + calls);
  }

  #readFinish(reason: unknown): void {
    if (typeof reason !== "string" || reason === "") return;
    this.isComplete = true;
    this.setFinish(getOwn(FINISH_BY_REASON, reason) ?? "stop", reason);
  }
}

function isChatAnswer(fields: JsonFields): boolean {
  return Array.isArray(fields.choices) || fields.usage != null || fields.error != null;
}

function readCallArguments(message: JsonFields): string {
  if (message.tool_calls == null && message.function_call == null) return "";
  const calls = [
    ...readJsonList(message.tool_calls).map((call) => readJsonObject(call)?.function),
    message.function_call,
  ];
  return calls.map((call) => readJsonString(readJsonObject(call)?.arguments)).join("");
}

/** Mistral sends the content in parts when it reasons. */
function readContentParts(content: unknown): AnswerDelta {
  let text = "";
  let hidden = "";
  for (const part of readJsonList(content)) {
    const fields = readJsonObject(part);
    if (fields?.type === "thinking") hidden += readThoughts(fields.thinking);
    else text += readJsonString(fields?.text);
  }
  return { text, hidden };
}

function readThoughts(thinking: unknown): string {
  if (typeof thinking === "string") return thinking;
  return readJsonList(thinking)
    .map((part) => readJsonString(readJsonObject(part)?.text))
    .join("");
}
