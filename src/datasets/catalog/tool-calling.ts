/** Says how calls are to be written by a system that is not given the tools in its provider's own way. */
const ASK =
  'Answer with the calls to make and nothing else, as a JSON list of objects with "name" and "arguments". Answer with an empty list when none of the tools fits.';

/** A request with the form that the answer takes. */
export function askForCalls(request: string): string {
  return `${request}\n\n${ASK}`;
}

/** The tools as a text that comes before the request. */
export function toolsAsContext(tools: readonly unknown[]): string {
  return `Tools that can be called:\n${JSON.stringify(tools)}`;
}

const DEFINED = /^(?:(?:(?:async +)?def|class) +([A-Za-z_]\w*)|([A-Za-z_]\w*) *=(?!=))/gm;
const PAIRS: Readonly<Record<string, string>> = { "(": ")", "[": "]", "{": "}" };
/** A text of Python, with what is escaped in it. */
const QUOTED = /^(?:"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*')/;

/**
 * The first call in a test of something that the program defines; null when it calls nothing of it.
 * @example
 * callOf("def double(x):\n    return 2 * x", "assert double(4) == 8"); // "double(4)"
 */
export function callOf(program: string, test: string): string | null {
  const defined = new Set([...program.matchAll(DEFINED)].map(([, named, assigned]) => named ?? assigned));
  for (const { index, 0: opening, 1: name } of test.matchAll(/\b([A-Za-z_]\w*) *\(/g)) {
    if (!defined.has(name)) continue;
    const end = closing(test, index + opening.length - 1);
    if (end !== null) return test.slice(index, end + 1);
  }
  return null;
}

/** Where the bracket that opens at `start` is closed; brackets inside of texts do not count. */
function closing(code: string, start: number): number | null {
  const open: string[] = [];
  for (let at = start; at < code.length; at++) {
    const sign = code[at] as string;
    const pair = PAIRS[sign];
    if (pair !== undefined) open.push(pair);
    else if (sign === open.at(-1)) open.pop();
    else at = skipQuoted(code, at);
    if (open.length === 0) return at;
  }
  return null;
}

/** The last position of the text that begins here, or the position itself. */
function skipQuoted(code: string, at: number): number {
  const quoted = QUOTED.exec(code.slice(at))?.[0] ?? "";
  return quoted === "" ? at : at + quoted.length - 1;
}

/** The types of Python that BFCL uses, as JSON Schema calls them; "any" has no name there. */
const TYPES: ReadonlyMap<string, string | null> = new Map([
  ["dict", "object"],
  ["float", "number"],
  ["tuple", "array"],
  ["any", null],
]);

/**
 * BFCL's description of a tool with its parameters as a JSON Schema.
 * @example
 * schemaOf({ type: "dict", properties: { x: { type: "float" } } });
 * // { type: "object", properties: { x: { type: "number" } } }
 */
export function schemaOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(schemaOf);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).flatMap(([key, inner]) => entriesOf(key, inner)));
}

/** A parameter may itself be called "type": it is an object then, and no name of a type. */
function entriesOf(key: string, value: unknown): [string, unknown][] {
  if (key !== "type" || typeof value !== "string") return [[key, schemaOf(value)]];
  const type = TYPES.has(value) ? TYPES.get(value) : value;
  return type === null || type === undefined ? [] : [[key, type]];
}
