import { type AnswerUsage, getUsageSoFar, type MockAnswer, type MockFinish, startsWithText } from "../answer.js";
import {
  BadRequestError,
  ConversationReader,
  joinContentText,
  type MockJson,
  type MockPrompt,
  type OfferedTool,
  requireListField,
  toList,
  toNumber,
  toObject,
  toTextOrEmpty,
  toTextOrNull,
} from "../prompt.js";
import { encodeEvent, encodeException } from "./event-stream.js";
import type { MockProtocol, PiecePosition, ProtocolRequest } from "./protocol.js";

const STOP_REASON: Readonly<Record<MockFinish, string>> = {
  stop: "end_turn",
  length: "max_tokens",
  refusal: "content_filtered",
  blocked: "guardrail_intervened",
  tool_calls: "tool_use",
  empty: "end_turn",
};

const ERROR_TYPE: Readonly<Record<number, string>> = {
  400: "ValidationException",
  401: "UnrecognizedClientException",
  403: "AccessDeniedException",
  404: "ResourceNotFoundException",
  429: "ThrottlingException",
  500: "InternalServerException",
  503: "ServiceUnavailableException",
};

/** Amazon Bedrock's Converse and ConverseStream. Thinking is part of the output tokens and has no count of its own. */
export const bedrockProtocol: MockProtocol = {
  name: "bedrock",
  tells: ["cacheWrite", "cacheWrite1h"],
  wholeCalls: false,
  streamType: "application/vnd.amazon.eventstream",
  read: readBedrockRequest,
  whole: (answer) => ({
    output: { message: { role: "assistant", content: listContentBlocks(answer) } },
    stopReason: STOP_REASON[answer.finish],
    ...makeFigures(answer, answer.usage),
  }),
  open: (answer) =>
    Buffer.concat([
      encodeEvent("messageStart", { role: "assistant" }),
      ...(startsWithText(answer) ? [] : [encodeToolStart(answer)]),
    ]),
  piece(answer, text, { sent, inCall }) {
    const delta = inCall ? { toolUse: { input: text } } : { text };
    const event = encodeEvent("contentBlockDelta", { contentBlockIndex: getBlockIndex(answer, inCall), delta });
    const usage = getUsageSoFar(answer, sent);
    return usage === null ? event : Buffer.concat([event, encodeEvent("metadata", makeFigures(answer, usage))]);
  },
  turn: (answer) => Buffer.concat([encodeBlockStop(answer, false), encodeToolStart(answer)]),
  close: (answer, place) =>
    Buffer.concat([
      ...(answer.finish === "empty" || answer.finish === "blocked" ? [] : [encodeBlockStop(answer, place.inCall)]),
      encodeEvent("messageStop", { stopReason: STOP_REASON[answer.finish] }),
      encodeEvent("metadata", makeFigures(answer, answer.usage)),
    ]),
  error: ({ message }) => ({ message }),
  errorHeaders: ({ status }) => ({ "x-amzn-errortype": `${ERROR_TYPE[status] ?? "ServiceUnavailableException"}:` }),
  errorEvent: (_answer: MockAnswer, message: string, _place: PiecePosition) =>
    encodeException("modelStreamErrorException", message),
  count: (tokens) => ({ inputTokens: tokens }),
};

function encodeToolStart(answer: MockAnswer): Buffer {
  const { id, call } = answer;
  const start = { toolUse: { toolUseId: `tooluse_${id}`, name: call?.name } };
  return encodeEvent("contentBlockStart", { contentBlockIndex: getBlockIndex(answer, true), start });
}

function encodeBlockStop(answer: MockAnswer, inCall: boolean): Buffer {
  return encodeEvent("contentBlockStop", { contentBlockIndex: getBlockIndex(answer, inCall) });
}

/** A call is the second block if there is text before it. */
function getBlockIndex({ preface }: MockAnswer, inCall: boolean): number {
  return inCall && preface !== "" ? 1 : 0;
}

function listContentBlocks({ id, call, text, preface, finish }: MockAnswer): object[] {
  if (finish === "empty" || finish === "blocked") return [];
  if (call === null) return [{ text }];
  const toolUse = { toolUseId: `tooluse_${id}`, name: call.name, input: call.arguments };
  return [...(preface === "" ? [] : [{ text: preface }]), { toolUse }];
}

function makeFigures({ serviceTier }: MockAnswer, usage: AnswerUsage | null) {
  return {
    ...(usage !== null && { usage: toBedrockUsage(usage) }),
    metrics: { latencyMs: 1 },
    ...(serviceTier !== null && { serviceTier: { type: serviceTier } }),
  };
}

