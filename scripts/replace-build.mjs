import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";

/**
 * Moves the files of a new build to where the old one is. Each file is replaced at once, entries after what they
 * import. The chunks of the old build stay until the next one, for processes that have yet to import them; they are
 * not packed.
 */
export function replaceBuild(next, dist) {
  const ignoreFile = join(dist, "chunks/.npmignore");
  const outdated = existsSync(ignoreFile) ? readFileSync(ignoreFile, "utf8").split("\n") : [];
  const oldFiles = listFiles(dist);
  const newFiles = listFiles(next).sort((a, b) => Number(isChunk(b)) - Number(isChunk(a)));
  for (const file of newFiles) {
    mkdirSync(dirname(join(dist, file)), { recursive: true });
    renameSync(join(next, file), join(dist, file));
  }
  const left = oldFiles.filter((file) => !newFiles.includes(file) && !file.endsWith(".npmignore"));
  const kept = left.filter((file) => isChunk(file) && !outdated.includes(basename(file)));
  for (const file of left) if (!kept.includes(file)) rmSync(join(dist, file));
  writeFileSync(ignoreFile, kept.map((file) => basename(file)).join("\n"));
}

function isChunk(file) {
  return dirname(file) === "chunks";
}

function listFiles(folder) {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)));
}
