import { existsSync, statSync } from "node:fs";
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import * as z from "zod";
import type { Environment, EnvironmentFile } from "../../core/index.js";
import { didYouMean } from "../../core/index.js";
import { EnvironmentReader } from "../../exec/index.js";
import { isInsideDir, type KeyPath } from "../../utils/index.js";
import {
  createEnumField,
  createListField,
  createMappingField,
  createRecordField,
  filled,
  flag,
  innerPath,
  number,
  text,
} from "./fields.js";
import type { ProblemCollector } from "./problems.js";

/** An environment of the project file, and the folder that its paths are relative to. */
export interface SharedEnvironment {
  readonly environment: Environment;
  readonly dir: string;
}

export interface EnvironmentContext {
  readonly dir: string;
  readonly shared: Readonly<Record<string, SharedEnvironment>>;
  readonly findings: ProblemCollector;
}

/** Resolves the environment at a path of the file, merged with the shared one it names, to absolute paths. */
export function resolveEnvironment(
  given: string | RawEnvironment | undefined,
  path: KeyPath,
  context: EnvironmentContext,
): Environment {
  if (given === undefined) return {};
  if (typeof given === "string") return findSharedEnvironment(given, path, context);
  const { use, ...rest } = given;
  const shared = use === undefined ? {} : findSharedEnvironment(use, [...path, "use"], context);
  // Without `use`, the rest has the shape of an environment.
  const own = resolveEnvironmentPaths(rest as Environment, {
    dir: context.dir,
    say: createProblemReporter(path, context),
  });
  if (clearsSkills(shared, own))
    context.findings.addNote(`an empty environment.skills removes those of the environment "${use}"`);
  return mergeEnvironments(shared, own);
}

function findSharedEnvironment(name: string, path: KeyPath, { shared, findings }: EnvironmentContext): Environment {
  if (!Object.hasOwn(shared, name) || shared[name] === undefined) {
    findings.addAtValue(path, `the project file has no environment "${name}".${didYouMean(name, Object.keys(shared))}`);
    return {};
  }
  const { environment, dir } = shared[name];
  const say = (_: KeyPath, text: string) => findings.addAtValue(path, `the environment "${name}": ${text}`);
  return resolveEnvironmentPaths(environment, { dir, say });
}

function createProblemReporter(path: KeyPath, { findings }: EnvironmentContext) {
  return (inner: KeyPath, text: string) => findings.addAtValue([...path, ...inner], text);
}

interface PathContext {
  readonly dir: string;
  readonly say: (path: KeyPath, text: string) => void;
}

/** Makes paths absolute and reports those that do not exist. */
function resolveEnvironmentPaths(environment: Environment, { dir, say }: PathContext): Environment {
  const { git, files, skills, image, dockerfile } = environment;
  if (image !== undefined && dockerfile !== undefined) say(["dockerfile"], "there is an image too: keep one of them.");
  return {
    ...environment,
    ...(typeof dockerfile === "string" && { dockerfile: resolveDockerfile(dockerfile, { dir, say }) }),
    ...(git !== undefined && { git: { ...git, url: resolveRepository(git.url, { dir, say }) } }),
    ...(files !== undefined && {
      files: files.map((file, index) => resolveEnvironmentFile(file, index, { dir, say })),
    }),
    ...(skills !== undefined && {
      skills: skills.map((skill, index) =>
        typeof skill === "string" ? resolveSkillFolder(skill, dir, (text) => say(["skills", index], text)) : skill,
      ),
    }),
  };
}

/** Like git: a URL has a scheme, or a host before a colon; anything else is a path. */
function resolveRepository(url: string, { dir, say }: PathContext): string {
  const isElsewhere = /^[A-Za-z][\w+.-]*:\/\//.test(url) || (/^[^/]*:/.test(url) && !isAbsolute(url));
  if (isElsewhere) return url;
  const path = resolve(dir, url);
  if (!existsSync(path)) say(["git", "url"], `the repository ${path} does not exist.`);
  return path;
}

function resolveDockerfile(path: string, { dir, say }: PathContext): string {
  const file = resolve(dir, path);
  if (!existsSync(file)) say(["dockerfile"], `the Dockerfile ${file} does not exist.`);
  return file;
}

function resolveEnvironmentFile(file: EnvironmentFile, index: number, { dir, say }: PathContext): EnvironmentFile {
  if (!("src" in file) || file.src === undefined) return file;
  const src = resolve(dir, file.src);
  if (!existsSync(src)) say(["files", index, "src"], `the file or folder ${src} does not exist.`);
  return { src, dest: file.dest };
}

