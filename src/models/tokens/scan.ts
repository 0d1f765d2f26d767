import type { TokenTable } from "./table.js";

// Bits as scripts/build-token-tables.mjs assigns them; a code point has exactly one.
const UPPER = 1; // Lu, Lt
const LOWER = 2; // Ll
const CASELESS = 4; // Lm, Lo
export const MARK = 8;
export const NUMBER = 16;
export const BLANK = 32; // White_Space without \r and \n
export const NEWLINE = 64; // \r and \n
const OTHER = 128;

export const LETTER = UPPER | LOWER | CASELESS;
export const WHITESPACE = BLANK | NEWLINE;
/** `[^\s\p{L}\p{N}]` */
const SYMBOL = MARK | OTHER;

/** Terminates the text. It never occurs in UTF-8 and has no class, so loops need no bounds check. */
export const END_BYTE = 0xff;

/** The number of bytes of a UTF-8 character, by its first byte. */
function getCharacterWidth(lead: number): number {
  if (lead < 0x80) return 1;
  if (lead < 0xe0) return 2;
  return lead < 0xf0 ? 3 : 4;
}

/** Character classes of UTF-8 text. */
export class CharacterClasses {
  /** By byte; 0 for non-ASCII bytes. */
  readonly ascii: Uint8Array;
  readonly #index: Uint16Array;
  readonly #blocks: Uint8Array;

  constructor(table: TokenTable) {
    this.#index = table.classIndex;
    this.#blocks = table.classBlocks;
    this.ascii = new Uint8Array(256);
    this.ascii.set(table.classBlocks.subarray(0, 128));
  }

  /** The class of the character that starts at `i`; 0 at the end of the text. */
  getClassAt(bytes: Uint8Array, i: number): number {
    const lead = bytes[i] ?? END_BYTE;
    return lead < 0x80 ? (this.ascii[lead] ?? 0) : this.#getWideClassAt(bytes, i, lead);
  }

  getClass(codePoint: number): number {
    return this.#lookupClass(codePoint >> 6, codePoint & 0x3f);
  }

  #getWideClassAt(bytes: Uint8Array, i: number, lead: number): number {
    if (lead === END_BYTE) return 0;
    const second = (bytes[i + 1] ?? 0) & 0x3f;
    if (lead < 0xe0) return this.#lookupClass(lead & 0x1f, second);
    const third = (bytes[i + 2] ?? 0) & 0x3f;
    if (lead < 0xf0) return this.#lookupClass(((lead & 0x0f) << 6) | second, third);
    return this.#lookupClass(((lead & 0x07) << 12) | (second << 6) | third, (bytes[i + 3] ?? 0) & 0x3f);
  }

  #lookupClass(high: number, low: number): number {
    return this.#blocks[((this.#index[high] ?? 0) << 6) | low] ?? 0;
  }
}

/** Returns the end of the pre-token that starts at `start`, in UTF-8 bytes terminated by END_BYTE. */
export type PreTokenScanner = (bytes: Uint8Array, start: number) => number;

const SPACE = 0x20;
const APOSTROPHE = 0x27;
const SLASH = 0x2f;

/**
 * The split pattern of cl100k_base in tiktoken 0.12:
 * `'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+|\s++$|\s*[\r\n]|\s+(?!\S)|\s`
 */
export function createCl100kScanner(classes: CharacterClasses): PreTokenScanner {
  return (bytes, start) => {
    const lead = bytes[start] ?? 0;
    const first = classes.getClassAt(bytes, start);
    const next = start + getCharacterWidth(lead);
    if (first & LETTER) return findClassRunEnd(classes, bytes, next, LETTER);
    if (first & NUMBER) return findNumberEnd(classes, bytes, next);
    if (lead === APOSTROPHE) {
      const end = findContractionEnd(bytes, start);
      if (end > start) return end;
    }
    if (first & NEWLINE) return findCl100kBlankEnd(classes, bytes, start);
    const second = classes.getClassAt(bytes, next);
    if (second & LETTER) return findClassRunEnd(classes, bytes, next, LETTER);
    if (first & SYMBOL || (lead === SPACE && second & SYMBOL)) {
      return findClassRunEnd(classes, bytes, findClassRunEnd(classes, bytes, next, SYMBOL), NEWLINE);
    }
    return findCl100kBlankEnd(classes, bytes, start);
  };
}

/**
 * The split pattern of o200k_base, where X is `[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]` and Y `[\p{Ll}\p{Lm}\p{Lo}\p{M}]`:
 * `[^\r\n\p{L}\p{N}]?X*Y+(?i:'s|'t|'re|'ve|'m|'ll|'d)?|[^\r\n\p{L}\p{N}]?X+Y*(?i:'s|'t|'re|'ve|'m|'ll|'d)?|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+`
 */
