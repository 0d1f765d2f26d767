import type { Tokenizer } from "../../core/index.js";
import { UsageError } from "../../core/index.js";
import {
  BLANK,
  CharacterClasses,
  createCl100kScanner,
  createO200kScanner,
  END_BYTE,
  LETTER,
  MARK,
  NEWLINE,
  NUMBER,
  type PreTokenScanner,
  WHITESPACE,
} from "./scan.js";
import { NO_TOKEN, readTokenTable, TokenFinder } from "./table.js";

// Up to here a linear search for the lowest pair is faster than a tree (measured).
const MAX_SCAN_BYTES = 64;

/** Counts the tokens of a pre-token by byte pair encoding: lowest rank first, leftmost among equals. */
class PairMerger {
  readonly #finder: TokenFinder;
  readonly #starts = new Int32Array(MAX_SCAN_BYTES + 1);
  readonly #ranks = new Int32Array(MAX_SCAN_BYTES + 1);

  constructor(finder: TokenFinder) {
    this.#finder = finder;
  }

  count(bytes: Uint8Array, start: number, end: number): number {
    return end - start <= MAX_SCAN_BYTES ? this.#countByScan(bytes, start, end) : this.#countByTree(bytes, start, end);
  }

  #countByScan(bytes: Uint8Array, start: number, end: number): number {
    const finder = this.#finder;
    const starts = this.#starts;
    const ranks = this.#ranks;
    let parts = end - start;
    for (let i = 0; i < parts - 1; i++) {
      starts[i] = start + i;
      ranks[i] = finder.find(bytes, start + i, start + i + 2);
    }
    starts[parts - 1] = end - 1;
    starts[parts] = end;
    while (parts > 1) {
      const at = findLowestRank(ranks, parts - 1);
      if (ranks[at] === NO_TOKEN) break;
      removePart(starts, ranks, at + 1, parts);
      parts--;
      if (at + 1 < parts) ranks[at] = finder.find(bytes, starts[at] ?? 0, starts[at + 2] ?? 0);
      if (at > 0) ranks[at - 1] = finder.find(bytes, starts[at - 1] ?? 0, starts[at + 1] ?? 0);
    }
    return parts;
  }

  /** The parts form a linked list by their first byte; the tree holds the rank of each part with the next. */
  #countByTree(bytes: Uint8Array, start: number, end: number): number {
    const finder = this.#finder;
    const size = end - start;
    const next = new Int32Array(size);
    const previous = new Int32Array(size);
    const ranks = new MinTree(size, NO_TOKEN);
    for (let i = 0; i < size; i++) {
      next[i] = i + 1;
      previous[i] = i - 1;
      if (i + 1 < size) ranks.fill(i, finder.find(bytes, start + i, start + i + 2));
    }
    ranks.build();
    let parts = size;
    while (ranks.lowest() !== NO_TOKEN) {
      const left = ranks.leftmostLowest();
      const before = previous[left] ?? -1;
      const right = next[left] ?? size;
      const after = next[right] ?? size;
      next[left] = after;
      if (after < size) previous[after] = left;
      parts--;
      ranks.set(right, NO_TOKEN);
      ranks.set(left, after < size ? finder.find(bytes, start + left, start + (next[after] ?? size)) : NO_TOKEN);
      if (before >= 0) ranks.set(before, finder.find(bytes, start + before, start + after));
    }
    return parts;
  }
}

function findLowestRank(ranks: Int32Array, pairs: number): number {
  let at = 0;
  let rank = ranks[0] ?? NO_TOKEN;
  for (let i = 1; i < pairs; i++) {
    const other = ranks[i] ?? NO_TOKEN;
    if (other < rank) {
      rank = other;
      at = i;
    }
  }
  return at;
}

/** A plain loop: copyWithin is slower for the dozen parts of a word. */
function removePart(starts: Int32Array, ranks: Int32Array, at: number, parts: number): void {
  for (let i = at; i < parts; i++) {
    starts[i] = starts[i + 1] ?? 0;
    ranks[i] = ranks[i + 1] ?? 0;
  }
}

/**
 * Tracks the minimum of a list and its leftmost position. An update costs O(log n), usually less, because it stops where
 * the minimum does not change.
 */
export class MinTree {
  // The root is node 1; the children of node i are 2i and 2i + 1, and the values are the last nodes.
  readonly #nodes: Int32Array;
  readonly #leaves: number;

