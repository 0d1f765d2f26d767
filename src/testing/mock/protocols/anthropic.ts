import { type AnswerUsage, getUsageSoFar, type MockAnswer, type MockFinish, startsWithText } from "../answer.js";
import {
  BadRequestError,
  ConversationReader,
  joinContentText,
  type MockJson,
  type MockPrompt,
  type OfferedTool,
  requireListField,
  requireModelField,
  toList,
  toNumber,
  toObject,
  toTextOrEmpty,
  toTextOrNull,
} from "../prompt.js";
import { formatTypedEvent, type MockProtocol, type ProtocolError, type ProtocolRequest } from "./protocol.js";

/** `max_tokens` and the version header are required, as by the provider. */
function readAnthropicRequest(request: ProtocolRequest): MockPrompt {
  const { body, headers } = request;
  if (headers["anthropic-version"] === undefined) throw new BadRequestError("anthropic-version: header is required");
  const maxTokens = toNumber(body.max_tokens);
  if (maxTokens === null || maxTokens < 1) throw new BadRequestError("max_tokens: a number of at least 1 is required.");
  return { ...readAnthropicCount(request), maxTokens };
}

/** On Vertex AI the version is part of the body, and the model and streaming are part of the path. */
export function readVertexRequest({ body, headers, model, streams, query }: ProtocolRequest): MockPrompt {
  const { anthropic_version: version, ...rest } = body;
  if (version !== "vertex-2023-10-16") throw new BadRequestError("anthropic_version: Field required");
  if (rest.model !== undefined) throw new BadRequestError("model: Extra inputs are not permitted");
  const asHeader = { ...headers, "anthropic-version": "2023-06-01" };
  return readAnthropicRequest({ body: { ...rest, model, stream: streams }, headers: asHeader, model, streams, query });
}

/** What Messages requests and token count requests share. */
export function readAnthropicCount({ body }: ProtocolRequest): MockPrompt {
  const model = requireModelField(body);
  const conversation = new ConversationReader();
  conversation.add("system", joinContentText(body.system));
  for (const message of requireListField(body, "messages").map(toObject)) {
    if (!ANTHROPIC_ROLES.has(toTextOrEmpty(message.role)))
      throw new BadRequestError('messages: roles are "user", "assistant" and "system".');
    for (const block of toList(message.content).map(toObject).filter(isAnthropicToolResult))
      conversation.addToolResult(block.content);
    conversation.add(message.role, joinContentText(message.content));
    conversation.addFiles(message.content);
  }
  return {
    model,
    stream: body.stream === true,
    userText: conversation.userText,
    userTexts: conversation.userTexts,
    texts: conversation.texts,
    maxTokens: null,
    tools: toList(body.tools).map(toObject).map(readAnthropicTool),
    toolResults: conversation.toolResults,
    fileTokens: conversation.fileTokens,
    schema: readAnthropicSchema(toObject(toObject(body.output_config).format)),
    serviceTier: toTextOrNull(body.service_tier),
    wantsUsage: true,
    sse: true,
  };
}

/** Instructions may also be among the messages. */
const ANTHROPIC_ROLES = new Set(["user", "assistant", "system"]);

function isAnthropicToolResult({ type }: MockJson): boolean {
  return type === "tool_result";
}

function readAnthropicTool({ name, input_schema }: MockJson): OfferedTool {
  return { name: toTextOrEmpty(name), schema: toObject(input_schema), isLocalShell: false };
}

