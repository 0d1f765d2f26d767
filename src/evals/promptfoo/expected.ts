/** Types of asserts with a number in parentheses, and the threshold that a table uses without one. */
const DEFAULT_THRESHOLDS: Readonly<Record<string, number>> = { similar: 0.8, cost: 0.75, latency: 0.75 };

const TYPED = /^((?:not-)?[a-z][a-z-]+)(?:\((\d+(?:\.\d+)?)\))?(?::([\s\S]*))?$/;

/** Types that a table may name; anything else in an `__expected` cell is the expected text. */
const TYPES =
  /^(?:not-)?(?:equals|i?contains(?:-any|-all|-json)?|starts-with|ends-with|regex|is-json|javascript|python|llm-rubric|similar|latency|cost|factuality|model-graded-closedqa|g-eval|is-[a-z-]+|levenshtein|rouge-n|answer-relevance|context-[a-z]+|classifier|moderation|webhook)$/;

/** Other words for types, from old tables. */
const ALIASES: Readonly<Record<string, string>> = { fn: "javascript", eval: "javascript", grade: "llm-rubric" };

/**
 * A row of a table as a test: `__expected` columns become asserts, all others vars.
 * @example
 * parseExpected({ q: "2 + 2?", __expected: "contains: 4" }); // { vars: { q: "2 + 2?" }, assert: [{ type: "contains", value: "4" }] }
 */
export function parseExpected(row: Readonly<Record<string, string>>): Record<string, unknown> {
  const vars: Record<string, string> = {};
  const assert: Record<string, unknown>[] = [];
  const metadata: Record<string, string> = {};
  const more: Record<string, unknown> = {};
  for (const [column, cell] of Object.entries(row)) {
    if (/^__expected\d*$/.test(column)) assert.push(...(cell.trim() === "" ? [] : [parseAssert(cell)]));
    else if (column === "__description") more.description = cell;
    else if (column === "__threshold" && cell.trim() !== "") more.threshold = Number(cell);
    else if (column.startsWith("__metadata:")) metadata[column.slice("__metadata:".length)] = cell;
    else if (column === "__prefix" || column === "__suffix")
      more.options = { ...(more.options as object), ...(cell === "" ? {} : { [column.slice(2)]: cell }) };
    else if (column === "__metric") more.metric = cell;
    else if (!column.startsWith("__")) vars[column] = cell;
  }
  const { metric, ...test } = more;
  const named = assert.map((one) => (typeof metric === "string" && metric !== "" ? { ...one, metric } : one));
  return { vars, assert: named, ...test, ...(Object.keys(metadata).length === 0 ? {} : { metadata }) };
}

function parseAssert(cell: string): Record<string, unknown> {
  if (cell.startsWith("file://")) return { type: /\.py(?::|$)/.test(cell) ? "python" : "javascript", value: cell };
  const [, word = "", threshold, value = ""] = TYPED.exec(cell) ?? [];
  const type = ALIASES[word] ?? word;
  if (!TYPES.test(type)) return { type: "equals", value: cell };
  const limit = threshold === undefined ? DEFAULT_THRESHOLDS[type] : Number(threshold);
  return {
    type,
    ...(value === "" ? {} : { value: value.trim() }),
    ...(limit === undefined ? {} : { threshold: limit }),
  };
}
