import type { Example } from "../../core/example.js";
import { parseJson } from "../json-text.js";
import { fieldsOf, plainName } from "./call.js";

/** Where datasets and providers keep the tools that can be called, and where these keep their arguments. */
const TOOL_FIELDS = ["function", "functions", "tools"] as const;
const SCHEMA_KEYS = ["parameters", "input_schema", "inputSchema"] as const;

/** The arguments of a tool that the example declares to be whole numbers, or lists of them. */
export function declaredIntegers(example: Example, tool: string): ReadonlySet<string> {
  for (const field of TOOL_FIELDS) {
    const properties = listOf(example[field]).map(unwrapped).find(isNamed(tool))?.properties;
    if (properties !== undefined) return new Set(Object.keys(properties).filter((key) => isWhole(properties[key])));
  }
  return new Set();
}

interface Tool {
  name: unknown;
  properties: Readonly<Record<string, unknown>>;
}

function listOf(value: unknown): readonly unknown[] {
  const read = typeof value === "string" ? parseJson(value)?.value : value;
  return Array.isArray(read) ? read : [read];
}

function unwrapped(value: unknown): Tool {
  const outer = fieldsOf(value) ?? {};
  const fields = fieldsOf(outer.function) ?? outer;
  const schema = SCHEMA_KEYS.map((key) => fieldsOf(fields[key])).find((found) => found !== null);
  return { name: fields.name, properties: fieldsOf(schema?.properties) ?? {} };
}

function isNamed(tool: string): (each: Tool) => boolean {
  return ({ name }) => typeof name === "string" && plainName(name) === plainName(tool);
}

function isWhole(property: unknown): boolean {
  const { type, items } = fieldsOf(property) ?? {};
  return type === "integer" || fieldsOf(items)?.type === "integer";
}
