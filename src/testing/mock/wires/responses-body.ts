import { type MockAnswer, startsWithText } from "../answer.js";
import type { AnswerUsage } from "../usage.js";

/** The fields of a response that change while it is created. */
interface ResponseStage {
  readonly status: "in_progress" | "completed" | "incomplete";
  readonly output?: readonly object[];
  readonly usage?: AnswerUsage | null;
}

export function isTruncated({ finish }: MockAnswer): boolean {
  return finish === "length" || finish === "blocked";
}

/** True if the answer has a message or a call. */
export function hasOutputItem({ finish }: MockAnswer): boolean {
  return finish !== "empty" && finish !== "blocked";
}

export function makeFinalResponse(answer: MockAnswer): Record<string, unknown> {
  return makeResponseBody(answer, {
    status: isTruncated(answer) ? "incomplete" : "completed",
    output: listFinalItems(answer),
    usage: answer.usage,
  });
}

export function makeResponseBody(
  answer: MockAnswer,
  { status, output = [], usage = null }: ResponseStage,
): Record<string, unknown> {
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
    ...(answer.usage !== null && { usage: usage === null ? null : toResponsesUsage(usage) }),
  };
}

/** A call is second if there is text before it. */
export function getItemIndex({ preface }: MockAnswer, inCall: boolean): number {
  return inCall && preface !== "" ? 1 : 0;
}

/** Reference to the message or call in events. */
export function makeItemReference(answer: MockAnswer, inCall: boolean) {
  return { item_id: makeItemId(answer, inCall), output_index: getItemIndex(answer, inCall) };
}

/** Reference to the only part of the message in events. */
export function makePartReference(answer: MockAnswer) {
  return { ...makeItemReference(answer, false), content_index: 0 };
}

export function getMessageText({ call, preface, text }: MockAnswer): string {
  return call === null ? text : preface;
}

export function makeContentPart({ finish }: MockAnswer, text: string) {
  return finish === "refusal"
    ? { type: "refusal", refusal: text }
    : { type: "output_text", text, annotations: [], logprobs: [] };
}

export function makeStartedItem(answer: MockAnswer, inCall: boolean) {
  const status = "in_progress";
  return inCall ? makeCallItem(answer, status, "") : makeMessageItem(answer, status, []);
}

export function makeFinalItem(answer: MockAnswer, inCall: boolean) {
  const status = isTruncated(answer) ? "incomplete" : "completed";
  if (inCall) return makeCallItem(answer, status, answer.text);
  return makeMessageItem(answer, status, [makeContentPart(answer, getMessageText(answer))]);
}

function listFinalItems(answer: MockAnswer): object[] {
  if (!hasOutputItem(answer)) return [];
  return [
    ...(startsWithText(answer) ? [makeFinalItem(answer, false)] : []),
    ...(answer.call === null ? [] : [makeFinalItem(answer, true)]),
  ];
}

function makeMessageItem(answer: MockAnswer, status: string, content: readonly object[]) {
  return { id: makeItemId(answer, false), type: "message", status, role: "assistant", content };
}

function makeCallItem(answer: MockAnswer, status: string, args: string) {
  const { call } = answer;
  const shared = { id: makeItemId(answer, true), status, call_id: `call_${answer.id}` };
  if (call?.isLocalShell === true)
    return { type: "local_shell_call", ...shared, action: { type: "exec", ...call.arguments, env: {} } };
  if (call?.script !== undefined) return { type: "custom_tool_call", ...shared, name: call.name, input: args };
  return { type: "function_call", ...shared, name: call?.name, arguments: args };
}

function makeItemId({ id, call }: MockAnswer, inCall: boolean): string {
  if (!inCall) return `msg_${id}`;
  if (call?.script !== undefined) return `ctc_${id}`;
  return call?.isLocalShell === true ? `lsh_${id}` : `fc_${id}`;
}

function toResponsesUsage({ input, output, cacheRead, cacheWrite, reasoning, cost }: AnswerUsage) {
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
