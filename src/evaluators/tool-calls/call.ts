import type { Example } from "../../core/index.js";
import { parseJson } from "../json-text.js";

export interface Call {
  name: string;
  /** Null if they were text that is not JSON. */
  args: Readonly<Record<string, unknown>> | null;
  /** Arguments that are, or contain, a whole number written as a fraction (10.0); only Python's syntax shows this. */
  wholeFloats?: ReadonlySet<string>;
}

type CallFields = Readonly<Record<string, unknown>>;

/** Names that providers and datasets give to the arguments of a call. */
const ARGUMENT_KEYS = ["arguments", "args", "parameters", "input", "tool_input", "tool_args", "kwargs"] as const;
const NAME_KEYS = ["name", "tool_name", "tool", "function"] as const;
/** Objects that wrap a call: OpenAI, Gemini, Bedrock. */
const WRAPPERS = ["function", "function_call", "functionCall", "toolUse", "tool_use", "tool_call"] as const;
/** No provider wraps a call in more layers. */
const MAX_DEPTH = 4;
/** Where a message holds a list of calls. */
const LISTS = ["tool_calls", "toolCalls", "function_calls", "calls"] as const;

/** Null for lists and other values. */
export function toCallFields(value: unknown): CallFields | null {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as CallFields) : null;
}

/** Parses one call, a list of them, or a message that holds some; null if anything in it is not a call. */
export function parseCalls(value: unknown, depth = 0): Call[] | null {
  if (depth > MAX_DEPTH) return null;
  if (Array.isArray(value)) return mergeCalls(value.map((item) => parseCalls(item, depth + 1)));
  const fields = toCallFields(value);
  if (fields === null) return null;
  for (const list of LISTS) if (Array.isArray(fields[list])) return parseCalls(fields[list], depth + 1);
  const call = parseCall(fields);
  return call === null ? null : [call];
}

/**
 * Parses a call in the format of any provider.
 * @example
 * parseCall({ type: "function", function: { name: "add", arguments: '{"a": 1}' } }); // { name: "add", args: { a: 1 } }
 */
function parseCall(fields: CallFields, depth = 0): Call | null {
  if (depth > MAX_DEPTH) return null;
  for (const wrapper of WRAPPERS) {
    const inner = toCallFields(fields[wrapper]);
    if (inner !== null) return parseCall(inner, depth + 1);
  }
  const name = NAME_KEYS.map((key) => fields[key]).find((text) => typeof text === "string" && text !== "");
  const key = ARGUMENT_KEYS.find((one) => fields[one] !== undefined);
  return typeof name === "string" ? { name, args: key === undefined ? {} : parseCallArguments(fields[key]) } : null;
}

/** Whether an object is a call, and not only something with a name. */
export function hasArguments(fields: CallFields): boolean {
  const isWrapped = WRAPPERS.some((key) => toCallFields(fields[key]) !== null);
  return (
    isWrapped ||
    // This key is enough on its own, even if its text is empty or malformed.
    typeof fields.arguments === "string" ||
    fields.arguments === null ||
    ARGUMENT_KEYS.some((key) => isObjectOrJson(fields[key])) ||
    LISTS.some((key) => Array.isArray(fields[key]))
  );
}

/** An object, or JSON text of one. */
function isObjectOrJson(value: unknown): boolean {
  return toCallFields(typeof value === "string" ? parseJson(value)?.value : value) !== null;
}

/** Arguments are an object or JSON text; missing arguments are an empty object. */
export function parseCallArguments(value: unknown): CallFields | null {
  if (value === null || value === undefined || value === "") return {};
  return toCallFields(typeof value === "string" ? parseJson(value)?.value : value);
}

function mergeCalls(lists: readonly (Call[] | null)[]): Call[] | null {
  return lists.every((list) => list !== null) ? lists.flat() : null;
}

/** Providers forbid dots in names, so "math.add" comes back as "math_add". */
export function canonicalizeToolName(name: string): string {
  return name.replaceAll(".", "_");
}

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
