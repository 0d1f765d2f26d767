import { existsSync } from "node:fs";
import type { LoadOptions, Registry } from "../core/index.js";
import { UsageError } from "../core/index.js";
import { hasKnownFormat } from "./formats.js";

/** A parsed dataset name of the command line. */
export interface DatasetSpec extends Pick<LoadOptions, "config" | "revision" | "files"> {
  readonly name: string;
}

/** `gsm8k@refs/pr/1`: the slashes belong to a revision. */
const REVISION_PATTERN = /^[\w.-]+(?::[\w.-]+)?@/;

/** Its folder is the setting of a registered dataset, not a file of rows. */
const FOLDER_DATASET = /^harbor:/;

/** Whether a name refers to a file rather than a registered dataset. */
export function isDatasetFile(name: string): boolean {
  if (isFilledTemplate(name) || FOLDER_DATASET.test(name)) return false;
  return hasKnownFormat(name) || /^\.+$/.test(name) || (/[\\/]/.test(name) && !REVISION_PATTERN.test(name));
}

/**
 * Parses `NAME[:CONFIG][@REVISION]`, or `NAME[:CONFIG]=FILE[,FILE…]` for local files that are read like that dataset. A
 * dataset without a template parses what follows the colon itself.
 * @example
 * parseDatasetSpec("mmlu:anatomy@v1", registry); // { name: "mmlu", config: "anatomy", revision: "v1" }
 */
export function parseDatasetSpec(spec: string, registry: Registry): DatasetSpec {
  const { head, files } = splitSpecFiles(spec);
  const [name, config] = splitOnce(head, ":");
  const [bare, revisionOfBare] = splitOnce(name, "@");
  const hasTemplate = registry.has("dataset", bare) && registry.get("dataset", bare).hasTemplate === true;
  if (files !== undefined && !hasTemplate) throw createNoTemplateError(spec, head, registry);
  if (!hasTemplate) return { name, ...(config === undefined ? {} : { config: spec.slice(name.length + 1) }) };
  const [own, revision = revisionOfBare] = config === undefined ? [undefined] : splitOnce(config, "@");
  if (revision === "") throw new UsageError(`"${spec}" has no revision after "@". Write ${bare}@REVISION.`);
  if (files !== undefined && revision !== undefined)
    throw new UsageError(`"${spec}" has a revision and files, but local files have no revision. Remove one of them.`);
  return {
    name: bare,
    ...(own === undefined || own === "" ? {} : { config: own }),
    ...(revision === undefined ? {} : { revision }),
    ...(files === undefined ? {} : { files }),
  };
}

function createNoTemplateError(spec: string, name: string, registry: Registry): UsageError {
  const known = registry.has("dataset", name);
  const why = known ? `${name} does not read files` : `there is no dataset "${name}"`;
  return new UsageError(
    `"${spec}" means files read like the dataset ${name}, but ${why}. Give only the file, as ./${spec} if that is its name.`,
  );
}

/**
 * Maps each local path in a spec, such as to resolve paths relative to a config file.
 * @example
 * mapSpecPaths("gsm8k=test.jsonl", (path) => `data/${path}`); // "gsm8k=data/test.jsonl"
 */
export function mapSpecPaths(spec: string, change: (path: string) => string): string {
  if (isDatasetFile(spec)) return change(spec);
  if (FOLDER_DATASET.test(spec)) return `harbor:${change(spec.slice("harbor:".length))}`;
  const { head, files } = splitSpecFiles(spec);
  return files === undefined ? spec : `${head}=${files.map(change).join(",")}`;
}

function isFilledTemplate(spec: string): boolean {
  return splitSpecFiles(spec).files !== undefined;
}

export function stripRevision(spec: string): string {
  return spec.replace(/@[^=]*$/, "");
}

/** Splits `NAME=FILE,FILE` into the name and the files. A path may contain "="; what precedes the first one must look like a name. */
export function splitSpecFiles(spec: string): { head: string; files?: readonly string[] } {
  // An existing file of that name takes precedence.
  if (existsSync(spec)) return { head: spec };
  const [, head, rest] = /^([\w.-]+(?::[\w.-]+)?(?:@[\w./-]+)?)=(.+)$/s.exec(spec) ?? [];
  if (head === undefined || rest === undefined || hasKnownFormat(head)) return { head: spec };
  const files = rest.split(",").filter((file) => file !== "");
  const isPath = files.length > 0 && files.every((file) => /[\\/]/.test(file) || hasKnownFormat(file));
  return isPath ? { head, files } : { head: spec };
}

function splitOnce(text: string, separator: string): [string, string?] {
  const at = text.indexOf(separator);
  return at === -1 ? [text] : [text.slice(0, at), text.slice(at + 1)];
}
