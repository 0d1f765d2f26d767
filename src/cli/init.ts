import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { requireAdapter } from "../agents/index.js";
import { EXIT, getErrorMessage, UsageError } from "../core/index.js";
import { findPackageFile } from "../utils/index.js";
import {
  chooseKind,
  findInstalledAgent,
  findKind,
  INIT_KINDS,
  INIT_TEMPLATES,
  type InitTemplate,
  TINY_AGENT,
} from "./init-kinds.js";
import { printNote, writeResult } from "./streams.js";

/** `assay init`: writes a small project that runs at once into the user's folder. */
export async function executeInit(folder: string, options: InitOptions): Promise<number> {
  const { executor, force = false } = options;
  if (executor !== undefined && !executor.includes("{prompt")) requireAdapter(executor);
  const kind = await chooseKind(options);
  if (kind === null) {
    printNote("\nNothing was written.");
    return STOPPED;
  }
  const template = INIT_TEMPLATES[kind];
  const agent = template.hasAgent === true ? (executor ?? findInstalledAgent()) : undefined;
  const files = listFiles(template, agent);
  const names = files.map(({ name }) => name);
  const there = names.filter((name) => existsSync(join(folder, name)));
  if (there.length > 0 && !force)
    throw new UsageError(
      `${there.map((file) => join(folder, file)).join(", ")} already ${there.length === 1 ? "exists" : "exist"}. Choose another folder, or overwrite with --force.`,
    );
  for (const name of names) requireInsideFolder(folder, name);
  const schemas = findSchemas(folder);
  for (const file of files) writeTemplateFile(folder, file, { agent, schemas, line: template.agentLine });
  await writeResult(names.map((name) => `${join(folder, name)}\n`));
  for (const line of listNextSteps(folder, template, agent)) printNote(line);
  if (findKind(options) === undefined)
    printNote(`This is --kind ${kind}. Others: ${INIT_KINDS.filter((other) => other !== kind).join(", ")}.`);
  if (!existsSync(schemas))
    printNote("Editors validate these files with the schemas of the package once it is installed here.");
  return EXIT.fine;
}

/** Exit code after Ctrl-C, as shells have it. */
const STOPPED = 130;

export interface InitOptions {
  /** What to begin with. Default: asked on a terminal, otherwise a skill. */
  kind?: string;
  executor?: string;
  force?: boolean;
}

interface TemplateFile {
  /** Relative to the folder that is written. */
  readonly name: string;
  /** The file of this package that is copied. */
  readonly source: string;
}

function listFiles({ folder, hasAgent }: InitTemplate, agent: string | undefined): TemplateFile[] {
  const root = fileURLToPath(findPackageFile(folder));
  const files = listTemplateFiles(root).map((name) => ({ name, source: join(root, name) }));
  if (hasAgent !== true || agent !== undefined) return files;
  return [...files, { name: TINY_AGENT, source: fileURLToPath(findPackageFile(`examples/${TINY_AGENT}`)) }];
}

function listTemplateFiles(folder: string): string[] {
  const entries = readdirSync(folder, { withFileTypes: true, recursive: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
    .sort();
}

/** A symlink in the path could lead to files outside the folder. */
function requireInsideFolder(folder: string, file: string): void {
  if (!existsSync(folder)) return;
  const root = realpathSync(folder);
  let path = folder;
  for (const part of file.split(sep)) {
    path = join(path, part);
    if (isLink(path) && !isLinkInto(root, path))
      throw new UsageError(`${path} is a link that leads out of ${folder}. Remove it, or choose another folder.`);
  }
}

/** A path below a file cannot be inspected; writing it fails later. */
function isLink(path: string): boolean {
  try {
    return lstatSync(path).isSymbolicLink();
  } catch {
    return false;
  }
}

/** False for a dangling link: its target is unknown. */
function isLinkInto(root: string, link: string): boolean {
  if (!existsSync(link)) return false;
  const way = relative(root, realpathSync(link));
  return way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

/**
 * The schemas folder for files in `folder`: in the node_modules that has the package, else where installing would put it.
 * Never the location of this process: npx removes its copy, and other machines have it elsewhere.
 */
function findSchemas(folder: string): string {
  const above = listParentFolders(resolve(folder));
  const inside = (dir: string) => join(dir, "node_modules", "assay", "schemas");
  const project =
    above.find((dir) => existsSync(inside(dir))) ?? above.find((dir) => existsSync(join(dir, "package.json")));
  return inside(project ?? resolve(folder));
}

/** The folder and its parents, nearest first. */
function listParentFolders(folder: string): string[] {
  const parent = dirname(folder);
  return parent === folder ? [folder] : [folder, ...listParentFolders(parent)];
}

interface TemplateChanges {
  readonly agent: string | undefined;
  readonly line: InitTemplate["agentLine"];
  /** Folder of the schemas that editors use. */
  readonly schemas: string;
}

function writeTemplateFile(
  folder: string,
  { name, source }: TemplateFile,
  { agent, line, schemas }: TemplateChanges,
): void {
  const target = join(folder, name);
  const text = readFileSync(source, "utf8").replace(
    /^(# yaml-language-server: \$schema=).*\/(.*)$/m,
    (_, key: string, schema: string) => key + toRelativePath(dirname(resolve(target)), join(schemas, schema)),
  );
  const namesAgent = line !== undefined && name === join(...line.file.split("/"));
  const own = namesAgent ? text.replace(line.pattern, () => line.write(agent)) : text;
  try {
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, own);
  } catch (cause) {
    throw new UsageError(`${target} cannot be written: ${getErrorMessage(cause)}.`, { cause });
  }
}

/** With slashes on every system and a leading dot: editors may resolve other paths from the workspace root. */
function toRelativePath(from: string, to: string): string {
  const path = relative(from, to).split(sep).join("/");
  return path.startsWith(".") ? path : `./${path}`;
}

/** Lists only commands that work at once. */
function listNextSteps(folder: string, { next, later }: InitTemplate, agent: string | undefined): string[] {
  const enter = folder === "." ? [] : [`  cd ${folder}`];
  const steps = next({ agent });
  const width = Math.max(...steps.map(([command]) => command.length));
  return [
    "What to do next:",
    ...enter,
    ...steps.map(([command, meaning]) => `  ${command.padEnd(width)}   ${meaning}`),
    ...(later?.({ agent }) ?? []),
  ];
}