/** A skill may be given by its folder or by its SKILL.md, relative to the eval file or to the repository. */
export function resolveSkillFolder(path: string, dir: string, say: (text: string) => void): string {
  const given = findInRepository(path, dir) ?? resolve(dir, path);
  const folder = basename(given) === "SKILL.md" ? dirname(given) : given;
  if (!isExistingFolder(folder)) say(`the folder ${folder} does not exist: a skill is a folder with a SKILL.md.`);
  else if (!existsSync(join(folder, "SKILL.md"))) say(`${folder} has no SKILL.md, so it is not a skill.`);
  return folder;
}

/** The path relative to the repository that `dir` is in; null if it is beside `dir` or not in the repository. */
function findInRepository(path: string, dir: string): string | null {
  if (existsSync(resolve(dir, path))) return null;
  for (let root = dir; ; root = dirname(root)) {
    if (existsSync(join(root, ".git"))) {
      const found = resolve(root, path);
      return isInsideDir(root, found) && existsSync(found) ? found : null;
    }
    if (dirname(root) === root) return null;
  }
}

function isExistingFolder(path: string): boolean {
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
  const workdir = added.workdir ?? base.workdir;
  return {
    ...(git !== undefined && { git }),
    ...chooseImage(base, added),
    ...(workdir !== undefined && { workdir }),
    ...mergeMappings("limits", base, added),
    ...mergeMappings("guaranteed", base, added),
    ...joinEnvironmentLists("files", base, added),
    ...joinEnvironmentLists("commands", base, added),
    ...mergeMappings("env", base, added),
    ...joinEnvironmentLists("skills", clearsSkills(base, added) ? {} : base, added),
    ...mergeMappings("mcpServers", base, added),
  };
}

/** An environment with an image or a Dockerfile replaces both of the other. */
function chooseImage(base: Environment, added: Environment): Environment {
  const { image, dockerfile } = added.image === undefined && added.dockerfile === undefined ? base : added;
  return { ...(image !== undefined && { image }), ...(dockerfile !== undefined && { dockerfile }) };
}

/** True if the added environment has an empty list of skills and the base has some. */
export function clearsSkills(base: Environment, added: Environment): boolean {
  return added.skills?.length === 0 && (base.skills ?? []).length > 0;
}

/** Without duplicates, so that no skill is offered twice. */
function joinEnvironmentLists(
  key: "files" | "commands" | "skills",
  base: Environment,
  added: Environment,
): Environment {
  const [first, second] = [base[key], added[key]];
  if (first === undefined && second === undefined) return {};
  const all: readonly unknown[] = [...(first ?? []), ...(second ?? [])];
  return { [key]: key === "skills" ? [...new Set(all)] : all };
}

function mergeMappings(
  key: "env" | "mcpServers" | "limits" | "guaranteed",
  base: Environment,
  added: Environment,
): Environment {
  const [first, second] = [base[key], added[key]];
  return first === undefined && second === undefined ? {} : { [key]: { ...first, ...second } };
}

/**
 * Reads the files that the environments of an eval file name, from the closest folder that contains the eval file and all
 * of them: links must not lead out of it.
 * @example
 * const environment = await new EnvironmentContentReader(spec.file).read(stimulus.environment);
 */
export class EnvironmentContentReader {
  readonly #dir: string;
  readonly #readers = new Map<string, EnvironmentReader>();

  constructor(file: string) {
    this.#dir = dirname(resolve(file));
  }

  /** Returns the environment with the contents of its files and skills; throws if it cannot be offered to an agent. */
  async read(environment: Environment): Promise<Environment> {
    const sources = (environment.files ?? []).flatMap((one) => ("src" in one ? [dirname(one.src)] : []));
    const root = sources.reduce(findCommonFolder, this.#dir);
    const reader = this.#readers.get(root) ?? new EnvironmentReader(root);
    this.#readers.set(root, reader);
    return reader.read(makePathsRelative(root, environment));
  }
}

/** The closest folder that contains both. */
function findCommonFolder(folder: string, path: string): string {
  const way = relative(folder, path);
  const isInside = way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way);
  const above = dirname(folder);
  return isInside || above === folder ? folder : findCommonFolder(above, path);
}

/** The reader expects paths relative to its folder. */
function makePathsRelative(root: string, environment: Environment): Environment {
  const { files } = environment;
  if (files === undefined) return environment;
  const pathOf = (path: string) => relative(root, path).split(sep).join("/") || ".";
  return {
    ...environment,
    files: files.map((one) => ("src" in one ? { src: pathOf(one.src), dest: one.dest } : one)),
  };
}

const gitArgument = filled.refine((value) => !value.startsWith("-"), "begins with a dash: name it without one");