  constructor(size: number, initial: number) {
    this.#leaves = 1 << Math.ceil(Math.log2(Math.max(size, 2)));
    this.#nodes = new Int32Array(2 * this.#leaves).fill(initial);
  }

  /** Sets a value without updating the tree; call `build` afterwards. */
  fill(place: number, value: number): void {
    this.#nodes[this.#leaves + place] = value;
  }

  build(): void {
    for (let node = this.#leaves - 1; node > 0; node--) this.#nodes[node] = this.#lowestChild(node);
  }

  set(place: number, value: number): void {
    const nodes = this.#nodes;
    let node = this.#leaves + place;
    nodes[node] = value;
    for (node >>= 1; node > 0; node >>= 1) {
      const lowest = this.#lowestChild(node);
      if (nodes[node] === lowest) return;
      nodes[node] = lowest;
    }
  }

  lowest(): number {
    return this.#nodes[1] ?? 0;
  }

  leftmostLowest(): number {
    const nodes = this.#nodes;
    const lowest = nodes[1];
    let node = 1;
    while (node < this.#leaves) {
      node *= 2;
      if (nodes[node] !== lowest) node++;
    }
    return node - this.#leaves;
  }

  #lowestChild(node: number): number {
    return Math.min(this.#nodes[2 * node] ?? 0, this.#nodes[2 * node + 1] ?? 0);
  }
}

const SCANNER_FACTORIES = { cl100k_base: createCl100kScanner, o200k_base: createO200kScanner };

/** The built-in encodings. */
export type TokenizerName = keyof typeof SCANNER_FACTORIES;

/** The names of the built-in encodings. */
export const TOKENIZER_NAMES = Object.keys(SCANNER_FACTORIES) as readonly TokenizerName[];

// Deliberate module state: a table is megabytes of immutable data, and a process needs at most one of each.
const loadedTokenizers = new Map<string, Tokenizer>();

/**
 * Loads the exact token counter of an encoding on first use; special tokens such as `<|endoftext|>` count as text.
 *
 * @example
 * loadTokenizer("o200k_base").count("hello world"); // 2
 */
export function loadTokenizer(name: string): Tokenizer {
  const known = loadedTokenizers.get(name);
  if (known) return known;
  if (!isTokenizerName(name)) {
    throw new UsageError(`Unknown tokenizer "${name}". Use one of: ${TOKENIZER_NAMES.join(", ")}.`);
  }
  const tokenizer = new BpeTokenizer(name);
  loadedTokenizers.set(name, tokenizer);
  return tokenizer;
}

function isTokenizerName(name: string): name is TokenizerName {
  return Object.hasOwn(SCANNER_FACTORIES, name);
}

class BpeTokenizer implements Tokenizer {
  readonly name: TokenizerName;
  readonly #classes: CharacterClasses;
  readonly #scan: PreTokenScanner;
  readonly #finder: TokenFinder;
  readonly #merger: PairMerger;
  readonly #utf8 = new Utf8Scratch();

  constructor(name: TokenizerName) {
    const table = readTokenTable(name);
    this.name = name;
    this.#classes = new CharacterClasses(table);
    this.#scan = SCANNER_FACTORIES[name](this.#classes);
    this.#finder = new TokenFinder(table);
    this.#merger = new PairMerger(this.#finder);
  }

  count(text: string): number {
    if (text.length <= DEFAULT_SPLIT_SIZES.piece) return this.#countWhole(text);
    let total = 0;
    for (const count of this.countPieces(text)) total += count;
    return total;
  }

  *countPieces(text: string): Generator<number> {
    for (const piece of splitText(text, this.#classes)) yield this.#countWhole(piece);
  }

  #countWhole(text: string): number {
    const { bytes, length } = this.#utf8.encode(text);
    let total = 0;
    for (let start = 0; start < length; ) {
      const end = this.#scan(bytes, start);
      const isToken = this.#finder.find(bytes, start, end) !== NO_TOKEN;
      total += isToken ? 1 : this.#merger.count(bytes, start, end);
      start = end;
    }
    return total;
  }
}

const BUFFER_BYTES = 1 << 16;
const encoder = new TextEncoder();

/** Encodes texts as UTF-8 terminated by END_BYTE; a lone surrogate becomes U+FFFD. */
export class Utf8Scratch {
  readonly #kept = new Uint8Array(BUFFER_BYTES);

