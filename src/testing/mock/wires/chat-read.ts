import { type MockJson, toList, toNumber, toObject, toTextOrEmpty } from "../json.js";
import {
  ConversationReader,
  joinContentText,
  type MockPrompt,
  type OfferedTool,
  requireListField,
  requireModelField,
} from "../prompt.js";
import type { ProtocolRequest } from "./wire.js";

export function readChatRequest({ body }: ProtocolRequest): MockPrompt {
  const model = requireModelField(body);
  const conversation = new ConversationReader();
  for (const message of requireListField(body, "messages").map(toObject)) {
    if (message.role === "tool") conversation.addToolResult(message.content);
    else conversation.add(message.role, joinContentText(message.content));
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
    schema: readChatSchema(toObject(body.response_format)),
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
