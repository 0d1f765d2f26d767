import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { ADAPTERS, adapterOf } from "../agents/index.js";
import { EXIT, messageOf, UsageError } from "../core/errors.js";
import { findProgram } from "../exec/process/index.js";
import { findPackageFile } from "../utils/package-file.js";
import { say, writeResult } from "./streams.js";

/** What is written: an example of the package, as it is. */
const TEMPLATE = fileURLToPath(findPackageFile("examples/skill-eval"));

const EVAL_FILE = join("evals", "changelog", "eval.yaml");

/** `assay init`: an eval that can be run, in a folder of the user's. */
export async function initCommand(folder: string, { executor, force = false }: InitOptions): Promise<number> {
  if (executor !== undefined && !executor.includes("{prompt")) adapterOf(executor);
  const files = filesBelow(TEMPLATE);
  const there = files.filter((file) => existsSync(join(folder, file)));
  if (there.length > 0 && !force)
    throw new UsageError(
      `${there.map((file) => join(folder, file)).join(", ")} ${there.length === 1 ? "is" : "are"} there already. Choose another folder, or overwrite with --force.`,
    );
  for (const file of files) requireInside(folder, file);
  const agent = executor ?? installedAgent();
  const schemas = findSchemas(folder);
  for (const file of files) place(folder, file, { agent: agent ?? "claude", schemas });
  await writeResult(files.map((file) => `${join(folder, file)}\n`));
  for (const line of nextSteps(folder, agent)) say(line);
  if (!existsSync(schemas)) say("Editors check these files by the schemas of the package, once it is installed here.");
  return EXIT.fine;
}

export interface InitOptions {
  executor?: string;
  force?: boolean;
}

function filesBelow(folder: string): string[] {
  const entries = readdirSync(folder, { withFileTypes: true, recursive: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
    .sort();
}

/** A link on the way could lead out of the folder, to files that nobody named. */
function requireInside(folder: string, file: string): void {
  if (!existsSync(folder)) return;
  const root = realpathSync(folder);
  let path = folder;
  for (const part of file.split(sep)) {
    path = join(path, part);
    if (isLink(path) && !leadsInto(root, path))
      throw new UsageError(`${path} is a link that leads out of ${folder}. Take it out, or choose another folder.`);
  }
}

/** What lies below a file cannot be looked at, and is refused when it is written. */
function isLink(path: string): boolean {
  try {
    return lstatSync(path).isSymbolicLink();
  } catch {
    return false;
  }
}

/** False for a link to what is not there: the place that it would make is not known. */
function leadsInto(root: string, link: string): boolean {
  if (!existsSync(link)) return false;
  const way = relative(root, realpathSync(link));
  return way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

function installedAgent(): string | undefined {
  return Object.values(ADAPTERS).find(({ program }) => findProgram(program) !== null)?.name;
}

/**
 * Where the schemas of the package are for the files of a folder: in the node_modules that has the package, else where
 * installing it would put them. Never where this very process runs from: npx removes that one day, and others have it
 * elsewhere.
 */
function findSchemas(folder: string): string {
  const above = foldersAbove(resolve(folder));
  const inside = (dir: string) => join(dir, "node_modules", "assay", "schemas");
  const project =
    above.find((dir) => existsSync(inside(dir))) ?? above.find((dir) => existsSync(join(dir, "package.json")));
  return inside(project ?? resolve(folder));
}

/** A folder and those above it, the nearest first. */
function foldersAbove(folder: string): string[] {
  const parent = dirname(folder);
  return parent === folder ? [folder] : [folder, ...foldersAbove(parent)];
}

/** What is different in the files that are written. */
interface Changes {
  readonly agent: string;
  /** The folder of the schemas that editors check the files by. */
  readonly schemas: string;
}

function place(folder: string, file: string, { agent, schemas }: Changes): void {
  const target = join(folder, file);
  const text = readFileSync(join(TEMPLATE, file), "utf8").replace(
    /^(# yaml-language-server: \$schema=).*\/(.*)$/m,
    (_, key: string, name: string) => key + relativePath(dirname(resolve(target)), join(schemas, name)),
  );
  const own =
    file === EVAL_FILE ? text.replace(/^( {2}executor: ).*$/m, (_, key: string) => key + asYaml(agent)) : text;
  try {
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, own);
  } catch (cause) {
    throw new UsageError(`${target} cannot be written: ${messageOf(cause)}.`, { cause });
  }
}

/** With slashes on every system, and a dot in front: other paths can mean the folder that the editor has open. */
function relativePath(from: string, to: string): string {
  const path = relative(from, to).split(sep).join("/");
  return path.startsWith(".") ? path : `./${path}`;
}

/** A command holds braces, which YAML takes for something else. */
function asYaml(agent: string): string {
  return /^[\w.-]+$/.test(agent) ? agent : JSON.stringify(agent);
}

function nextSteps(folder: string, agent: string | undefined): string[] {
  const enter = folder === "." ? [] : [`  cd ${folder}`];
  const missing = agent === undefined ? ["No agent is installed here: assay doctor says how to get one."] : [];
  return [
    "What to do next:",
    ...enter,
    "  assay lint                                    is anything wrong with the files?",
    "  assay oracle                                  do the graders tell right from wrong?",
    "  assay eval --mock evals/changelog/mock.yaml   a trial without a key: the model is simulated",
    "  assay eval --max-cost 5                       the real thing",
    "  assay experiment run experiment.yaml --max-cost 10",
    ...missing,
  ];
}