export const gitSchema = createMappingField({
  url: gitArgument.describe("The repository: a URL, or a path relative to this file."),
  ref: gitArgument.optional().describe("A branch, a tag or a commit."),
});

/** A file is copied from `src`, or given by its content. */
export const fileSchema = createMappingField({
  src: filled.optional().describe("A file or a folder, relative to this file."),
  dest: innerPath.describe("The target path in the workspace."),
  content: text.optional().describe("The content of the file, instead of src."),
  encoding: createEnumField(["base64"]).optional().describe("The encoding of content, if it is not text."),
  executable: flag.optional().describe("Whether the file is executable."),
}).superRefine((file, context) => {
  const say = (message: string) => context.addIssue({ code: "custom", message });
  const { src, content } = file;
  if (src === undefined && content === undefined) say("has neither src nor content: add one of them");
  const extra = (["content", "encoding", "executable"] as const).find((key) => file[key] !== undefined);
  if (src !== undefined && extra !== undefined) say(`has both src and ${extra}: keep only src, or only the content`);
  if (src === undefined && /(?:^|\/)\.?$/.test(file.dest)) say("has a dest that names a folder: name the file in it");
});

const variables = createRecordField(text).superRefine((value, context) => {
  for (const name of Object.keys(value))
    if (!/^[^=\0]+$/.test(name))
      context.addIssue({
        code: "custom",
        message: `has the name ${JSON.stringify(name)}, which is not a valid variable name`,
      });
});

export const serverSchema = createMappingField({
  command: filled.optional().describe("The MCP server to start in the workspace."),
  args: createListField(text).optional().describe("The arguments of the command."),
  env: variables.optional().describe("Environment variables of the command."),
  url: filled.optional().describe("The URL of a server, instead of a command."),
  headers: createRecordField(text).optional().describe("Headers of every request to the url."),
}).superRefine((server, context) => {
  const say = (message: string) => context.addIssue({ code: "custom", message });
  const { command, url } = server;
  if ((command === undefined) === (url === undefined)) say("needs either a command or a url");
  const extra = (url === undefined ? (["headers"] as const) : (["args", "env"] as const)).find(
    (key) => server[key] !== undefined,
  );
  if (extra !== undefined) say(`has ${extra}, which requires a ${url === undefined ? "url" : "command"}`);
});

const resource = number.gt(0, "must be above 0");

/** The workspace of an agent; every key is optional. */
export const environmentSchema = createMappingField({
  use: filled.optional().describe("The name of an environment of the project file that this one extends."),
  git: gitSchema.optional().describe("A repository to check out first."),
  files: createListField(fileSchema).optional().describe("Files to add after that, in this order."),
  commands: createListField(filled).optional().describe("Shell commands to run in the workspace after that."),
  env: variables.optional().describe("Environment variables for the commands, the agent and graders."),
  skills: createListField(filled)
    .optional()
    .describe(
      "Skills that the agent is offered: folders with a SKILL.md. They are added to those of the file or of use; an empty list removes these.",
    ),
  mcpServers: createRecordField(serverSchema)
    .optional()
    .describe("MCP servers that the agent is connected to, by name."),
  image: filled
    .optional()
    .describe(
      "The container image that the agent, the set-up and the graders run in, with --isolation container:docker or container:podman.",
    ),
  dockerfile: filled
    .optional()
    .describe("A Dockerfile to build that image from, relative to this file; its folder is what it can copy from."),
  workdir: filled
    .refine((path) => path.startsWith("/"), "must be the full path of a folder of the image, such as /app")
    .optional()
    .describe(
      "The folder of the image that the workspace begins with, and is mounted at. Default: the image's WORKDIR.",
    ),
  limits: createMappingField({
    processes: resource.optional().describe("Concurrent processes and threads."),
    memoryGib: resource.optional().describe("Memory in GiB."),
    cpus: resource.optional().describe("Cores; a part of one may be 0.5."),
    diskGib: resource.optional().describe("What its folders may grow to, in GiB."),
  })
    .optional()
    .describe("What everything may use together in a box or a container, at most. Replaces --box-limit."),
  guaranteed: createMappingField({
    memoryGib: resource.optional().describe("Memory in GiB."),
    cpus: resource.optional().describe("Cores."),
  })
    .optional()
    .describe("What a container gets even if others want it too."),
});

/** Inline, or the name of an environment of the project file. */
export const environmentOrNameSchema = z.union([filled, environmentSchema], {
  error: "must be a mapping, or the name of an environment of the project file",
});

export type RawEnvironment = z.output<typeof environmentSchema>;
