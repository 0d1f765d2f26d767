import { existsSync, statSync } from "node:fs";
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import * as z from "zod";
import type { Environment, EnvironmentFile } from "../../core/environment.js";
import { didYouMean } from "../../core/suggest.js";
import { EnvironmentReader } from "../../exec/workspace/environment-reader.js";
import type { KeyPath } from "../../utils/files/yaml-tree.js";
import { filled, flag, innerPath, listOf, mapping, oneOf, recordOf, text } from "./fields.js";
import type { Findings } from "./findings.js";

/** An environment of the project file, and the folder that its paths are relative to. */
export interface SharedEnvironment {
  readonly environment: Environment;
  readonly dir: string;
}

export interface EnvironmentContext {
  readonly dir: string;
  readonly shared: Readonly<Record<string, SharedEnvironment>>;
  readonly findings: Findings;
}

/** Resolves the environment at a path of the file, merged with the shared one it names, to absolute paths. */
export function environmentAt(
  given: string | RawEnvironment | undefined,
  path: KeyPath,
  context: EnvironmentContext,
): Environment {
  if (given === undefined) return {};
  if (typeof given === "string") return sharedOf(given, path, context);
  const { use, ...rest } = given;
  const shared = use === undefined ? {} : sharedOf(use, [...path, "use"], context);
  // Without `use`, the rest has the shape of an environment.
  const own = anchored(rest as Environment, { dir: context.dir, say: sayAt(path, context) });
  if (takesSkillsAway(shared, own))
    context.findings.note(`an empty environment.skills removes those of the environment "${use}"`);
  return mergeEnvironments(shared, own);
}

function sharedOf(name: string, path: KeyPath, { shared, findings }: EnvironmentContext): Environment {
  if (!Object.hasOwn(shared, name) || shared[name] === undefined) {
    findings.at(path, `the project file has no environment "${name}".${didYouMean(name, Object.keys(shared))}`);
    return {};
  }
  const { environment, dir } = shared[name];
  const say = (_: KeyPath, text: string) => findings.at(path, `the environment "${name}": ${text}`);
  return anchored(environment, { dir, say });
}

function sayAt(path: KeyPath, { findings }: EnvironmentContext) {
  return (inner: KeyPath, text: string) => findings.at([...path, ...inner], text);
}

interface Anchor {
  readonly dir: string;
  readonly say: (path: KeyPath, text: string) => void;
}

/** Makes paths absolute and reports those that do not exist. */
function anchored(environment: Environment, { dir, say }: Anchor): Environment {
  const { git, files, skills } = environment;
  return {
    ...environment,
    ...(git !== undefined && { git: { ...git, url: repositoryAt(git.url, { dir, say }) } }),
    ...(files !== undefined && { files: files.map((file, index) => fileAt(file, index, { dir, say })) }),
    ...(skills !== undefined && {
      skills: skills.map((skill, index) =>
        typeof skill === "string" ? skillAt(skill, dir, (text) => say(["skills", index], text)) : skill,
      ),
    }),
  };
}

/** Like git: a URL has a scheme, or a host before a colon; anything else is a path. */
function repositoryAt(url: string, { dir, say }: Anchor): string {
  const isElsewhere = /^[A-Za-z][\w+.-]*:\/\//.test(url) || (/^[^/]*:/.test(url) && !isAbsolute(url));
  if (isElsewhere) return url;
  const path = resolve(dir, url);
  if (!existsSync(path)) say(["git", "url"], `the repository ${path} does not exist.`);
  return path;
}

function fileAt(file: EnvironmentFile, index: number, { dir, say }: Anchor): EnvironmentFile {
  if (!("src" in file) || file.src === undefined) return file;
  const src = resolve(dir, file.src);
  if (!existsSync(src)) say(["files", index, "src"], `the file or folder ${src} does not exist.`);
  return { src, dest: file.dest };
}

