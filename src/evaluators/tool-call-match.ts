import type { Evaluator, Example, Output, Scored } from "../core/index.js";
import { markUnscored } from "./gold.js";
import { canonicalizeToolName, readDeclaredTools } from "./tool-calls/call.js";
import { findCallDifference, readExpectedCalls } from "./tool-calls/expected.js";
import { readMadeCalls } from "./tool-calls/made-calls.js";

const FIELD = "tool_call_match";

/** Options of `ToolCallMatch`. */
export interface ToolCallMatchOptions {
  /** Calls must come in the expected order. Default: false, since parallel calls have no order. */
  ordered?: boolean;
}

/**
 * Whether a system calls the right tools with the right arguments. Its calls are the output's `tool_calls`, in the
 * format of any provider; without such a list (an empty one means no calls) they are read from the response text,
 * as JSON or in Python's syntax, except those shown as an example. Expected are the example's `tool_calls`, BFCL's
 * `ground_truth` (compared as BFCL does), or `answers` as JSON. An empty list expects no call.
 * @example
 * new ToolCallMatch().score(
 *   { id: 1, question: "…", tool_calls: [{ name: "add", arguments: { a: 1, b: 2 } }] },
 *   { response: "[add(b=2, a=1)]" },
 * );
 * // { scores: { tool_call_match: 1 } }
 */
export class ToolCallMatch implements Evaluator {
  readonly name = FIELD;
  readonly fields: readonly string[] = [FIELD];
  readonly primaryFields: readonly string[] = [FIELD];
  readonly #isOrdered: boolean;

  constructor({ ordered = false }: ToolCallMatchOptions = {}) {
    this.#isOrdered = ordered;
  }

  score(original: Example, processed: Output): Scored {
    const expected = readExpectedCalls(original);
    if (typeof expected === "string") return markUnscored(this.fields, expected);
    const tools = [...expected, ...readDeclaredTools(original)];
    const made = readMadeCalls(processed, new Set(tools.map(({ name }) => canonicalizeToolName(name))));
    const difference = findCallDifference(expected, made, this.#isOrdered);
    if (difference === null) return { scores: { [FIELD]: 1 } };
    return { scores: { [FIELD]: 0 }, evidence: { [FIELD]: difference } };
  }

  fingerprint(): unknown {
    return { evaluator: this.name, version: 3, ordered: this.#isOrdered };
  }
}
