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
const DEEPEST = 8;
const MOST_FILES = 2000;
const LARGEST_BYTES = 2 ** 20;
const PASSED_OVER = new Set(["node_modules", "__pycache__", "__init__.py"]);
const BINARY = new Set([".png", ".jpg", ".jpeg", ".gif", ".webp", ".pdf", ".zip", ".ttf", ".otf", ".woff", ".woff2"]);

/** Leaves out folders that contain a skill of their own. */
export async function skillParts(dir: string): Promise<SkillPart[]> {
  const found: string[] = [];
  for (const folder of PART_FOLDERS) await collect(dir, { path: folder, depth: 0 }, found);
  for (const entry of await entriesOf(dir)) {
    if (isPassedOver(entry) || entry.name === "SKILL.md") continue;
    if (entry.isFile()) found.push(entry.name);
    else if (entry.isDirectory() && !PART_FOLDERS.includes(entry.name) && !(await hasSkill(join(dir, entry.name))))
      await collect(dir, { path: entry.name, depth: 0 }, found);
  }
  return Promise.all(
    found.sort().map(async (path) => ({ path, file: join(dir, path), text: await textOf(join(dir, path)) })),
  );
}

export function isInPartFolder(path: string): boolean {
  return PART_FOLDERS.some((folder) => path.startsWith(`${folder}/`));
}

async function collect(dir: string, { path, depth }: { path: string; depth: number }, found: string[]): Promise<void> {
  for (const entry of await entriesOf(join(dir, path))) {
    if (isPassedOver(entry) || found.length >= MOST_FILES) continue;
    const below = `${path}/${entry.name}`;
    if (entry.isDirectory() && depth < DEEPEST) await collect(dir, { path: below, depth: depth + 1 }, found);
    else if (entry.isFile()) found.push(below);
  }
}

function isPassedOver({ name }: Dirent): boolean {
  return name.startsWith(".") || PASSED_OVER.has(name);
}

async function hasSkill(dir: string): Promise<boolean> {
  return (await entriesOf(dir)).some(({ name }) => name === "SKILL.md");
}

async function entriesOf(path: string): Promise<Dirent[]> {
  return readdir(path, { withFileTypes: true }).catch(() => []);
}

async function textOf(file: string): Promise<string | null> {
  if (BINARY.has(extname(file).toLowerCase()) || (await stat(file)).size > LARGEST_BYTES) return null;
  const text = await readFile(file, "utf8");
  return text.includes("\0") ? null : text;
}