/** A skill may be given by its folder or by its SKILL.md. */
export function skillAt(path: string, dir: string, say: (text: string) => void): string {
  const given = resolve(dir, path);
  const folder = basename(given) === "SKILL.md" ? dirname(given) : given;
  if (!isFolder(folder)) say(`the folder ${folder} does not exist: a skill is a folder with a SKILL.md.`);
  else if (!existsSync(join(folder, "SKILL.md"))) say(`${folder} has no SKILL.md, so it is not a skill.`);
  return folder;
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

/**
 * Adds one environment to another: lists are concatenated, the added one wins for equal names, and its repository
 * replaces the other. An added empty list of skills removes the others.
 * @example
 * mergeEnvironments({ commands: ["npm ci"] }, { commands: ["npm run build"] }); // { commands: ["npm ci", "npm run build"] }
 */
export function mergeEnvironments(base: Environment, added: Environment): Environment {
  const git = added.git ?? base.git;
  return {
    ...(git !== undefined && { git }),
    ...joined("files", base, added),
    ...joined("commands", base, added),
    ...overlaid("env", base, added),
    ...joined("skills", takesSkillsAway(base, added) ? {} : base, added),
    ...overlaid("mcpServers", base, added),
  };
}

/** True if the added environment has an empty list of skills and the base has some. */
export function takesSkillsAway(base: Environment, added: Environment): boolean {
  return added.skills?.length === 0 && (base.skills ?? []).length > 0;
}

/** Without duplicates, so that no skill is offered twice. */
function joined(key: "files" | "commands" | "skills", base: Environment, added: Environment): Environment {
  const [first, second] = [base[key], added[key]];
  if (first === undefined && second === undefined) return {};
  const all: readonly unknown[] = [...(first ?? []), ...(second ?? [])];
  return { [key]: key === "skills" ? [...new Set(all)] : all };
}

function overlaid(key: "env" | "mcpServers", base: Environment, added: Environment): Environment {
  const [first, second] = [base[key], added[key]];
  return first === undefined && second === undefined ? {} : { [key]: { ...first, ...second } };
}

/**
 * Reads the files that the environments of an eval file name, from the closest folder that contains the eval file and all
 * of them: links must not lead out of it.
 * @example
 * const environment = await new EnvironmentContentReader(spec.file).read(stimulus.environment);
 */
export class EnvironmentContents {
  readonly #dir: string;
  readonly #readers = new Map<string, EnvironmentReader>();

  constructor(file: string) {
    this.#dir = dirname(resolve(file));
  }

  /** Returns the environment with the contents of its files and skills; throws if it cannot be offered to an agent. */
  async read(environment: Environment): Promise<Environment> {
    const sources = (environment.files ?? []).flatMap((one) => ("src" in one ? [dirname(one.src)] : []));
    const root = sources.reduce(sharedFolder, this.#dir);
    const reader = this.#readers.get(root) ?? new EnvironmentReader(root);
    this.#readers.set(root, reader);
    return reader.read(relativeTo(root, environment));
  }
}

/** The closest folder that contains both. */
function sharedFolder(folder: string, path: string): string {
  const way = relative(folder, path);
  const isInside = way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way);
  const above = dirname(folder);
  return isInside || above === folder ? folder : sharedFolder(above, path);
}

/** The reader expects paths relative to its folder. */
function relativeTo(root: string, environment: Environment): Environment {
  const { files } = environment;
  if (files === undefined) return environment;
  const pathOf = (path: string) => relative(root, path).split(sep).join("/") || ".";
  return {
    ...environment,
    files: files.map((one) => ("src" in one ? { src: pathOf(one.src), dest: one.dest } : one)),
  };
}

const gitWord = filled.refine((value) => !value.startsWith("-"), "begins with a dash: name it without one");

export const gitSchema = mapping({
  url: gitWord.describe("The repository: a URL, or a path relative to this file."),
  ref: gitWord.optional().describe("A branch, a tag or a commit."),
});

/** A file is copied from `src`, or given by its content. */
export const fileSchema = mapping({
  src: filled.optional().describe("A file or a folder, relative to this file."),
  dest: innerPath.describe("The target path in the workspace."),
  content: text.optional().describe("The content of the file, instead of src."),
  encoding: oneOf(["base64"]).optional().describe("The encoding of content, if it is not text."),
  executable: flag.optional().describe("Whether the file is executable."),
}).superRefine((file, context) => {
  const say = (message: string) => context.addIssue({ code: "custom", message });
  const { src, content } = file;
  if (src === undefined && content === undefined) say("has neither src nor content: add one of them");
  const extra = (["content", "encoding", "executable"] as const).find((key) => file[key] !== undefined);
  if (src !== undefined && extra !== undefined) say(`has both src and ${extra}: keep only src, or only the content`);
  if (src === undefined && /(?:^|\/)\.?$/.test(file.dest)) say("has a dest that names a folder: name the file in it");
});

const variables = recordOf(text).superRefine((value, context) => {
  for (const name of Object.keys(value))
    if (!/^[^=\0]+$/.test(name))
      context.addIssue({
        code: "custom",
        message: `has the name ${JSON.stringify(name)}, which is not a valid variable name`,
      });
});

export const serverSchema = mapping({
  command: filled.optional().describe("The MCP server to start in the workspace."),
  args: listOf(text).optional().describe("The arguments of the command."),
  env: variables.optional().describe("Environment variables of the command."),
  url: filled.optional().describe("The URL of a server, instead of a command."),
  headers: recordOf(text).optional().describe("Headers of every request to the url."),
}).superRefine((server, context) => {
  const say = (message: string) => context.addIssue({ code: "custom", message });
  const { command, url } = server;
  if ((command === undefined) === (url === undefined)) say("needs either a command or a url");
  const extra = (url === undefined ? (["headers"] as const) : (["args", "env"] as const)).find(
    (key) => server[key] !== undefined,
  );
  if (extra !== undefined) say(`has ${extra}, which requires a ${url === undefined ? "url" : "command"}`);
});

/** The workspace of an agent; every key is optional. */
export const environmentSchema = mapping({
  use: filled.optional().describe("The name of an environment of the project file that this one extends."),
  git: gitSchema.optional().describe("A repository to check out first."),
  files: listOf(fileSchema).optional().describe("Files to add after that, in this order."),
  commands: listOf(filled).optional().describe("Shell commands to run in the workspace after that."),
  env: variables.optional().describe("Environment variables for the commands, the agent and graders."),
  skills: listOf(filled)
    .optional()
    .describe(
      "Skills that the agent is offered: folders with a SKILL.md. They are added to those of the file or of use; an empty list removes these.",
    ),
  mcpServers: recordOf(serverSchema).optional().describe("MCP servers that the agent is connected to, by name."),
});

/** Inline, or the name of an environment of the project file. */
export const environmentOrName = z.union([filled, environmentSchema], {
  error: "must be a mapping, or the name of an environment of the project file",
});

export type RawEnvironment = z.output<typeof environmentSchema>;
