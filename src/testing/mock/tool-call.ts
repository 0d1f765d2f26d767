import { type MockJson, type OfferedTool, toList, toNumber, toObject, toTextOrEmpty } from "./prompt.js";
import type { ToolStep } from "./script.js";

export interface MockToolCall {
  readonly name: string;
  readonly arguments: MockJson;
  readonly isLocalShell: boolean;
  /** Instead of arguments, for a tool that takes a text. */
  readonly script?: string;
}

/** Names that agents give to their shell, the most specific first. */
const SHELL_NAMES = [
  "bash",
  "exec_command",
  "shell_command",
  "run_shell_command",
  "shell",
  "local_shell",
  "run_command",
];
const SHELL_NAME_PATTERN = /shell|terminal|exec|command/i;
/** Most numbers that tools require are times in milliseconds, which must not be too short. */
const FILLERS = { text: "scripted by assay mock", number: 10_000 };
const COMMAND_FIELDS = ["command", "cmd", "script", "code"];

/** The call that a step makes with the offered tools; null for none. */
export function createToolCall(step: ToolStep | undefined, tools: readonly OfferedTool[]): MockToolCall | null {
  if (step === undefined || "text" in step || tools.length === 0) return null;
  if ("command" in step) return createShellCall(step.command, tools);
  const tool = findTool(tools, step.name);
  const runner = tool === undefined ? tools.find(({ shellInScript }) => shellInScript !== undefined) : undefined;
  if (runner !== undefined) return createScriptCall(runner, step.name, step.arguments ?? {});
  return { name: tool?.name ?? step.name, arguments: fillRequired(step.arguments ?? {}, tool), isLocalShell: false };
}

function createShellCall(command: string, tools: readonly OfferedTool[]): MockToolCall | null {
  const shell = findShell(tools);
  if (shell === undefined) return null;
  const { shellInScript } = shell;
  if (shellInScript !== undefined)
    return createScriptCall(shell, shellInScript, { [shellInScript === "exec_command" ? "cmd" : "command"]: command });
  const argv = ["bash", "-lc", command];
  if (shell.isLocalShell) return { name: shell.name, arguments: { command: argv }, isLocalShell: true };
  const properties = toObject(shell.schema.properties);
  const field = COMMAND_FIELDS.find((name) => Object.hasOwn(properties, name)) ?? "command";
  const takesList = toObject(properties[field]).type === "array";
  return {
    name: shell.name,
    arguments: fillRequired({ [field]: takesList ? argv : command }, shell),
    isLocalShell: false,
  };
}

/** A script that calls one tool and returns its result. */
function createScriptCall({ name }: OfferedTool, tool: string, given: MockJson): MockToolCall {
  const script = `text(await tools.${tool}(${JSON.stringify(given)}));`;
  return { name, arguments: {}, isLocalShell: false, script };
}

function findShell(tools: readonly OfferedTool[]): OfferedTool | undefined {
  const scripted = tools.find(({ shellInScript }) => shellInScript !== undefined);
  if (scripted !== undefined) return scripted;
  for (const name of SHELL_NAMES) {
    const tool = findTool(tools, name);
    if (tool !== undefined) return tool;
  }
  return tools.find(({ name }) => SHELL_NAME_PATTERN.test(name));
}

/** Agents spell the same tool differently: Bash or bash. */
function findTool(tools: readonly OfferedTool[], wanted: string): OfferedTool | undefined {
  return tools.find(({ name }) => name.toLowerCase() === wanted.toLowerCase());
}

/** The arguments, plus a suitable value for each other required one. */
function fillRequired(given: MockJson, tool: OfferedTool | undefined): MockJson {
  const { required, properties } = tool?.schema ?? {};
  if (!Array.isArray(required) || required.length === 0) return given;
  return { ...toObject(generateValue({ type: "object", properties, required }, FILLERS)), ...given };
}

/** Values where the schema leaves the choice. */
interface SchemaFillers {
  readonly text: string;
  readonly number: number;
}

/**
 * A value that matches a JSON schema, with the given texts and numbers and the first of alternatives. Fills only required
 * fields if there are any, and stops after a few levels, because schemas may be recursive.
 */
export function generateValue(schema: MockJson, fillers: SchemaFillers, depth = 0): unknown {
  const [choice] = toList(schema.enum);
  if (choice !== undefined) return choice;
  if ("const" in schema) return schema.const;
  const [variant] = [...toList(schema.anyOf), ...toList(schema.oneOf)];
  if (variant !== undefined) return generateValue(toObject(variant), fillers, depth + 1);
  switch (getSchemaType(schema)) {
    case "object":
      return generateObject(schema, fillers, depth);
    case "array":
      return [];
    case "integer":
    case "number":
      return clampToSchema(schema, fillers.number);
    case "boolean":
      return false;
    case "null":
      return null;
    default:
      return fillers.text;
  }
}

/** Gemini writes types in capitals; a list of types means any of them. */
function getSchemaType(schema: MockJson): string {
  const [first] = toList(schema.type);
  const type = toTextOrEmpty(first ?? schema.type).toLowerCase();
  return type === "" && "properties" in schema ? "object" : type;
}

function clampToSchema({ minimum, maximum }: MockJson, number: number): number {
  return Math.max(toNumber(minimum) ?? -Infinity, Math.min(toNumber(maximum) ?? Infinity, number));
}

function generateObject(schema: MockJson, fillers: SchemaFillers, depth: number): MockJson {
  const properties = toObject(schema.properties);
  const required = toList(schema.required).map(toTextOrEmpty);
  const names = required.length > 0 ? required : Object.keys(properties);
  if (depth > 8) return {};
  return Object.fromEntries(names.map((name) => [name, generateValue(toObject(properties[name]), fillers, depth + 1)]));
}
