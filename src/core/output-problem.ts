import { describeValue } from "./shape.js";
import { findClosestName } from "./suggest.js";

/** What an output may have instead of text: the work of an agent, or a stop before any text. */
const NON_TEXT_FIELDS = ["trajectory", "workspace", "tool_calls", "stopped"];

/** Names that other tools use for `response`. */
const RESPONSE_SYNONYMS = new Set(
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
  const isThere = response !== undefined || context != null || NON_TEXT_FIELDS.some((field) => fields[field] != null);
  if (!isThere) return `has neither a "response" nor a "context"${describeOutputFields(fields)}`;
  if (response != null && typeof response !== "string") return `has ${describeValue(response)} as its "response"`;
  if (context != null && typeof context !== "string") return `has ${describeValue(context)} as its "context"`;
  return null;
}

function describeOutputFields(fields: Readonly<Record<string, unknown>>): string {
  const names = Object.keys(fields);
  if (names.length === 0) return " and no other field";
  const shown = names.map((name) => (fields[name] === undefined ? `"${name}" (undefined)` : `"${name}"`));
  return `, only ${shown.join(", ")}${suggestOutputField(names)}`;
}

function suggestOutputField(names: readonly string[]): string {
  // Searches from the end: fields copied from the example come first, and its own `answer` is not meant.
  const synonym = names.findLast((name) => RESPONSE_SYNONYMS.has(name.toLowerCase()));
  if (synonym !== undefined) return ` (did you mean "response" instead of "${synonym}"?)`;
  for (const name of names) {
    const meant = findClosestName(name, ["response", "context"]);
    if (meant !== undefined && meant !== name) return ` (did you mean "${meant}" instead of "${name}"?)`;
  }
  return "";
}
