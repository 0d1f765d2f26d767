import { type Answer, usageSoFar } from "../answer.js";
import { openaiError } from "./openai-error.js";
import {
  finalItem,
  finalResponse,
  hasItem,
  isCut,
  itemAt,
  partAt,
  partOf,
  responseBody,
  startedItem,
} from "./responses-body.js";
import { readResponses } from "./responses-read.js";
import { type Place, typedEvent, type Wire } from "./wire.js";

/** OpenAI Responses. */
export const responsesWire: Wire = {
  name: "responses",
  tells: ["cacheWrite", "reasoning"],
  wholeCalls: false,
  read: readResponses,
  whole: finalResponse,
  open: (answer) => numbered(0, opening(answer)),
  piece: (answer, text, place) => numbered(numberAt(answer, place), pieceEvents(answer, text, place)),
  close: (answer, place) => numbered(numberAt(answer, place), closing(answer)),
  error: openaiError,
  errorEvent: (answer, message, place) =>
    numbered(numberAt(answer, place), [{ type: "error", code: "server_error", message, param: null }]),
  count: (tokens) => ({ object: "response.input_tokens", input_tokens: tokens }),
};

interface StreamEvent {
  readonly type: string;
  readonly [field: string]: unknown;
}

function numbered(first: number, events: readonly StreamEvent[]): string {
  return events.map((event, at) => typedEvent({ ...event, sequence_number: first + at })).join("");
}

/** The number of the next event: each piece has one, and another one when usage is told with it. */
function numberAt(answer: Answer, { index }: Place): number {
  return opening(answer).length + index * (answer.running === null ? 1 : 2);
}

function opening(answer: Answer): StreamEvent[] {
  const response = responseBody(answer, { status: "in_progress" });
  const events: StreamEvent[] = [
    { type: "response.created", response },
    { type: "response.in_progress", response },
  ];
  if (!hasItem(answer)) return events;
  events.push({ type: "response.output_item.added", output_index: 0, item: startedItem(answer) });
  if (answer.call === null)
    events.push({ type: "response.content_part.added", ...partAt(answer), part: partOf(answer, "") });
  return events;
}

function pieceEvents(answer: Answer, text: string, { sent }: Place): StreamEvent[] {
  const usage = usageSoFar(answer, sent);
  const events = [deltaOf(answer, text)];
  if (usage !== null)
    events.push({ type: "response.in_progress", response: responseBody(answer, { status: "in_progress", usage }) });
  return events;
}

function deltaOf(answer: Answer, delta: string): StreamEvent {
  if (answer.call !== null) return { type: "response.function_call_arguments.delta", ...itemAt(answer), delta };
  if (answer.finish === "refusal") return { type: "response.refusal.delta", ...partAt(answer), delta };
  return { type: "response.output_text.delta", ...partAt(answer), delta, logprobs: [] };
}

function closing(answer: Answer): StreamEvent[] {
  const response = finalResponse(answer);
  const last = { type: isCut(answer) ? "response.incomplete" : "response.completed", response };
  if (!hasItem(answer)) return [last];
  const done = { type: "response.output_item.done", output_index: 0, item: finalItem(answer) };
  return [...contentDone(answer), done, last];
}

function contentDone(answer: Answer): StreamEvent[] {
  const { text, call, finish } = answer;
  if (call?.isLocalShell === true) return [];
  if (call !== null)
    return [{ type: "response.function_call_arguments.done", ...itemAt(answer), name: call.name, arguments: text }];
  const done =
    finish === "refusal"
      ? { type: "response.refusal.done", ...partAt(answer), refusal: text }
      : { type: "response.output_text.done", ...partAt(answer), text, logprobs: [] };
  return [done, { type: "response.content_part.done", ...partAt(answer), part: partOf(answer, text) }];
}
