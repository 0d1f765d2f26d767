import type { Answer, MockFinish } from "../answer.js";
import type { AnswerUsage } from "../usage.js";
import { readGemini } from "./gemini-read.js";
import type { Wire, WireError } from "./wire.js";

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
export const geminiWire: Wire = {
  name: "gemini",
  tells: ["reasoning"],
  wholeCalls: true,
  read: readGemini,
  whole: (answer) => responseOf(answer, { parts: allParts(answer), ends: true, usage: answer.usage }),
  open: ({ sse }) => (sse ? "" : "["),
  piece(answer, text, { index, sent, inCall }) {
    const parts = [inCall ? callPart(answer) : { text }];
    return frame(answer, responseOf(answer, { parts, ends: false, usage: soFar(answer, sent) }), index);
  },
  turn: () => "",
  close(answer, { index }) {
    const last = responseOf(answer, { parts: [{ text: "" }], ends: true, usage: answer.usage });
    return `${frame(answer, last, index)}${answer.sse ? "" : "]"}`;
  },
  error: errorBody,
  errorEvent: (answer, message, { index }) =>
    frame(answer, errorBody({ status: 503, message, retryAfter: null }), index),
  count: (tokens) => ({ totalTokens: tokens }),
};

/** Without `alt=sse`, a stream is one JSON array. */
function frame({ sse }: Answer, data: object, index: number): string {
  if (sse) return `data: ${JSON.stringify(data)}\r\n\r\n`;
  return `${index === 0 ? "" : ",\r\n"}${JSON.stringify(data)}`;
}

function allParts(answer: Answer): object[] {
  const { call, preface, text } = answer;
  if (call === null) return [{ text }];
  return [...(preface === "" ? [] : [{ text: preface }]), callPart(answer)];
}

function callPart({ call }: Answer): object {
  return { functionCall: { name: call?.name, args: call?.arguments } };
}

interface Piece {
  readonly parts: readonly object[];
  readonly ends: boolean;
  readonly usage: AnswerUsage | null;
}

function responseOf(answer: Answer, { parts, ends, usage }: Piece) {
  const { id, model, finish } = answer;
  return {
    ...content(finish, parts, ends),
    ...(usage !== null && { usageMetadata: usageBody(usage) }),
    modelVersion: model,
    responseId: id,
  };
}

function content(finish: MockFinish, parts: readonly object[], ends: boolean) {
  if (finish === "empty") return { candidates: [] };
  if (finish === "blocked") return { promptFeedback: { blockReason: "SAFETY" } };
  const reason = ends ? { finishReason: FINISH_REASON[finish] } : {};
  return { candidates: [{ content: { role: "model", parts }, ...reason, index: 0 }] };
}

/** Every part of a stream reports a running total, with or without a quirk. */
function soFar({ usage, running }: Answer, sent: number): AnswerUsage | null {
  if (usage === null) return null;
  const thought = usage.reasoning;
  return { ...usage, output: running === "down" ? 2 * usage.output + 1 - sent : sent + thought };
}

function errorBody({ status, message, retryAfter }: WireError) {
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

function usageBody({ input, output, cacheRead, cacheWrite, reasoning }: AnswerUsage) {
  const prompt = input + cacheRead + cacheWrite;
  return {
    promptTokenCount: prompt,
    candidatesTokenCount: output - reasoning,
    totalTokenCount: prompt + output,
    ...(cacheRead > 0 && { cachedContentTokenCount: cacheRead }),
    ...(reasoning > 0 && { thoughtsTokenCount: reasoning }),
  };
}
