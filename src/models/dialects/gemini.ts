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
  Dialect,
  EffortRequest,
  Finish,
  Message,
  MessageFile,
  ModelRequest,
  ProviderError,
} from "./dialect.js";
import { removeParameters } from "./refused-parameter.js";

const STATUS_NAMES: Readonly<Record<number, string>> = {
  400: "INVALID_ARGUMENT",
  401: "UNAUTHENTICATED",
  403: "PERMISSION_DENIED",
  404: "NOT_FOUND",
  429: "RESOURCE_EXHAUSTED",
  500: "INTERNAL",
  503: "UNAVAILABLE",
  504: "DEADLINE_EXCEEDED",
};

/** Gemini's generateContent. */
export const gemini: Dialect<"gemini"> = {
  name: "gemini",
  serviceTiers: ["flex", "priority"],
  path: buildGeminiPath,
  headers: (key) => (key === null ? {} : { "x-goog-api-key": key }),
  body: buildGeminiBody,
  takesUrl: (_, url) => GEMINI_FILE.test(url),
  reader: () => new GeminiAnswerReader(),
  errorIn: parseProviderError,
  errorBody: buildGeminiErrorBody,
};

/** A model has a plain name or one with its collection, such as `models/…` or `tunedModels/…`. */
function buildGeminiPath(model: string, stream: boolean): string {
  const name = model.split("/").map(encodeURIComponent).join("/");
  const full = name.includes("/") ? name : `models/${name}`;
  return `/v1beta/${full}:${stream ? "streamGenerateContent?alt=sse" : "generateContent"}`;
}

function buildGeminiBody(request: ModelRequest): Record<string, unknown> {
  const { messages, temperature, maxTokens, effort, serviceTier, answer, extraBody, refused = [] } = request;
  const system = listSystemTexts(request);
  const config = omitUndefined({
    temperature,
    maxOutputTokens: maxTokens,
    thinkingConfig: effort && buildThinkingConfig(effort),
    responseMimeType: answer && "application/json",
    responseSchema: answer && toGeminiSchema(answer.schema),
  });
  const plain = omitUndefined({
    contents: messages.filter(({ role }) => role !== "system").map(toGeminiContent),
    systemInstruction: system.length === 0 ? undefined : { parts: toGeminiParts(system) },
    service_tier: serviceTier,
    generationConfig: Object.keys(config).length === 0 ? undefined : config,
  });
  return removeParameters(mergeExtraBody(plain, extraBody), refused);
}

function buildThinkingConfig({ value }: EffortRequest): Record<string, unknown> {
  if (value === "none") return { thinkingBudget: 0 };
  return typeof value === "number" ? { thinkingBudget: value } : { thinkingLevel: value };
}

/** Files that were uploaded to the API before; no others are read from a URL. */
const GEMINI_FILE = /^https:\/\/generativelanguage\.googleapis\.com\/v1(?:beta|alpha)?\/files\//;

function toGeminiContent({ role, parts, files = [] }: Message) {
  return {
    role: role === "assistant" ? "model" : "user",
    parts: [...files.map(toGeminiFile), ...toGeminiParts(parts)],
  };
}

function toGeminiFile({ source }: MessageFile) {
  if ("url" in source) return { fileData: { fileUri: source.url } };
  return { inlineData: { mimeType: source.mediaType, data: source.data } };
}

function toGeminiParts(texts: readonly string[]) {
  return texts.map((text) => ({ text }));
}

function buildGeminiErrorBody(status: number, { message, type }: ProviderError): Record<string, unknown> {
  return { error: { code: status, message, status: type ?? STATUS_NAMES[status] ?? "UNKNOWN" } };
}

/**
 * Converts a JSON Schema to Gemini's subset of OpenAPI, which rejects unknown keys and supports enums only for strings.
 * Properties are written in the order of `required`.
 * @example
 * toGeminiSchema({ type: "integer", enum: [1, 2, 3] }); // { type: "integer", minimum: 1, maximum: 3 }
 */
export function toGeminiSchema(schema: JsonFields): JsonFields {
  const { additionalProperties: _, enum: choices, properties, ...rest } = schema;
  return {
    ...rest,
    ...convertSchemaChoices(readJsonList(choices)),
    ...convertSchemaProperties(readJsonObject(properties), readJsonList(schema.required)),
  };
}

function convertSchemaChoices(choices: readonly unknown[]): JsonFields {
  if (choices.length === 0) return {};
  const numbers = choices.filter((choice): choice is number => typeof choice === "number");
  if (numbers.length < choices.length) return { enum: choices };
  return { minimum: Math.min(...numbers), maximum: Math.max(...numbers) };
}

