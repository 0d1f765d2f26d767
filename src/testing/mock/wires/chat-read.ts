import { asList, asNumber, asObject, asText, type Json } from "../json.js";
import { Conversation, contentText, type OfferedTool, type Prompt, requireList, requireModel } from "../prompt.js";
import type { WireRequest } from "./wire.js";

export function readChat({ body }: WireRequest): Prompt {
  const model = requireModel(body);
  const conversation = new Conversation();
  for (const message of requireList(body, "messages").map(asObject)) {
    if (message.role === "tool") conversation.addToolResult(message.content);
    else conversation.add(message.role, contentText(message.content));
  }
  return {
    model,
    stream: body.stream === true,
    userText: conversation.userText,
    userTexts: conversation.userTexts,
    texts: conversation.texts,
    maxTokens: asNumber(body.max_completion_tokens) ?? asNumber(body.max_tokens),
    tools: asList(body.tools).map(toolOf),
    toolResults: conversation.toolResults,
    schema: schemaOf(asObject(body.response_format)),
    wantsUsage: asObject(body.stream_options).include_usage === true,
    sse: true,
  };
}

function toolOf(tool: unknown): OfferedTool {
  const { name, parameters } = asObject(asObject(tool).function);
  return { name: asText(name), schema: asObject(parameters), isLocalShell: false };
}

function schemaOf(format: Json): Json | null {
  if (format.type === "json_schema") return asObject(asObject(format.json_schema).schema);
  return format.type === "json_object" ? {} : null;
}
