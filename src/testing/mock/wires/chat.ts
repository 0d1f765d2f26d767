import { type Answer, beginsWithText, type MockFinish, usageSoFar } from "../answer.js";
import type { AnswerUsage } from "../usage.js";
import { readChat } from "./chat-read.js";
import { openaiError } from "./openai-error.js";
import { dataEvent, type Wire } from "./wire.js";

const FINISH: Readonly<Record<MockFinish, string>> = {
  stop: "stop",
  length: "length",
  // A refusal ends normally; only the content filter has its own reason.
  refusal: "stop",
  blocked: "content_filter",
  tool_calls: "tool_calls",
  empty: "stop",
};

export const chatWire: Wire = {
  name: "chat",
  tells: ["cacheWrite", "reasoning"],
  wholeCalls: false,
  read: readChat,
  whole: (answer) => ({
    ...heading(answer, "chat.completion"),
    choices: answer.finish === "empty" ? [] : [choice({ message: messageOf(answer) }, FINISH[answer.finish])],
    ...(answer.usage !== null && { usage: usageBody(answer.usage) }),
  }),
  open: (answer) => (answer.finish === "empty" ? chunk(answer, [], null) : delta(answer, openingOf(answer), 0)),
  piece: (answer, text, { sent, inCall }) => delta(answer, pieceOf(answer, text, inCall), sent),
  turn: (answer, { sent }) => delta(answer, { tool_calls: begunCalls(answer) }, sent),
  close(answer) {
    const { finish, usage } = answer;
    const last = finish === "empty" ? "" : chunk(answer, [choice({ delta: {} }, FINISH[finish])], null);
    const total = answer.wantsUsage && usage !== null ? chunk(answer, [], usage) : "";
    return `${last}${total}data: [DONE]\n\n`;
  },
  error: openaiError,
  errorEvent: (_, message) => dataEvent(openaiError({ status: 500, message, retryAfter: null })),
  count: (tokens) => ({ total_tokens: tokens }),
};

function heading({ id, created, model }: Answer, object: string) {
  return { id: `chatcmpl-${id}`, object, created, model, system_fingerprint: "fp_mock" };
}

function choice(content: object, finish: string | null) {
  return { index: 0, ...content, logprobs: null, finish_reason: finish };
}

function messageOf({ id, preface, text, call, finish }: Answer) {
  if (finish === "refusal") return { role: "assistant", content: null, refusal: text };
  if (call === null) return { role: "assistant", content: text, refusal: null };
  const calls = [{ id: `call_${id}`, type: "function", function: { name: call.name, arguments: text } }];
  return { role: "assistant", content: preface || null, refusal: null, tool_calls: calls };
}

function openingOf(answer: Answer) {
  if (answer.finish === "refusal") return { role: "assistant", content: null, refusal: "" };
  if (beginsWithText(answer)) return { role: "assistant", content: "", refusal: null };
  return { role: "assistant", content: null, tool_calls: begunCalls(answer) };
}

/** The call without arguments yet. */
function begunCalls({ id, call }: Answer) {
  return [{ index: 0, id: `call_${id}`, type: "function", function: { name: call?.name ?? "", arguments: "" } }];
}

function pieceOf({ finish }: Answer, text: string, inCall: boolean) {
  if (inCall) return { tool_calls: [{ index: 0, function: { arguments: text } }] };
  return finish === "refusal" ? { refusal: text } : { content: text };
}

function delta(answer: Answer, content: object, sent: number): string {
  return chunk(answer, [choice({ delta: content }, null)], usageSoFar(answer, sent));
}

/** If usage is requested, every chunk but the last reports null. */
function chunk(answer: Answer, choices: readonly object[], usage: AnswerUsage | null): string {
  const told = answer.wantsUsage && answer.usage !== null ? { usage: usage && usageBody(usage) } : {};
  return dataEvent({ ...heading(answer, "chat.completion.chunk"), choices, ...told });
}

function usageBody({ input, output, cacheRead, cacheWrite, reasoning, cost }: AnswerUsage) {
  const prompt = input + cacheRead + cacheWrite;
  return {
    prompt_tokens: prompt,
    completion_tokens: output,
    total_tokens: prompt + output,
    // The second count is OpenRouter's: OpenAI itself does not bill writes.
    prompt_tokens_details: { cached_tokens: cacheRead, ...(cacheWrite > 0 && { cache_write_tokens: cacheWrite }) },
    completion_tokens_details: { reasoning_tokens: reasoning },
    ...(cost !== null && { cost }),
  };
}
