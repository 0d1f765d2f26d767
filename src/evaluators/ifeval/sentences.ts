import { readFileSync } from "node:fs";
import { findPackageFile } from "../../utils/index.js";
import { getTrimmedLength, isBlankText, isSpaceAt, SPACE, skipSpaces } from "./python-text.js";

type SentenceSpan = readonly [start: number, end: number];

const ENDS = /[.?!]/g;
/** May follow the end of a sentence without white space. */
const AFTER_END = ")\";}]*:@'({[?!";
const CLOSERS = "\"')]}";
const ASCII_SPACES = " \t\n\r\v\f";

/** A mark that may end a sentence, what follows it, and where the next word begins if there is space between. */
interface SentenceMark {
  readonly place: number;
  readonly after: string;
  readonly nextWord: number | null;
}

/**
 * Finds the sentences of an English text as the official grader's splitter (Punkt in NLTK 3.8) does.
 * @example
 * findSentences("Dr. Who? Yes."); // [[0, 8], [9, 13]]
 */
export function findSentences(text: string): SentenceSpan[] {
  const spans: SentenceSpan[] = [];
  let start = 0;
  for (const [mark, piece] of listPieces(text)) {
    if (!hasSentenceEnd(piece)) continue;
    spans.push([start, mark.place + 1]);
    start = mark.nextWord ?? mark.place + 1;
  }
  spans.push([start, Math.max(start, getTrimmedLength(text))]);
  return attachClosers(text, spans);
}

function* findMarks(text: string): Iterable<SentenceMark> {
  for (const { index: place } of text.matchAll(ENDS)) {
    const next = text[place + 1];
    if (next === undefined) return;
    if (AFTER_END.includes(next)) yield { place, after: next, nextWord: null };
    else if (isSpaceAt(text, place + 1)) {
      const nextWord = skipSpaces(text, place + 1);
      if (nextWord < text.length)
        yield { place, after: text.slice(place + 1, findSentenceWordEnd(text, nextWord)), nextWord };
    }
  }
}

function findSentenceWordEnd(text: string, from: number): number {
  let place = from;
  while (place < text.length && !isSpaceAt(text, place)) place += 1;
  return place;
}

/** Each mark with the word before it and what follows; only the last of several marks in one word. */
function* listPieces(text: string): Iterable<[SentenceMark, string]> {
  let held: SentenceMark | null = null;
  let start = 0;
  let end = 0;
  for (const mark of findMarks(text)) {
    const space = findLastAsciiSpace(text, end, mark.place);
    const wordStart = space > end ? space + 1 : start;
    if (held !== null && end <= wordStart) yield [held, text.slice(start, end + 1) + held.after];
    held = mark;
    start = wordStart;
    end = mark.place;
  }
  if (held !== null) yield [held, text.slice(start, end + 1) + held.after];
}

/** Returns `from - 1` if there is none. */
function findLastAsciiSpace(text: string, from: number, to: number): number {
  for (let place = to - 1; place >= from; place--) if (ASCII_SPACES.includes(text.charAt(place))) return place;
  return from - 1;
}

/** Moves closing quotes and brackets from the start of a sentence to the end of the previous one. */
function attachClosers(text: string, spans: readonly SentenceSpan[]): SentenceSpan[] {
  const moved: SentenceSpan[] = [];
  let skipped = 0;
  for (const [place, [first, end]] of spans.entries()) {
    const start = first + skipped;
    const next = spans[place + 1];
    const closers = next === undefined ? null : findClosers(text, next);
    skipped = closers?.length ?? 0;
    if (closers !== null) moved.push([start, closers.end]);
    else if (start < end) moved.push([start, end]);
  }
  return moved;
}

/** The closers at the start of a sentence, if only white space, a dash or the end follows them. */
function findClosers(text: string, [start, end]: SentenceSpan): { end: number; length: number } | null {
  let place = start;
  while (place < end && CLOSERS.includes(text.charAt(place))) place += 1;
  if (place === start) return null;
  const isEnd = place === end || isSpaceAt(text, place);
  if (!isEnd) return text.startsWith("--", place) && place + 2 <= end ? { end: place, length: place - start } : null;
  return { end: place, length: Math.min(skipSpaces(text, place), end) - start };
}

