import { given, ownValue } from "../../core/shape.js";
import {
  AnswerBase,
  deltaOf,
  type Fields,
  fieldsOf,
  jsonText,
  listOf,
  NO_TEXT,
  sumOf,
  systemTexts,
  textOf,
  withExtra,
} from "./answer-base.js";
import type { AnswerShape, Delta, Dialect, Finish, Message, ModelRequest, ProviderError } from "./dialect.js";
import { errorField, providerErrorIn } from "./provider-error.js";
import { withoutParameters } from "./refused-parameter.js";

/** Required in every request of this dialect. */
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
  const plain = given({
    model: model === "" ? undefined : model,
    system: system.length <= 1 ? system[0] : blocksOf(system),
    messages: messages.filter(({ role }) => role !== "system").map(messageOf),
    temperature,
    max_tokens: maxTokens ?? USUAL_MAX_TOKENS,
    stream: stream || undefined,
    ...(answer && shapeOf(answer, refused)),
  });
  // max_tokens is required.
  const left = refused.filter((name) => name !== "max_tokens");
  return withoutParameters(withExtra(plain, extraBody), left);
}

/** Models without structured output are forced to call a tool instead. */
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

const FINISHES: Readonly<Record<string, Finish>> = {
  max_tokens: "truncated",
  model_context_window_exceeded: "truncated",
  refusal: "refused",
  tool_use: "tool_calls",
};

/** Reads an answer of Anthropic Messages. */
export class AnthropicReader extends AnswerBase {
  readonly #answerTool: string | undefined;
  /** True inside the tool call that holds the answer. */
  #isAnswering = false;

  /** The tool whose arguments are the answer; those of other tools are hidden. */
  constructor(answerTool?: string) {
    super();
    this.#answerTool = answerTool;
  }

  readEvent(event: unknown): Delta {
    const fields = fieldsOf(event);
    switch (fields?.type) {
      case "content_block_delta":
        return this.#shown(fieldsOf(fields.delta));
      case "content_block_start":
        return this.#readBlock(fieldsOf(fields.content_block));
      case "message_start":
        return this.#readMessage(fieldsOf(fields.message));
      case "message_delta":
        return this.#readEnd(fields);
      case "message_stop":
        this.isComplete = true;
        return NO_TEXT;
      case "error":
        this.error ??= errorField(fields.error) ?? { message: "unknown error", type: null };
        return NO_TEXT;
      case "ping":
      case "content_block_stop":
        return NO_TEXT;
      default:
        return this.unknown();
    }
  }

  readWhole(body: unknown): Delta {
    const fields = fieldsOf(body);
    if (fields?.type === "error") return this.readEvent(body);
    if (fields === null || !Array.isArray(fields.content)) return this.unknown();
    this.isComplete = true;
    return this.#readMessage(fields);
  }

  #readMessage(message: Fields | null): Delta {
    if (message === null) return NO_TEXT;
    this.readModel(message.model);
    this.#readUsage(message.usage);
    this.#readReason(message.stop_reason);
    const deltas = listOf(message.content).map((block) => this.#readBlock(fieldsOf(block)));
    return deltaOf(deltas.map(({ text }) => text).join(""), deltas.map(({ hidden }) => hidden).join(""));
  }

  #readBlock(block: Fields | null): Delta {
    this.#isAnswering = this.#answerTool !== undefined && block?.name === this.#answerTool;
    return this.#shown(block);
  }

  #shown(block: Fields | null): Delta {
    const delta = blockText(block);
    return this.#isAnswering ? deltaOf(delta.text + delta.hidden, "") : delta;
  }

  #readEnd(fields: Fields): Delta {
    this.#readUsage(fields.usage);
    this.#readReason(fieldsOf(fields.delta)?.stop_reason);
    return NO_TEXT;
  }

  #readReason(reason: unknown): void {
    if (typeof reason !== "string" || reason === "") return;
    this.isComplete = true;
    this.end(ownValue(FINISHES, reason) ?? "stop", reason);
  }

  /** Anthropic's classes are already disjoint. */
  #readUsage(usage: unknown): void {
    const raw = this.fold.open(usage);
    if (raw === null) return;
    const short = raw.count("ephemeral_5m_input_tokens", "cache_creation");
    const long = raw.count("ephemeral_1h_input_tokens", "cache_creation");
    this.fold.add(raw, {
      input: raw.count("input_tokens"),
      output: raw.count("output_tokens"),
      cacheRead: raw.count("cache_read_input_tokens"),
      cacheWrite: raw.count("cache_creation_input_tokens") ?? sumOf(short, long),
      cacheWrite1h: long,
    });
  }
}

function blockText(block: Fields | null): Delta {
  if (block === null) return NO_TEXT;
  const text = textOf(block.text);
  if (text !== "") return { text, hidden: "" };
  const hidden = textOf(block.thinking) || textOf(block.partial_json) || inputText(block);
  return deltaOf("", hidden);
}

/** A complete tool call has its arguments as an object; a streamed one starts with an empty object. */
function inputText({ input }: Fields): string {
  const fields = fieldsOf(input);
  return fields === null || Object.keys(fields).length === 0 ? "" : jsonText(fields);
}
