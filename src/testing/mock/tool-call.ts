import type { Json } from "./json.js";
import { asObject } from "./json.js";
import type { OfferedTool } from "./prompt.js";
import { valueFor } from "./schema-value.js";
import type { ToolStep } from "./script.js";

export interface ToolCall {
  readonly name: string;
  readonly arguments: Json;
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
const SHELL_LIKE = /shell|terminal|exec|command/i;
/** Most numbers that tools require are times in milliseconds, which must not be too short. */
const FILLERS = { text: "scripted by assay mock", number: 10_000 };
const COMMAND_FIELDS = ["command", "cmd", "script", "code"];

/** The call that a step makes with the offered tools; null for none. */
export function callFor(step: ToolStep | undefined, tools: readonly OfferedTool[]): ToolCall | null {
  if (step === undefined || "text" in step || tools.length === 0) return null;
  if ("command" in step) return shellCall(step.command, tools);
  const tool = byName(tools, step.name);
  const runner = tool === undefined ? tools.find(({ shellInScript }) => shellInScript !== undefined) : undefined;
  if (runner !== undefined) return scriptCall(runner, step.name, step.arguments ?? {});
  return { name: tool?.name ?? step.name, arguments: withRequired(step.arguments ?? {}, tool), isLocalShell: false };
}

function shellCall(command: string, tools: readonly OfferedTool[]): ToolCall | null {
  const shell = shellAmong(tools);
  if (shell === undefined) return null;
  const { shellInScript } = shell;
  if (shellInScript !== undefined)
    return scriptCall(shell, shellInScript, { [shellInScript === "exec_command" ? "cmd" : "command"]: command });
  const argv = ["bash", "-lc", command];
  if (shell.isLocalShell) return { name: shell.name, arguments: { command: argv }, isLocalShell: true };
  const properties = asObject(shell.schema.properties);
  const field = COMMAND_FIELDS.find((name) => Object.hasOwn(properties, name)) ?? "command";
  const takesList = asObject(properties[field]).type === "array";
  return {
    name: shell.name,
    arguments: withRequired({ [field]: takesList ? argv : command }, shell),
    isLocalShell: false,
  };
}

/** A script that calls one tool and returns its result. */
function scriptCall({ name }: OfferedTool, tool: string, given: Json): ToolCall {
  const script = `text(await tools.${tool}(${JSON.stringify(given)}));`;
  return { name, arguments: {}, isLocalShell: false, script };
}

function shellAmong(tools: readonly OfferedTool[]): OfferedTool | undefined {
  const scripted = tools.find(({ shellInScript }) => shellInScript !== undefined);
  if (scripted !== undefined) return scripted;
  for (const name of SHELL_NAMES) {
    const tool = byName(tools, name);
    if (tool !== undefined) return tool;
  }
  return tools.find(({ name }) => SHELL_LIKE.test(name));
}

/** Agents spell the same tool differently: Bash or bash. */
function byName(tools: readonly OfferedTool[], wanted: string): OfferedTool | undefined {
  return tools.find(({ name }) => name.toLowerCase() === wanted.toLowerCase());
}

/** The arguments, plus a suitable value for each other required one. */
function withRequired(given: Json, tool: OfferedTool | undefined): Json {
  const { required, properties } = tool?.schema ?? {};
  if (!Array.isArray(required) || required.length === 0) return given;
  return { ...asObject(valueFor({ type: "object", properties, required }, FILLERS)), ...given };
}
