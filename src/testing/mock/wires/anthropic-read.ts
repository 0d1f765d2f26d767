import { asList, asNumber, asObject, asText, type Json } from "../json.js";
import {
  BadRequest,
  Conversation,
  contentText,
  type OfferedTool,
  type Prompt,
  requireList,
  requireModel,
} from "../prompt.js";
import type { WireRequest } from "./wire.js";

/** `max_tokens` and the version header are required, as by the provider. */
export function readAnthropic(request: WireRequest): Prompt {
  const { body, headers } = request;
  if (headers["anthropic-version"] === undefined) throw new BadRequest("anthropic-version: header is required");
  const maxTokens = asNumber(body.max_tokens);
  if (maxTokens === null || maxTokens < 1) throw new BadRequest("max_tokens: a number of at least 1 is required.");
  return { ...readCountable(request), maxTokens };
}

/** What Messages requests and token count requests share. */
export function readCountable({ body }: WireRequest): Prompt {
  const model = requireModel(body);
  const conversation = new Conversation();
  conversation.add("system", contentText(body.system));
  for (const message of requireList(body, "messages").map(asObject)) {
    if (!ROLES.has(asText(message.role))) throw new BadRequest('messages: roles are "user", "assistant" and "system".');
    for (const block of asList(message.content).map(asObject).filter(isToolResult))
      conversation.addToolResult(block.content);
    conversation.add(message.role, contentText(message.content));
  }
  return {
    model,
    stream: body.stream === true,
    userText: conversation.userText,
    userTexts: conversation.userTexts,
    texts: conversation.texts,
    maxTokens: null,
    tools: asList(body.tools).map(asObject).map(toolOf),
    toolResults: conversation.toolResults,
    schema: schemaOf(asObject(asObject(body.output_config).format)),
    wantsUsage: true,
    sse: true,
  };
}

/** Instructions may also be among the messages. */
const ROLES = new Set(["user", "assistant", "system"]);

function isToolResult({ type }: Json): boolean {
  return type === "tool_result";
}

function toolOf({ name, input_schema }: Json): OfferedTool {
  return { name: asText(name), schema: asObject(input_schema), isLocalShell: false };
}

function schemaOf(format: Json): Json | null {
  return format.type === "json_schema" ? asObject(format.schema) : null;
}
