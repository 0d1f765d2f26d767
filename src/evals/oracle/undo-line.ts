import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { ChangedLine } from "./patch.js";

/**
 * Undoes one line of a patch that was applied to a folder: an added line is taken out, a removed one is put back, also
 * into a file that the patch deleted.
 */
export async function undoLine(folder: string, path: string, { sign, text, isUnended, newBefore }: ChangedLine) {
  const file = join(folder, path);
  // Byte by byte, so that whatever the other lines are written in stays.
  const golden = await readFile(file, "latin1").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return "";
    throw error;
  });
  const lines = golden.match(/[^\n]*\n|[^\n]+$/g) ?? [];
  if (sign === "+") lines.splice(newBefore, 1);
  else lines.splice(newBefore, 0, Buffer.from(isUnended ? text : `${text}\n`).toString("latin1"));
  // Only the last line of a file can be without a line break.
  const ended = lines.map((line, i) => (i < lines.length - 1 && !line.endsWith("\n") ? `${line}\n` : line));
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, ended.join(""), "latin1");
}
