import { UsageError } from "../core/errors.js";
import type { Tokenizer } from "../core/tokenizer.js";
import { MAX_CACHED_BYTES, PieceCache } from "./cache.js";
import { CharacterClasses, END_BYTE } from "./classes.js";
import { PairMerger } from "./merge.js";
import { cl100kScan, o200kScan, type Scan } from "./scan.js";
import { finishedHash, HASH_START, hashedOn, hashOf, NO_TOKEN, readTable, TokenFinder } from "./table.js";
import { Utf8Scratch } from "./utf8.js";

const SCANS = { cl100k_base: cl100kScan, o200k_base: o200kScan };

/** The encodings that come with Assay. */
export type TokenizerName = keyof typeof SCANS;

// Module state, against the house rule: a table is megabytes of immutable data, and a process needs one of each at most.
const loaded = new Map<string, Tokenizer>();

/**
 * The exact token counter of an encoding, read on first use; special tokens such as `<|endoftext|>` count as text.
 *
 * @example
 * loadTokenizer("o200k_base").count("hello world"); // 2
 */
export function loadTokenizer(name: string): Tokenizer {
  const known = loaded.get(name);
  if (known) return known;
  if (!isTokenizerName(name)) {
    throw new UsageError(`There is no tokenizer "${name}". Use one of: ${Object.keys(SCANS).join(", ")}.`);
  }
  const tokenizer = new BpeTokenizer(name);
  loaded.set(name, tokenizer);
  return tokenizer;
}

function isTokenizerName(name: string): name is TokenizerName {
  return Object.hasOwn(SCANS, name);
}

/** Measured: looking a text up that is not there and keeping it takes as long as counting some two hundred characters. */
const QUICK_CHARS = 200;

const SPACE = 0x20;
const SMALL_A = 0x61;
const SMALL_Z = 0x7a;
const AFTER_SPACE = hashedOn(HASH_START, SPACE);
/** By byte: 1 where every encoding ends a word of small letters. Not at an apostrophe, which may go on as a contraction. */
const ENDS_WORD = Uint8Array.from({ length: 256 }, (_, byte) =>
  Number(byte === END_BYTE || (byte < 0x80 && !/[A-Za-z']/.test(String.fromCharCode(byte)))),
);

class BpeTokenizer implements Tokenizer {
  readonly name: TokenizerName;
  readonly quickUpTo = QUICK_CHARS;
  readonly #scan: Scan;
  readonly #finder: TokenFinder;
  readonly #merger: PairMerger;
  readonly #cache = new PieceCache();
  readonly #utf8 = new Utf8Scratch();

  constructor(name: TokenizerName) {
    const table = readTable(name);
    this.name = name;
    this.#scan = SCANS[name](new CharacterClasses(table));
    this.#finder = new TokenFinder(table);
    this.#merger = new PairMerger(this.#finder);
  }

  count(text: string): number {
    const { bytes, length } = this.#utf8.encode(text);
    let total = 0;
    for (let start = 0; start < length; ) {
      // Small letters behind a space or at once, most of any text: found and hashed in one go.
      const letters = bytes[start] === SPACE ? start + 1 : start;
      let hash = letters === start ? HASH_START : AFTER_SPACE;
      let end = letters;
      for (let byte = bytes[end] ?? 0; byte >= SMALL_A && byte <= SMALL_Z; byte = bytes[++end] ?? 0)
        hash = hashedOn(hash, byte);
      if (end > letters && ENDS_WORD[bytes[end] ?? 0] === 1) {
        total += this.#countHashed(bytes, start, end, finishedHash(hash));
      } else {
        end = this.#scan(bytes, start);
        total += this.#countPiece(bytes, start, end);
      }
      start = end;
    }
    return total;
  }

  #countPiece(bytes: Uint8Array, start: number, end: number): number {
    return end - start === 1 ? 1 : this.#countHashed(bytes, start, end, hashOf(bytes, start, end));
  }

  #countHashed(bytes: Uint8Array, start: number, end: number, hash: number): number {
    const size = end - start;
    if (size === 1) return 1;
    if (this.#finder.findHashed(bytes, start, end, hash) !== NO_TOKEN) return 1;
    if (size === 2) return 2;
    if (size > MAX_CACHED_BYTES) return this.#merger.count(bytes, start, end);
    const known = this.#cache.getOrClaim(bytes, start, end, hash);
    if (known > 0) return known;
    const count = this.#merger.count(bytes, start, end);
    this.#cache.keep(hash, count);
    return count;
  }
}
