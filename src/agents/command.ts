import { statSync } from "node:fs";
import { basename, extname, resolve } from "node:path";
import { UsageError } from "../core/errors.js";
import type { AgentHappening } from "../core/trajectory.js";
import type { AgentAdapter, AgentEnd, AgentFigures, LaunchRequest, StreamReader } from "./adapter.js";

const PROMPT = "{prompt}";
const MODEL = "{model}";

/**
 * An adapter for any command that takes a task and works in its folder. It is metered by the gateway, which it finds by
 * the variables that the providers' own SDKs read; what it prints is its answer.
 * @example
 * commandAdapter("node my-agent.mjs --model {model} {prompt}");
 */
export function commandAdapter(template: string): AgentAdapter {
  const [program, ...args] = wordsOf(template).map(asPath);
  if (program === undefined || !args.some((word) => word.includes(PROMPT)))
    throw new UsageError(
      `--agent-command "${template}" does not say where the task goes. Write {prompt} there: --agent-command 'my-agent {prompt}'.`,
    );
  return {
    name: "command",
    program,
    checkedVersion: "",
    dialects: ["chat", "responses", "anthropic", "gemini"],
    provider: null,
    defaultModel: null,
    install: `Put ${program} into PATH, or give the whole path.`,
    command: template,
    printsText: true,
    launch: (request) => ({ args: args.map((word) => filled(word, request)), env: envFor(request), homeFiles: {} }),
    reader: () => new TextReader(),
  };
}

/** The command is run in another folder: a file of this one is named by its whole path. */
function asPath(word: string): string {
  const isFile = /[./]/.test(word) && statSync(word, { throwIfNoEntry: false })?.isFile() === true;
  return isFile ? resolve(word) : word;
}

/** Programs that run others. */
const RUNNERS = new Set(["node", "npx", "python", "python3", "sh", "bash", "env", "deno", "bun", "uv", "uvx"]);

/**
 * What a command is called in a report, unless it is given a name.
 * @example
 * commandName("node agents/tiny.mjs {prompt}"); // "tiny"
 */
export function commandName(template: string): string {
  const names = wordsOf(template).filter((word) => !word.startsWith("-") && !word.includes("{"));
  const name = names.find((word) => !RUNNERS.has(basename(word))) ?? names[0] ?? "command";
  return basename(name, extname(name));
}

/** In one pass: a prompt that speaks of {model} is not to be changed. */
function filled(word: string, { prompt, model }: LaunchRequest): string {
  if (word.includes(MODEL) && model === null)
    throw new UsageError("The agent's command has a {model}, but none is named. Name one with --agent-model.");
  return word.replace(/\{(?:prompt|model)\}/g, (hole) => (hole === PROMPT ? prompt : (model?.name ?? "")));
}

function envFor({ gateway, key, model, usesOwnHome }: LaunchRequest): Record<string, string> {
  const urls = {
    OPENAI_BASE_URL: gateway.openai,
    OPENAI_API_BASE: gateway.openai,
    ANTHROPIC_BASE_URL: gateway.anthropic,
    GOOGLE_GEMINI_BASE_URL: gateway.google,
  };
  const keys = { OPENAI_API_KEY: key, ANTHROPIC_API_KEY: key, GEMINI_API_KEY: key };
  return { ...urls, ...(usesOwnHome ? {} : keys), ...(model === null ? {} : { ASSAY_MODEL: model.name }) };
}

/** The words of a command as a shell would have them, without anything else that a shell does. */
function wordsOf(command: string): string[] {
  const words: string[] = [];
  const pattern = /(?:[^\s"'\\]|\\.|"(?:[^"\\]|\\.)*"|'[^']*')+/gs;
  for (const [word] of command.matchAll(pattern)) words.push(unquoted(word));
  const rest = command.replace(pattern, "").trim();
  if (rest !== "") throw new UsageError(`The command "${command}" has a quote that is not closed.`);
  return words;
}

function unquoted(word: string): string {
  return word.replace(
    /"((?:[^"\\]|\\.)*)"|'([^']*)'|\\(.)/gs,
    (_, double?: string, single?: string, escaped?: string) =>
      double === undefined ? (single ?? escaped ?? "") : double.replace(/\\(["\\$`])/g, "$1"),
  );
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
