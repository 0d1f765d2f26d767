import type { Example } from "../../core/example.js";
import { parseJson } from "../json-text.js";
import { canonicalizeToolName, toCallFields } from "./call.js";

/** Where datasets and providers keep the available tools, and where these keep their arguments. */
const TOOL_FIELDS = ["function", "functions", "tools"] as const;
const SCHEMA_KEYS = ["parameters", "input_schema", "inputSchema"] as const;

/** What an example says about an available tool. */
export interface DeclaredTool {
  readonly name: string;
  /** Arguments that are whole numbers, or lists of them. */
  readonly integers: ReadonlySet<string>;
  readonly required: ReadonlySet<string>;
}

export function readDeclaredTools(example: Example): DeclaredTool[] {
  return TOOL_FIELDS.flatMap((field) => parseToolList(example[field]).flatMap(readTool));
}

/** The name may have dots or underscores. */
export function findDeclaredTool(tools: readonly DeclaredTool[], name: string): DeclaredTool | undefined {
  return tools.find((tool) => canonicalizeToolName(tool.name) === canonicalizeToolName(name));
}

function parseToolList(value: unknown): readonly unknown[] {
  const read = typeof value === "string" ? parseJson(value)?.value : value;
  return Array.isArray(read) ? read : [read];
}

function readTool(value: unknown): DeclaredTool[] {
  const outer = toCallFields(value) ?? {};
  const fields = toCallFields(outer.function) ?? outer;
  if (typeof fields.name !== "string") return [];
  const schema = SCHEMA_KEYS.map((key) => toCallFields(fields[key])).find((found) => found !== null);
  const properties = toCallFields(schema?.properties) ?? {};
  const required: unknown[] = Array.isArray(schema?.required) ? schema.required : [];
  return [
    {
      name: fields.name,
      integers: new Set(Object.keys(properties).filter((key) => isWholeNumberSchema(properties[key]))),
      required: new Set(required.filter((key) => typeof key === "string")),
    },
  ];
}

function isWholeNumberSchema(property: unknown): boolean {
  const { type, items } = toCallFields(property) ?? {};
  return type === "integer" || toCallFields(items)?.type === "integer";
}
