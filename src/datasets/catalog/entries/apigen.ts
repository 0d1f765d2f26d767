import type { CatalogEntry } from "../entry.js";
import { RowProblem, requireIntegerValue, requireJsonList, requireText } from "../row-fields.js";

import { askForCalls, formatToolsContext } from "../tool-calling.js";

/** The function-calling examples that APIGen made. */
export const apigen: CatalogEntry = {
  about: "Requests to answer by calling one or more of the given tools.",
  repo: "Salesforce/xlam-function-calling-60k",
  license: "cc-by-4.0",
  isGated: true,
  size: 60_000,
  sources: () => [{ config: "dataset", split: "train", files: ["xlam_function_calling_60k.json"] }],
  columns: ["id", "query", "answers", "tools"],
  examples(row) {
    const tools = requireJsonList(row, "tools");
    const tool_calls = requireJsonList(row, "answers");
    if (tool_calls.length === 0) throw new RowProblem('has no call in "answers"');
    const question = askForCalls(requireText(row, "query"));
    return { id: requireIntegerValue(row, "id"), context: formatToolsContext(tools), question, tool_calls, tools };
  },
  evaluators: ["tool_call_match"],
  primaryField: "tool_call_match",
};
