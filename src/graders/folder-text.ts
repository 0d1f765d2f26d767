import { messageOf } from "../core/errors.js";
import type { Graded } from "../core/grader.js";
import { cutMiddle } from "./cut-middle.js";
import { listed } from "./excerpt.js";
import { fileFinder, folderOf, textOfFile } from "./workspace-files.js";

/** Characters of one file. */
const LONGEST_FILE = 12_000;
/** Names of files for which there is no room. */
const MOST_NAMES = 200;

const ALL_FILES = fileFinder("**");

/**
 * The files of the folder as a text to read, up to about so many characters: those that were changed come first, and what
 * there is no room for is named. Throws when there is no folder.
 */
export async function folderText(graded: Graded, most: number): Promise<string> {
  const folder = folderOf(graded);
  const shown: string[] = [];
  const named: string[] = [];
  let length = 0;
  for (const path of changedFirst(await ALL_FILES(graded), graded)) {
    if (length >= most) {
      named.push(path);
      continue;
    }
    const text = `==> ${path}\n${await fileText(folder, path)}`;
    shown.push(text);
    length += text.length;
  }
  if (named.length > 0) shown.push(`[not shown: ${listed(named, MOST_NAMES)}]`);
  return shown.join("\n\n");
}

function changedFirst(paths: readonly string[], { output }: Graded): string[] {
  const changed = new Set((output.workspace?.changes ?? []).map(({ path }) => path));
  return [...paths.filter((path) => changed.has(path)), ...paths.filter((path) => !changed.has(path))];
}

async function fileText(folder: string, path: string): Promise<string> {
  try {
    const text = await textOfFile(folder, path);
    return text.includes("\0") ? "[this is no text]" : cutMiddle(text, LONGEST_FILE);
  } catch (error) {
    return `[${messageOf(error)}]`;
  }
}
