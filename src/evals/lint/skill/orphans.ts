import { posix } from "node:path";
import type { LintIssue } from "../finding.js";
import type { SkillCode } from "./rules.js";
import { isInPartFolder, type SkillPart } from "./skill-folder.js";

const LEGAL_FILES = /^(?:licen[cs]e|notice|copying)\b/i;

/** Finds files that no other file of the skill mentions: an agent reads only what it is told about. */
export function findOrphanIssues(skillText: string, parts: readonly SkillPart[]): LintIssue<SkillCode>[] {
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
