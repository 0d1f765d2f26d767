import { existsSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import type { Remark } from "../finding.js";
import { type Reference, referencesIn } from "./references.js";
import type { SkillCode } from "./rules.js";

/** A Markdown file of a skill. */
export interface MarkdownFile {
  /** The folder of the skill. */
  readonly dir: string;
  readonly file: string;
  /** What is looked through, and the line on which it begins. */
  readonly text: string;
  readonly firstLine: number;
}

type SkillRemark = Remark<SkillCode>;
type Judged = Pick<SkillRemark, "code" | "message" | "fix"> | null;

const PLACEHOLDER = /[{}<>*$…]|\.\.\./;
const SCHEME = /^(?:[A-Za-z][A-Za-z0-9+.-]+:|\/\/)/;
const DRIVE = /^[A-Za-z]:[\\/]/;

/** What is wrong with the paths that a Markdown file of a skill names, each once. */
export function referenceRemarks(markdown: MarkdownFile): SkillRemark[] {
  const said = new Set<string>();
  return referencesIn(markdown.text, markdown.firstLine).flatMap((reference) => {
    const judged = judge(reference, markdown);
    if (judged === null || said.has(judged.message)) return [];
    said.add(judged.message);
    return [{ ...judged, line: reference.line, column: reference.column, file: markdown.file }];
  });
}

function judge(reference: Reference, markdown: MarkdownFile): Judged {
  const { path: written } = reference;
  const path = written.replace(/[#?].*$/s, "");
  if (path === "" || PLACEHOLDER.test(path)) return null;
  if (DRIVE.test(path)) return absolute(written);
  if (SCHEME.test(path)) return null;
  if (path.startsWith("/") || path.startsWith("~")) return absolute(written);
  if (path.includes("\\")) return isExample(reference, markdown) ? null : windows(written);
  return lookedUp(decoded(path), reference, markdown);
}

/** A text may be about paths with backslashes: one that it mentions is meant only when the skill has the file. */
function isExample({ kind, path }: Reference, { dir, file }: MarkdownFile): boolean {
  const plain = path.replaceAll("\\", "/");
  return kind === "mention" && ![dirname(file), dir].some((folder) => existsSync(join(folder, plain)));
}

function absolute(path: string): Judged {
  return { code: "SKILL-PATH-ABSOLUTE", message: `The path "${path}" is absolute.` };
}

function windows(path: string): Judged {
  return {
    code: "SKILL-PATH-WINDOWS",
    message: `The path "${path}" has backslashes.`,
    fix: `Write ${path.replaceAll("\\", "/")}.`,
  };
}

function lookedUp(path: string, { kind, isInCode }: Reference, { dir, file }: MarkdownFile): Judged {
  const places = [join(dirname(file), path), join(dir, path)];
  const inside = places.filter((place) => isWithin(dir, place));
  if (inside.length === 0)
    return { code: "SKILL-REFERENCE-OUTSIDE", message: `"${path}" lies outside of the folder of the skill.` };
  if (inside.some((place) => existsSync(place))) return null;
  // Commands in a block are often about the user's own folder; they are about the skill's where it has that folder.
  const isUsers = kind === "mention" && isInCode && !existsSync(join(dir, path.split("/")[0] ?? ""));
  return isUsers ? null : { code: "SKILL-REFERENCE-BROKEN", message: `"${path}" is not there.` };
}

function isWithin(dir: string, path: string): boolean {
  const way = relative(dir, path);
  return way !== ".." && !way.startsWith(`..${sep}`);
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
