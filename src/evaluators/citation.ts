import type { Evaluator, Example, Output, Scored } from "../core/index.js";
import { convertToText, getResponseText, markUnscored } from "./gold.js";
import { parseJson } from "./json-text.js";

const PRECISION = "citation_precision";
const RECALL = "citation_recall";
const F1 = "citation_f1";
const NUMBERS = /^[\d\s,;[\]]+$/;

/**
 * Compares the sources that a response cites, as [1], [2, 3], [1-3], [^4], (source 5), ¹ or [@smith2020], with the
 * example's `citations`, a list of numbers or names. Each source counts once. A response that cites nothing has no
 * precision.
 * @example
 * new Citation().score({ id: 1, question: "…", citations: [1, 3] }, { response: "Yes [1], as shown in [2]." });
 * // { scores: { citation_precision: 0.5, citation_recall: 0.5, citation_f1: 0.5 }, evidence: { citation_f1: "cited 1, 2; gold 1, 3" } }
 */
export class Citation implements Evaluator {
  readonly name = "citation";
  readonly fields: readonly string[] = [PRECISION, RECALL, F1];
  readonly primaryFields: readonly string[] = [F1];

  score(original: Example, processed: Output): Scored {
    const golds = readGoldCitations(original.citations);
    if (golds.size === 0) return markUnscored(this.fields, "the example has no citations (a list of numbers or names)");
    const cited = findCitations(getResponseText(processed), golds);
    const evidence = { [F1]: `cited ${formatIds(cited)}; gold ${formatIds(golds)}` };
    if (cited.size === 0) {
      const unscored = { [PRECISION]: "the response cites nothing" };
      return { scores: { [RECALL]: 0, [F1]: 0 }, unscored, evidence };
    }
    const shared = [...cited].filter((id) => golds.has(id)).length;
    const f1 = (2 * shared) / (cited.size + golds.size);
    return { scores: { [PRECISION]: shared / cited.size, [RECALL]: shared / golds.size, [F1]: f1 }, evidence };
  }

  fingerprint(): unknown {
    return { evaluator: this.name, version: 1 };
  }
}

/** Accepts one source or a list; each is a number, a text, or an object with an id. */
function readGoldCitations(citations: unknown): Set<string> {
  const read = typeof citations === "string" ? parseCitationList(citations) : citations;
  const list: unknown[] = Array.isArray(read) ? read : [read];
  return new Set(list.map(readCitationId).filter((id) => id !== ""));
}

/** Untyped files such as CSV hold lists as JSON or as "1, 2". A name may contain a comma. */
function parseCitationList(text: string): unknown {
  const list = parseJson(text)?.value;
  if (Array.isArray(list)) return list;
  return NUMBERS.test(text) ? parseIdList(text.replace(/[[\]]/g, " ")) : text;
}

function readCitationId(citation: unknown): string {
  const { id } = (typeof citation === "object" && citation !== null ? citation : {}) as { id?: unknown };
  return normalizeCitationId(convertToText(id ?? citation));
}

function formatIds(ids: ReadonlySet<string>): string {
  if (ids.size === 0) return "nothing";
  const shown = [...ids].slice(0, 8).map((id) => id.slice(0, 40));
  return `${shown.join(", ")}${ids.size > shown.length ? ", …" : ""}`;
}

export interface MarkSpan {
  text: string;
  start: number;
  end: number;
}

