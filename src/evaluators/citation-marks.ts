import { isIndex, isPower, spansOfCode } from "./citation-lookalikes.js";

/**
 * A mark in square brackets (two of them with a dash are a range), one that is called a source in round ones, or small
 * raised numbers. Nothing in brackets is longer than a name.
 */
const MARKS =
  /\[(?<from>\d{1,6})\]\s?[-–—]\s?\[(?<to>\d{1,6})\]|\[(?<square>[^[\]\n]{1,200})\](?<link>\([^()\s]{1,500}\))?|【(?<wide>[^【】\n]{1,200})】|\((?:see )?(?<round>(?:sources?|docs?|documents?|refs?|references?|passages?|citations?)\b[^()\n]{1,100})\)|<sup>(?<raised>[\d\s,;–-]{1,100})<\/sup>|(?<small>[⁰¹²³⁴-⁹]{1,6}(?:[,˒⁻–-][⁰¹²³⁴-⁹]{1,6}){0,20})/gi;
const NOUN = /^(?:see )?(?:sources?|docs?|documents?|refs?|references?|passages?|citations?)\.?\s*[:#]?\s*(?=\d)/i;
const RANGE = /^(\d{1,6})\s?[-–—]\s?(\d{1,6})$/;
const NUMBER = /^\d{1,9}$/;
/** Keys as Pandoc writes them, "[see @smith2020, p. 3; -@jones1999]": all else in the brackets is words. */
const KEYS = /(?:^|[;,\s])-?@(\w[\w:./-]{0,100})/g;
/** A range of more is no citation. */
const LONGEST_RANGE = 200;
const RAISED = "⁰¹²³⁴⁵⁶⁷⁸⁹";

/** The name of a source as it is compared: "[1]", "01", "source 1" and 1 are one, and so are "@smith" and "Smith". */
export function citationId(text: string): string {
  const bare = text
    .trim()
    .replace(/^[[(【]|[\])】]$/g, "")
    .replace(/^[\^@]/, "")
    .replace(/†.*$/, "")
    .trim();
  const name = bare.replace(NOUN, "");
  return NUMBER.test(name) ? String(Number(name)) : name.toLowerCase();
}

/**
 * The sources that a text cites. Words in brackets are a citation only where the golds have names: "[sic]" is none, and
 * neither are an index, as in x[0], and a power.
 * @example
 * citedIn("Yes [1], [2-4].", new Set(["1"])); // 1, 2, 3, 4
 */
export function citedIn(text: string, golds: ReadonlySet<string>): Set<string> {
  const hasNames = [...golds].some((gold) => !NUMBER.test(gold));
  const isCode = spansOfCode(text);
  const cited = new Set<string>();
  for (const { index, groups = {}, 0: whole } of text.matchAll(MARKS)) {
    const place = { text, start: index, end: index + whole.length };
    if (whole.startsWith("[") ? isIndex(place, isCode(index), golds) : isRaised(groups) && isPower(place)) continue;
    const target = groups.link === undefined ? "" : citationId(groups.link.slice(1, -1));
    if (golds.has(target)) cited.add(target);
    for (const id of idsOf(markOf(groups), golds)) if (hasNames || NUMBER.test(id)) cited.add(id);
  }
  return cited;
}

type Groups = Readonly<Record<string, string | undefined>>;

function isRaised({ raised, small }: Groups): boolean {
  return raised !== undefined || small !== undefined;
}

function markOf({ from, to, square, wide, round, raised, small }: Groups): string {
  if (from !== undefined && to !== undefined) return `${from}-${to}`;
  const lowered = small?.replace(/[⁰¹²³⁴-⁹]/g, (digit) => String(RAISED.indexOf(digit))).replaceAll("⁻", "-");
  return square ?? wide ?? round ?? raised ?? lowered ?? "";
}

function idsOf(mark: string, golds: ReadonlySet<string>): string[] {
  const whole = citationId(mark);
  if (golds.has(whole)) return [whole];
  const keys = Array.from(mark.matchAll(KEYS), ([, key = ""]) => citationId(key.replace(/[.:/-]+$/, "")));
  return keys.length > 0 ? keys : listedIds(mark.replace(NOUN, ""));
}

/** The sources of a list such as "1, 3-5 and 7". */
export function listedIds(list: string): string[] {
  return list
    .split(/[,;&˒]|\band\b/)
    .flatMap((part) => rangeOf(part.trim()) ?? [citationId(part)])
    .filter((id) => id !== "");
}

function rangeOf(part: string): string[] | null {
  const match = RANGE.exec(part);
  const [from, to] = [Number(match?.[1]), Number(match?.[2])];
  if (match === null || to < from || to - from >= LONGEST_RANGE) return null;
  return Array.from({ length: to - from + 1 }, (_, i) => String(from + i));
}
