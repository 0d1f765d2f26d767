import { type Answer, beginsWithText, type MockFinish, usageSoFar } from "../answer.js";
import type { AnswerUsage } from "../usage.js";
import { readAnthropic } from "./anthropic-read.js";
import { typedEvent, type Wire, type WireError } from "./wire.js";

const STOP_REASON: Readonly<Record<MockFinish, string>> = {
  stop: "end_turn",
  length: "max_tokens",
  refusal: "refusal",
  blocked: "refusal",
  tool_calls: "tool_use",
  empty: "end_turn",
};

const ERROR_TYPE: Readonly<Record<number, string>> = {
  400: "invalid_request_error",
  401: "authentication_error",
  404: "not_found_error",
  429: "rate_limit_error",
  529: "overloaded_error",
};

/** Anthropic Messages. Thinking is part of its output tokens and has no count of its own. */
export const anthropicWire: Wire = {
  name: "anthropic",
  tells: ["cacheWrite", "cacheWrite1h"],
  wholeCalls: false,
  read: readAnthropic,
  whole: (answer) => ({
    ...messageOf(answer, fullBlocks(answer), STOP_REASON[answer.finish]),
    ...(answer.usage !== null && { usage: usageBody(answer.usage) }),
  }),
  open(answer) {
    const start = { ...messageOf(answer, [], null), ...firstUsage(answer) };
    const begin = typedEvent({ type: "message_start", message: start });
    if (!hasBlock(answer)) return begin;
    return `${begin}${blockStart(answer, !beginsWithText(answer))}${typedEvent({ type: "ping" })}`;
  },
  piece(answer, text, { sent, inCall }) {
    const delta = inCall ? { type: "input_json_delta", partial_json: text } : { type: "text_delta", text };
    const usage = usageSoFar(answer, sent);
    const told = usage === null ? "" : messageDelta(null, usageBody(usage));
    return typedEvent({ type: "content_block_delta", index: blockIndex(answer, inCall), delta }) + told;
  },
  turn: (answer) => blockStop(answer, false) + blockStart(answer, true),
  close(answer) {
    const stop = hasBlock(answer) ? blockStop(answer, answer.call !== null) : "";
    const usage = answer.usage === null ? null : { output_tokens: answer.usage.output };
    return `${stop}${messageDelta(STOP_REASON[answer.finish], usage)}${typedEvent({ type: "message_stop" })}`;
  },
  error: errorBody,
  errorEvent: (_, message) => typedEvent(errorBody({ status: 529, message, retryAfter: null })),
  count: (tokens) => ({ input_tokens: tokens }),
};

function hasBlock({ finish }: Answer): boolean {
  return finish !== "empty" && finish !== "blocked";
}

function messageOf({ id, model }: Answer, content: readonly object[], stopReason: string | null) {
  return {
    id: `msg_${id}`,
    type: "message",
    role: "assistant",
    model,
    content,
    stop_reason: stopReason,
    stop_sequence: null,
  };
}

function blockStart(answer: Answer, inCall: boolean): string {
  const block = inCall ? callBlock(answer, {}) : { type: "text", text: "" };
  return typedEvent({ type: "content_block_start", index: blockIndex(answer, inCall), content_block: block });
}

function blockStop(answer: Answer, inCall: boolean): string {
  return typedEvent({ type: "content_block_stop", index: blockIndex(answer, inCall) });
}

/** A call is the second block if there is text before it. */
function blockIndex({ preface }: Answer, inCall: boolean): number {
  return inCall && preface !== "" ? 1 : 0;
}

function callBlock({ id, call }: Answer, input: object) {
  return { type: "tool_use", id: `toolu_${id}`, name: call?.name, input };
}

function fullBlocks(answer: Answer): object[] {
  const { call, text, preface } = answer;
  if (!hasBlock(answer)) return [];
  if (call === null) return [{ type: "text", text }];
  return [...(preface === "" ? [] : [{ type: "text", text: preface }]), callBlock(answer, call.arguments)];
}

/** The first token is already counted when the message starts. */
function firstUsage(answer: Answer) {
  if (answer.usage === null) return {};
  const first = { ...answer.usage, output: Math.min(1, Math.abs(answer.usage.output)) };
  return { usage: usageBody(usageSoFar(answer, 0) ?? first) };
}

function messageDelta(stopReason: string | null, usage: object | null): string {
  const delta = { stop_reason: stopReason, stop_sequence: null };
  return typedEvent({ type: "message_delta", delta, ...(usage !== null && { usage }) });
}

function errorBody({ status, message }: WireError) {
  return { type: "error", error: { type: ERROR_TYPE[status] ?? "api_error", message }, request_id: "req_mock" };
}

function usageBody({ input, output, cacheRead, cacheWrite, cacheWrite1h, cost }: AnswerUsage) {
  return {
    input_tokens: input,
    cache_creation_input_tokens: cacheWrite,
    cache_read_input_tokens: cacheRead,
    cache_creation: {
      ephemeral_5m_input_tokens: cacheWrite - cacheWrite1h,
      ephemeral_1h_input_tokens: cacheWrite1h,
    },
    output_tokens: output,
    service_tier: "standard",
    ...(cost !== null && { cost }),
  };
}
