import { asList, asNumber, asObject, asText, type Json } from "../json.js";
import { BadRequest, Conversation, contentText, type OfferedTool, type Prompt, requireModel } from "../prompt.js";
import type { WireRequest } from "./wire.js";

export function readResponses({ body }: WireRequest): Prompt {
  const model = requireModel(body);
  const conversation = new Conversation();
  const items = itemsOf(body.input);
  conversation.add("system", asText(body.instructions));
  for (const item of items) {
    if (asText(item.type).endsWith("_call_output")) conversation.addToolResult(item.output);
    conversation.add(item.role, contentText(item.content));
  }
  return {
    model,
    stream: body.stream === true,
    userText: conversation.userText,
    userTexts: conversation.userTexts,
    texts: conversation.texts,
    maxTokens: asNumber(body.max_output_tokens),
    tools: toolsIn([body, ...items.filter(offersTools)]),
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

/** Tools may also be offered by an input item. */
function offersTools({ type }: Json): boolean {
  return type === "additional_tools";
}

/** Includes tools in groups. */
function toolsIn(places: readonly Json[]): OfferedTool[] {
  return places.flatMap(({ tools }) =>
    asList(tools)
      .map(asObject)
      .flatMap((tool) => (tool.type === "namespace" ? toolsIn([tool]) : isCallable(tool) ? [toolOf(tool)] : [])),
  );
}

function isCallable(tool: Json): boolean {
  return tool.type === "function" || tool.type === "local_shell" || shellInScript(tool) !== undefined;
}

/** Codex offers its tools inside one that runs a script, and names them in its description. */
function shellInScript({ type, description }: Json): string | undefined {
  return type === "custom"
    ? /\b(exec_command|shell_command|shell|bash)\(args\b/.exec(asText(description))?.[1]
    : undefined;
}

function toolOf(tool: Json): OfferedTool {
  const { type, name, parameters } = tool;
  const shell = shellInScript(tool);
  if (shell !== undefined) return { name: asText(name), schema: {}, isLocalShell: false, shellInScript: shell };
  if (type === "local_shell") return { name: "local_shell", schema: {}, isLocalShell: true };
  return { name: asText(name), schema: asObject(parameters), isLocalShell: false };
}

function schemaOf(format: Json): Json | null {
  if (format.type === "json_schema") return asObject(format.schema);
  return format.type === "json_object" ? {} : null;
}
