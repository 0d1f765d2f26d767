import type { AgentEventBody } from "../../core/index.js";
import { type JsonFields, readJsonList, readJsonObject, readJsonString, toJsonText } from "../../models/index.js";

// The blocks of messages as Anthropic's API and programs after its example write them.

/** Events of a subagent. Its texts are not answers of the main conversation. */
export function readSubagentBlock(block: JsonFields, parentCallId: string): AgentEventBody[] {
  const bodies = [...readToolCall(block), ...readToolResult(block)];
  const text = readJsonString(block.text) || readJsonString(block.thinking);
  return text === "" ? bodies : [{ type: "custom", name: "subagent_message", data: { parentCallId, text } }];
}

/** A call of a local or hosted tool; empty for other blocks. */
export function readToolCall(block: JsonFields): AgentEventBody[] {
  if (!readJsonString(block.type).endsWith("tool_use")) return [];
  return [
    {
      type: "tool_call",
      name: readJsonString(block.name),
      callId: readJsonString(block.id),
      arguments: block.input ?? {},
    },
  ];
}

/** A tool result; empty for other blocks. */
export function readToolResult(block: JsonFields): AgentEventBody[] {
  if (!readJsonString(block.type).endsWith("tool_result")) return [];
  const success = block.is_error !== true;
  return [
    {
      type: "tool_result",
      callId: readJsonString(block.tool_use_id),
      success,
      result: formatContent(block.content),
    },
  ];
}

/** The blocks of a message, whose content may be a plain string. */
export function listMessageBlocks(message: JsonFields | null): JsonFields[] {
  const content = message?.content;
  if (typeof content === "string") return [{ type: "text", text: content }];
  return readJsonList(content)
    .map(readJsonObject)
    .filter((block) => block !== null);
}

function formatContent(content: unknown): string {
  if (typeof content === "string") return content;
  return Array.isArray(content) ? content.map(formatPart).join("\n") : toJsonText(content);
}

/** Images are named but not kept; their files are in the folder. */
function formatPart(part: unknown): string {
  const fields = readJsonObject(part);
  if (fields === null) return readJsonString(part);
  if (fields.type === "text") return readJsonString(fields.text);
  return fields.type === "image" ? "[image]" : toJsonText(fields);
}