  /** The bytes are valid until the next call: most texts share one buffer, only long ones get their own. */
  encode(text: string): { readonly bytes: Uint8Array; readonly length: number } {
    const bytes = text.length * 3 < BUFFER_BYTES ? this.#kept : new Uint8Array(Buffer.byteLength(text) + 1);
    const { written } = encoder.encodeInto(text, bytes);
    bytes[written] = END_BYTE;
    return { bytes, length: written };
  }
}

/** Target length of pieces, and how far to search for a split point, in characters. */
interface SplitSizes {
  readonly piece: number;
  readonly longest: number;
}

/** Counting a piece takes a few milliseconds. Merging a single word takes 20 bytes of memory per byte. */
const DEFAULT_SPLIT_SIZES: SplitSizes = { piece: 1 << 16, longest: 1 << 20 };

const APOSTROPHE = 0x27;
const SLASH = 0x2f;

/**
 * Splits a text into pieces whose token counts add up to its own. Only text without a split point for a million
 * characters, such as an endless word, is split anywhere, which may add a token.
 */
export function* splitText(
  text: string,
  classes: CharacterClasses,
  sizes: SplitSizes = DEFAULT_SPLIT_SIZES,
): Generator<string> {
  const { piece } = sizes;
  let start = 0;
  while (text.length - start > piece) {
    const end = findSplitPoint(text, start, classes, sizes);
    yield text.slice(start, end);
    start = end;
  }
  if (start < text.length) yield text.slice(start);
}

/** The last split point within a piece, else the first one after it. */
function findSplitPoint(
  text: string,
  start: number,
  classes: CharacterClasses,
  { piece, longest }: SplitSizes,
): number {
  for (let i = start + piece; i > start; i--) if (isSplitPoint(text, i, classes)) return i;
  const limit = Math.min(text.length, start + longest);
  for (let i = start + piece + 1; i < limit; i++) if (isSplitPoint(text, i, classes)) return i;
  return isSurrogatePair(text, limit) ? limit - 1 : limit;
}

/**
 * Whether a pre-token of either encoding always ends before this character, so that no pattern matches across it. Never
 * splits a surrogate pair.
 */
function isSplitPoint(text: string, at: number, classes: CharacterClasses): boolean {
  const [left, right] = [text.charCodeAt(at - 1), text.charCodeAt(at)];
  if (isSurrogate(left) || isSurrogate(right)) return false;
  const [before, after] = [classes.getClass(left), classes.getClass(right)];
  if (after & BLANK) return (before & WHITESPACE) === 0;
  if (before & NUMBER) return (after & NUMBER) === 0;
  if (before & LETTER) return (after & (LETTER | MARK)) === 0 && right !== APOSTROPHE;
  return (before & NEWLINE) !== 0 && (after & WHITESPACE) === 0 && right !== SLASH;
}

function isSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit < 0xe000;
}

function isSurrogatePair(text: string, at: number): boolean {
  return (text.codePointAt(at - 1) ?? 0) > 0xffff;
}

/** Limits of a token count cache. */
export interface MemoOptions {
  /** Total characters of the cached texts. */
  readonly maxChars: number;
  /** Number of cached texts. Default: 1,000. */
  readonly maxEntries?: number;
}

/**
 * Caches token counts by text, because systems see the same prompt in every trial. A full cache is emptied.
 *
 * @example
 * const tokenizer = memoTokenizer(loadTokenizer("cl100k_base"), { maxChars: 4_000_000 });
 */
export function memoTokenizer(tokenizer: Tokenizer, { maxChars, maxEntries = 1_000 }: MemoOptions): Tokenizer {
  let counts = new Map<string, number>();
  let chars = 0;
  const countPieces = tokenizer.countPieces?.bind(tokenizer);
  return {
    ...(tokenizer.name === undefined ? {} : { name: tokenizer.name }),
    // Texts too long to cache are counted in pieces by the caller.
    ...(countPieces === undefined ? {} : { countPieces }),
    count(text) {
      const known = counts.get(text);
      if (known !== undefined) return known;
      const count = tokenizer.count(text);
      if (text.length > maxChars || maxEntries < 1) return count;
      if (chars + text.length > maxChars || counts.size >= maxEntries) {
        // Replaced instead of cleared: V8 keeps the old table of a Map until the next full collection.
        counts = new Map();
        chars = 0;
      }
      counts.set(text, count);
      chars += text.length;
      return count;
    },
  };
}
