import type { Dirent } from "node:fs";
import { readdir, readFile, stat } from "node:fs/promises";
import { extname, join } from "node:path";

/** A file of a skill other than its SKILL.md. */
export interface SkillPart {
  /** Relative to the folder of the skill, with slashes. */
  readonly path: string;
  readonly file: string;
  /** Null for binary and very large files. */
  readonly text: string | null;
}

/** Folders whose files an agent must be told about. */
const PART_FOLDERS = ["references", "scripts", "assets"];
const MAX_DEPTH = 8;
const MAX_FILES = 2000;
const MAX_FILE_BYTES = 2 ** 20;
const IGNORED_NAMES = new Set(["node_modules", "__pycache__", "__init__.py"]);
const BINARY_EXTENSIONS = new Set([
  ".png",
  ".jpg",
  ".jpeg",
  ".gif",
  ".webp",
  ".pdf",
  ".zip",
  ".ttf",
  ".otf",
  ".woff",
  ".woff2",
]);

/** Leaves out folders that contain a skill of their own. */
export async function listSkillParts(dir: string): Promise<SkillPart[]> {
  const found: string[] = [];
  for (const folder of PART_FOLDERS) await collectPartPaths(dir, { path: folder, depth: 0 }, found);
  for (const entry of await listEntries(dir)) {
    if (isIgnoredEntry(entry) || entry.name === "SKILL.md") continue;
    if (entry.isFile()) found.push(entry.name);
    else if (entry.isDirectory() && !PART_FOLDERS.includes(entry.name) && !(await hasSkillFile(join(dir, entry.name))))
      await collectPartPaths(dir, { path: entry.name, depth: 0 }, found);
  }
  return Promise.all(
    found.sort().map(async (path) => ({ path, file: join(dir, path), text: await readPartText(join(dir, path)) })),
  );
}

export function isInPartFolder(path: string): boolean {
  return PART_FOLDERS.some((folder) => path.startsWith(`${folder}/`));
}

async function collectPartPaths(
  dir: string,
  { path, depth }: { path: string; depth: number },
  found: string[],
): Promise<void> {
  for (const entry of await listEntries(join(dir, path))) {
    if (isIgnoredEntry(entry) || found.length >= MAX_FILES) continue;
    const below = `${path}/${entry.name}`;
    if (entry.isDirectory() && depth < MAX_DEPTH) await collectPartPaths(dir, { path: below, depth: depth + 1 }, found);
    else if (entry.isFile()) found.push(below);
  }
}

function isIgnoredEntry({ name }: Dirent): boolean {
  return name.startsWith(".") || IGNORED_NAMES.has(name);
}

async function hasSkillFile(dir: string): Promise<boolean> {
  return (await listEntries(dir)).some(({ name }) => name === "SKILL.md");
}

async function listEntries(path: string): Promise<Dirent[]> {
  return readdir(path, { withFileTypes: true }).catch(() => []);
}

async function readPartText(file: string): Promise<string | null> {
  if (BINARY_EXTENSIONS.has(extname(file).toLowerCase()) || (await stat(file)).size > MAX_FILE_BYTES) return null;
  const text = await readFile(file, "utf8");
  return text.includes("\0") ? null : text;
}
