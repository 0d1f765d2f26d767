import { basename } from "node:path";
import { UsageError } from "../../core/errors.js";

const LONGEST_NAME_BYTES = 255;
/** Each file of a program takes a descriptor until its box is made. */
const MOST_FILES = 500;
const PAGE_BYTES = 4096;

/** Refuses files that a box cannot be given. */
export function checkFiles(files: Readonly<Record<string, string>>, diskBytes: number): void {
  const names = Object.keys(files);
  for (const name of names) checkName(name);
  if (names.length > MOST_FILES) {
    throw new UsageError(`The program has ${names.length} files; give at most ${MOST_FILES}.`);
  }
  const bytes = Object.values(files).reduce((sum, text) => sum + inPages(Buffer.byteLength(text)), 0);
  if (bytes > diskBytes) {
    throw new UsageError(
      `The files of the program take ${bytes} bytes; the limit diskBytes is ${diskBytes}. Raise it.`,
    );
  }
}

/** The folder of a box holds whole pages. */
function inPages(bytes: number): number {
  return Math.ceil(bytes / PAGE_BYTES) * PAGE_BYTES;
}

function checkName(name: string): void {
  if (name === "" || basename(name) !== name || name.startsWith(".")) {
    throw new UsageError(`"${name}" is no file name for a program: give a name without folders.`);
  }
  if (name.includes("\0") || Buffer.byteLength(name) > LONGEST_NAME_BYTES) {
    const shown = JSON.stringify(name.slice(0, 40));
    throw new UsageError(`${shown} is no file name: give one without NUL, of at most ${LONGEST_NAME_BYTES} bytes.`);
  }
}
