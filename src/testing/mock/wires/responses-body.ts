import { type Answer, beginsWithText } from "../answer.js";
import type { AnswerUsage } from "../usage.js";

/** The parts of a response that may differ while it is under way. */
interface Stage {
  readonly status: "in_progress" | "completed" | "incomplete";
  readonly output?: readonly object[];
  readonly usage?: AnswerUsage | null;
}

/** True when the answer ended before it was complete. */
export function isCut({ finish }: Answer): boolean {
  return finish === "length" || finish === "blocked";
}

/** True when there is something in the answer: a message or a call. */
export function hasItem({ finish }: Answer): boolean {
  return finish !== "empty" && finish !== "blocked";
}

/** The response object as it is once everything is said. */
export function finalResponse(answer: Answer): Record<string, unknown> {
  return responseBody(answer, {
    status: isCut(answer) ? "incomplete" : "completed",
    output: finalItems(answer),
    usage: answer.usage,
  });
}

/** The response object at some stage. */
export function responseBody(answer: Answer, { status, output = [], usage = null }: Stage): Record<string, unknown> {
  const { id, created, model, finish } = answer;
  const reason = finish === "length" ? "max_output_tokens" : "content_filter";
  return {
    id: `resp_${id}`,
    object: "response",
    created_at: created,
    status,
    error: null,
    incomplete_details: status === "incomplete" ? { reason } : null,
    model,
    output,
    parallel_tool_calls: true,
    tool_choice: "auto",
    tools: [],
    ...(answer.usage !== null && { usage: usage === null ? null : usageBody(usage) }),
  };
}

/** The place of the message or of the call in the output: a call is second when something is said before it. */
export function indexOf({ preface }: Answer, inCall: boolean): number {
  return inCall && preface !== "" ? 1 : 0;
}

/** Where the message or the call is, in events about it. */
export function itemAt(answer: Answer, inCall: boolean) {
  return { item_id: itemId(answer, inCall), output_index: indexOf(answer, inCall) };
}

/** Where the one part of the message is, in events about it. */
export function partAt(answer: Answer) {
  return { ...itemAt(answer, false), content_index: 0 };
}

/** All that the message says. */
export function messageText({ call, preface, text }: Answer): string {
  return call === null ? text : preface;
}

/** A part of a message with this much of the text. */
export function partOf({ finish }: Answer, text: string) {
  return finish === "refusal"
    ? { type: "refusal", refusal: text }
    : { type: "output_text", text, annotations: [], logprobs: [] };
}

/** The message or the call before anything is in it. */
export function startedItem(answer: Answer, inCall: boolean) {
  const status = "in_progress";
  return inCall ? callItem(answer, status, "") : messageItem(answer, status, []);
}

/** The message or the call with everything in it. */
export function finalItem(answer: Answer, inCall: boolean) {
  const status = isCut(answer) ? "incomplete" : "completed";
  if (inCall) return callItem(answer, status, answer.text);
  return messageItem(answer, status, [partOf(answer, messageText(answer))]);
}

function finalItems(answer: Answer): object[] {
  if (!hasItem(answer)) return [];
  return [
    ...(beginsWithText(answer) ? [finalItem(answer, false)] : []),
    ...(answer.call === null ? [] : [finalItem(answer, true)]),
  ];
}

function messageItem(answer: Answer, status: string, content: readonly object[]) {
  return { id: itemId(answer, false), type: "message", status, role: "assistant", content };
}

function callItem(answer: Answer, status: string, args: string) {
  const { call } = answer;
  const shared = { id: itemId(answer, true), status, call_id: `call_${answer.id}` };
  if (call?.isLocalShell === true)
    return { type: "local_shell_call", ...shared, action: { type: "exec", ...call.arguments, env: {} } };
  if (call?.script !== undefined) return { type: "custom_tool_call", ...shared, name: call.name, input: args };
  return { type: "function_call", ...shared, name: call?.name, arguments: args };
}

function itemId({ id, call }: Answer, inCall: boolean): string {
  if (!inCall) return `msg_${id}`;
  if (call?.script !== undefined) return `ctc_${id}`;
  return call?.isLocalShell === true ? `lsh_${id}` : `fc_${id}`;
}

function usageBody({ input, output, cacheRead, cacheWrite, reasoning, cost }: AnswerUsage) {
  const prompt = input + cacheRead + cacheWrite;
  return {
    input_tokens: prompt,
    input_tokens_details: { cached_tokens: cacheRead, ...(cacheWrite > 0 && { cache_write_tokens: cacheWrite }) },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: reasoning },
    total_tokens: prompt + output,
    ...(cost !== null && { cost }),
  };
}