/** The inside of a character class: ends a word, besides white space. */
const WORD_END = ")\";}\\]*:@'({[?!";
/** Dashes and dots in a row are one token. */
const ROW = `(?:-{2,}|\\.{2,}|(?:\\.[${SPACE}]){2,}\\.)`;
const NO_SPACE = `[^${SPACE}]`;
const AFTER_WORD = `(?:[${SPACE}]|$|[${WORD_END}]|${ROW})`;
const TOKENS = new RegExp(
  `${ROW}|(?![("\`{[:;&#*@)}\\]\\-,])${NO_SPACE}+?(?=${AFTER_WORD}|,${AFTER_WORD})|${NO_SPACE}`,
  "gu",
);
const NUMERIC = /^-?[.,]?\p{Nd}[\p{Nd},.-]*$/u;
const INITIAL = /^(?!\p{Nd})[\p{L}\p{N}_]\.$/u;
const STARTS_UPPER = /^\p{Uppercase}/u;
const STARTS_LOWER = /^\p{Lowercase}/u;

interface SentenceToken {
  readonly text: string;
  /** The text in lower case; all numbers have one type. */
  readonly type: string;
  isBreak: boolean;
  readonly isAbbreviation: boolean;
  readonly isEllipsis: boolean;
}

/** Whether a sentence ends inside this piece: one or two words with a period, a question or exclamation mark. */
function hasSentenceEnd(piece: string): boolean {
  const tokens = piece
    .split("\n")
    .flatMap((line) => (isBlankText(line) ? [] : (line.match(TOKENS) ?? []).map(createToken)));
  return tokens.some((token, place) => {
    const next = tokens[place + 1];
    return next !== undefined && isSentenceEnd(token, next);
  });
}

function createToken(text: string): SentenceToken {
  const small = text.toLowerCase();
  const isEllipsis = /^\.\.+$/.test(text);
  const isWordWithPeriod = text.length > 1 && text.endsWith(".") && !text.endsWith("..");
  const isAbbreviation = isWordWithPeriod && isKnownAbbreviation(small.slice(0, -1));
  return {
    text,
    type: NUMERIC.test(small) ? NUMBER : small,
    isBreak: text === "." || text === "?" || text === "!" || (isWordWithPeriod && !isAbbreviation),
    isAbbreviation,
    isEllipsis,
  };
}

function isKnownAbbreviation(word: string): boolean {
  const { abbreviations } = getEnglishModel();
  return abbreviations.has(word) || abbreviations.has(word.slice(word.lastIndexOf("-") + 1));
}

function isSentenceEnd(token: SentenceToken, next: SentenceToken): boolean {
  if (!token.text.endsWith(".")) return token.isBreak;
  const { pairs, starters, small } = getEnglishModel();
  const type = token.type.length > 1 && token.type.endsWith(".") ? token.type.slice(0, -1) : token.type;
  const nextType = getTypeWithoutPeriod(next);
  if (pairs.has(`${type},${nextType}`)) return false;
  const isInitial = INITIAL.test(token.text);
  const starts = classifySentenceStart(next, nextType);
  if ((token.isAbbreviation || token.isEllipsis) && !isInitial) {
    if (starts === "yes" || (STARTS_UPPER.test(next.text) && starters.has(nextType))) return true;
  }
  if (!isInitial && type !== NUMBER) return token.isBreak;
  if (starts === "no") return false;
  const isName = isInitial && starts === "unknown" && STARTS_UPPER.test(next.text) && !small.has(nextType);
  return isName ? false : token.isBreak;
}

/** The type without the period, if that ends the sentence rather than an abbreviation. */
function getTypeWithoutPeriod({ type, isBreak }: SentenceToken): string {
  return isBreak && type.length > 1 && type.endsWith(".") ? type.slice(0, -1) : type;
}

