import { statSync } from "node:fs";
import { basename, extname, resolve } from "node:path";
import { UsageError } from "../core/errors.js";
import type { AgentHappening } from "../core/trajectory.js";
import type { AgentAdapter, AgentEnd, AgentFigures, LaunchRequest, StreamReader } from "./adapter.js";

const MODEL = "{model}";

/** What says that a command takes skills or servers: a place for them, or the variable that tells where they are. */
const TAKES_SKILLS = /\{skills\}|ASSAY_SKILLS_DIR/;
const TAKES_MCP = /\{mcp_config\}|ASSAY_MCP_CONFIG/;

/** Where the task goes: itself, or the path of a file that holds it. */
const TASK = /\{prompt(?:_file)?\}/;

/** A variable as a shell takes it before a program. */
const VARIABLE = /^([A-Za-z_]\w*)=/;

/**
 * An adapter for any command that takes a task and works in its folder. It is metered by the gateway, which it finds by
 * the variables that the providers' own SDKs read; what it prints is its answer.
 * @example
 * commandAdapter("node my-agent.mjs --model {model} {prompt}");
 */
export function commandAdapter(template: string): AgentAdapter {
  const [program, ...args] = wordsOf(template).map(asPath);
  if (program === undefined || !args.some((word) => TASK.test(word)))
    throw new UsageError(
      `--agent-command "${template}" does not say where the task goes. Write {prompt} there, or {prompt_file} for the path of a file that holds it: --agent-command 'my-agent {prompt}'.`,
    );
  requireProgram(program);
  return {
    name: "command",
    program,
    checkedVersion: "",
    dialects: ["chat", "responses", "anthropic", "gemini"],
    provider: null,
    install: `Put ${program} into PATH, or give the whole path.`,
    command: template,
    printsText: true,
    ...(TAKES_SKILLS.test(template) && { skills: "told" }),
    ...(TAKES_MCP.test(template) && { takesServers: "always" }),
    launch: (request) => ({ args: args.map((word) => filled(word, request)), env: envFor(request), homeFiles: {} }),
    reader: () => new TextReader(),
  };
}

/** Its value may be a secret, and is not repeated. */
function requireProgram(word: string): void {
  const [, variable] = VARIABLE.exec(word) ?? [];
  if (variable === undefined) return;
  throw new UsageError(
    `--agent-command begins with the variable ${variable}, and no shell is there to set it. Set it for assay, and pass it on with --agent-env ${variable}.`,
  );
}

/** The command is run in another folder: a file of this one is named by its whole path. */
function asPath(word: string): string {
  return namesFile(word, ".") ? resolve(word) : word;
}

/**
 * Refuses a command that has a place for a model and no model for it.
 * @example
 * requireModel("my-agent -m {model} {prompt}", undefined); // throws
 */
export function requireModel(template: string, model: string | undefined): void {
  if (model === undefined && template.includes(MODEL)) throw noModel();
}

function noModel(): UsageError {
  return new UsageError("The agent's command has a {model}, but none is named. Name one with --agent-model NAME.");
}

/** Programs that run others. */
const RUNNERS = new Set(["node", "npx", "python", "python3", "sh", "bash", "env", "deno", "bun", "uv", "uvx"]);

/**
 * What a command is called in a report, unless it is given a name.
 * @example
 * commandName("node agents/tiny.mjs {prompt}"); // "tiny"
 */
export function commandName(template: string): string {
  // The value of a variable may be a secret.
  const isName = (word: string) => !word.startsWith("-") && !word.includes("{") && !VARIABLE.test(word);
  const names = wordsOf(template).filter(isName);
  const name = names.find((word) => !RUNNERS.has(basename(word))) ?? names[0] ?? "command";
  return basename(name, extname(name));
}

/** In one pass: a prompt that speaks of {model} is not to be changed. */
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

/** The last part of what a program prints: an answer, not a log. */
const LONGEST_RESPONSE = 1 << 20;

/** Takes what a program prints as what it says. */
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

/** A word with whatever of it stands in quotes or behind a backslash. */
const WORD = /(?:[^\s"'\\]|\\.|"(?:[^"\\]|\\.)*"|'[^']*')+/gs;

/**
 * The words of a command as a shell would have them, without anything else that a shell does.
 * @example
 * wordsOf("node 'my agent.mjs' {prompt}"); // ["node", "my agent.mjs", "{prompt}"]
 */
export function wordsOf(command: string): string[] {
  const rest = command.replace(WORD, "").trim();
  if (rest !== "") throw new UsageError(`The command "${command}" has a quote that is not closed.`);
  return Array.from(command.matchAll(WORD), ([word]) => unquoted(word));
}

function unquoted(word: string): string {
  return word.replace(
    /"((?:[^"\\]|\\.)*)"|'([^']*)'|\\(.)/gs,
    (_, double?: string, single?: string, escaped?: string) =>
      double === undefined ? (single ?? escaped ?? "") : double.replace(/\\(["\\$`])/g, "$1"),
  );
}

/** True for a word that names a file of the folder; one without a dot or a slash is a name, whatever lies there. */
function namesFile(word: string, folder: string): boolean {
  return /[./]/.test(word) && statSync(resolve(folder, word), { throwIfNoEntry: false })?.isFile() === true;
}

/**
 * The command with the files that it names beside a config file named as they are seen from elsewhere.
 * @example
 * anchoredCommand("node agent.mjs {prompt}", { folder: "nightly", anchor: (path) => `nightly/${path}` });
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

/** As `wordsOf` takes it for one word. */
function quoted(path: string): string {
  return /^[\w./@+-]+$/.test(path) ? path : `"${path.replace(/["\\$`]/g, "\\$&")}"`;
}
