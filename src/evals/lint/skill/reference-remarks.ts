import { existsSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import type { Place } from "../../../utils/files/yaml-tree.js";
import type { Remark } from "../finding.js";
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

type SkillRemark = Remark<SkillCode>;
type Judged = Pick<SkillRemark, "code" | "message" | "fix"> | null;

const PLACEHOLDER = /[{}<>*$…]|\.\.\./;
const SCHEME = /^(?:[A-Za-z][A-Za-z0-9+.-]+:|\/\/)/;
const DRIVE = /^[A-Za-z]:[\\/]/;

/** Each path is reported once. */
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

/** A text may explain paths with backslashes: a mention counts only if the skill has the file. */
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
    return { code: "SKILL-REFERENCE-OUTSIDE", message: `"${path}" is outside of the folder of the skill.` };
  if (inside.some((place) => existsSync(place))) return null;
  // Commands in code blocks often refer to the user's folder; they refer to the skill's if it has that folder.
  const isUsers = kind === "mention" && isInCode && !existsSync(join(dir, path.split("/")[0] ?? ""));
  return isUsers ? null : { code: "SKILL-REFERENCE-BROKEN", message: `"${path}" does not exist.` };
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

/** A path that a Markdown text names. */
interface Reference extends Place {
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
const AT_HOME = /(?<![\w/.:~-])\/(?:Users|home)\/[\w.-]+\/[^\s`"')]+/g;
/** Opens a code block, possibly with its language, or closes one. */
const FENCE = /^\s*(`{3,}|~{3,})([^`]*)$/;

/**
 * Finds the links of a Markdown text, and the paths in folders of a skill.
 * @example
 * findReferences("See [the rules](references/rules.md).", 1)[0]?.path; // "references/rules.md"
 */
function referencesIn(text: string, firstLine: number): Reference[] {
  const found: Reference[] = [];
  let fence: string | null = null;
  for (const [index, line] of text.split("\n").entries()) {
    const [, mark, info = ""] = FENCE.exec(line) ?? [];
    const isEdge = mark !== undefined && (fence === null || (info.trim() === "" && isAsLong(mark, fence)));
    if (isEdge) fence = fence === null ? mark : null;
    else found.push(...inLine(line, { line: firstLine + index, isInCode: fence !== null }));
  }
  return found;
}

function isAsLong(mark: string, fence: string): boolean {
  return mark[0] === fence[0] && mark.length >= fence.length;
}

function inLine(text: string, { line, isInCode }: Pick<Reference, "line" | "isInCode">): Reference[] {
  const links = isInCode ? [] : linksIn(text);
  const withoutLinks = links.reduce((rest, { at, path }) => blanked(rest, at, path.length), text);
  const mentions = [...withoutLinks.matchAll(MENTION), ...withoutLinks.matchAll(AT_HOME)].map((match) => ({
    path: match[0],
    at: match.index,
  }));
  return [
    ...links.map(({ path, at }) => ({ path, line, column: at + 1, kind: "link" as const, isInCode })),
    ...mentions.map(({ path, at }) => ({ path, line, column: at + 1, kind: "mention" as const, isInCode })),
  ];
}

function linksIn(text: string): { path: string; at: number }[] {
  // Links inside of code are examples.
  const prose = text.replace(CODE_SPAN, (span) => " ".repeat(span.length));
  return [...prose.matchAll(LINK), ...prose.matchAll(DEFINITION)].map((match) => {
    const path = match[1] ?? "";
    const at = match.index + match[0].indexOf(path, match[0].startsWith("]") ? 1 : match[0].indexOf("]:"));
    return path.startsWith("<") ? { path: path.slice(1, -1), at: at + 1 } : { path, at };
  });
}

function blanked(text: string, at: number, length: number): string {
  return text.slice(0, at) + " ".repeat(length) + text.slice(at + length);
}
