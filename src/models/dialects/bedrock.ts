import { getOwn, omitUndefined } from "../../core/index.js";
import { EVENT_STREAM_TYPE } from "../aws/event-stream.js";
import {
  addOptional,
  BaseAnswerReader,
  type JsonFields,
  listSystemTexts,
  makeDelta,
  mergeExtraBody,
  NO_TEXT,
  parseProviderError,
  readJsonList,
  readJsonObject,
  readJsonString,
  toJsonText,
} from "./answer-base.js";
import { buildAnthropicEffort } from "./anthropic.js";
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
import { buildBearerHeaders } from "./openai.js";
import { removeParameters } from "./refused-parameter.js";

/** Amazon Bedrock's Converse and ConverseStream. An API key is a bearer token; access keys sign each request instead. */
export const bedrock: Dialect<"bedrock"> = {
  name: "bedrock",
  serviceTiers: ["flex", "priority"],
  isRooted: true,
  streamType: EVENT_STREAM_TYPE,
  // Files are sent as they are, or lie in S3.
  takesUrl: () => false,
  path: (model, stream) => `/model/${encodeURIComponent(model)}/${stream ? "converse-stream" : "converse"}`,
  headers: buildBearerHeaders,
  body: buildBedrockBody,
  reader: (answerName) => new BedrockAnswerReader(answerName),
  errorIn: parseProviderError,
  errorBody: (_status, { message }: ProviderError) => ({ message }),
};

function buildBedrockBody(request: ModelRequest): Record<string, unknown> {
  const { model, messages, temperature, maxTokens, effort, serviceTier, answer, extraBody, refused = [] } = request;
  const system = listSystemTexts(request);
  const config = omitUndefined({ temperature, maxTokens });
  const plain = omitUndefined({
    messages: joinTurns(messages.filter(({ role }) => role !== "system")),
    system: system.length === 0 ? undefined : toTextBlocks(system),
    inferenceConfig: Object.keys(config).length === 0 ? undefined : config,
    additionalModelRequestFields: effort && (buildBedrockEffort(model, effort) ?? undefined),
    serviceTier: serviceTier && { type: serviceTier },
    ...(answer && buildAnswerFormat(answer, refused)),
  });
  return removeParameters(mergeExtraBody(plain, extraBody), refused);
}

/**
 * The effort in the fields of the model's maker, which Bedrock passes on; null for a maker whose fields are unknown.
 * @example
 * buildBedrockEffort("us.anthropic.claude-opus-5", { value: "low", isAdaptive: true, isRouted: false });
 * // { output_config: { effort: "low" }, thinking: { type: "adaptive" } }
 */
export function buildBedrockEffort(model: string, effort: EffortRequest): Record<string, unknown> | null {
  const { value } = effort;
  if (/(?:^|[./])anthropic\.|claude/i.test(model)) return buildAnthropicEffort(effort);
  if (typeof value === "number") return null;
  if (/(?:^|[./])openai\./i.test(model)) return { reasoning_effort: value };
  if (!/(?:^|[./])amazon\.nova-2/i.test(model)) return null;
  return { reasoningConfig: value === "none" ? { type: "disabled" } : { type: "enabled", maxReasoningEffort: value } };
}

/** Models without structured output are forced to call a tool instead. */
function buildAnswerFormat({ name, schema }: AnswerFormat, refused: readonly string[]): Record<string, unknown> {
  if (!refused.includes("outputConfig")) {
    const jsonSchema = { name, schema: JSON.stringify(schema) };
    return { outputConfig: { textFormat: { type: "json_schema", structure: { jsonSchema } } } };
  }
  const toolSpec = { name, description: "Gives the answer.", inputSchema: { json: schema } };
  return { toolConfig: { tools: [{ toolSpec }], toolChoice: { tool: { name } } } };
}

interface BedrockMessage {
  readonly role: Message["role"];
  readonly content: readonly object[];
}

/** Roles must alternate, so messages in a row become one. */
function joinTurns(messages: readonly Message[]): BedrockMessage[] {
  const joined: BedrockMessage[] = [];
  for (const { role, parts, files = [] } of messages) {
    const last = joined.at(-1);
    const content = [...files.map(toFileBlock), ...toTextBlocks(parts)];
    if (last?.role === role) joined[joined.length - 1] = { role, content: [...last.content, ...content] };
    else joined.push({ role, content });
  }
  return joined;
}

