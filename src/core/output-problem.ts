import { describe } from "./shape.js";
import { nearest } from "./suggest.js";

/** What an output may have instead of text: the work of an agent, or a stop before any text. */
const OTHER_WORK = ["trajectory", "workspace", "tool_calls", "stopped"];

/** Names that other tools use for `response`. */
const OTHER_NAMES_OF_RESPONSE = new Set(
  "output text answer content completion result message reply generation prediction final_answer finaloutput".split(
    " ",
  ),
);

/**
 * Describes a problem with an output or a recorded one, as the end of a sentence; null if there is none.
 * A null response counts as empty.
 */
export function findOutputProblem(fields: Readonly<Record<string, unknown>>): string | null {
  const { response, context } = fields;
  const isThere = response !== undefined || context != null || OTHER_WORK.some((field) => fields[field] != null);
  if (!isThere) return `has neither a "response" nor a "context"${describeFields(fields)}`;
  if (response != null && typeof response !== "string") return `has ${describe(response)} as its "response"`;
  if (context != null && typeof context !== "string") return `has ${describe(context)} as its "context"`;
  return null;
}

function describeFields(fields: Readonly<Record<string, unknown>>): string {
  const names = Object.keys(fields);
  if (names.length === 0) return " and no other field";
  const shown = names.map((name) => (fields[name] === undefined ? `"${name}" (undefined)` : `"${name}"`));
  return `, only ${shown.join(", ")}${suggestField(names)}`;
}

function suggestField(names: readonly string[]): string {
  // Searches from the end: fields copied from the example come first, and its own `answer` is not meant.
  const synonym = names.findLast((name) => OTHER_NAMES_OF_RESPONSE.has(name.toLowerCase()));
  if (synonym !== undefined) return ` (did you mean "response" instead of "${synonym}"?)`;
  for (const name of names) {
    const meant = nearest(name, ["response", "context"]);
    if (meant !== undefined && meant !== name) return ` (did you mean "${meant}" instead of "${name}"?)`;
  }
  return "";
}
