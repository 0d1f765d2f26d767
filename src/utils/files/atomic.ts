import { createHash, randomBytes } from "node:crypto";
import { closeSync, openSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** A concurrent reader, or a crash, sees the old content or the new, never a part. */
export function writeAtomically(path: string, content: string | Uint8Array): void {
  const temporary = makeTempPath(path);
  try {
    writeFileSync(temporary, content);
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}

/** The same for a text in pieces, which may be too large for one string. */
export function writePiecesAtomically(path: string, pieces: Iterable<string>): void {
  const temporary = makeTempPath(path);
  try {
    writePiecesTo(temporary, pieces);
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}

function writePiecesTo(path: string, pieces: Iterable<string>): void {
  const file = openSync(path, "wx");
  try {
    for (const piece of pieces) writeFileSync(file, piece);
  } finally {
    closeSync(file);
  }
}

/**
 * Writes a file named after the hash of its content and returns the name. Writes chunk by chunk, so that large content
 * need not be in memory.
 */
export function writeContentAddressed(dir: string, pieces: Iterable<string>): string {
  const hash = createHash("sha256");
  // The final name is not known yet; the temporary one has the form of any other temporary file.
  const temporary = makeTempPath(join(dir, `${randomBytes(16).toString("hex")}.json`));
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

function makeTempPath(path: string): string {
  return `${path}.${process.pid}.${randomBytes(4).toString("hex")}.tmp`;
}