function convertSchemaProperties(properties: JsonFields | null, required: readonly unknown[]): JsonFields {
  if (properties === null) return {};
  const converted = Object.entries(properties).map(([name, each]) => [
    name,
    toGeminiSchema(readJsonObject(each) ?? {}),
  ]);
  return { properties: Object.fromEntries(converted), ...(required.length > 0 && { propertyOrdering: required }) };
}

const FINISH_BY_REASON: Readonly<Record<string, Finish>> = {
  MAX_TOKENS: "truncated",
  SAFETY: "refused",
  RECITATION: "refused",
  BLOCKLIST: "refused",
  PROHIBITED_CONTENT: "refused",
  SPII: "refused",
  IMAGE_SAFETY: "refused",
};

/** Reads a Gemini answer, whose events have the format of a whole answer. */
class GeminiAnswerReader extends BaseAnswerReader {
  #hasCalls = false;

  readEvent(event: unknown): AnswerDelta {
    const fields = readJsonObject(event);
    if (fields === null || !isGeminiAnswer(fields)) return this.countUnknownEvent();
    this.readModel(fields.modelVersion);
    this.error ??= parseErrorField(fields.error);
    this.#readUsage(fields.usageMetadata);
    this.#readBlock(readJsonObject(fields.promptFeedback));
    const candidates = readJsonList(fields.candidates);
    if (candidates.length === 1) return this.#readCandidate(candidates[0]);
    return joinDeltas(candidates.map((candidate) => this.#readCandidate(candidate)));
  }

  /** Without `alt=sse` a stream is a list of answers. */
  readWhole(body: unknown): AnswerDelta {
    const delta = Array.isArray(body) ? joinDeltas(body.map((part) => this.readEvent(part))) : this.readEvent(body);
    this.isComplete ||= this.unknownEvents === 0;
    return delta;
  }

  #readCandidate(candidate: unknown): AnswerDelta {
    const fields = readJsonObject(candidate);
    if (fields === null) return NO_TEXT;
    const delta = this.#readParts(readJsonList(readJsonObject(fields.content)?.parts));
    // The first candidate is the answer; the others are billed too.
    if (typeof fields.index === "number" && fields.index > 0) return makeDelta("", delta.text + delta.hidden);
    this.#readFinish(fields.finishReason);
    return delta;
  }

  #readParts(parts: readonly unknown[]): AnswerDelta {
    let text = "";
    let hidden = "";
    for (const part of parts) {
      const fields = readJsonObject(part);
      if (fields?.thought === true) hidden += readJsonString(fields.text);
      else text += readJsonString(fields?.text);
      const call = readJsonObject(fields?.functionCall);
      if (call === null) continue;
      this.#hasCalls = true;
      hidden += toJsonText(call.args ?? {});
    }
    return makeDelta(text, hidden);
  }

  #readFinish(reason: unknown): void {
    if (typeof reason !== "string" || reason === "") return;
    this.isComplete = true;
    const usual = this.#hasCalls ? "tool_calls" : "stop";
    this.setFinish(getOwn(FINISH_BY_REASON, reason) ?? usual, reason);
  }

  #readBlock(feedback: JsonFields | null): void {
    const reason = readJsonString(feedback?.blockReason);
    if (reason === "") return;
    this.isComplete = true;
    this.setFinish("refused", reason);
  }

  /** The prompt count includes cached tokens; thoughts are billed as output but counted separately. */
  #readUsage(usage: unknown): void {
    const raw = this.fold.parse(usage);
    if (raw === null) return;
    this.readServiceTier(raw.fields.serviceTier);
    const cacheRead = raw.readCount("cachedContentTokenCount");
    const prompt = addOptional(raw.readCount("promptTokenCount"), raw.readCount("toolUsePromptTokenCount"));
    const reasoning = raw.readCount("thoughtsTokenCount");
    const input = prompt === undefined ? undefined : prompt - (cacheRead ?? 0);
    const output = addOptional(raw.readCount("candidatesTokenCount"), reasoning);
    this.fold.add(raw, { input, output, cacheRead, reasoning });
  }
}

function isGeminiAnswer(fields: JsonFields): boolean {
  const { candidates, usageMetadata, promptFeedback, error } = fields;
  return Array.isArray(candidates) || usageMetadata != null || promptFeedback != null || error != null;
}

function joinDeltas(deltas: readonly AnswerDelta[]): AnswerDelta {
  return makeDelta(deltas.map(({ text }) => text).join(""), deltas.map(({ hidden }) => hidden).join(""));
}
