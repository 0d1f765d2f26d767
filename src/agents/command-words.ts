import { statSync } from "node:fs";
import { resolve } from "node:path";
import { UsageError } from "../core/errors.js";

/** A word with whatever of it stands in quotes or behind a backslash. */
const WORD = /(?:[^\s"'\\]|\\.|"(?:[^"\\]|\\.)*"|'[^']*')+/gs;

/**
 * The words of a command as a shell would have them, without anything else that a shell does.
 * @example
 * wordsOf("node 'my agent.mjs' {prompt}"); // ["node", "my agent.mjs", "{prompt}"]
 */
export function wordsOf(command: string): string[] {
  const rest = command.replace(WORD, "").trim();
  if (rest !== "") throw new UsageError(`The command "${command}" has a quote that is not closed.`);
  return Array.from(command.matchAll(WORD), ([word]) => unquoted(word));
}

function unquoted(word: string): string {
  return word.replace(
    /"((?:[^"\\]|\\.)*)"|'([^']*)'|\\(.)/gs,
    (_, double?: string, single?: string, escaped?: string) =>
      double === undefined ? (single ?? escaped ?? "") : double.replace(/\\(["\\$`])/g, "$1"),
  );
}

/** True for a word that names a file of the folder; one without a dot or a slash is a name, whatever lies there. */
export function namesFile(word: string, folder: string): boolean {
  return /[./]/.test(word) && statSync(resolve(folder, word), { throwIfNoEntry: false })?.isFile() === true;
}

/**
 * The command with the files that it names beside a config file named as they are seen from elsewhere.
 * @example
 * anchoredCommand("node agent.mjs {prompt}", { folder: "nightly", anchor: (path) => `nightly/${path}` });
 */
export function anchoredCommand(
  command: string,
  { folder, anchor }: { folder: string; anchor: (path: string) => string },
): string {
  return command.replace(WORD, (raw) => {
    const word = unquoted(raw);
    return namesFile(word, folder) ? quoted(anchor(word)) : raw;
  });
}

/** As `wordsOf` takes it for one word. */
function quoted(path: string): string {
  return /^[\w./@+-]+$/.test(path) ? path : `"${path.replace(/["\\$`]/g, "\\$&")}"`;
}
