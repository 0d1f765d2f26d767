import { getOwn, omitUndefined } from "../../core/index.js";
import {
  addOptional,
  BaseAnswerReader,
  type JsonFields,
  listSystemTexts,
  makeDelta,
  mergeExtraBody,
  NO_TEXT,
  parseErrorField,
  parseProviderError,
  readJsonList,
  readJsonObject,
  readJsonString,
  toJsonText,
} from "./answer-base.js";
import type {
  AnswerDelta,
  AnswerFormat,
  Dialect,
  EffortRequest,
  Finish,
  Message,
  MessageFile,
  ModelRequest,
  ProviderError,
} from "./dialect.js";
import { removeParameters } from "./refused-parameter.js";

/** Required in every request of this dialect. */
const DEFAULT_MAX_TOKENS = 4096;

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
export const anthropic: Dialect<"anthropic"> = {
  name: "anthropic",
  serviceTiers: ["priority"],
  usualMaxTokens: DEFAULT_MAX_TOKENS,
  path: () => "/v1/messages",
  headers: (key) => ({ "anthropic-version": "2023-06-01", ...(key === null ? {} : { "x-api-key": key }) }),
  body: buildAnthropicBody,
  takesUrl: () => true,
  reader: (answerName) => new AnthropicAnswerReader(answerName),
  errorIn: parseProviderError,
  errorBody: buildAnthropicErrorBody,
};

/** Anthropic's models on Vertex AI: the model is part of the path, and the version part of the body. */
export const vertexAnthropic: Dialect<"anthropic"> = {
  ...anthropic,
  path: (model, stream) => `/models/${encodeURIComponent(model)}:${stream ? "streamRawPredict" : "rawPredict"}`,
  headers: () => ({}),
  body(request) {
    const { model: _, ...body } = buildAnthropicBody(request);
    return { anthropic_version: "vertex-2023-10-16", ...body };
  },
};

function buildAnthropicBody(request: ModelRequest): Record<string, unknown> {
  const { model, messages, temperature, maxTokens, stream, serviceTier, answer, effort } = request;
  const { extraBody, refused = [] } = request;
  const system = listSystemTexts(request);
  const plain = omitUndefined({
    model: model === "" ? undefined : model,
    system: system.length <= 1 ? system[0] : toTextBlocks(system),
    messages: messages.filter(({ role }) => role !== "system").map(toAnthropicMessage),
    temperature,
    max_tokens: maxTokens ?? DEFAULT_MAX_TOKENS,
    // Uses the priority capacity that the organization has bought, if any is left.
    service_tier: serviceTier && "auto",
    stream: stream || undefined,
    ...(answer && buildAnswerFormat(answer, refused)),
  });
  const body = effort === undefined ? plain : mergeExtraBody(plain, buildAnthropicEffort(effort));
  // max_tokens is required.
  const left = refused.filter((name) => name !== "max_tokens");
  return removeParameters(mergeExtraBody(body, extraBody), left);
}

/** A number is a thinking budget; a name affects the whole answer. */
export function buildAnthropicEffort({ value, isAdaptive }: EffortRequest): Record<string, unknown> {
  if (typeof value === "number") return { thinking: { type: "enabled", budget_tokens: value } };
  if (value === "none") return { thinking: { type: "disabled" } };
  return { output_config: { effort: value }, ...(isAdaptive && { thinking: { type: "adaptive" } }) };
}

/** Models without structured output are forced to call a tool instead. */
function buildAnswerFormat({ name, schema }: AnswerFormat, refused: readonly string[]): Record<string, unknown> {
  if (!refused.includes("output_config")) return { output_config: { format: { type: "json_schema", schema } } };
  return {
    tools: [{ name, description: "Gives the answer.", input_schema: schema }],
    tool_choice: { type: "tool", name },
  };
}

function toAnthropicMessage({ role, parts, files = [] }: Message) {
  const [first = ""] = parts;
  if (parts.length <= 1 && files.length === 0) return { role, content: first };
  return { role, content: [...files.map(toFileBlock), ...toTextBlocks(parts)] };
}

function toFileBlock({ kind, name, source }: MessageFile) {
  const content =
    "url" in source
      ? { type: "url", url: source.url }
      : { type: "base64", media_type: source.mediaType, data: source.data };
  return kind === "image" ? { type: "image", source: content } : { type: "document", source: content, title: name };
}

function toTextBlocks(texts: readonly string[]) {
  return texts.map((text) => ({ type: "text", text }));
}

