import { isAbsolute, normalize, sep } from "node:path";
import { didYouMean, UsageError } from "../core/index.js";
import { splitCommand } from "../exec/index.js";
import type { LaunchRequest } from "./adapter.js";

/** A coding agent in data: its command, and what it needs to use the gateway. Texts may contain placeholders. */
export interface AgentDefinition {
  /** The program and its arguments: `my-agent --model {model} {prompt}`. */
  readonly command: string;
  /** The command for a further message in the same session: `my-agent --resume {session} {prompt}`. */
  readonly continueCommand?: string;
  /** Environment variables. */
  readonly env?: Readonly<Record<string, string>>;
  /** Files to write into a temporary HOME before it starts: path → content. */
  readonly homeFiles?: Readonly<Record<string, string>>;
  /** The least version that works, as `--version` prints it. */
  readonly minVersion?: string;
  /** How to install it. */
  readonly install?: string;
}

/** The value of each placeholder. */
const PLACEHOLDERS = {
  prompt: ({ prompt }) => prompt,
  prompt_file: ({ promptFile }) => promptFile,
  model: ({ model }) => model?.name ?? null,
  skills: ({ skillsDir }) => skillsDir ?? "",
  mcp_config: ({ mcp }) => mcp?.file ?? "",
  openai_url: ({ gateway }) => gateway.openai,
  anthropic_url: ({ gateway }) => gateway.anthropic,
  gemini_url: ({ gateway }) => gateway.google,
  session: ({ session }) => session?.id ?? "",
  key: ({ key }) => key,
} as const satisfies Record<string, (request: LaunchRequest) => string | null>;

type PlaceholderName = keyof typeof PLACEHOLDERS;

const PLACEHOLDER_NAMES = Object.keys(PLACEHOLDERS) as PlaceholderName[];

/** `${name}` belongs to a shell. */
const PLACEHOLDER = /(?<!\$)\{([a-z][a-z0-9_]*)\}/g;

/**
 * Fills placeholders, in one pass, so that a prompt containing {model} is not changed.
 * @example
 * fillPlaceholders("--base {openai_url}", request); // "--base http://127.0.0.1:40000/…/openai/v1"
 */
export function fillPlaceholders(text: string, request: LaunchRequest): string {
  return text.replace(PLACEHOLDER, (whole: string, name: string) => {
    const read = Object.hasOwn(PLACEHOLDERS, name) ? PLACEHOLDERS[name as PlaceholderName] : undefined;
    const value = read === undefined ? whole : read(request);
    if (value === null) throw createNoModelError();
    return value;
  });
}

export function createNoModelError(): UsageError {
  return new UsageError(
    "The agent's command has a {model} placeholder, but no model is given. Give one with --agent-model NAME.",
  );
}

/** All texts of a definition that may contain placeholders, with their place. */
function listTexts({ command, continueCommand, env = {}, homeFiles = {} }: AgentDefinition) {
  const texts: [place: string, text: string][] = [
    ["command", command],
    ...(continueCommand === undefined ? [] : [["continueCommand", continueCommand] as [string, string]]),
    ...Object.entries(env).map(([name, value]): [string, string] => [`env.${name}`, value]),
    ...Object.entries(homeFiles).map(([path, content]): [string, string] => [`homeFiles["${path}"]`, content]),
  ];
  return texts;
}

/** True when any text of the definition matches. */
export function mentions(definition: AgentDefinition, pattern: RegExp): boolean {
  return listTexts(definition).some(([, text]) => pattern.test(text));
}

/**
 * Throws an error with all problems of a definition: unknown placeholders, a command without a task, file paths outside of
 * HOME, malformed versions and names of variables.
 */
export function requireDefinition(definition: AgentDefinition): void {
  const problems = [
    ...checkCommand(definition.command),
    ...checkContinueCommand(definition),
    ...listPlaceholderProblems(definition),
    ...Object.keys(definition.env ?? {}).flatMap(checkVariable),
    ...Object.keys(definition.homeFiles ?? {}).flatMap(checkHomePath),
    ...checkVersion(definition.minVersion),
  ];
  if (problems.length === 0) return;
  const title = `The agent command "${definition.command}" cannot be run:`;
  const [first] = problems;
  throw new UsageError(
    problems.length === 1 ? `${title} ${first}` : [title, ...problems.map((text) => `- ${text}`)].join("\n"),
  );
}

/** The task itself, or the path of a file with it. */
const TASK_PLACEHOLDER = /\{prompt(?:_file)?\}/;

function checkCommand(command: string): string[] {
  const [, ...args] = splitCommand(command);
  if (args.some((word) => TASK_PLACEHOLDER.test(word))) return [];
  return [
    `it has no placeholder for the task. Add {prompt}, or {prompt_file} for the path of a file with the task: 'my-agent {prompt}'.`,
  ];
}

/** The program is looked up once, so both commands begin with it. */
function checkContinueCommand({ command, continueCommand }: AgentDefinition): string[] {
  if (continueCommand === undefined) return [];
  const [program = ""] = splitCommand(command);
  const [other = ""] = splitCommand(continueCommand);
  const problems = checkCommand(continueCommand).map((text) => `continueCommand: ${text}`);
  return program === other
    ? problems
    : [...problems, `continueCommand: it must begin with the same program, ${program}, not with ${other}.`];
}

function listPlaceholderProblems(definition: AgentDefinition): string[] {
  return listTexts(definition).flatMap(([place, text]) =>
    [...text.matchAll(PLACEHOLDER)].flatMap(([, found = ""]) =>
      Object.hasOwn(PLACEHOLDERS, found)
        ? []
        : [`${place}: unknown placeholder {${found}}.${didYouMean(found, PLACEHOLDER_NAMES)}`],
    ),
  );
}

function checkVariable(name: string): string[] {
  return /^[A-Za-z_]\w*$/.test(name) ? [] : [`env: "${name}" is not the name of an environment variable.`];
}

function checkHomePath(path: string): string[] {
  const isOutside = path === "" || isAbsolute(path) || normalize(path).split(sep)[0] === "..";
  return isOutside ? [`homeFiles: "${path}" must be a path below HOME, such as .config/my-agent.json.`] : [];
}

function checkVersion(version: string | undefined): string[] {
  if (version === undefined || /^\d+(?:\.\d+)*$/.test(version)) return [];
  return [`minVersion: "${version}" is not a version. Write numbers, as in 1.2.3.`];
}
