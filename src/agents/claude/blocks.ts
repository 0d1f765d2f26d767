import type { AgentHappening } from "../../core/trajectory.js";
import { type Fields, fieldsOf, jsonText, listOf, textOf } from "../../models/dialects/fields.js";

/** The call of a tool, ours or the provider's; nothing for another block. */
export function callIn(block: Fields): AgentHappening[] {
  if (!textOf(block.type).endsWith("tool_use")) return [];
  return [{ type: "tool_call", name: textOf(block.name), callId: textOf(block.id), arguments: block.input ?? {} }];
}

/** What a tool gave back; nothing for another block. */
export function resultIn(block: Fields): AgentHappening[] {
  if (!textOf(block.type).endsWith("tool_result")) return [];
  const success = block.is_error !== true;
  return [{ type: "tool_result", callId: textOf(block.tool_use_id), success, result: contentText(block.content) }];
}

/** The blocks of a message, whose content may be a mere text. */
export function blocksOf(message: Fields | null): Fields[] {
  const content = message?.content;
  if (typeof content === "string") return [{ type: "text", text: content }];
  return listOf(content)
    .map(fieldsOf)
    .filter((block) => block !== null);
}

function contentText(content: unknown): string {
  if (typeof content === "string") return content;
  return Array.isArray(content) ? content.map(partText).join("\n") : jsonText(content);
}

/** An image is named, not kept: its bytes are in the folder it was read from. */
function partText(part: unknown): string {
  const fields = fieldsOf(part);
  if (fields === null) return textOf(part);
  if (fields.type === "text") return textOf(fields.text);
  return fields.type === "image" ? "[image]" : jsonText(fields);
}