function buildAnthropicErrorBody(status: number, { message, type }: ProviderError): Record<string, unknown> {
  const usual = ERROR_TYPES[status] ?? (status >= 500 ? "api_error" : "invalid_request_error");
  return { type: "error", error: { type: type ?? usual, message } };
}

const FINISH_BY_REASON: Readonly<Record<string, Finish>> = {
  max_tokens: "truncated",
  model_context_window_exceeded: "truncated",
  refusal: "refused",
  tool_use: "tool_calls",
};

/** Reads an answer of Anthropic Messages. */
export class AnthropicAnswerReader extends BaseAnswerReader {
  readonly #answerTool: string | undefined;
  /** True inside the tool call that holds the answer. */
  #isAnswering = false;

  /** The tool whose arguments are the answer; those of other tools are hidden. */
  constructor(answerTool?: string) {
    super();
    this.#answerTool = answerTool;
  }

  readEvent(event: unknown): AnswerDelta {
    const fields = readJsonObject(event);
    switch (fields?.type) {
      case "content_block_delta":
        return this.#readVisible(readJsonObject(fields.delta));
      case "content_block_start":
        return this.#readBlock(readJsonObject(fields.content_block));
      case "message_start":
        return this.#readMessage(readJsonObject(fields.message));
      case "message_delta":
        return this.#readEnd(fields);
      case "message_stop":
        this.isComplete = true;
        return NO_TEXT;
      case "error":
        this.error ??= parseErrorField(fields.error) ?? { message: "unknown error", type: null };
        return NO_TEXT;
      case "ping":
      case "content_block_stop":
        return NO_TEXT;
      default:
        return this.countUnknownEvent();
    }
  }

  readWhole(body: unknown): AnswerDelta {
    const fields = readJsonObject(body);
    if (fields?.type === "error") return this.readEvent(body);
    if (fields === null || !Array.isArray(fields.content)) return this.countUnknownEvent();
    this.isComplete = true;
    return this.#readMessage(fields);
  }

  #readMessage(message: JsonFields | null): AnswerDelta {
    if (message === null) return NO_TEXT;
    this.readModel(message.model);
    this.#readUsage(message.usage);
    this.#readReason(message.stop_reason);
    const deltas = readJsonList(message.content).map((block) => this.#readBlock(readJsonObject(block)));
    return makeDelta(deltas.map(({ text }) => text).join(""), deltas.map(({ hidden }) => hidden).join(""));
  }

  #readBlock(block: JsonFields | null): AnswerDelta {
    this.#isAnswering = this.#answerTool !== undefined && block?.name === this.#answerTool;
    return this.#readVisible(block);
  }

  #readVisible(block: JsonFields | null): AnswerDelta {
    const delta = readBlockText(block);
    return this.#isAnswering ? makeDelta(delta.text + delta.hidden, "") : delta;
  }

  #readEnd(fields: JsonFields): AnswerDelta {
    this.#readUsage(fields.usage);
    this.#readReason(readJsonObject(fields.delta)?.stop_reason);
    return NO_TEXT;
  }

  #readReason(reason: unknown): void {
    if (typeof reason !== "string" || reason === "") return;
    this.isComplete = true;
    this.setFinish(getOwn(FINISH_BY_REASON, reason) ?? "stop", reason);
  }

  /** Anthropic's classes are already disjoint. */
  #readUsage(usage: unknown): void {
    const raw = this.fold.parse(usage);
    if (raw === null) return;
    this.readServiceTier(raw.fields.service_tier);
    const short = raw.readCount("ephemeral_5m_input_tokens", "cache_creation");
    const long = raw.readCount("ephemeral_1h_input_tokens", "cache_creation");
    this.fold.add(raw, {
      input: raw.readCount("input_tokens"),
      output: raw.readCount("output_tokens"),
      cacheRead: raw.readCount("cache_read_input_tokens"),
      cacheWrite: raw.readCount("cache_creation_input_tokens") ?? addOptional(short, long),
      cacheWrite1h: long,
    });
  }
}

function readBlockText(block: JsonFields | null): AnswerDelta {
  if (block === null) return NO_TEXT;
  const text = readJsonString(block.text);
  if (text !== "") return { text, hidden: "" };
  const hidden = readJsonString(block.thinking) || readJsonString(block.partial_json) || readToolInput(block);
  return makeDelta("", hidden);
}

/** A complete tool call has its arguments as an object; a streamed one starts with an empty object. */
function readToolInput({ input }: JsonFields): string {
  const fields = readJsonObject(input);
  return fields === null || Object.keys(fields).length === 0 ? "" : toJsonText(fields);
}
