import { type MockJson, toList, toNumber, toObject, toTextOrEmpty } from "../json.js";
import {
  BadRequestError,
  ConversationReader,
  joinContentText,
  type MockPrompt,
  type OfferedTool,
  requireListField,
  requireModelField,
} from "../prompt.js";
import type { ProtocolRequest } from "./wire.js";

/** `max_tokens` and the version header are required, as by the provider. */
export function readAnthropicRequest(request: ProtocolRequest): MockPrompt {
  const { body, headers } = request;
  if (headers["anthropic-version"] === undefined) throw new BadRequestError("anthropic-version: header is required");
  const maxTokens = toNumber(body.max_tokens);
  if (maxTokens === null || maxTokens < 1) throw new BadRequestError("max_tokens: a number of at least 1 is required.");
  return { ...readAnthropicCount(request), maxTokens };
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
    schema: readAnthropicSchema(toObject(toObject(body.output_config).format)),
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
