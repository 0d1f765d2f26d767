import type { Answer } from "../answer.js";
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
    output: hasItem(answer) ? [finalItem(answer)] : [],
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

/** Where the one item of the output is, in events about it. */
export function itemAt(answer: Answer) {
  return { item_id: itemId(answer), output_index: 0 };
}

/** Where the one part of the message is, in events about it. */
export function partAt(answer: Answer) {
  return { ...itemAt(answer), content_index: 0 };
}

/** A part of a message with this much of the text. */
export function partOf({ finish }: Answer, text: string) {
  return finish === "refusal"
    ? { type: "refusal", refusal: text }
    : { type: "output_text", text, annotations: [], logprobs: [] };
}

/** The item before anything is said. */
export function startedItem(answer: Answer) {
  return itemWith(answer, { status: "in_progress", content: [], args: "" });
}

/** The item with everything in it. */
export function finalItem(answer: Answer) {
  const status = isCut(answer) ? "incomplete" : "completed";
  return itemWith(answer, { status, content: [partOf(answer, answer.text)], args: answer.text });
}

function itemWith(answer: Answer, { status, content, args }: { status: string; content: object[]; args: string }) {
  const id = itemId(answer);
  const { call } = answer;
  if (call === null) return { id, type: "message", status, role: "assistant", content };
  const call_id = `call_${answer.id}`;
  if (!call.isLocalShell) return { id, type: "function_call", status, call_id, name: call.name, arguments: args };
  return { id, type: "local_shell_call", status, call_id, action: { type: "exec", ...call.arguments, env: {} } };
}

function itemId({ id, call }: Answer): string {
  if (call === null) return `msg_${id}`;
  return call.isLocalShell ? `lsh_${id}` : `fc_${id}`;
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
