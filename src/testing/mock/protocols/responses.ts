import { type AnswerUsage, getUsageSoFar, type MockAnswer, startsWithText } from "../answer.js";
import {
  BadRequestError,
  ConversationReader,
  joinContentText,
  type MockJson,
  type MockPrompt,
  type OfferedTool,
  requireModelField,
  toList,
  toNumber,
  toObject,
  toTextOrEmpty,
  toTextOrNull,
} from "../prompt.js";
import {
  formatTypedEvent,
  type MockProtocol,
  makeOpenaiError,
  type PiecePosition,
  type ProtocolRequest,
} from "./protocol.js";

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

/** The fields of a response that change while it is created. */
interface ResponseStage {
  readonly status: "in_progress" | "completed" | "incomplete";
  readonly output?: readonly object[];
  readonly usage?: AnswerUsage | null;
}

function isTruncated({ finish }: MockAnswer): boolean {
  return finish === "length" || finish === "blocked";
}

/** True if the answer has a message or a call. */
function hasOutputItem({ finish }: MockAnswer): boolean {
  return finish !== "empty" && finish !== "blocked";
}

function makeFinalResponse(answer: MockAnswer): Record<string, unknown> {
  return makeResponseBody(answer, {
    status: isTruncated(answer) ? "incomplete" : "completed",
    output: listFinalItems(answer),
    usage: answer.usage,
  });
}

function makeResponseBody(
  answer: MockAnswer,
  { status, output = [], usage = null }: ResponseStage,
): Record<string, unknown> {
  const { id, created, model, finish, serviceTier } = answer;
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
    ...(serviceTier === null ? {} : { service_tier: serviceTier }),
    tool_choice: "auto",
    tools: [],
    ...(answer.usage !== null && { usage: usage === null ? null : toResponsesUsage(usage) }),
  };
}

/** A call is second if there is text before it. */
function getItemIndex({ preface }: MockAnswer, inCall: boolean): number {
  return inCall && preface !== "" ? 1 : 0;
}

/** Reference to the message or call in events. */
function makeItemReference(answer: MockAnswer, inCall: boolean) {
  return { item_id: makeItemId(answer, inCall), output_index: getItemIndex(answer, inCall) };
}

/** Reference to the only part of the message in events. */
function makePartReference(answer: MockAnswer) {
  return { ...makeItemReference(answer, false), content_index: 0 };
}

function getMessageText({ call, preface, text }: MockAnswer): string {
  return call === null ? text : preface;
}

function makeContentPart({ finish }: MockAnswer, text: string) {
  return finish === "refusal"
    ? { type: "refusal", refusal: text }
    : { type: "output_text", text, annotations: [], logprobs: [] };
}

function makeStartedItem(answer: MockAnswer, inCall: boolean) {
  const status = "in_progress";
  return inCall ? makeCallItem(answer, status, "") : makeMessageItem(answer, status, []);
}

function makeFinalItem(answer: MockAnswer, inCall: boolean) {
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

function readResponsesRequest({ body }: ProtocolRequest): MockPrompt {
  const model = requireModelField(body);
  const conversation = new ConversationReader();
  const items = listInputItems(body.input);
  conversation.add("system", toTextOrEmpty(body.instructions));
  for (const item of items) {
    if (toTextOrEmpty(item.type).endsWith("_call_output")) conversation.addToolResult(item.output);
    conversation.add(item.role, joinContentText(item.content));
    conversation.addFiles(item.content);
  }
  return {
    model,
    stream: body.stream === true,
    userText: conversation.userText,
    userTexts: conversation.userTexts,
    texts: conversation.texts,
    maxTokens: toNumber(body.max_output_tokens),
    tools: readResponsesTools([body, ...items.filter(hasTools)]),
    toolResults: conversation.toolResults,
    fileTokens: conversation.fileTokens,
    schema: readResponsesSchema(toObject(toObject(body.text).format)),
    serviceTier: toTextOrNull(body.service_tier),
    wantsUsage: true,
    sse: true,
  };
}

function listInputItems(input: unknown): readonly MockJson[] {
  if (typeof input === "string" && input !== "") return [{ role: "user", content: input }];
  const items = toList(input);
  if (items.length === 0) throw new BadRequestError("input: a text or a non-empty list of items is required.");
  return items.map(toObject);
}

/** Tools may also be offered by an input item. */
function hasTools({ type }: MockJson): boolean {
  return type === "additional_tools";
}

/** Includes tools in groups. */
function readResponsesTools(places: readonly MockJson[]): OfferedTool[] {
  return places.flatMap(({ tools }) =>
    toList(tools)
      .map(toObject)
      .flatMap((tool) =>
        tool.type === "namespace" ? readResponsesTools([tool]) : isCallableTool(tool) ? [readResponsesTool(tool)] : [],
      ),
  );
}

function isCallableTool(tool: MockJson): boolean {
  return tool.type === "function" || tool.type === "local_shell" || findShellInDescription(tool) !== undefined;
}

/** Codex offers its tools inside one that runs a script, and names them in its description. */
function findShellInDescription({ type, description }: MockJson): string | undefined {
  return type === "custom"
    ? /\b(exec_command|shell_command|shell|bash)\(args\b/.exec(toTextOrEmpty(description))?.[1]
    : undefined;
}

function readResponsesTool(tool: MockJson): OfferedTool {
  const { type, name, parameters } = tool;
  const shell = findShellInDescription(tool);
  if (shell !== undefined) return { name: toTextOrEmpty(name), schema: {}, isLocalShell: false, shellInScript: shell };
  if (type === "local_shell") return { name: "local_shell", schema: {}, isLocalShell: true };
  return { name: toTextOrEmpty(name), schema: toObject(parameters), isLocalShell: false };
}

function readResponsesSchema(format: MockJson): MockJson | null {
  if (format.type === "json_schema") return toObject(format.schema);
  return format.type === "json_object" ? {} : null;
}
