import { getUsageSoFar, type MockAnswer, startsWithText } from "../answer.js";
import { makeOpenaiError } from "./openai-error.js";
import {
  getItemIndex,
  getMessageText,
  hasOutputItem,
  isTruncated,
  makeContentPart,
  makeFinalItem,
  makeFinalResponse,
  makeItemReference,
  makePartReference,
  makeResponseBody,
  makeStartedItem,
} from "./responses-body.js";
import { readResponsesRequest } from "./responses-read.js";
import { formatTypedEvent, type MockProtocol, type PiecePosition } from "./wire.js";

export const responsesProtocol: MockProtocol = {
  name: "responses",
  tells: ["cacheWrite", "reasoning"],
  wholeCalls: false,
  read: readResponsesRequest,
  whole: makeFinalResponse,
  open: (answer) => formatNumberedEvents(0, makeOpeningEvents(answer)),
  piece: (answer, text, place) =>
    formatNumberedEvents(computeSequenceNumber(answer, place), makePieceEvents(answer, text, place)),
  turn: (answer, place) => formatNumberedEvents(computeSequenceNumber(answer, place), makeTransitionEvents(answer)),
  close: (answer, place) => formatNumberedEvents(computeSequenceNumber(answer, place), makeClosingEvents(answer)),
  error: makeOpenaiError,
  errorEvent: (answer, message, place) =>
    formatNumberedEvents(computeSequenceNumber(answer, place), [
      { type: "error", code: "server_error", message, param: null },
    ]),
  count: (tokens) => ({ object: "response.input_tokens", input_tokens: tokens }),
};

interface StreamEvent {
  readonly type: string;
  readonly [field: string]: unknown;
}

function formatNumberedEvents(first: number, events: readonly StreamEvent[]): string {
  return events.map((event, at) => formatTypedEvent({ ...event, sequence_number: first + at })).join("");
}

/** Each piece has one event, and another if usage is reported with it. */
function computeSequenceNumber(answer: MockAnswer, { index, inCall }: PiecePosition): number {
  const turned = inCall && answer.preface !== "" ? makeTransitionEvents(answer).length : 0;
  return makeOpeningEvents(answer).length + turned + index * (answer.running === null ? 1 : 2);
}

function makeOpeningEvents(answer: MockAnswer): StreamEvent[] {
  const response = makeResponseBody(answer, { status: "in_progress" });
  const events: StreamEvent[] = [
    { type: "response.created", response },
    { type: "response.in_progress", response },
  ];
  return hasOutputItem(answer) ? [...events, ...makeItemStartEvents(answer, !startsWithText(answer))] : events;
}

/** Events between the message and the call. */
function makeTransitionEvents(answer: MockAnswer): StreamEvent[] {
  return [...makeItemDoneEvents(answer, false), ...makeItemStartEvents(answer, true)];
}

function makeItemStartEvents(answer: MockAnswer, inCall: boolean): StreamEvent[] {
  const output_index = getItemIndex(answer, inCall);
  const added = { type: "response.output_item.added", output_index, item: makeStartedItem(answer, inCall) };
  return inCall
    ? [added]
    : [added, { type: "response.content_part.added", ...makePartReference(answer), part: makeContentPart(answer, "") }];
}

function makePieceEvents(answer: MockAnswer, text: string, { sent, inCall }: PiecePosition): StreamEvent[] {
  const usage = getUsageSoFar(answer, sent);
  const events = [makeDeltaEvent(answer, text, inCall)];
  if (usage !== null)
    events.push({ type: "response.in_progress", response: makeResponseBody(answer, { status: "in_progress", usage }) });
  return events;
}

function makeDeltaEvent(answer: MockAnswer, delta: string, inCall: boolean): StreamEvent {
  const isScript = answer.call?.script !== undefined;
  const called = isScript ? "response.custom_tool_call_input.delta" : "response.function_call_arguments.delta";
  if (inCall) return { type: called, ...makeItemReference(answer, true), delta };
  if (answer.finish === "refusal") return { type: "response.refusal.delta", ...makePartReference(answer), delta };
  return { type: "response.output_text.delta", ...makePartReference(answer), delta, logprobs: [] };
}

function makeClosingEvents(answer: MockAnswer): StreamEvent[] {
  const response = makeFinalResponse(answer);
  const last = { type: isTruncated(answer) ? "response.incomplete" : "response.completed", response };
  return hasOutputItem(answer) ? [...makeItemDoneEvents(answer, answer.call !== null), last] : [last];
}

function makeItemDoneEvents(answer: MockAnswer, inCall: boolean): StreamEvent[] {
  const output_index = getItemIndex(answer, inCall);
  const done = { type: "response.output_item.done", output_index, item: makeFinalItem(answer, inCall) };
  return [...(inCall ? makeArgumentsDoneEvents(answer) : makeTextDoneEvents(answer)), done];
}

function makeArgumentsDoneEvents(answer: MockAnswer): StreamEvent[] {
  const { call, text } = answer;
  if (call === null || call.isLocalShell) return [];
  if (call.script !== undefined)
    return [{ type: "response.custom_tool_call_input.done", ...makeItemReference(answer, true), input: text }];
  const type = "response.function_call_arguments.done";
  return [{ type, ...makeItemReference(answer, true), name: call.name, arguments: text }];
}

function makeTextDoneEvents(answer: MockAnswer): StreamEvent[] {
  const text = getMessageText(answer);
  const done =
    answer.finish === "refusal"
      ? { type: "response.refusal.done", ...makePartReference(answer), refusal: text }
      : { type: "response.output_text.done", ...makePartReference(answer), text, logprobs: [] };
  return [
    done,
    { type: "response.content_part.done", ...makePartReference(answer), part: makeContentPart(answer, text) },
  ];
}