function readAnthropicSchema(format: MockJson): MockJson | null {
  return format.type === "json_schema" ? toObject(format.schema) : null;
}

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
export const anthropicProtocol: MockProtocol = {
  name: "anthropic",
  tells: ["cacheWrite", "cacheWrite1h"],
  wholeCalls: false,
  read: readAnthropicRequest,
  whole: (answer) => ({
    ...makeAnthropicMessage(answer, listContentBlocks(answer), STOP_REASON[answer.finish]),
    ...(answer.usage !== null && { usage: toAnthropicUsage(answer.usage, answer) }),
  }),
  open(answer) {
    const start = { ...makeAnthropicMessage(answer, [], null), ...makeFirstUsage(answer) };
    const begin = formatTypedEvent({ type: "message_start", message: start });
    if (!hasContentBlock(answer)) return begin;
    return `${begin}${formatBlockStart(answer, !startsWithText(answer))}${formatTypedEvent({ type: "ping" })}`;
  },
  piece(answer, text, { sent, inCall }) {
    const delta = inCall ? { type: "input_json_delta", partial_json: text } : { type: "text_delta", text };
    const usage = getUsageSoFar(answer, sent);
    const told = usage === null ? "" : formatMessageDelta(null, toAnthropicUsage(usage, answer));
    return formatTypedEvent({ type: "content_block_delta", index: getBlockIndex(answer, inCall), delta }) + told;
  },
  turn: (answer) => formatBlockStop(answer, false) + formatBlockStart(answer, true),
  close(answer) {
    const stop = hasContentBlock(answer) ? formatBlockStop(answer, answer.call !== null) : "";
    const usage = answer.usage === null ? null : { output_tokens: answer.usage.output };
    return `${stop}${formatMessageDelta(STOP_REASON[answer.finish], usage)}${formatTypedEvent({ type: "message_stop" })}`;
  },
  error: makeAnthropicError,
  errorEvent: (_, message) => formatTypedEvent(makeAnthropicError({ status: 529, message, retryAfter: null })),
  count: (tokens) => ({ input_tokens: tokens }),
};

function hasContentBlock({ finish }: MockAnswer): boolean {
  return finish !== "empty" && finish !== "blocked";
}

function makeAnthropicMessage({ id, model }: MockAnswer, content: readonly object[], stopReason: string | null) {
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

function formatBlockStart(answer: MockAnswer, inCall: boolean): string {
  const block = inCall ? makeCallBlock(answer, {}) : { type: "text", text: "" };
  return formatTypedEvent({ type: "content_block_start", index: getBlockIndex(answer, inCall), content_block: block });
}

function formatBlockStop(answer: MockAnswer, inCall: boolean): string {
  return formatTypedEvent({ type: "content_block_stop", index: getBlockIndex(answer, inCall) });
}

/** A call is the second block if there is text before it. */
function getBlockIndex({ preface }: MockAnswer, inCall: boolean): number {
  return inCall && preface !== "" ? 1 : 0;
}

function makeCallBlock({ id, call }: MockAnswer, input: object) {
  return { type: "tool_use", id: `toolu_${id}`, name: call?.name, input };
}

function listContentBlocks(answer: MockAnswer): object[] {
  const { call, text, preface } = answer;
  if (!hasContentBlock(answer)) return [];
  if (call === null) return [{ type: "text", text }];
  return [...(preface === "" ? [] : [{ type: "text", text: preface }]), makeCallBlock(answer, call.arguments)];
}

/** The first token is already counted when the message starts. */
function makeFirstUsage(answer: MockAnswer) {
  if (answer.usage === null) return {};
  const first = { ...answer.usage, output: Math.min(1, Math.abs(answer.usage.output)) };
  return { usage: toAnthropicUsage(getUsageSoFar(answer, 0) ?? first, answer) };
}

function formatMessageDelta(stopReason: string | null, usage: object | null): string {
  const delta = { stop_reason: stopReason, stop_sequence: null };
  return formatTypedEvent({ type: "message_delta", delta, ...(usage !== null && { usage }) });
}

function makeAnthropicError({ status, message }: ProtocolError) {
  return { type: "error", error: { type: ERROR_TYPE[status] ?? "api_error", message }, request_id: "req_mock" };
}

/** A request for "auto" gets the priority capacity that was bought. */
function toAnthropicUsage(
  { input, output, cacheRead, cacheWrite, cacheWrite1h, cost }: AnswerUsage,
  { serviceTier }: MockAnswer,
) {
  return {
    input_tokens: input,
    cache_creation_input_tokens: cacheWrite,
    cache_read_input_tokens: cacheRead,
    cache_creation: {
      ephemeral_5m_input_tokens: cacheWrite - cacheWrite1h,
      ephemeral_1h_input_tokens: cacheWrite1h,
    },
    output_tokens: output,
    service_tier: serviceTier === "auto" ? "priority" : "standard",
    ...(cost !== null && { cost }),
  };
}
