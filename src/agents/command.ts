import { statSync } from "node:fs";
import { basename, extname, resolve } from "node:path";
import { UsageError } from "../core/errors.js";
import type { AgentHappening } from "../core/trajectory.js";
import type { AgentAdapter, AgentEnd, AgentFigures, LaunchRequest, StreamReader } from "./adapter.js";

const MODEL = "{model}";

/** A command supports skills or servers if it has their placeholder or variable. */
const TAKES_SKILLS = /\{skills\}|ASSAY_SKILLS_DIR/;
const TAKES_MCP = /\{mcp_config\}|ASSAY_MCP_CONFIG/;

/** The task itself, or the path of a file with it. */
const TASK = /\{prompt(?:_file)?\}/;

/** A shell variable assignment before a program. */
const VARIABLE = /^([A-Za-z_]\w*)=/;

/**
 * Creates an adapter for any command that takes a task and works in its folder. It is metered by the gateway, which it
 * finds by the variables that providers' SDKs read; its output is its answer.
 * @example
 * createCommandAdapter("node my-agent.mjs --model {model} {prompt}");
 */
export function commandAdapter(template: string): AgentAdapter {
  const [program, ...args] = wordsOf(template).map(asPath);
  if (program === undefined || !args.some((word) => TASK.test(word)))
    throw new UsageError(
      `--agent-command "${template}" has no placeholder for the task. Add {prompt}, or {prompt_file} for the path of a file with the task: --agent-command 'my-agent {prompt}'.`,
    );
  requireProgram(program);
  return {
    name: "command",
    program,
    checkedVersion: "",
    dialects: ["chat", "responses", "anthropic", "gemini"],
    provider: null,
    install: `Add ${program} to PATH, or give its full path.`,
    command: template,
    printsText: true,
    ...(TAKES_SKILLS.test(template) && { skills: "told" }),
    ...(TAKES_MCP.test(template) && { takesServers: "always" }),
    launch: (request) => ({ args: args.map((word) => filled(word, request)), env: envFor(request), homeFiles: {} }),
    reader: () => new TextReader(),
  };
}

/** Does not show the variable's value, which may be a secret. */
function requireProgram(word: string): void {
  const [, variable] = VARIABLE.exec(word) ?? [];
  if (variable === undefined) return;
  throw new UsageError(
    `--agent-command begins with the variable ${variable}, but it is not run by a shell. Set the variable for assay, and pass it on with --agent-env ${variable}.`,
  );
}

/** The command runs in another folder, so files of the current one need their full path. */
function asPath(word: string): string {
  return namesFile(word, ".") ? resolve(word) : word;
}

/**
 * Throws when a command has a model placeholder but no model was given.
 * @example
 * requireCommandModel("my-agent -m {model} {prompt}", undefined); // throws
 */
export function requireModel(template: string, model: string | undefined): void {
  if (model === undefined && template.includes(MODEL)) throw noModel();
}

function noModel(): UsageError {
  return new UsageError(
    "The agent's command has a {model} placeholder, but no model is given. Give one with --agent-model NAME.",
  );
}

/** Programs that run other programs. */
const RUNNERS = new Set(["node", "npx", "python", "python3", "sh", "bash", "env", "deno", "bun", "uv", "uvx"]);

/**
 * Derives the default name of a command for reports.
 * @example
 * deriveCommandName("node agents/tiny.mjs {prompt}"); // "tiny"
 */
export function commandName(template: string): string {
  // A variable's value may be a secret.
  const isName = (word: string) => !word.startsWith("-") && !word.includes("{") && !VARIABLE.test(word);
  const names = wordsOf(template).filter(isName);
  const name = names.find((word) => !RUNNERS.has(basename(word))) ?? names[0] ?? "command";
  return basename(name, extname(name));
}

