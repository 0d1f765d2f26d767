import { asList, asNumber, asObject, asText, type Json } from "../json.js";
import { BadRequest, Conversation, contentText, type OfferedTool, type Prompt, requireModel } from "../prompt.js";
import type { WireRequest } from "./wire.js";

/** Reads a Responses request. */
export function readResponses({ body }: WireRequest): Prompt {
  const model = requireModel(body);
  const conversation = new Conversation();
  conversation.add("system", asText(body.instructions));
  for (const item of itemsOf(body.input)) {
    if (asText(item.type).endsWith("_call_output")) conversation.toolResults += 1;
    conversation.add(item.role, contentText(item.content));
  }
  return {
    model,
    stream: body.stream === true,
    userText: conversation.userText,
    userTexts: conversation.userTexts,
    texts: conversation.texts,
    maxTokens: asNumber(body.max_output_tokens),
    tools: asList(body.tools).map(asObject).filter(isCallable).map(toolOf),
    toolResults: conversation.toolResults,
    schema: schemaOf(asObject(asObject(body.text).format)),
    wantsUsage: true,
    sse: true,
  };
}

function itemsOf(input: unknown): readonly Json[] {
  if (typeof input === "string" && input !== "") return [{ role: "user", content: input }];
  const items = asList(input);
  if (items.length === 0) throw new BadRequest("input: a text or a non-empty list of items is required.");
  return items.map(asObject);
}

function isCallable({ type }: Json): boolean {
  return type === "function" || type === "local_shell";
}

function toolOf({ type, name, parameters }: Json): OfferedTool {
  if (type === "local_shell") return { name: "local_shell", schema: {}, isLocalShell: true };
  return { name: asText(name), schema: asObject(parameters), isLocalShell: false };
}

function schemaOf(format: Json): Json | null {
  if (format.type === "json_schema") return asObject(format.schema);
  return format.type === "json_object" ? {} : null;
}
