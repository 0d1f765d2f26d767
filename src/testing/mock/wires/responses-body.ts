import { type Answer, beginsWithText } from "../answer.js";
import type { AnswerUsage } from "../usage.js";

/** The fields of a response that change while it is created. */
interface Stage {
  readonly status: "in_progress" | "completed" | "incomplete";
  readonly output?: readonly object[];
  readonly usage?: AnswerUsage | null;
}

export function isCut({ finish }: Answer): boolean {
  return finish === "length" || finish === "blocked";
}

/** True if the answer has a message or a call. */
export function hasItem({ finish }: Answer): boolean {
  return finish !== "empty" && finish !== "blocked";
}

export function finalResponse(answer: Answer): Record<string, unknown> {
  return responseBody(answer, {
    status: isCut(answer) ? "incomplete" : "completed",
    output: finalItems(answer),
    usage: answer.usage,
  });
}

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

/** A call is second if there is text before it. */
export function indexOf({ preface }: Answer, inCall: boolean): number {
  return inCall && preface !== "" ? 1 : 0;
}

/** Reference to the message or call in events. */
export function itemAt(answer: Answer, inCall: boolean) {
  return { item_id: itemId(answer, inCall), output_index: indexOf(answer, inCall) };
}

/** Reference to the only part of the message in events. */
export function partAt(answer: Answer) {
  return { ...itemAt(answer, false), content_index: 0 };
}

export function messageText({ call, preface, text }: Answer): string {
  return call === null ? text : preface;
}

export function partOf({ finish }: Answer, text: string) {
  return finish === "refusal"
    ? { type: "refusal", refusal: text }
    : { type: "output_text", text, annotations: [], logprobs: [] };
}

export function startedItem(answer: Answer, inCall: boolean) {
  const status = "in_progress";
  return inCall ? callItem(answer, status, "") : messageItem(answer, status, []);
}

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
