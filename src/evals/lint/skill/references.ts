import { existsSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import type { FilePosition } from "../../../utils/index.js";
import type { LintIssue } from "../finding.js";
import type { SkillCode } from "./rules.js";

/** A Markdown file of a skill. */
export interface MarkdownFile {
  /** The folder of the skill. */
  readonly dir: string;
  readonly file: string;
  /** The text to check, and the line on which it begins. */
  readonly text: string;
  readonly firstLine: number;
}

type ReferenceIssue = LintIssue<SkillCode>;
type ReferenceCheck = Pick<ReferenceIssue, "code" | "message" | "fix"> | null;

const PLACEHOLDER = /[{}<>*$…]|\.\.\./;
const SCHEME = /^(?:[A-Za-z][A-Za-z0-9+.-]+:|\/\/)/;
const DRIVE_PREFIX = /^[A-Za-z]:[\\/]/;

/** Each path is reported once. */
export function findReferenceIssues(markdown: MarkdownFile): ReferenceIssue[] {
  const said = new Set<string>();
  return findReferences(markdown.text, markdown.firstLine).flatMap((reference) => {
    const judged = checkReference(reference, markdown);
    if (judged === null || said.has(judged.message)) return [];
    said.add(judged.message);
    return [{ ...judged, line: reference.line, column: reference.column, file: markdown.file }];
  });
}

function checkReference(reference: MarkdownReference, markdown: MarkdownFile): ReferenceCheck {
  const { path: written } = reference;
  const path = written.replace(/[#?].*$/s, "");
  if (path === "" || PLACEHOLDER.test(path)) return null;
  if (DRIVE_PREFIX.test(path)) return reportAbsolutePath(written);
  if (SCHEME.test(path)) return null;
  if (path.startsWith("/") || path.startsWith("~")) return reportAbsolutePath(written);
  if (path.includes("\\")) return isExamplePath(reference, markdown) ? null : reportBackslashes(written);
  return checkTarget(decodePath(path), reference, markdown);
}

/** A text may explain paths with backslashes: a mention counts only if the skill has the file. */
function isExamplePath({ kind, path }: MarkdownReference, { dir, file }: MarkdownFile): boolean {
  const plain = path.replaceAll("\\", "/");
  return kind === "mention" && ![dirname(file), dir].some((folder) => existsSync(join(folder, plain)));
}

function reportAbsolutePath(path: string): ReferenceCheck {
  return { code: "SKILL-PATH-ABSOLUTE", message: `The path "${path}" is absolute.` };
}

function reportBackslashes(path: string): ReferenceCheck {
  return {
    code: "SKILL-PATH-WINDOWS",
    message: `The path "${path}" has backslashes.`,
    fix: `Write ${path.replaceAll("\\", "/")}.`,
  };
}

function checkTarget(path: string, { kind, isInCode }: MarkdownReference, { dir, file }: MarkdownFile): ReferenceCheck {
  const places = [join(dirname(file), path), join(dir, path)];
  const inside = places.filter((place) => isInsideFolder(dir, place));
  if (inside.length === 0)
    return { code: "SKILL-REFERENCE-OUTSIDE", message: `"${path}" is outside of the folder of the skill.` };
  if (inside.some((place) => existsSync(place))) return null;
  // Commands in code blocks often refer to the user's folder; they refer to the skill's if it has that folder.
  const isUsers = kind === "mention" && isInCode && !existsSync(join(dir, path.split("/")[0] ?? ""));
  return isUsers ? null : { code: "SKILL-REFERENCE-BROKEN", message: `"${path}" does not exist.` };
}

function isInsideFolder(dir: string, path: string): boolean {
  const way = relative(dir, path);
  return way !== ".." && !way.startsWith(`..${sep}`);
}

function decodePath(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

/** A path that a Markdown text names. */
interface MarkdownReference extends FilePosition {
  readonly path: string;
  /** A link must lead somewhere; a path in the text may be in the user's folder. */
  readonly kind: "link" | "mention";
  /** True inside of a code block. */
  readonly isInCode: boolean;
}

const LINK = /\]\(\s*(<[^>\n]*>|[^\s)]+)[^)\n]*\)/g;
const DEFINITION = /^ {0,3}\[[^\]\n]+\]:\s*(<[^>\n]*>|\S+)/g;
const CODE_SPAN = /(`+)(?!`)(.*?[^`])\1(?!`)/g;
/** A path in a folder of the skill that is not part of a longer path or URL. */
const MENTION = /(?<![\w/\\.@:$}>~-])(?:\.[/\\])?(?:scripts|references|assets)[/\\][\w./\\-]*\.\w+/g;
/** A path in a home folder. Windows paths such as `C:\\Windows` are too common in skills to report. */
const HOME_PATH = /(?<![\w/.:~-])\/(?:Users|home)\/[\w.-]+\/[^\s`"')]+/g;
/** Opens a code block, possibly with its language, or closes one. */
const FENCE = /^\s*(`{3,}|~{3,})([^`]*)$/;

/**
 * Finds the links of a Markdown text, and the paths in folders of a skill.
 * @example
 * findReferences("See [the rules](references/rules.md).", 1)[0]?.path; // "references/rules.md"
 */
function findReferences(text: string, firstLine: number): MarkdownReference[] {
  const found: MarkdownReference[] = [];
  let fence: string | null = null;
  for (const [index, line] of text.split("\n").entries()) {
    const [, mark, info = ""] = FENCE.exec(line) ?? [];
    const isEdge = mark !== undefined && (fence === null || (info.trim() === "" && closesFence(mark, fence)));
    if (isEdge) fence = fence === null ? mark : null;
    else found.push(...findLineReferences(line, { line: firstLine + index, isInCode: fence !== null }));
  }
  return found;
}

function closesFence(mark: string, fence: string): boolean {
  return mark[0] === fence[0] && mark.length >= fence.length;
}

function findLineReferences(
  text: string,
  { line, isInCode }: Pick<MarkdownReference, "line" | "isInCode">,
): MarkdownReference[] {
  const links = isInCode ? [] : findLinks(text);
  const withoutLinks = links.reduce((rest, { at, path }) => blankOut(rest, at, path.length), text);
  const mentions = [...withoutLinks.matchAll(MENTION), ...withoutLinks.matchAll(HOME_PATH)].map((match) => ({
    path: match[0],
    at: match.index,
  }));
  return [
    ...links.map(({ path, at }) => ({ path, line, column: at + 1, kind: "link" as const, isInCode })),
    ...mentions.map(({ path, at }) => ({ path, line, column: at + 1, kind: "mention" as const, isInCode })),
  ];
}

function findLinks(text: string): { path: string; at: number }[] {
  // Links inside of code are examples.
  const prose = text.replace(CODE_SPAN, (span) => " ".repeat(span.length));
  return [...prose.matchAll(LINK), ...prose.matchAll(DEFINITION)].map((match) => {
    const path = match[1] ?? "";
    const at = match.index + match[0].indexOf(path, match[0].startsWith("]") ? 1 : match[0].indexOf("]:"));
    return path.startsWith("<") ? { path: path.slice(1, -1), at: at + 1 } : { path, at };
  });
}

function blankOut(text: string, at: number, length: number): string {
  return text.slice(0, at) + " ".repeat(length) + text.slice(at + length);
}
