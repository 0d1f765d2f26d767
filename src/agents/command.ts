import { resolve } from "node:path";
import type { AgentEventBody } from "../core/index.js";
import { UsageError } from "../core/index.js";
import { ENV_ASSIGNMENT, isFilePath, splitCommand } from "../exec/index.js";
import type { AgentAdapter, AgentEnd, AgentFigures, LaunchRequest, StreamReader } from "./adapter.js";

const MODEL_PLACEHOLDER = "{model}";

/** A command supports skills or servers if it has their placeholder or variable. */
const SKILLS_PLACEHOLDER = /\{skills\}|ASSAY_SKILLS_DIR/;
const MCP_PLACEHOLDER = /\{mcp_config\}|ASSAY_MCP_CONFIG/;

/** The task itself, or the path of a file with it. */
const PROMPT_PLACEHOLDER = /\{prompt(?:_file)?\}/;

/**
 * Creates an adapter for any command that takes a task and works in its folder. It is metered by the gateway, which it
 * finds by the variables that providers' SDKs read; its output is its answer.
 * @example
 * createCommandAdapter("node my-agent.mjs --model {model} {prompt}");
 */
export function createCommandAdapter(template: string): AgentAdapter {
  const [program, ...args] = splitCommand(template).map(resolveFileWord);
  if (program === undefined || !args.some((word) => PROMPT_PLACEHOLDER.test(word)))
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
    ...(SKILLS_PLACEHOLDER.test(template) && { skills: "told" }),
    ...(MCP_PLACEHOLDER.test(template) && { takesServers: "always" }),
    launch: (request) => ({
      args: args.map((word) => fillPlaceholders(word, request)),
      env: buildCommandEnv(request),
      homeFiles: {},
    }),
    reader: () => new TextReader(),
  };
}

/** Does not show the variable's value, which may be a secret. */
function requireProgram(word: string): void {
  const [, variable] = ENV_ASSIGNMENT.exec(word) ?? [];
  if (variable === undefined) return;
  throw new UsageError(
    `--agent-command begins with the variable ${variable}, but it is not run by a shell. Set the variable for assay, and pass it on with --agent-env ${variable}.`,
  );
}

/** The command runs in another folder, so files of the current one need their full path. */
function resolveFileWord(word: string): string {
  return isFilePath(word, ".") ? resolve(word) : word;
}

/**
 * Throws when a command has a model placeholder but no model was given.
 * @example
 * requireCommandModel("my-agent -m {model} {prompt}", undefined); // throws
 */
export function requireCommandModel(template: string, model: string | undefined): void {
  if (model === undefined && template.includes(MODEL_PLACEHOLDER)) throw createNoModelError();
}

function createNoModelError(): UsageError {
  return new UsageError(
    "The agent's command has a {model} placeholder, but no model is given. Give one with --agent-model NAME.",
  );
}

/** In one pass, so that a prompt containing {model} is not changed. */
function fillPlaceholders(word: string, request: LaunchRequest): string {
  const { prompt, promptFile, model, skillsDir, mcp } = request;
  return word.replace(/\{(prompt|prompt_file|model|skills|mcp_config)\}/g, (_, hole: string) => {
    if (hole === "prompt") return prompt;
    if (hole === "prompt_file") return promptFile;
    if (hole === "skills") return skillsDir ?? "";
    if (hole === "mcp_config") return mcp?.file ?? "";
    if (model === null) throw createNoModelError();
    return model.name;
  });
}

function buildCommandEnv(request: LaunchRequest): Record<string, string> {
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
const MAX_RESPONSE_CHARS = 1 << 20;

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

  read(chunk: unknown): AgentEventBody[] {
    const text = String(chunk);
    this.#said = (this.#said + text).slice(-MAX_RESPONSE_CHARS);
    return [{ type: "assistant_message", text }];
  }
}
