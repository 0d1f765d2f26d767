import { existsSync, lstatSync, mkdirSync, readFileSync, realpathSync } from "node:fs";
import { dirname, join, relative, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { EXIT, getErrorMessage, UsageError } from "../core/index.js";
import type { ConvertedProject } from "../evals/index.js";
import { formatPlural } from "../report/index.js";
import { findPackageFile, isInsideDir, writeAtomically } from "../utils/index.js";
import { printNote, writeResult } from "./streams.js";

/** Options of `assay init --from`. */
export interface InitPromptfooOptions {
  /** The promptfoo config. */
  readonly from: string;
  readonly force?: boolean;
  /** Reads files outside the config's folder, too. */
  readonly trust?: boolean;
}

const CONFIG_FILE = "assay.config.yaml";
const PLUGIN_FILE = "promptfoo-asserts.mjs";

/** `assay init --from promptfooconfig.yaml`: writes an Assay project, and lists what was not taken over. Runs nothing. */
export async function executeInitPromptfoo(folder: string, options: InitPromptfooOptions): Promise<number> {
  const { from, force = false, trust = false } = options;
  if (!existsSync(from)) throw new UsageError(`There is no file ${from}. Name a promptfooconfig.yaml.`);
  const { convertPromptfoo } = await import("../evals/promptfoo/convert.js");
  const project = await convertPromptfoo(from, { trust });
  const files = { ...moveScripts(project.files, from, folder), ...(await buildOwnFiles(project, from)) };
  requireFreePaths(folder, Object.keys(files), force);
  for (const [file, text] of Object.entries(files)) writeProjectFile(folder, file, text);
  await writeResult(Object.keys(files).map((file) => `${join(folder, file)}\n`));
  for (const { place, text } of project.notes) printNote(`${place}: ${text}`);
  printNote(describeResult(project));
  for (const line of listNextSteps(folder)) printNote(line);
  return EXIT.fine;
}

async function buildOwnFiles(project: ConvertedProject, from: string): Promise<Record<string, string>> {
  const { stringify } = await import("yaml");
  const { config, needsPlugin, notes } = project;
  const body = stringify({ ...config, ...(needsPlugin ? { plugins: [PLUGIN_FILE] } : {}) }, { lineWidth: 0 });
  const left = notes.map(({ place, text }) => `#   ${toCommentText(`${place}: ${text}`)}`);
  const head = [
    `# Converted from ${toCommentText(from.split(/[\\/]/).at(-1) ?? from)}. Check it: assay run --dry-run`,
    ...(left.length === 0 ? ["# Everything was taken over."] : ["# Not taken over, or changed:", ...left]),
  ];
  const plugin = fileURLToPath(findPackageFile("examples/promptfoo/asserts.mjs"));
  return {
    [CONFIG_FILE]: `${head.join("\n")}\n${body}`,
    ...(needsPlugin ? { [PLUGIN_FILE]: readFileSync(plugin, "utf8") } : {}),
  };
}

/** One line; text of a foreign file must not end the comment. */
function toCommentText(text: string): string {
  return text.replace(/[\p{Cc}\u2028\u2029]+/gu, " ");
}

/** Scripts of asserts stay where they are; their paths become relative to the new project. */
function moveScripts(files: ConvertedProject["files"], from: string, folder: string): Record<string, string> {
  const way = relative(resolve(folder), dirname(resolve(from)))
    .split(sep)
    .join("/");
  if (way === "") return { ...files };
  const tests = (files["tests.jsonl"] ?? "").split("\n").map((line) => {
    if (!line.includes('"type":"promptfoo-')) return line;
    return JSON.stringify(
      JSON.parse(line, (key, value: unknown) => (key === "config" ? moveScript(value, way) : value)),
    );
  });
  return { ...files, "tests.jsonl": tests.join("\n") };
}

function moveScript(config: unknown, way: string): unknown {
  const { file } = (config ?? {}) as { file?: unknown };
  return typeof file === "string" ? { ...(config as object), file: `${way}/${file}` } : config;
}

function requireFreePaths(folder: string, files: readonly string[], force: boolean): void {
  const there = files.filter((file) => existsSync(join(folder, file)));
  if (there.length > 0 && !force)
    throw new UsageError(
      `${there.map((file) => join(folder, file)).join(", ")} already ${there.length === 1 ? "exists" : "exist"}. Choose another folder, or overwrite with --force.`,
    );
  for (const file of files) requireInside(folder, file);
}

/** A link in the path could lead to files outside the folder. */
function requireInside(folder: string, file: string): void {
  if (!existsSync(folder)) return;
  const root = realpathSync(folder);
  for (let path = join(folder, file); path !== folder && path !== "."; path = dirname(path)) {
    const isOutside = isLink(path) && !(existsSync(path) && isInsideDir(root, realpathSync(path)));
    if (isOutside)
      throw new UsageError(`${path} is a link that leads out of ${folder}. Remove it, or choose another folder.`);
    if (dirname(path) === path) return;
  }
}

function isLink(path: string): boolean {
  try {
    return lstatSync(path).isSymbolicLink();
  } catch {
    return false;
  }
}

function writeProjectFile(folder: string, file: string, text: string): void {
  const target = join(folder, file);
  try {
    mkdirSync(dirname(target), { recursive: true });
    writeAtomically(target, text);
  } catch (cause) {
    throw new UsageError(`${target} cannot be written: ${getErrorMessage(cause)}.`, { cause });
  }
}

function describeResult({ counts, notes }: ConvertedProject): string {
  const { prompts, models, tests, graders } = counts;
  const taken = `Taken over: ${formatPlural(prompts, "prompt")}, ${formatPlural(models, "model")}, ${formatPlural(tests, "test")} with ${formatPlural(graders, "grader")}.`;
  return notes.length === 0
    ? `${taken} Nothing was left out.`
    : `${taken} The lines above were not, or not exactly; they are also in ${CONFIG_FILE}.`;
}

function listNextSteps(folder: string): string[] {
  return [
    "What to do next:",
    ...(folder === "." ? [] : [`  cd ${folder}`]),
    "  assay run --dry-run        check the project; needs no key",
    "  assay run --max-cost 1     run it",
  ];
}
