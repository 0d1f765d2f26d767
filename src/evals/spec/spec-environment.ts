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

/** Where an environment is read, and what is known there. */
export interface EnvironmentContext {
  readonly dir: string;
  readonly shared: Readonly<Record<string, SharedEnvironment>>;
  readonly findings: Findings;
}

/** The environment at a path of the file with absolute paths, the shared one that it names included. */
export function environmentAt(
  given: string | RawEnvironment | undefined,
  path: KeyPath,
  context: EnvironmentContext,
): Environment {
  if (given === undefined) return {};
  if (typeof given === "string") return sharedOf(given, path, context);
  const { use, ...rest } = given;
  const shared = use === undefined ? {} : sharedOf(use, [...path, "use"], context);
  // What `use` named is taken out; the rest has the shape of an environment.
  const own = anchored(rest as Environment, { dir: context.dir, say: sayAt(path, context) });
  if (takesSkillsAway(shared, own))
    context.findings.note(`an empty environment.skills takes away those of the environment "${use}"`);
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

/** With absolute paths, of which each has to be there. */
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

/** As git tells them apart: what has neither a scheme nor a host before a colon is a path. */
function repositoryAt(url: string, { dir, say }: Anchor): string {
  const isElsewhere = /^[A-Za-z][\w+.-]*:\/\//.test(url) || (/^[^/]*:/.test(url) && !isAbsolute(url));
  if (isElsewhere) return url;
  const path = resolve(dir, url);
  if (!existsSync(path)) say(["git", "url"], `there is no repository ${path}.`);
  return path;
}

function fileAt(file: EnvironmentFile, index: number, { dir, say }: Anchor): EnvironmentFile {
  if (!("src" in file) || file.src === undefined) return file;
  const src = resolve(dir, file.src);
  if (!existsSync(src)) say(["files", index, "src"], `there is no file or folder ${src}.`);
  return { src, dest: file.dest };
}

/** The folder of a skill, which may be given by its SKILL.md. */
export function skillAt(path: string, dir: string, say: (text: string) => void): string {
  const given = resolve(dir, path);
  const folder = basename(given) === "SKILL.md" ? dirname(given) : given;
  if (!isFolder(folder)) say(`there is no folder ${folder}: a skill is a folder with a SKILL.md.`);
  else if (!existsSync(join(folder, "SKILL.md"))) say(`${folder} has no SKILL.md, so it is no skill.`);
  return folder;
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

/**
 * An environment with another one added to it: lists follow one another, of equal names the added one counts, and its
 * repository stands in the other's place. An added list of skills that is empty takes the others away.
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

/** Whether an environment that is added has a list of skills that is empty, where there were some. */
export function takesSkillsAway(base: Environment, added: Environment): boolean {
  return added.skills?.length === 0 && (base.skills ?? []).length > 0;
}

/** What both name is there once, so that a skill is not offered twice. */
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
 * Reads what the environments of an eval file name. Each is read from the folder that holds the file and all that it
 * names: links must not lead out of that.
 * @example
 * const environment = await new EnvironmentContents(spec.file).read(stimulus.environment);
 */
export class EnvironmentContents {
  readonly #dir: string;
  readonly #readers = new Map<string, EnvironmentReader>();

  constructor(file: string) {
    this.#dir = dirname(resolve(file));
  }

  /** The environment with the contents of its files and skills; throws when it cannot be offered to an agent. */
  async read(environment: Environment): Promise<Environment> {
    const sources = (environment.files ?? []).flatMap((one) => ("src" in one ? [dirname(one.src)] : []));
    const root = sources.reduce(sharedFolder, this.#dir);
    const reader = this.#readers.get(root) ?? new EnvironmentReader(root);
    this.#readers.set(root, reader);
    return reader.read(relativeTo(root, environment));
  }
}

/** The nearest folder that both lie in. */
function sharedFolder(folder: string, path: string): string {
  const way = relative(folder, path);
  const isInside = way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way);
  const above = dirname(folder);
  return isInside || above === folder ? folder : sharedFolder(above, path);
}

/** With sources relative to a folder, as the reader wants them. */
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
  url: gitWord.describe("The repository: an address, or a path relative to this file."),
  ref: gitWord.optional().describe("A branch, a tag or a commit."),
});

/** A file is copied, or given with its content. */
export const fileSchema = mapping({
  src: filled.optional().describe("A file or a folder, relative to this file."),
  dest: innerPath.describe("Where it goes, below the workspace."),
  content: text.optional().describe("The content itself, instead of src."),
  encoding: oneOf(["base64"]).optional().describe("How content is written, where it is not text."),
  executable: flag.optional().describe("Whether the file can be run."),
}).superRefine((file, context) => {
  const say = (message: string) => context.addIssue({ code: "custom", message });
  const { src, content } = file;
  if (src === undefined && content === undefined) say("has neither src nor content: give it one of them");
  const extra = (["content", "encoding", "executable"] as const).find((key) => file[key] !== undefined);
  if (src !== undefined && extra !== undefined) say(`has both src and ${extra}: give a src alone, or the content`);
  if (src === undefined && /(?:^|\/)\.?$/.test(file.dest)) say("has a dest that names a folder: name the file in it");
});

const variables = recordOf(text).superRefine((value, context) => {
  for (const name of Object.keys(value))
    if (!/^[^=\0]+$/.test(name))
      context.addIssue({ code: "custom", message: `has the name ${JSON.stringify(name)}, which no variable can have` });
});

export const serverSchema = mapping({
  command: filled.optional().describe("A program that speaks the protocol, started in the workspace."),
  args: listOf(text).optional().describe("The arguments of the command."),
  env: variables.optional().describe("Variables of the command."),
  url: filled.optional().describe("The address of a server, instead of a command."),
  headers: recordOf(text).optional().describe("Headers of every request to the url."),
}).superRefine((server, context) => {
  const say = (message: string) => context.addIssue({ code: "custom", message });
  const { command, url } = server;
  if ((command === undefined) === (url === undefined)) say("needs either a command or a url");
  const extra = (url === undefined ? (["headers"] as const) : (["args", "env"] as const)).find(
    (key) => server[key] !== undefined,
  );
  if (extra !== undefined) say(`has ${extra}, which goes with a ${url === undefined ? "url" : "command"}`);
});

/** The place an agent works in; all of it may be missing. */
export const environmentSchema = mapping({
  use: filled.optional().describe("The name of an environment of the project file, to which this one is added."),
  git: gitSchema.optional().describe("A repository that is checked out first."),
  files: listOf(fileSchema).optional().describe("Put in place after that, in this order."),
  commands: listOf(filled).optional().describe("Run in the workspace after that, by the shell."),
  env: variables.optional().describe("Variables for the commands, the agent and graders."),
  skills: listOf(filled)
    .optional()
    .describe(
      "Skills that the agent is offered: folders with a SKILL.md. They are added to those of the file or of use; an empty list takes these away.",
    ),
  mcpServers: recordOf(serverSchema).optional().describe("Servers of tools that the agent is connected to, by name."),
});

/** Described in place, or by the name of one of the project file. */
export const environmentOrName = z.union([filled, environmentSchema], {
  error: "must be a mapping, or the name of an environment of the project file",
});

export type RawEnvironment = z.output<typeof environmentSchema>;