const CODE = /```[\s\S]*?```|`[^`\n]{1,1000}`/g;
/** What can be indexed by a bracket. */
const INDEXED = /(?:[A-Za-z_$][\w$.]{0,60}|[\])])$/;
/** Names that are code rather than words: one small letter, with an underscore, or common in programs. */
const CODE_NAME = /(?:^|[^\w.’'-])(?:[b-z]|\w*_\w*|arr|nums|argv|args|vec|lst|dict|tuple)(?:\[\w{1,9}\]){0,4}$/;
const OPERATION = /^\s?(?:[-+*/%]?=(?!>)|\+\s?[\w([])|^\.[a-z]+\(/;
const BRACKETED_NUMBER = /^\[(\d{1,9})\]$/;

/** Returns a test for whether a position is inside a fence or backticks. Call it with increasing positions. */
export function createCodeDetector(text: string): (place: number) => boolean {
  const spans = text.matchAll(CODE);
  let next = spans.next();
  return (place) => {
    while (!next.done && next.value.index + next.value[0].length <= place) next = spans.next();
    return !next.done && next.value.index <= place;
  };
}

/**
 * Whether a number in square brackets is an index, as in x[0]: it directly follows a name and is in code, or the name looks
 * like code, or the result is used in an operation.
 */
export function isArrayIndex({ text, start, end }: MarkSpan, isCode: boolean, golds: ReadonlySet<string>): boolean {
  const number = BRACKETED_NUMBER.exec(text.slice(start, Math.min(end, start + 12)))?.[1];
  const before = text.slice(Math.max(0, start - 64), start);
  if (number === undefined || !INDEXED.test(before)) return false;
  if (isCode || CODE_NAME.test(before)) return true;
  return (Number(number) === 0 && !golds.has("0")) || OPERATION.test(text.slice(end, end + 32));
}

/** A raised number after punctuation or a word is a citation; after a digit, a unit or a bracket it is a power. */
const WORD = /[.,;:!?"”’»\]]\s?$|\p{L}{3}$/u;
const FUNCTION = /(?:sin|cos|tan|log|sec|min|exp)$/;

/** Whether a raised number is a power, as in x², 10³ or cm². */
export function isPower({ text, start }: MarkSpan): boolean {
  const before = text.slice(Math.max(0, start - 8), start).trimEnd();
  return !WORD.test(before) || FUNCTION.test(before);
}

/**
 * A mark in square brackets (two of them joined by a dash are a range), a source named in round brackets, or raised
 * numbers. The length limits keep the search linear.
 */
const MARKS =
  /\[(?<from>\d{1,6})\]\s?[-–—]\s?\[(?<to>\d{1,6})\]|\[(?<square>[^[\]\n]{1,200})\](?<link>\([^()\s]{1,500}\))?|【(?<wide>[^【】\n]{1,200})】|\((?:see )?(?<round>(?:sources?|docs?|documents?|refs?|references?|passages?|citations?)\b[^()\n]{1,100})\)|<sup>(?<raised>[\d\s,;–-]{1,100})<\/sup>|(?<small>[⁰¹²³⁴-⁹]{1,6}(?:[,˒⁻–-][⁰¹²³⁴-⁹]{1,6}){0,20})/gi;
const NOUN = /^(?:see )?(?:sources?|docs?|documents?|refs?|references?|passages?|citations?)\.?\s*[:#]?\s*(?=\d)/i;
const RANGE = /^(\d{1,6})\s?[-–—]\s?(\d{1,6})$/;
const NUMBER = /^\d{1,9}$/;
/** Pandoc keys, "[see @smith2020, p. 3; -@jones1999]". */
const KEYS = /(?:^|[;,\s])-?@(\w[\w:./-]{0,100})/g;
const MAX_RANGE = 200;
const RAISED = "⁰¹²³⁴⁵⁶⁷⁸⁹";

/** Normalizes a source name: "[1]", "01", "source 1" and 1 are equal, and so are "@smith" and "Smith". */
export function normalizeCitationId(text: string): string {
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
 * Finds the sources that a text cites. Words in brackets count only if the golds have names, so "[sic]" does not. An index
 * such as x[0] and a power do not count either.
 * @example
 * findCitations("Yes [1], [2-4].", new Set(["1"])); // 1, 2, 3, 4
 */
export function findCitations(text: string, golds: ReadonlySet<string>): Set<string> {
  const hasNames = [...golds].some((gold) => !NUMBER.test(gold));
  const isCode = createCodeDetector(text);
  const cited = new Set<string>();
  for (const { index, groups = {}, 0: whole } of text.matchAll(MARKS)) {
    const place = { text, start: index, end: index + whole.length };
    if (whole.startsWith("[") ? isArrayIndex(place, isCode(index), golds) : isRaised(groups) && isPower(place))
      continue;
    const target = groups.link === undefined ? "" : normalizeCitationId(groups.link.slice(1, -1));
    if (golds.has(target)) cited.add(target);
    for (const id of parseMarkIds(readMark(groups), golds)) if (hasNames || NUMBER.test(id)) cited.add(id);
  }
  return cited;
}

type MarkGroups = Readonly<Record<string, string | undefined>>;

function isRaised({ raised, small }: MarkGroups): boolean {
  return raised !== undefined || small !== undefined;
}

function readMark({ from, to, square, wide, round, raised, small }: MarkGroups): string {
  if (from !== undefined && to !== undefined) return `${from}-${to}`;
  const lowered = small?.replace(/[⁰¹²³⁴-⁹]/g, (digit) => String(RAISED.indexOf(digit))).replaceAll("⁻", "-");
  return square ?? wide ?? round ?? raised ?? lowered ?? "";
}

function parseMarkIds(mark: string, golds: ReadonlySet<string>): string[] {
  const whole = normalizeCitationId(mark);
  if (golds.has(whole)) return [whole];
  const keys = Array.from(mark.matchAll(KEYS), ([, key = ""]) => normalizeCitationId(key.replace(/[.:/-]+$/, "")));
  return keys.length > 0 ? keys : parseIdList(mark.replace(NOUN, ""));
}

/** Parses a list such as "1, 3-5 and 7". */
export function parseIdList(list: string): string[] {
  return list
    .split(/[,;&˒]|\band\b/)
    .flatMap((part) => expandRange(part.trim()) ?? [normalizeCitationId(part)])
    .filter((id) => id !== "");
}

function expandRange(part: string): string[] | null {
  const match = RANGE.exec(part);
  const [from, to] = [Number(match?.[1]), Number(match?.[2])];
  if (match === null || to < from || to - from >= MAX_RANGE) return null;
  return Array.from({ length: to - from + 1 }, (_, i) => String(from + i));
}
