import type { Place } from "../../../utils/files/yaml-tree.js";

/** A path that a Markdown text names. */
export interface Reference extends Place {
  /** As it is written. */
  readonly path: string;
  /** A link is meant to lead somewhere; a path in the text may be one of the user's own folder. */
  readonly kind: "link" | "mention";
  /** Whether it stands in a block of code. */
  readonly isInCode: boolean;
}

const LINK = /\]\(\s*(<[^>\n]*>|[^\s)]+)[^)\n]*\)/g;
const DEFINITION = /^ {0,3}\[[^\]\n]+\]:\s*(<[^>\n]*>|\S+)/g;
const CODE_SPAN = /(`+)(?!`)(.*?[^`])\1(?!`)/g;
/** What is no part of a longer path or address, and lies in a folder that skills keep files in. */
const MENTION = /(?<![\w/\\.@:$}>~-])(?:\.[/\\])?(?:scripts|references|assets)[/\\][\w./\\-]*\.\w+/g;
/** A path in somebody's own home folder. Skills are about Windows often enough: `C:\\Windows` in a text is no such path. */
const AT_HOME = /(?<![\w/.:~-])\/(?:Users|home)\/[\w.-]+\/[^\s`"')]+/g;
/** The line that opens a block of code, which may name its language, or closes one, which may not. */
const FENCE = /^\s*(`{3,}|~{3,})([^`]*)$/;

/**
 * The paths that a Markdown text names: its links, and paths in the folders of a skill.
 * @example
 * referencesIn("See [the rules](references/rules.md).", 1)[0]?.path; // "references/rules.md"
 */
export function referencesIn(text: string, firstLine: number): Reference[] {
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
  // Code shows what a link looks like; it is none.
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
