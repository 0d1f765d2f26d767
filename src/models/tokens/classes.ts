import type { TokenTable } from "./table.js";

// Bits as scripts/build-token-tables.mjs assigns them; a code point has exactly one.
export const UPPER = 1; // Lu, Lt
export const LOWER = 2; // Ll
export const CASELESS = 4; // Lm, Lo
export const MARK = 8;
export const NUMBER = 16;
export const BLANK = 32; // White_Space without \r and \n
export const NEWLINE = 64; // \r and \n
export const OTHER = 128;

export const LETTER = UPPER | LOWER | CASELESS;
export const WHITESPACE = BLANK | NEWLINE;
/** `[^\s\p{L}\p{N}]` */
export const SYMBOL = MARK | OTHER;

/** Terminates the text. It never occurs in UTF-8 and has no class, so loops need no bounds check. */
export const END_BYTE = 0xff;

/** The number of bytes of a UTF-8 character, by its first byte. */
export function getCharacterWidth(lead: number): number {
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
