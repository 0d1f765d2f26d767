import { statSync } from "node:fs";
import { basename, extname, resolve } from "node:path";
import { UsageError } from "../../core/index.js";

/** A shell variable assignment before a program. */
export const ENV_ASSIGNMENT = /^([A-Za-z_]\w*)=/;

/** A word, including quoted and escaped parts. */
const WORD_PATTERN = /(?:[^\s"'\\]|\\.|"(?:[^"\\]|\\.)*"|'[^']*')+/gs;

/**
 * Splits a command into words like a shell, without any other shell features.
 * @example
 * splitCommand("node 'my agent.mjs' {prompt}"); // ["node", "my agent.mjs", "{prompt}"]
 */
export function splitCommand(command: string): string[] {
  const rest = command.replace(WORD_PATTERN, "").trim();
  if (rest !== "") throw new UsageError(`The command "${command}" has an unclosed quote.`);
  return Array.from(command.matchAll(WORD_PATTERN), ([word]) => unquoteWord(word));
}

function unquoteWord(word: string): string {
  return word.replace(
    /"((?:[^"\\]|\\.)*)"|'([^']*)'|\\(.)/gs,
    (_, double?: string, single?: string, escaped?: string) =>
      double === undefined ? (single ?? escaped ?? "") : double.replace(/\\(["\\$`])/g, "$1"),
  );
}

/** True for a word that names a file of the folder. A word without a dot or a slash is never a file. */
export function isFilePath(word: string, folder: string): boolean {
  return /[./]/.test(word) && statSync(resolve(folder, word), { throwIfNoEntry: false })?.isFile() === true;
}

/**
 * Rewrites the file names in a command that are relative to a config file.
 * @example
 * resolveCommandPaths("node agent.mjs {prompt}", { folder: "nightly", anchor: (path) => `nightly/${path}` });
 */
export function resolveCommandPaths(
  command: string,
  { folder, anchor }: { folder: string; anchor: (path: string) => string },
): string {
  return command.replace(WORD_PATTERN, (raw) => {
    const word = unquoteWord(raw);
    return isFilePath(word, folder) ? quotePath(anchor(word)) : raw;
  });
}

/** Quoted as one word for `splitCommand`. */
function quotePath(path: string): string {
  return /^[\w./@+-]+$/.test(path) ? path : `"${path.replace(/["\\$`]/g, "\\$&")}"`;
}

/** Programs that run other programs. */
const RUNNERS =
  /^(?:node|npx|python[\d.]*|sh|bash|env|deno|bun|uvx?|poetry|pipenv|run|exec|ruby|perl|php|java|julia|Rscript|go)$/;

/**
 * Derives the default name of a command for reports.
 * @example
 * deriveCommandName("node agents/tiny.mjs {prompt}"); // "tiny"
 */
export function deriveCommandName(template: string): string {
  // A variable's value may be a secret.
  const isName = (word: string) => !word.startsWith("-") && !word.includes("{") && !ENV_ASSIGNMENT.test(word);
  const names = splitCommand(template).filter(isName);
  const name = names.find((word) => !RUNNERS.test(basename(word))) ?? names[0] ?? "command";
  return basename(name, extname(name));
}
