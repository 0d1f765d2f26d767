import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { ADAPTERS, requireAdapter } from "../agents/index.js";
import { EXIT, getErrorMessage, UsageError } from "../core/index.js";
import { findProgram } from "../exec/index.js";
import { findPackageFile } from "../utils/index.js";
import { printNote, writeResult } from "./streams.js";

/** The files that are written: an example of this package. */
const TEMPLATE = fileURLToPath(findPackageFile("examples/skill-eval"));

const EVAL_FILE = join("evals", "changelog", "eval.yaml");

/** `assay init`: writes a runnable eval into the user's folder. */
export async function executeInit(folder: string, { executor, force = false }: InitOptions): Promise<number> {
  if (executor !== undefined && !executor.includes("{prompt")) requireAdapter(executor);
  const files = listTemplateFiles(TEMPLATE);
  const there = files.filter((file) => existsSync(join(folder, file)));
  if (there.length > 0 && !force)
    throw new UsageError(
      `${there.map((file) => join(folder, file)).join(", ")} already ${there.length === 1 ? "exists" : "exist"}. Choose another folder, or overwrite with --force.`,
    );
  for (const file of files) requireInsideFolder(folder, file);
  const agent = executor ?? findInstalledAgent();
  const schemas = findSchemas(folder);
  for (const file of files) writeTemplateFile(folder, file, { agent: agent ?? "claude", schemas });
  await writeResult(files.map((file) => `${join(folder, file)}\n`));
  for (const line of listInitNextSteps(folder, agent)) printNote(line);
  if (!existsSync(schemas))
    printNote("Editors validate these files with the schemas of the package once it is installed here.");
  return EXIT.fine;
}

export interface InitOptions {
  executor?: string;
  force?: boolean;
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

function findInstalledAgent(): string | undefined {
  return Object.values(ADAPTERS).find(({ program }) => findProgram(program) !== null)?.name;
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
  readonly agent: string;
  /** Folder of the schemas that editors use. */
  readonly schemas: string;
}

function writeTemplateFile(folder: string, file: string, { agent, schemas }: TemplateChanges): void {
  const target = join(folder, file);
  const text = readFileSync(join(TEMPLATE, file), "utf8").replace(
    /^(# yaml-language-server: \$schema=).*\/(.*)$/m,
    (_, key: string, name: string) => key + toRelativePath(dirname(resolve(target)), join(schemas, name)),
  );
  const own =
    file === EVAL_FILE ? text.replace(/^( {2}executor: ).*$/m, (_, key: string) => key + toYamlString(agent)) : text;
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

/** A command may contain braces, which have a meaning in YAML. */
function toYamlString(agent: string): string {
  return /^[\w.-]+$/.test(agent) ? agent : JSON.stringify(agent);
}

function listInitNextSteps(folder: string, agent: string | undefined): string[] {
  const enter = folder === "." ? [] : [`  cd ${folder}`];
  const missing = agent === undefined ? ["No agent is installed: assay doctor shows how to install one."] : [];
  return [
    "What to do next:",
    ...enter,
    "  assay lint                                    check the files",
    "  assay oracle                                  check that the graders work",
    "  assay eval --mock evals/changelog/mock.yaml   try it with a simulated model, without a key",
    "  assay eval --max-cost 5                       run it with a real model",
    "  assay experiment run experiment.yaml --max-cost 10",
    ...missing,
  ];
}
