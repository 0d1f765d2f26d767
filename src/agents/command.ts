import { resolve } from "node:path";
import type { AgentEventBody } from "../core/index.js";
import { UsageError } from "../core/index.js";
import { ENV_ASSIGNMENT, isFilePath, splitCommand } from "../exec/index.js";
import type { AgentAdapter, AgentEnd, AgentFigures, LaunchRequest, StreamReader } from "./adapter.js";
import {
  type AgentDefinition,
  createNoModelError,
  fillPlaceholders,
  mentions,
  requireDefinition,
} from "./definition.js";

const MODEL_PLACEHOLDER = /\{model\}/;

/** A command supports skills or servers if it has their placeholder or variable. */
const SKILLS_PLACEHOLDER = /\{skills\}|ASSAY_SKILLS_DIR/;
const MCP_PLACEHOLDER = /\{mcp_config\}|ASSAY_MCP_CONFIG/;

/**
 * Creates an adapter for any command that takes a task and works in its folder. It is metered by the gateway, which it
 * finds by the variables that providers' SDKs read, and by the placeholders of its definition; its output is its answer.
 * @example
 * createCommandAdapter({ command: "node my-agent.mjs --model {model} {prompt}", env: { BASE: "{openai_url}" } });
 */
export function createCommandAdapter(given: string | AgentDefinition, name = "command"): AgentAdapter {
  const definition = typeof given === "string" ? { command: given } : given;
  const { command, continueCommand, minVersion, install, env = {}, homeFiles = {} } = definition;
  requireDefinition(definition);
  const [program = "", ...args] = splitCommand(command).map(resolveFileWord);
  const [, ...continueArgs] = splitCommand(continueCommand ?? "").map(resolveFileWord);
  requireProgram(program);
  return {
    name,
    program,
    checkedVersion: "",
    ...(minVersion !== undefined && { minVersion }),
    dialects: ["chat", "responses", "anthropic", "gemini"],
    provider: null,
    install: install ?? `Add ${program} to PATH, or give its full path.`,
    command,
    printsText: true,
    definition,
    ...(mentions(definition, SKILLS_PLACEHOLDER) && { skills: "told" }),
    ...(mentions(definition, MCP_PLACEHOLDER) && { takesServers: "always" }),
    ...(continueCommand !== undefined && { canContinue: true }),
    launch: (request) => ({
      args: (request.session?.isContinued === true ? continueArgs : args).map((word) =>
        fillPlaceholders(word, request),
      ),
      env: { ...buildCommandEnv(request), ...fillAll(env, request) },
      homeFiles: fillAll(homeFiles, request),
    }),
    reader: () => new TextReader(),
  };
}

function fillAll(texts: Readonly<Record<string, string>>, request: LaunchRequest): Record<string, string> {
  return Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, fillPlaceholders(text, request)]));
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
 * Throws when an agent's command or settings have a model placeholder but no model was given.
 * @example
 * requireCommandModel({ command: "my-agent -m {model} {prompt}" }, undefined); // throws
 */
export function requireCommandModel(definition: AgentDefinition, model: string | undefined): void {
  if (model === undefined && needsModel(definition)) throw createNoModelError();
}

/** True when it names its model. */
export function needsModel(definition: AgentDefinition): boolean {
  return mentions(definition, MODEL_PLACEHOLDER);
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