function toBedrockUsage({ input, output, cacheRead, cacheWrite, cacheWrite1h }: AnswerUsage) {
  const details = [
    { ttl: "5m", inputTokens: cacheWrite - cacheWrite1h },
    { ttl: "1h", inputTokens: cacheWrite1h },
  ].filter(({ inputTokens }) => inputTokens > 0);
  return {
    inputTokens: input,
    outputTokens: output,
    totalTokens: input + output + cacheRead + cacheWrite,
    cacheReadInputTokens: cacheRead,
    cacheWriteInputTokens: cacheWrite,
    ...(details.length > 0 && { cacheDetails: details }),
  };
}

/** The path names the model and whether to stream. */
function readBedrockRequest({ body, headers, model, streams }: ProtocolRequest): MockPrompt {
  requireAuthorization(headers);
  const conversation = new ConversationReader();
  conversation.add("system", joinContentText(body.system));
  let lastRole = "";
  for (const message of requireListField(body, "messages").map(toObject)) {
    const role = toTextOrEmpty(message.role);
    if (role !== "user" && role !== "assistant")
      throw new BadRequestError('messages: roles are "user" and "assistant".');
    if (role === lastRole) throw new BadRequestError("A conversation must alternate between user and assistant roles.");
    lastRole = role;
    for (const block of toList(message.content).map(toObject).filter(isToolResult))
      conversation.addToolResult(toObject(block.toolResult).content);
    conversation.addFiles(message.content);
    conversation.add(role, joinContentText(message.content));
  }
  const settings = toObject(body.inferenceConfig);
  return {
    model,
    stream: streams,
    userText: conversation.userText,
    userTexts: conversation.userTexts,
    texts: conversation.texts,
    fileTokens: conversation.fileTokens,
    maxTokens: toNumber(settings.maxTokens),
    tools: toList(toObject(body.toolConfig).tools).map(readBedrockTool),
    toolResults: conversation.toolResults,
    schema: readBedrockSchema(body),
    serviceTier: toTextOrNull(toObject(body.serviceTier).type),
    wantsUsage: true,
    sse: false,
  };
}

function isToolResult(block: MockJson): boolean {
  return "toolResult" in block;
}

function readBedrockTool(tool: unknown): OfferedTool {
  const { name, inputSchema } = toObject(toObject(tool).toolSpec);
  return { name: toTextOrEmpty(name), schema: toObject(toObject(inputSchema).json), isLocalShell: false };
}

/** The schema is sent as text. */
function readBedrockSchema(body: MockJson): MockJson | null {
  const { type, structure } = toObject(toObject(body.outputConfig).textFormat);
  if (type !== "json_schema") return null;
  try {
    return toObject(JSON.parse(toTextOrEmpty(toObject(toObject(structure).jsonSchema).schema)));
  } catch (cause) {
    throw new BadRequestError("outputConfig.textFormat: the schema is not JSON.", { cause });
  }
}

const SIGNATURE =
  /^AWS4-HMAC-SHA256 Credential=([\w-]+)\/(\d{8})\/[a-z\d-]+\/bedrock\/aws4_request, ?SignedHeaders=([a-z\d;-]+), ?Signature=[\da-f]{64}$/;

/** What a signature must cover, or a request could be repeated elsewhere or later. */
const SIGNED_HEADERS = ["content-type", "host", "x-amz-date"];

/** The id of the access key that signed a request. */
export function readAccessKeyId(authorization: string | undefined): string | undefined {
  return SIGNATURE.exec(authorization ?? "")?.[1];
}

/**
 * A request without any is accepted unless the script requires a key, like in all other formats. The signature is checked
 * for its form and for what it covers: the mock has no secret to compute it with.
 */
function requireAuthorization(headers: ProtocolRequest["headers"]): void {
  const { authorization } = headers;
  if (authorization === undefined) return;
  const text = String(authorization);
  if (/^Bearer \S+$/.test(text)) return;
  const [, , day, names = ""] = SIGNATURE.exec(text) ?? [];
  if (day === undefined)
    throw createSignatureError("The Authorization header is neither a bearer token nor a signature.");
  const time = String(headers["x-amz-date"] ?? "");
  if (!/^\d{8}T\d{6}Z$/.test(time) || !time.startsWith(day))
    throw createSignatureError("The date of the signature is not that of x-amz-date.");
  const missing = [...SIGNED_HEADERS, ...("x-amz-security-token" in headers ? ["x-amz-security-token"] : [])].filter(
    (name) => !names.split(";").includes(name),
  );
  if (missing.length > 0) throw createSignatureError(`The signature does not cover ${missing.join(", ")}.`);
}

function createSignatureError(message: string): BadRequestError {
  return new BadRequestError(message, { status: 403 });
}
