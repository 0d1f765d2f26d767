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
