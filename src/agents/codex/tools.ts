import { type Fields, fieldsOf, jsonText, listOf, textOf } from "../../models/dialects/fields.js";

/** An item that stands for the use of a tool. */
export interface ToolItem {
  readonly name: string;
  readonly arguments: unknown;
  readonly success: boolean;
  /** Of a call that is over. */
  readonly result: string;
  /** Done by the provider while it answers: the model goes on in the same turn. */
  readonly isHosted?: boolean;
}

/** The tool that an item stands for; null when it stands for none. */
export function toolOf(item: Fields): ToolItem | null {
  const success = item.status !== "failed" && item.status !== "declined";
  switch (item.type) {
    case "command_execution":
      return {
        name: "command_execution",
        arguments: { command: item.command },
        success: success && (item.exit_code == null || item.exit_code === 0),
        result: textOf(item.aggregated_output),
      };
    case "file_change":
      return { name: "file_change", arguments: { changes: item.changes }, success, result: changesText(item) };
    case "mcp_tool_call":
      return {
        name: `mcp__${textOf(item.server)}__${textOf(item.tool)}`,
        arguments: item.arguments ?? {},
        success: success && item.error == null,
        result: mcpText(item),
      };
    case "web_search":
      return {
        name: "web_search",
        arguments: { query: item.query, action: item.action },
        success,
        result: "",
        isHosted: true,
      };
    case "collab_tool_call":
      return {
        name: textOf(item.tool),
        arguments: { prompt: item.prompt },
        success,
        result: jsonText(item.agents_states),
      };
    default:
      return null;
  }
}

function changesText({ changes }: Fields): string {
  return listOf(changes)
    .map((change) => `${textOf(fieldsOf(change)?.kind)} ${textOf(fieldsOf(change)?.path)}`)
    .join("\n");
}

function mcpText({ result, error }: Fields): string {
  if (error != null) return textOf(fieldsOf(error)?.message) || jsonText(error);
  const parts = listOf(fieldsOf(result)?.content);
  return parts.map((part) => textOf(fieldsOf(part)?.text) || jsonText(part)).join("\n");
}
