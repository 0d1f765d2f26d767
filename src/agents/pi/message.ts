import type { Usage } from "../../core/system.js";
import type { AgentHappening } from "../../core/trajectory.js";
import { type Fields, fieldsOf, listOf, textOf } from "../../models/dialects/fields.js";
import { countOf } from "../own-figures.js";

/** What one message of the model says and calls, in its order. */
export function happeningsOf(content: unknown): AgentHappening[] {
  return listOf(content).flatMap((block) => {
    const happening = happeningOf(fieldsOf(block) ?? {});
    return happening === null ? [] : [happening];
  });
}

function happeningOf(block: Fields): AgentHappening | null {
  switch (block.type) {
    case "text":
      return block.text === "" ? null : { type: "assistant_message", text: textOf(block.text) };
    case "thinking":
      return { type: "reasoning", text: textOf(block.thinking) };
    case "toolCall":
      return {
        type: "tool_call",
        name: textOf(block.name),
        callId: textOf(block.id),
        arguments: block.arguments ?? {},
      };
    default:
      return null;
  }
}

/** The texts of a message as one. */
export function textIn(content: unknown): string {
  if (typeof content === "string") return content;
  return listOf(content)
    .map((block) => textOf(fieldsOf(block)?.text))
    .join("");
}

/** What a tool gave back; pictures by their type alone. */
export function resultText(content: unknown): string {
  if (typeof content === "string") return content;
  return listOf(content).map(partText).join("\n");
}

function partText(part: unknown): string {
  const { type, text, mimeType } = fieldsOf(part) ?? {};
  return type === "image" ? `(image ${textOf(mimeType)})` : textOf(text);
}

/** Its classes are ours; reasoning is in the output, and told by newer versions only. */
export function usageOf(usage: Fields): Usage {
  const { input, output, cacheRead, cacheWrite, reasoning } = usage;
  return {
    input: countOf(input),
    output: countOf(output),
    cacheRead: countOf(cacheRead),
    cacheWrite: countOf(cacheWrite),
    ...(typeof reasoning === "number" && { reasoning: countOf(reasoning) }),
  };
}