/** The name of a document may have only letters, digits, hyphens and single spaces, and the format is named without its kind. */
function toFileBlock({ kind, name, source }: MessageFile): object {
  if ("url" in source) throw new TypeError(`Bedrock takes no URLs, such as ${name}.`);
  const file = { format: source.mediaType.replace(/^.*\//, ""), source: { bytes: source.data } };
  if (kind === "image") return { image: file };
  return { document: { ...file, name: name.replace(/[^A-Za-z\d]+/g, " ").trim() || "document" } };
}

function toTextBlocks(texts: readonly string[]): object[] {
  return texts.map((text) => ({ text }));
}

const FINISH_BY_REASON: Readonly<Record<string, Finish>> = {
  max_tokens: "truncated",
  model_context_window_exceeded: "truncated",
  guardrail_intervened: "refused",
  content_filtered: "refused",
  refusal: "refused",
  tool_use: "tool_calls",
};

/** Events of a stream without text or figures. */
const SILENT_EVENTS = new Set(["messageStart", "contentBlockStop"]);

/** Reads an answer of Converse or ConverseStream. It does not name the model. */
class BedrockAnswerReader extends BaseAnswerReader {
  readonly #answerTool: string | undefined;
  /** True inside the tool call that holds the answer. */
  #isAnswering = false;

  /** The tool whose arguments are the answer; those of other tools are hidden. */
  constructor(answerTool?: string) {
    super();
    this.#answerTool = answerTool;
  }

  readEvent(event: unknown): AnswerDelta {
    const [type = "", payload] = Object.entries(readJsonObject(event) ?? {})[0] ?? [];
    const fields = readJsonObject(payload) ?? {};
    switch (type) {
      case "contentBlockDelta":
        return this.#readVisible(readJsonObject(fields.delta));
      case "contentBlockStart":
        return this.#readBlock(readJsonObject(fields.start));
      case "messageStop":
        this.#readReason(fields.stopReason);
        return NO_TEXT;
      case "metadata":
        this.#readFigures(fields);
        return NO_TEXT;
      default:
        return this.#readOther(type, fields);
    }
  }

  readWhole(body: unknown): AnswerDelta {
    const fields = readJsonObject(body);
    const message = readJsonObject(readJsonObject(fields?.output)?.message);
    if (fields === null || message === null) return this.countUnknownEvent();
    this.isComplete = true;
    this.#readReason(fields.stopReason);
    this.#readFigures(fields);
    const deltas = readJsonList(message.content).map((block) => this.#readBlock(readJsonObject(block)));
    return makeDelta(deltas.map(({ text }) => text).join(""), deltas.map(({ hidden }) => hidden).join(""));
  }

  /** A failure in a stream is an event named after its exception. */
  #readOther(type: string, fields: JsonFields): AnswerDelta {
    if (SILENT_EVENTS.has(type)) return NO_TEXT;
    if (type !== "error" && !type.endsWith("Exception")) return this.countUnknownEvent();
    const kind = type === "error" ? readJsonString(fields.type) || null : type;
    this.error ??= { message: readJsonString(fields.message) || "unknown error", type: kind };
    return NO_TEXT;
  }

  #readBlock(block: JsonFields | null): AnswerDelta {
    const tool = readJsonObject(block?.toolUse);
    this.#isAnswering = this.#answerTool !== undefined && tool?.name === this.#answerTool;
    return this.#readVisible(block);
  }

  #readVisible(block: JsonFields | null): AnswerDelta {
    const delta = readBlockText(block);
    return this.#isAnswering ? makeDelta(delta.text + delta.hidden, "") : delta;
  }

  #readReason(reason: unknown): void {
    if (typeof reason !== "string" || reason === "") return;
    this.isComplete = true;
    this.setFinish(getOwn(FINISH_BY_REASON, reason) ?? "stop", reason);
  }

  /** Bedrock's classes are disjoint. */
  #readFigures(fields: JsonFields): void {
    this.readServiceTier(readJsonObject(fields.serviceTier)?.type);
    const raw = this.fold.parse(fields.usage);
    if (raw === null) return;
    this.fold.add(raw, {
      input: raw.readCount("inputTokens"),
      output: raw.readCount("outputTokens"),
      cacheRead: raw.readCount("cacheReadInputTokens"),
      cacheWrite: raw.readCount("cacheWriteInputTokens"),
      cacheWrite1h: sumHourWrites(raw.fields.cacheDetails),
    });
  }
}

/** Cache writes by their lifetime. */
function sumHourWrites(details: unknown): number | undefined {
  return readJsonList(details)
    .map(readJsonObject)
    .filter((each) => each?.ttl === "1h" && Number.isSafeInteger(each.inputTokens))
    .map((each) => Number(each?.inputTokens))
    .reduce<number | undefined>(addOptional, undefined);
}

/** Text is visible, also with citations; thinking and the arguments of tools are not. */
function readBlockText(block: JsonFields | null): AnswerDelta {
  if (block === null) return NO_TEXT;
  const cited = readJsonList(readJsonObject(block.citationsContent)?.content);
  const text = readJsonString(block.text) || cited.map((each) => readJsonString(readJsonObject(each)?.text)).join("");
  return makeDelta(text, readThought(readJsonObject(block.reasoningContent)) + readToolInput(block.toolUse));
}

function readThought(reasoning: JsonFields | null): string {
  return readJsonString(reasoning?.text) || readJsonString(readJsonObject(reasoning?.reasoningText)?.text);
}

/** A complete tool call has its arguments as an object; a streamed one has pieces of their JSON. */
function readToolInput(tool: unknown): string {
  const input = readJsonObject(tool)?.input;
  return typeof input === "string" ? input : readJsonObject(input) === null ? "" : toJsonText(input);
}