export function createO200kScanner(classes: CharacterClasses): PreTokenScanner {
  return (bytes, start) => {
    const lead = bytes[start] ?? 0;
    const first = classes.getClassAt(bytes, start);
    const next = start + getCharacterWidth(lead);
    if (first & LETTER) return findContractionEnd(bytes, findCasedWordEnd(classes, bytes, start));
    if (first & NUMBER) return findNumberEnd(classes, bytes, next);
    if (first & NEWLINE) return findO200kBlankEnd(classes, bytes, start);
    // A mark before capitals: the first alternative matches the mark alone, before the second can take it as prefix.
    if (first & MARK && isAllCapitals(classes, bytes, next)) return next;
    const second = classes.getClassAt(bytes, next);
    if (second & (LETTER | MARK)) return findContractionEnd(bytes, findCasedWordEnd(classes, bytes, next));
    if (first & MARK) return findContractionEnd(bytes, next);
    if (first & OTHER || (lead === SPACE && second & OTHER)) {
      return findSlashEnd(classes, bytes, findClassRunEnd(classes, bytes, next, SYMBOL));
    }
    return findO200kBlankEnd(classes, bytes, start);
  };
}

function findClassRunEnd(classes: CharacterClasses, bytes: Uint8Array, start: number, mask: number): number {
  const ascii = classes.ascii;
  let i = start;
  for (;;) {
    const lead = bytes[i] ?? 0;
    if ((ascii[lead] ?? 0) & mask) i++;
    else if (lead < 0x80 || !(classes.getClassAt(bytes, i) & mask)) return i;
    else i += getCharacterWidth(lead);
  }
}

function findNumberEnd(classes: CharacterClasses, bytes: Uint8Array, afterFirst: number): number {
  let i = afterFirst;
  for (let count = 1; count < 3 && classes.getClassAt(bytes, i) & NUMBER; count++)
    i += getCharacterWidth(bytes[i] ?? 0);
  return i;
}

/**
 * `X*Y+|X+Y*` after its prefix. X and Y share the caseless letters and the marks, so a run of X without a following
 * lower-case letter backtracks to the last shared character; only pure capitals reach `X+Y*`.
 */
function findCasedWordEnd(classes: CharacterClasses, bytes: Uint8Array, start: number): number {
  let i = start;
  let afterShared = 0;
  let found = classes.getClassAt(bytes, i);
  while (found & (UPPER | CASELESS | MARK)) {
    i += getCharacterWidth(bytes[i] ?? 0);
    if (!(found & UPPER)) afterShared = i;
    found = classes.getClassAt(bytes, i);
  }
  if (found & LOWER) return findClassRunEnd(classes, bytes, i, LOWER | CASELESS | MARK);
  return afterShared > 0 ? afterShared : i;
}

function isAllCapitals(classes: CharacterClasses, bytes: Uint8Array, start: number): boolean {
  const end = findClassRunEnd(classes, bytes, start, UPPER);
  return end > start && !(classes.getClassAt(bytes, end) & (LETTER | MARK));
}

/** Returns `start` if no contraction starts there. */
function findContractionEnd(bytes: Uint8Array, start: number): number {
  if (bytes[start] !== APOSTROPHE) return start;
  const first = bytes[start + 1] ?? 0;
  switch (first | 0x20) {
    case 0x73: // s
    case 0x64: // d
    case 0x6d: // m
    case 0x74: // t
      return start + 2;
    case 0x6c: // l
      return matchesLetter(bytes[start + 2], 0x6c) ? start + 3 : start;
    case 0x76: // v
    case 0x72: // r
      return matchesLetter(bytes[start + 2], 0x65) ? start + 3 : start;
    default:
      // Unicode case folding: the long s (U+017F) folds to s. Nothing else folds to these letters.
      return first === 0xc5 && bytes[start + 2] === 0xbf ? start + 3 : start;
  }
}

function matchesLetter(byte: number | undefined, lowerCase: number): boolean {
  return byte !== undefined && (byte | 0x20) === lowerCase;
}

/** `[\r\n/]*` */
function findSlashEnd(classes: CharacterClasses, bytes: Uint8Array, start: number): number {
  let i = start;
  while (bytes[i] === SLASH || classes.getClassAt(bytes, i) & NEWLINE) i++;
  return i;
}

/** `\s++$|\s*[\r\n]|\s+(?!\S)|\s` */
function findCl100kBlankEnd(classes: CharacterClasses, bytes: Uint8Array, start: number): number {
  const end = findClassRunEnd(classes, bytes, start, WHITESPACE);
  if (classes.getClassAt(bytes, end) === 0) return end;
  return findAfterLastNewline(bytes, start, end) || findBeforeLastBlank(bytes, start, end);
}

/** `\s*[\r\n]+|\s+(?!\S)|\s+` */
function findO200kBlankEnd(classes: CharacterClasses, bytes: Uint8Array, start: number): number {
  const end = findClassRunEnd(classes, bytes, start, WHITESPACE);
  const afterNewline = findAfterLastNewline(bytes, start, end);
  if (afterNewline > 0) return afterNewline;
  return classes.getClassAt(bytes, end) === 0 ? end : findBeforeLastBlank(bytes, start, end);
}

function findAfterLastNewline(bytes: Uint8Array, start: number, end: number): number {
  for (let i = end; i > start; i--) {
    const byte = bytes[i - 1];
    if (byte === 0x0a || byte === 0x0d) return i;
  }
  return 0;
}

/** All but the last blank, which belongs to the next word; a single blank stays whole. */
function findBeforeLastBlank(bytes: Uint8Array, start: number, end: number): number {
  let last = end - 1;
  while (((bytes[last] ?? 0) & 0xc0) === 0x80) last--;
  return last > start ? last : end;
}
