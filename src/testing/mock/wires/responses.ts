import { type Answer, beginsWithText, usageSoFar } from "../answer.js";
import { openaiError } from "./openai-error.js";
import {
  finalItem,
  finalResponse,
  hasItem,
  indexOf,
  isCut,
  itemAt,
  messageText,
  partAt,
  partOf,
  responseBody,
  startedItem,
} from "./responses-body.js";
import { readResponses } from "./responses-read.js";
import { type Place, typedEvent, type Wire } from "./wire.js";

export const responsesWire: Wire = {
  name: "responses",
  tells: ["cacheWrite", "reasoning"],
  wholeCalls: false,
  read: readResponses,
  whole: finalResponse,
  open: (answer) => numbered(0, opening(answer)),
  piece: (answer, text, place) => numbered(numberAt(answer, place), pieceEvents(answer, text, place)),
  turn: (answer, place) => numbered(numberAt(answer, place), turning(answer)),
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

/** Each piece has one event, and another if usage is reported with it. */
function numberAt(answer: Answer, { index, inCall }: Place): number {
  const turned = inCall && answer.preface !== "" ? turning(answer).length : 0;
  return opening(answer).length + turned + index * (answer.running === null ? 1 : 2);
}

function opening(answer: Answer): StreamEvent[] {
  const response = responseBody(answer, { status: "in_progress" });
  const events: StreamEvent[] = [
    { type: "response.created", response },
    { type: "response.in_progress", response },
  ];
  return hasItem(answer) ? [...events, ...itemBegun(answer, !beginsWithText(answer))] : events;
}

/** Events between the message and the call. */
function turning(answer: Answer): StreamEvent[] {
  return [...itemDone(answer, false), ...itemBegun(answer, true)];
}

function itemBegun(answer: Answer, inCall: boolean): StreamEvent[] {
  const output_index = indexOf(answer, inCall);
  const added = { type: "response.output_item.added", output_index, item: startedItem(answer, inCall) };
  return inCall
    ? [added]
    : [added, { type: "response.content_part.added", ...partAt(answer), part: partOf(answer, "") }];
}

function pieceEvents(answer: Answer, text: string, { sent, inCall }: Place): StreamEvent[] {
  const usage = usageSoFar(answer, sent);
  const events = [deltaOf(answer, text, inCall)];
  if (usage !== null)
    events.push({ type: "response.in_progress", response: responseBody(answer, { status: "in_progress", usage }) });
  return events;
}

function deltaOf(answer: Answer, delta: string, inCall: boolean): StreamEvent {
  const isScript = answer.call?.script !== undefined;
  const called = isScript ? "response.custom_tool_call_input.delta" : "response.function_call_arguments.delta";
  if (inCall) return { type: called, ...itemAt(answer, true), delta };
  if (answer.finish === "refusal") return { type: "response.refusal.delta", ...partAt(answer), delta };
  return { type: "response.output_text.delta", ...partAt(answer), delta, logprobs: [] };
}

function closing(answer: Answer): StreamEvent[] {
  const response = finalResponse(answer);
  const last = { type: isCut(answer) ? "response.incomplete" : "response.completed", response };
  return hasItem(answer) ? [...itemDone(answer, answer.call !== null), last] : [last];
}

function itemDone(answer: Answer, inCall: boolean): StreamEvent[] {
  const output_index = indexOf(answer, inCall);
  const done = { type: "response.output_item.done", output_index, item: finalItem(answer, inCall) };
  return [...(inCall ? argumentsDone(answer) : textDone(answer)), done];
}

function argumentsDone(answer: Answer): StreamEvent[] {
  const { call, text } = answer;
  if (call === null || call.isLocalShell) return [];
  if (call.script !== undefined)
    return [{ type: "response.custom_tool_call_input.done", ...itemAt(answer, true), input: text }];
  const type = "response.function_call_arguments.done";
  return [{ type, ...itemAt(answer, true), name: call.name, arguments: text }];
}

function textDone(answer: Answer): StreamEvent[] {
  const text = messageText(answer);
  const done =
    answer.finish === "refusal"
      ? { type: "response.refusal.done", ...partAt(answer), refusal: text }
      : { type: "response.output_text.done", ...partAt(answer), text, logprobs: [] };
  return [done, { type: "response.content_part.done", ...partAt(answer), part: partOf(answer, text) }];
}