/** In one pass, so that a prompt containing {model} is not changed. */
function filled(word: string, request: LaunchRequest): string {
  const { prompt, promptFile, model, skillsDir, mcp } = request;
  return word.replace(/\{(prompt|prompt_file|model|skills|mcp_config)\}/g, (_, hole: string) => {
    if (hole === "prompt") return prompt;
    if (hole === "prompt_file") return promptFile;
    if (hole === "skills") return skillsDir ?? "";
    if (hole === "mcp_config") return mcp?.file ?? "";
    if (model === null) throw noModel();
    return model.name;
  });
}

function envFor(request: LaunchRequest): Record<string, string> {
  const { gateway, key, model, usesOwnHome, skillsDir, mcp } = request;
  const urls = {
    OPENAI_BASE_URL: gateway.openai,
    OPENAI_API_BASE: gateway.openai,
    ANTHROPIC_BASE_URL: gateway.anthropic,
    GOOGLE_GEMINI_BASE_URL: gateway.google,
  };
  const keys = { OPENAI_API_KEY: key, ANTHROPIC_API_KEY: key, GEMINI_API_KEY: key };
  return {
    ...urls,
    ...(usesOwnHome ? {} : keys),
    ...(model === null ? {} : { ASSAY_MODEL: model.name }),
    ...(skillsDir === null ? {} : { ASSAY_SKILLS_DIR: skillsDir }),
    ...(mcp === null ? {} : { ASSAY_MCP_CONFIG: mcp.file }),
  };
}

/** Only the last part of the output is kept: an answer, not a log. */
const LONGEST_RESPONSE = 1 << 20;

/** Treats a program's output as its answer. */
class TextReader implements StreamReader {
  readonly end: AgentEnd | null = null;
  readonly figures: AgentFigures = { usage: null, costUsd: null, isPartial: false };
  readonly version = null;
  readonly model = null;
  readonly unknown: ReadonlyMap<string, number> = new Map();
  #said = "";

  get response(): string {
    return this.#said.trim();
  }

  read(chunk: unknown): AgentHappening[] {
    const text = String(chunk);
    this.#said = (this.#said + text).slice(-LONGEST_RESPONSE);
    return [{ type: "assistant_message", text }];
  }
}

/** A word, including quoted and escaped parts. */
const WORD = /(?:[^\s"'\\]|\\.|"(?:[^"\\]|\\.)*"|'[^']*')+/gs;

/**
 * Splits a command into words like a shell, without any other shell features.
 * @example
 * splitCommand("node 'my agent.mjs' {prompt}"); // ["node", "my agent.mjs", "{prompt}"]
 */
export function wordsOf(command: string): string[] {
  const rest = command.replace(WORD, "").trim();
  if (rest !== "") throw new UsageError(`The command "${command}" has an unclosed quote.`);
  return Array.from(command.matchAll(WORD), ([word]) => unquoted(word));
}

function unquoted(word: string): string {
  return word.replace(
    /"((?:[^"\\]|\\.)*)"|'([^']*)'|\\(.)/gs,
    (_, double?: string, single?: string, escaped?: string) =>
      double === undefined ? (single ?? escaped ?? "") : double.replace(/\\(["\\$`])/g, "$1"),
  );
}

/** True for a word that names a file of the folder. A word without a dot or a slash is never a file. */
function namesFile(word: string, folder: string): boolean {
  return /[./]/.test(word) && statSync(resolve(folder, word), { throwIfNoEntry: false })?.isFile() === true;
}

/**
 * Rewrites the file names in a command that are relative to a config file.
 * @example
 * resolveCommandPaths("node agent.mjs {prompt}", { folder: "nightly", anchor: (path) => `nightly/${path}` });
 */
export function anchoredCommand(
  command: string,
  { folder, anchor }: { folder: string; anchor: (path: string) => string },
): string {
  return command.replace(WORD, (raw) => {
    const word = unquoted(raw);
    return namesFile(word, folder) ? quoted(anchor(word)) : raw;
  });
}

/** Quoted as one word for `splitCommand`. */
function quoted(path: string): string {
  return /^[\w./@+-]+$/.test(path) ? path : `"${path.replace(/["\\$`]/g, "\\$&")}"`;
}
