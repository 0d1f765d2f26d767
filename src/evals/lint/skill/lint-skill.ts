import { isUtf8 } from "node:buffer";
import type { Dirent } from "node:fs";
import { readdir, readFile, stat } from "node:fs/promises";
import { dirname, extname, join, posix, resolve } from "node:path";
import { NOT_UTF8, parseSkillFile, type SkillFile } from "../../../exec/index.js";
import type { LintIssue } from "../finding.js";
import { createKeyLocator, findFrontMatterIssues } from "./front-matter.js";
import { findReferenceIssues } from "./references.js";
import type { SkillCode } from "./rules.js";

/** A file of a skill other than its SKILL.md. */
interface SkillPart {
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
async function listSkillParts(dir: string): Promise<SkillPart[]> {
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

function isInPartFolder(path: string): boolean {
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

const LEGAL_FILES = /^(?:licen[cs]e|notice|copying)\b/i;

/** Finds files that no other file of the skill mentions: an agent reads only what it is told about. */
function findOrphanIssues(skillText: string, parts: readonly SkillPart[]): LintIssue<SkillCode>[] {
  return parts
    .filter(({ path }) => isInPartFolder(path) && !LEGAL_FILES.test(posix.basename(path)))
    .filter((part) => !isMentioned(part, skillText, parts))
    .map(({ path, file }) => {
      return { code: "SKILL-FILE-ORPHANED", line: 1, column: 1, file, message: `No file mentions ${path}.` };
    });
}

function isMentioned({ path, file }: SkillPart, skillText: string, parts: readonly SkillPart[]): boolean {
  const others = parts.filter((part) => part.file !== file);
  const name = posix.basename(path);
  const isNamedIn = (text: string) =>
    text.includes(name) || isFolderNamedIn(text, posix.dirname(path)) || isCommandIn(text, path);
  if (isNamedIn(skillText) || others.some(({ text }) => text !== null && isNamedIn(text))) return true;
  // Programs import each other without file extensions.
  const stem = name.replace(/\.\w+$/, "");
  const imported = new RegExp(`\\b${stem.replace(/[^\w]/g, "\\$&")}\\b`);
  return others.some((part) => part.path.startsWith("scripts/") && part.text !== null && imported.test(part.text));
}

/** A program may be named without its extension: `python scripts/check`, `python -m scripts.check`. */
function isCommandIn(text: string, path: string): boolean {
  const stem = path.replace(/\.\w+$/, "").replace(/[^\w/]/g, "\\$&");
  return new RegExp(`(?<![\\w-])${stem.replaceAll("/", "[/.\\\\]")}(?![\\w-])`).test(text);
}

/** Naming a folder mentions all files in it. */
function isFolderNamedIn(text: string, folder: string): boolean {
  for (let path = folder; path !== "."; path = posix.dirname(path)) {
    const named = new RegExp(`${path.replace(/[^\w/]/g, "\\$&")}/(?![\\w.-])`);
    if (named.test(text)) return true;
  }
  return false;
}

const MAX_BODY_LINES = 500;

/** Checks a SKILL.md and the other files of the skill. */
export async function lintSkill(path: string): Promise<LintIssue<SkillCode>[]> {
  const file = resolve(path);
  const dir = dirname(file);
  const bytes = await readFile(file);
  if (!isUtf8(bytes))
    return [
      {
        line: 1,
        column: 1,
        code: "SKILL-FRONT-MATTER",
        message: toSentence(NOT_UTF8),
        fix: "Save the file as text in UTF-8.",
      },
    ];
  const text = bytes.toString("utf8").replace(/^\uFEFF/, "");
  const skill = await parseSkillFile(text);
  const broken = skill.problems.map(({ text: message, ...place }): LintIssue<SkillCode> => {
    return { ...place, code: "SKILL-FRONT-MATTER", message: toSentence(message) };
  });
  const front =
    broken.length > 0 ? [] : findFrontMatterIssues({ front: skill.front, dir, placeOf: createKeyLocator(text) });
  const parts = await listSkillParts(dir);
  const linked = parts.filter(({ path: part }) => part.startsWith("references/") || text.includes(part));
  const own = { dir, file, text: skill.body, firstLine: skill.bodyLine };
  const others = linked.flatMap((part) => {
    const isMarkdown = part.text !== null && /\.mdx?$/i.test(part.path) && !part.path.startsWith("assets/");
    return isMarkdown ? findReferenceIssues({ dir, file: part.file, text: part.text ?? "", firstLine: 1 }) : [];
  });
  return [
    ...broken,
    ...front,
    ...findBodyIssues(skill),
    ...findReferenceIssues(own),
    ...others,
    ...findOrphanIssues(text, parts),
  ];
}

function findBodyIssues({ body, bodyLine, problems }: SkillFile): LintIssue<SkillCode>[] {
  const place = { line: bodyLine, column: 1 };
  if (body.trim() === "")
    return problems.length > 0
      ? []
      : [{ ...place, code: "SKILL-BODY-EMPTY", message: "There is no text below the front matter." }];
  const lines = body.trimEnd().split("\n").length;
  if (lines <= MAX_BODY_LINES) return [];
  return [
    { ...place, code: "SKILL-BODY-LONG", message: `The body has ${lines} lines; the maximum is ${MAX_BODY_LINES}.` },
  ];
}

/** Problem texts continue after the name of the file. */
function toSentence(text: string): string {
  const said = text.replace(/^its /, "The ").replace(/^it /, "The file ");
  return said.charAt(0).toUpperCase() + said.slice(1);
}
