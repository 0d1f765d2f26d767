import { type MockJson, toList, toNumber, toObject, toTextOrEmpty } from "../json.js";
import {
  BadRequestError,
  ConversationReader,
  joinContentText,
  type MockPrompt,
  type OfferedTool,
  requireModelField,
} from "../prompt.js";
import type { ProtocolRequest } from "./wire.js";

export function readResponsesRequest({ body }: ProtocolRequest): MockPrompt {
  const model = requireModelField(body);
  const conversation = new ConversationReader();
  const items = listInputItems(body.input);
  conversation.add("system", toTextOrEmpty(body.instructions));
  for (const item of items) {
    if (toTextOrEmpty(item.type).endsWith("_call_output")) conversation.addToolResult(item.output);
    conversation.add(item.role, joinContentText(item.content));
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
    schema: readResponsesSchema(toObject(toObject(body.text).format)),
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