/** Judged by its first letter and by how the word is written elsewhere. */
function classifySentenceStart({ text }: SentenceToken, type: string): "yes" | "no" | "unknown" {
  if (text.length === 1 && ";:,.!?".includes(text)) return "no";
  const { small, smallStarters } = getEnglishModel();
  if (STARTS_UPPER.test(text) && small.get(type) === false) return "yes";
  return STARTS_LOWER.test(text) && !smallStarters.has(type) ? "no" : "unknown";
}

/** What the English Punkt model, the official grader's sentence splitter, has learned from newspapers. */
interface SentenceModel {
  /** Words with a final period that need not end a sentence. */
  readonly abbreviations: ReadonlySet<string>;
  /** Words that begin a sentence if they are capitalized and follow an abbreviation. */
  readonly starters: ReadonlySet<string>;
  /** A number or an initial, and a word that belongs to it: no sentence ends between them. */
  readonly pairs: ReadonlySet<string>;
  /** Words seen in lower case → whether they were also seen capitalized inside a sentence. */
  readonly small: ReadonlyMap<string, boolean>;
  /** Words seen in lower case at the start of a sentence, and never capitalized. */
  readonly smallStarters: ReadonlySet<string>;
}

const NUMBER = "##number##";

const ABBREVIATIONS =
  "a.a a.c a.d a.g a.h a.m a.m.e a.s a.t adm ala ariz aug ave b.f b.v bros c c.i.t c.o.m.b c.v calif chg cie co col colo conn corp cos ct d d.c d.h d.w dec dr e e.f e.h e.l e.m f f.g f.j feb fla fri ft g g.d g.f g.k ga gen h h.c h.f h.m i.m.s ill inc j.b j.c j.j j.k j.p j.r jan jr k kan ky l l.a l.f l.p lt ltd m m.b.a m.d.c m.j maj messrs mg mich minn mr mrs ms n n.c n.d n.h n.j n.m n.v n.y nev nov oct ok okla ore p p.a.m p.m pa ph.d prof r r.a r.h r.i r.j r.k r.t rep reps s s.a s.a.y s.c s.g s.p.a s.s sen sep sept sr st sw t t.j tenn tues u.k u.n u.s u.s.a u.s.s.r v va vs vt w w.c w.r w.va w.w wash wed wis yr";
const STARTERS =
  "according although among both but despite even he however i if in indeed instead it many meanwhile moreover most nevertheless nonetheless nor sales separately similarly since so some the there these they this though thus under when while yet";
const AFTER_NUMBERS =
  "abreast aes business cbot colgate commodities cooper corrections credit dividend financing genentech henley insider international leisure letters notable pay-fone pegasus pepper review rj wedgestone who zimmer";
const AFTER_INITIALS =
  "b,edelman b,levine b,smith b,stewart b,wigton i,magnin i,toussie j,aron j,fialka j,walter o,ludcke";

/** Built once and cached. */
let english: SentenceModel | null = null;

function getEnglishModel(): SentenceModel {
  english ??= {
    // Three spaced periods are an ellipsis.
    abbreviations: new Set([...ABBREVIATIONS.split(" "), ". . "]),
    starters: new Set(STARTERS.split(" ")),
    pairs: new Set([...AFTER_NUMBERS.split(" ").map((word) => `${NUMBER},${word}`), ...AFTER_INITIALS.split(" ")]),
    small: new Map(loadEnglishWords().map((word) => [word.replace("^", ""), word.startsWith("^")])),
    smallStarters: new Set(["administrators", "b-week", "r-revised", "z-holiday"]),
  };
  return english;
}

/**
 * English words that are usually written in lower case, as the Punkt model learned them from the Wall Street
 * Journal. A ^ marks those that are also capitalized inside a sentence.
 */
function loadEnglishWords(): string[] {
  return readFileSync(findPackageFile("data/english-small.txt"), "utf8").trimEnd().split("\n");
}
