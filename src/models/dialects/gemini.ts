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
import type { Delta, Dialect, Finish, Message, ModelRequest, ProviderError } from "./dialect.js";
import { errorField, providerErrorIn } from "./provider-error.js";
import { withoutParameters } from "./refused-parameter.js";

const STATUSES: Readonly<Record<number, string>> = {
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
export const gemini: Dialect = {
  name: "gemini",
  path,
  headers: (key) => (key === null ? {} : { "x-goog-api-key": key }),
  body,
  reader: () => new GeminiReader(),
  errorIn: providerErrorIn,
  errorBody,
};

/** A model has a plain name or one with its collection, such as `models/…` or `tunedModels/…`. */
function path(model: string, stream: boolean): string {
  const name = model.split("/").map(encodeURIComponent).join("/");
  const full = name.includes("/") ? name : `models/${name}`;
  return `/v1beta/${full}:${stream ? "streamGenerateContent?alt=sse" : "generateContent"}`;
}

function body(request: ModelRequest): Record<string, unknown> {
  const { messages, temperature, maxTokens, answer, extraBody, refused = [] } = request;
  const system = systemTexts(request);
  const config = given({
    temperature,
    maxOutputTokens: maxTokens,
    responseMimeType: answer && "application/json",
    responseSchema: answer && geminiSchema(answer.schema),
  });
  const plain = given({
    contents: messages.filter(({ role }) => role !== "system").map(contentOf),
    systemInstruction: system.length === 0 ? undefined : { parts: partsOf(system) },
    generationConfig: Object.keys(config).length === 0 ? undefined : config,
  });
  return withoutParameters(withExtra(plain, extraBody), refused);
}

function contentOf({ role, parts }: Message) {
  return { role: role === "assistant" ? "model" : "user", parts: partsOf(parts) };
}

function partsOf(texts: readonly string[]) {
  return texts.map((text) => ({ text }));
}

function errorBody(status: number, { message, type }: ProviderError): Record<string, unknown> {
  return { error: { code: status, message, status: type ?? STATUSES[status] ?? "UNKNOWN" } };
}

/**
 * Converts a JSON Schema to Gemini's subset of OpenAPI, which rejects unknown keys and supports enums only for strings.
 * Properties are written in the order of `required`.
 * @example
 * toGeminiSchema({ type: "integer", enum: [1, 2, 3] }); // { type: "integer", minimum: 1, maximum: 3 }
 */
export function geminiSchema(schema: Fields): Fields {
  const { additionalProperties: _, enum: choices, properties, ...rest } = schema;
  return { ...rest, ...choicesOf(listOf(choices)), ...propertiesOf(fieldsOf(properties), listOf(schema.required)) };
}

function choicesOf(choices: readonly unknown[]): Fields {
  if (choices.length === 0) return {};
  const numbers = choices.filter((choice): choice is number => typeof choice === "number");
  if (numbers.length < choices.length) return { enum: choices };
  return { minimum: Math.min(...numbers), maximum: Math.max(...numbers) };
}

function propertiesOf(properties: Fields | null, required: readonly unknown[]): Fields {
  if (properties === null) return {};
  const converted = Object.entries(properties).map(([name, each]) => [name, geminiSchema(fieldsOf(each) ?? {})]);
  return { properties: Object.fromEntries(converted), ...(required.length > 0 && { propertyOrdering: required }) };
}

const FINISHES: Readonly<Record<string, Finish>> = {
  MAX_TOKENS: "truncated",
  SAFETY: "refused",
  RECITATION: "refused",
  BLOCKLIST: "refused",
  PROHIBITED_CONTENT: "refused",
  SPII: "refused",
  IMAGE_SAFETY: "refused",
};

/** Reads a Gemini answer, whose events have the format of a whole answer. */
class GeminiReader extends AnswerBase {
  #hasCalls = false;

  readEvent(event: unknown): Delta {
    const fields = fieldsOf(event);
    if (fields === null || !isKnown(fields)) return this.unknown();
    this.readModel(fields.modelVersion);
    this.error ??= errorField(fields.error);
    this.#readUsage(fields.usageMetadata);
    this.#readBlock(fieldsOf(fields.promptFeedback));
    const candidates = listOf(fields.candidates);
    if (candidates.length === 1) return this.#readCandidate(candidates[0]);
    return joined(candidates.map((candidate) => this.#readCandidate(candidate)));
  }

  /** Without `alt=sse` a stream is a list of answers. */
  readWhole(body: unknown): Delta {
    const delta = Array.isArray(body) ? joined(body.map((part) => this.readEvent(part))) : this.readEvent(body);
    this.isComplete ||= this.unknownEvents === 0;
    return delta;
  }

  #readCandidate(candidate: unknown): Delta {
    const fields = fieldsOf(candidate);
    if (fields === null) return NO_TEXT;
    const delta = this.#readParts(listOf(fieldsOf(fields.content)?.parts));
    // The first candidate is the answer; the others are billed too.
    if (typeof fields.index === "number" && fields.index > 0) return deltaOf("", delta.text + delta.hidden);
    this.#readFinish(fields.finishReason);
    return delta;
  }

  #readParts(parts: readonly unknown[]): Delta {
    let text = "";
    let hidden = "";
    for (const part of parts) {
      const fields = fieldsOf(part);
      if (fields?.thought === true) hidden += textOf(fields.text);
      else text += textOf(fields?.text);
      const call = fieldsOf(fields?.functionCall);
      if (call === null) continue;
      this.#hasCalls = true;
      hidden += jsonText(call.args ?? {});
    }
    return deltaOf(text, hidden);
  }

  #readFinish(reason: unknown): void {
    if (typeof reason !== "string" || reason === "") return;
    this.isComplete = true;
    const usual = this.#hasCalls ? "tool_calls" : "stop";
    this.end(ownValue(FINISHES, reason) ?? usual, reason);
  }

  #readBlock(feedback: Fields | null): void {
    const reason = textOf(feedback?.blockReason);
    if (reason === "") return;
    this.isComplete = true;
    this.end("refused", reason);
  }

  /** The prompt count includes cached tokens; thoughts are billed as output but counted separately. */
  #readUsage(usage: unknown): void {
    const raw = this.fold.open(usage);
    if (raw === null) return;
    const cacheRead = raw.count("cachedContentTokenCount");
    const prompt = sumOf(raw.count("promptTokenCount"), raw.count("toolUsePromptTokenCount"));
    const reasoning = raw.count("thoughtsTokenCount");
    const input = prompt === undefined ? undefined : prompt - (cacheRead ?? 0);
    const output = sumOf(raw.count("candidatesTokenCount"), reasoning);
    this.fold.add(raw, { input, output, cacheRead, reasoning });
  }
}

function isKnown(fields: Fields): boolean {
  const { candidates, usageMetadata, promptFeedback, error } = fields;
  return Array.isArray(candidates) || usageMetadata != null || promptFeedback != null || error != null;
}

function joined(deltas: readonly Delta[]): Delta {
  return deltaOf(deltas.map(({ text }) => text).join(""), deltas.map(({ hidden }) => hidden).join(""));
}
