import { describe } from "./shape.js";
import { nearest } from "./suggest.js";

/** What an output may consist of instead of text: the work of an agent, or work that was stopped before it said anything. */
const OTHER_WORK = ["trajectory", "workspace", "tool_calls", "stopped"];

/** What other tools call the text that a system answers with. */
const OTHER_NAMES_OF_RESPONSE = new Set(
  "output text answer content completion result message reply generation prediction final_answer finaloutput".split(
    " ",
  ),
);

/**
 * Says what is wrong with the text of an output or of a recorded one, as the end of a sentence; null when nothing is.
 * A null response is an empty one.
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
  if (names.length === 0) return ", nor any other field";
  const shown = names.map((name) => (fields[name] === undefined ? `"${name}" (undefined)` : `"${name}"`));
  return `, only ${shown.join(", ")}${suggestField(names)}`;
}

function suggestField(names: readonly string[]): string {
  // The fields of an example that is handed on come first, and its own `answer` is not what was meant.
  const synonym = names.findLast((name) => OTHER_NAMES_OF_RESPONSE.has(name.toLowerCase()));
  if (synonym !== undefined) return ` (did you mean "response" instead of "${synonym}"?)`;
  for (const name of names) {
    const meant = nearest(name, ["response", "context"]);
    if (meant !== undefined && meant !== name) return ` (did you mean "${meant}" instead of "${name}"?)`;
  }
  return "";
}
