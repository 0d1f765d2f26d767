import { createHash, randomBytes } from "node:crypto";
import { closeSync, openSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Writes a file so that a reader, or a process killed half-way, sees the old content or the new, never a part. */
export function writeAtomically(path: string, content: string | Uint8Array): void {
  const temporary = temporaryName(path);
  try {
    writeFileSync(temporary, content);
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}

/**
 * Writes a file likewise, under a name that its content decides, and gives the name. It is written piece by piece: what
 * is large need not be in memory as a whole.
 */
export function writeByContent(dir: string, pieces: Iterable<string>): string {
  const hash = createHash("sha256");
  // Nobody knows the name yet; the parts that vary are those of any other temporary file.
  const temporary = temporaryName(join(dir, `${randomBytes(16).toString("hex")}.json`));
  try {
    const file = openSync(temporary, "wx");
    try {
      for (const piece of pieces) {
        hash.update(piece);
        writeFileSync(file, piece);
      }
    } finally {
      closeSync(file);
    }
    const name = `${hash.digest("hex").slice(0, 32)}.json`;
    renameSync(temporary, join(dir, name));
    return name;
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}

function temporaryName(path: string): string {
  return `${path}.${process.pid}.${randomBytes(4).toString("hex")}.tmp`;
}
