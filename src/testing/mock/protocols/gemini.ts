import type { AnswerUsage, MockAnswer, MockFinish } from "../answer.js";
import {
  BadRequestError,
  ConversationReader,
  joinContentText,
  type MockJson,
  type MockPrompt,
  type OfferedTool,
  requireListField,
  toList,
  toNumber,
  toObject,
  toTextOrEmpty,
  toTextOrNull,
} from "../prompt.js";
import type { MockProtocol, ProtocolError, ProtocolRequest } from "./protocol.js";

const FINISH_REASON: Readonly<Record<MockFinish, string>> = {
  stop: "STOP",
  length: "MAX_TOKENS",
  refusal: "SAFETY",
  blocked: "SAFETY",
  tool_calls: "STOP",
  empty: "STOP",
};

const STATUS_NAME: Readonly<Record<number, string>> = {
  400: "INVALID_ARGUMENT",
  401: "UNAUTHENTICATED",
  404: "NOT_FOUND",
  429: "RESOURCE_EXHAUSTED",
  500: "INTERNAL",
  503: "UNAVAILABLE",
  529: "UNAVAILABLE",
};

/** Gemini generateContent. A stream is a sequence of complete answers, each with a piece of the text. */
export const geminiProtocol: MockProtocol = {
  name: "gemini",
  tells: ["reasoning"],
  wholeCalls: true,
  read: readGeminiRequest,
  whole: (answer) => makeGeminiResponse(answer, { parts: listGeminiParts(answer), ends: true, usage: answer.usage }),
  open: ({ sse }) => (sse ? "" : "["),
  piece(answer, text, { index, sent, inCall }) {
    const parts = [inCall ? makeCallPart(answer) : { text }];
    return formatFrame(
      answer,
      makeGeminiResponse(answer, { parts, ends: false, usage: getGeminiUsageSoFar(answer, sent) }),
      index,
    );
  },
  turn: () => "",
  close(answer, { index }) {
    const last = makeGeminiResponse(answer, { parts: [{ text: "" }], ends: true, usage: answer.usage });
    return `${formatFrame(answer, last, index)}${answer.sse ? "" : "]"}`;
  },
  error: makeGeminiError,
  errorEvent: (answer, message, { index }) =>
    formatFrame(answer, makeGeminiError({ status: 503, message, retryAfter: null }), index),
  count: (tokens) => ({ totalTokens: tokens }),
};

/** Without `alt=sse`, a stream is one JSON array. */
function formatFrame({ sse }: MockAnswer, data: object, index: number): string {
  if (sse) return `data: ${JSON.stringify(data)}\r\n\r\n`;
  return `${index === 0 ? "" : ",\r\n"}${JSON.stringify(data)}`;
}

function listGeminiParts(answer: MockAnswer): object[] {
  const { call, preface, text } = answer;
  if (call === null) return [{ text }];
  return [...(preface === "" ? [] : [{ text: preface }]), makeCallPart(answer)];
}

function makeCallPart({ call }: MockAnswer): object {
  return { functionCall: { name: call?.name, args: call?.arguments } };
}

interface GeminiPiece {
  readonly parts: readonly object[];
  readonly ends: boolean;
  readonly usage: AnswerUsage | null;
}

function makeGeminiResponse(answer: MockAnswer, { parts, ends, usage }: GeminiPiece) {
  const { id, model, finish, serviceTier } = answer;
  const tier = serviceTier === null ? {} : { serviceTier: serviceTier.toUpperCase() };
  return {
    ...makeGeminiContent(finish, parts, ends),
    ...(usage !== null && { usageMetadata: { ...toGeminiUsage(usage), ...tier } }),
    modelVersion: model,
    responseId: id,
  };
}

function makeGeminiContent(finish: MockFinish, parts: readonly object[], ends: boolean) {
  if (finish === "empty") return { candidates: [] };
  if (finish === "blocked") return { promptFeedback: { blockReason: "SAFETY" } };
  const reason = ends ? { finishReason: FINISH_REASON[finish] } : {};
  return { candidates: [{ content: { role: "model", parts }, ...reason, index: 0 }] };
}

/** Every part of a stream reports a running total, with or without a quirk. */
function getGeminiUsageSoFar({ usage, running }: MockAnswer, sent: number): AnswerUsage | null {
  if (usage === null) return null;
  const thought = usage.reasoning;
  return { ...usage, output: running === "down" ? 2 * usage.output + 1 - sent : sent + thought };
}

function makeGeminiError({ status, message, retryAfter }: ProtocolError) {
  const info = { "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: `${retryAfter}s` };
  return {
    error: {
      code: status,
      message,
      status: STATUS_NAME[status] ?? "UNKNOWN",
      ...(retryAfter !== null && { details: [info] }),
    },
  };
}

function toGeminiUsage({ input, output, cacheRead, cacheWrite, reasoning }: AnswerUsage) {
  const prompt = input + cacheRead + cacheWrite;
  return {
    promptTokenCount: prompt,
    candidatesTokenCount: output - reasoning,
    totalTokenCount: prompt + output,
    ...(cacheRead > 0 && { cachedContentTokenCount: cacheRead }),
    ...(reasoning > 0 && { thoughtsTokenCount: reasoning }),
  };
}

/** The path names the model and whether to stream. */
function readGeminiRequest({ body, model, streams, query }: ProtocolRequest): MockPrompt {
  const conversation = new ConversationReader();
  const system = toObject(body.systemInstruction ?? body.system_instruction);
  conversation.add("system", joinContentText(system.parts));
  for (const { role = "user", parts } of requireListField(body, "contents").map(toObject)) {
    if (role !== "user" && role !== "model" && role !== "function")
      throw new BadRequestError("Please use a valid role: user, model.");
    for (const part of toList(parts).map(toObject).filter(isFunctionResponse))
      conversation.addToolResult(toObject(part.functionResponse).response);
    conversation.add(role, joinContentText(parts));
    conversation.addFiles(parts);
  }
  const settings = toObject(body.generationConfig);
  return {
    model,
    stream: streams,
    userText: conversation.userText,
    userTexts: conversation.userTexts,
    texts: conversation.texts,
    maxTokens: toNumber(settings.maxOutputTokens),
    tools: toList(body.tools).flatMap((tool) => toList(toObject(tool).functionDeclarations).map(readGeminiTool)),
    toolResults: conversation.toolResults,
    fileTokens: conversation.fileTokens,
    schema: readGeminiSchema(settings),
    serviceTier: toTextOrNull(body.service_tier),
    wantsUsage: true,
    sse: query.split("&").includes("alt=sse"),
  };
}

function isFunctionResponse(part: MockJson): boolean {
  return "functionResponse" in part;
}

function readGeminiTool(declaration: unknown): OfferedTool {
  const { name, parameters, parametersJsonSchema } = toObject(declaration);
  return { name: toTextOrEmpty(name), schema: toObject(parametersJsonSchema ?? parameters), isLocalShell: false };
}

function readGeminiSchema(settings: MockJson): MockJson | null {
  const schema = settings.responseJsonSchema ?? settings.responseSchema;
  if (schema === undefined && settings.responseMimeType !== "application/json") return null;
  return toObject(schema);
}
