/** Describes the format of calls to a system that does not get the tools through its provider's API. */
const INSTRUCTION =
  'Answer with the calls to make and nothing else, as a JSON list of objects with "name" and "arguments". Answer with an empty list when none of the tools fits.';

export function askForCalls(request: string): string {
  return `${request}\n\n${INSTRUCTION}`;
}

export function formatToolsContext(tools: readonly unknown[]): string {
  return `Tools that can be called:\n${JSON.stringify(tools)}`;
}

const DEFINITION_PATTERN = /^(?:(?:(?:async +)?def|class) +([A-Za-z_]\w*)|([A-Za-z_]\w*) *=(?!=))/gm;
const CLOSING_BRACKETS: Readonly<Record<string, string>> = { "(": ")", "[": "]", "{": "}" };
/** A Python string literal with escapes. */
const STRING_PATTERN = /^(?:"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*')/;

/**
 * The first call in a test of something that the program defines; null if there is none.
 * @example
 * findFirstCall("def double(x):\n    return 2 * x", "assert double(4) == 8"); // "double(4)"
 */
export function findFirstCall(program: string, test: string): string | null {
  const defined = new Set([...program.matchAll(DEFINITION_PATTERN)].map(([, named, assigned]) => named ?? assigned));
  for (const { index, 0: opening, 1: name } of test.matchAll(/\b([A-Za-z_]\w*) *\(/g)) {
    if (!defined.has(name)) continue;
    const end = findCallEnd(test, index + opening.length - 1);
    if (end !== null) return test.slice(index, end + 1);
  }
  return null;
}

/** Finds the closing bracket; brackets inside strings do not count. */
function findCallEnd(code: string, start: number): number | null {
  const open: string[] = [];
  for (let at = start; at < code.length; at++) {
    const sign = code[at] as string;
    const pair = CLOSING_BRACKETS[sign];
    if (pair !== undefined) open.push(pair);
    else if (sign === open.at(-1)) open.pop();
    else at = skipQuoted(code, at);
    if (open.length === 0) return at;
  }
  return null;
}

/** The last position of a string literal that begins here, or the position itself. */
function skipQuoted(code: string, at: number): number {
  const quoted = STRING_PATTERN.exec(code.slice(at))?.[0] ?? "";
  return quoted === "" ? at : at + quoted.length - 1;
}

/** JSON Schema names of the Python types that BFCL uses; "any" has none. */
const JSON_SCHEMA_TYPES: ReadonlyMap<string, string | null> = new Map([
  ["dict", "object"],
  ["float", "number"],
  ["tuple", "array"],
  ["any", null],
]);

/**
 * Converts BFCL's tool description to a JSON Schema.
 * @example
 * convertToolSchema({ type: "dict", properties: { x: { type: "float" } } });
 * // { type: "object", properties: { x: { type: "number" } } }
 */
export function convertToolSchema(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(convertToolSchema);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).flatMap(([key, inner]) => convertSchemaEntry(key, inner)));
}

/** A parameter may be named "type": its value is then an object, not a type name. */
function convertSchemaEntry(key: string, value: unknown): [string, unknown][] {
  if (key !== "type" || typeof value !== "string") return [[key, convertToolSchema(value)]];
  const type = JSON_SCHEMA_TYPES.has(value) ? JSON_SCHEMA_TYPES.get(value) : value;
  return type === null || type === undefined ? [] : [[key, type]];
}
