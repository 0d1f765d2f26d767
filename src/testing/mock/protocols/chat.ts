import { type AnswerUsage, getUsageSoFar, type MockAnswer, type MockFinish, startsWithText } from "../answer.js";
import {
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
import { formatDataEvent, type MockProtocol, makeOpenaiError, type ProtocolRequest } from "./protocol.js";

const CHAT_FINISH_REASON: Readonly<Record<MockFinish, string>> = {
  stop: "stop",
  length: "length",
  // A refusal ends normally; only the content filter has its own reason.
  refusal: "stop",
  blocked: "content_filter",
  tool_calls: "tool_calls",
  empty: "stop",
};

export const chatProtocol: MockProtocol = {
  name: "chat",
  tells: ["cacheWrite", "reasoning"],
  wholeCalls: false,
  read: readChatRequest,
  whole: (answer) => ({
    ...makeChatHeading(answer, "chat.completion"),
    choices:
      answer.finish === "empty"
        ? []
        : [makeChoice({ message: makeChatMessage(answer) }, CHAT_FINISH_REASON[answer.finish])],
    ...(answer.usage !== null && { usage: toChatUsage(answer.usage) }),
  }),
  open: (answer) =>
    answer.finish === "empty" ? formatChunk(answer, [], null) : formatDelta(answer, makeFirstDelta(answer), 0),
  piece: (answer, text, { sent, inCall }) => formatDelta(answer, makeDeltaContent(answer, text, inCall), sent),
  turn: (answer, { sent }) => formatDelta(answer, { tool_calls: listStartedCalls(answer) }, sent),
  close(answer) {
    const { finish, usage } = answer;
    const last =
      finish === "empty" ? "" : formatChunk(answer, [makeChoice({ delta: {} }, CHAT_FINISH_REASON[finish])], null);
    const total = answer.wantsUsage && usage !== null ? formatChunk(answer, [], usage) : "";
    return `${last}${total}data: [DONE]\n\n`;
  },
  error: makeOpenaiError,
  errorEvent: (_, message) => formatDataEvent(makeOpenaiError({ status: 500, message, retryAfter: null })),
  count: (tokens) => ({ total_tokens: tokens }),
};

function makeChatHeading({ id, created, model, serviceTier }: MockAnswer, object: string) {
  const tier = serviceTier === null ? {} : { service_tier: serviceTier };
  return { id: `chatcmpl-${id}`, object, created, model, ...tier, system_fingerprint: "fp_mock" };
}

function makeChoice(content: object, finish: string | null) {
  return { index: 0, ...content, logprobs: null, finish_reason: finish };
}

function makeChatMessage({ id, preface, text, call, finish }: MockAnswer) {
  if (finish === "refusal") return { role: "assistant", content: null, refusal: text };
  if (call === null) return { role: "assistant", content: text, refusal: null };
  const calls = [{ id: `call_${id}`, type: "function", function: { name: call.name, arguments: text } }];
  return { role: "assistant", content: preface || null, refusal: null, tool_calls: calls };
}

function makeFirstDelta(answer: MockAnswer) {
  if (answer.finish === "refusal") return { role: "assistant", content: null, refusal: "" };
  if (startsWithText(answer)) return { role: "assistant", content: "", refusal: null };
  return { role: "assistant", content: null, tool_calls: listStartedCalls(answer) };
}

/** The call without arguments yet. */
function listStartedCalls({ id, call }: MockAnswer) {
  return [{ index: 0, id: `call_${id}`, type: "function", function: { name: call?.name ?? "", arguments: "" } }];
}

function makeDeltaContent({ finish }: MockAnswer, text: string, inCall: boolean) {
  if (inCall) return { tool_calls: [{ index: 0, function: { arguments: text } }] };
  return finish === "refusal" ? { refusal: text } : { content: text };
}

function formatDelta(answer: MockAnswer, content: object, sent: number): string {
  return formatChunk(answer, [makeChoice({ delta: content }, null)], getUsageSoFar(answer, sent));
}

/** If usage is requested, every chunk but the last reports null. */
function formatChunk(answer: MockAnswer, choices: readonly object[], usage: AnswerUsage | null): string {
  const told = answer.wantsUsage && answer.usage !== null ? { usage: usage && toChatUsage(usage) } : {};
  return formatDataEvent({ ...makeChatHeading(answer, "chat.completion.chunk"), choices, ...told });
}

function toChatUsage({ input, output, cacheRead, cacheWrite, reasoning, cost }: AnswerUsage) {
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

function readChatRequest({ body }: ProtocolRequest): MockPrompt {
  const model = requireModelField(body);
  const conversation = new ConversationReader();
  for (const message of requireListField(body, "messages").map(toObject)) {
    if (message.role === "tool") conversation.addToolResult(message.content);
    else conversation.add(message.role, joinContentText(message.content));
    conversation.addFiles(message.content);
  }
  return {
    model,
    stream: body.stream === true,
    userText: conversation.userText,
    userTexts: conversation.userTexts,
    texts: conversation.texts,
    maxTokens: toNumber(body.max_completion_tokens) ?? toNumber(body.max_tokens),
    tools: toList(body.tools).map(readChatTool),
    toolResults: conversation.toolResults,
    fileTokens: conversation.fileTokens,
    schema: readChatSchema(toObject(body.response_format)),
    serviceTier: toTextOrNull(body.service_tier),
    wantsUsage: toObject(body.stream_options).include_usage === true,
    sse: true,
  };
}

function readChatTool(tool: unknown): OfferedTool {
  const { name, parameters } = toObject(toObject(tool).function);
  return { name: toTextOrEmpty(name), schema: toObject(parameters), isLocalShell: false };
}

function readChatSchema(format: MockJson): MockJson | null {
  if (format.type === "json_schema") return toObject(toObject(format.json_schema).schema);
  return format.type === "json_object" ? {} : null;
}
