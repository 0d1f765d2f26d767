import { present, withExtra } from "./body.js";
import type { Dialect, Message, ModelRequest, ProviderError } from "./dialect.js";
import { GeminiReader } from "./gemini-reader.js";
import { geminiSchema } from "./gemini-schema.js";
import { providerErrorIn } from "./provider-error.js";
import { withoutParameters } from "./refused-parameter.js";
import { systemTexts } from "./system-texts.js";

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

/** A model is named alone or with its collection, such as `models/…` or `tunedModels/…`. */
function path(model: string, stream: boolean): string {
  const name = model.split("/").map(encodeURIComponent).join("/");
  const full = name.includes("/") ? name : `models/${name}`;
  return `/v1beta/${full}:${stream ? "streamGenerateContent?alt=sse" : "generateContent"}`;
}

function body(request: ModelRequest): Record<string, unknown> {
  const { messages, temperature, maxTokens, answer, extraBody, refused = [] } = request;
  const system = systemTexts(request);
  const config = present({
    temperature,
    maxOutputTokens: maxTokens,
    responseMimeType: answer && "application/json",
    responseSchema: answer && geminiSchema(answer.schema),
  });
  const plain = present({
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
