import { UsageError } from "../../core/errors.js";
import type { Tokenizer } from "../../core/tokenizer.js";
import { CharacterClasses } from "./classes.js";
import { CUT_SIZES, cutText } from "./cut.js";
import { PairMerger } from "./merge.js";
import { cl100kScan, o200kScan, type Scan } from "./scan.js";
import { NO_TOKEN, readTable, TokenFinder } from "./table.js";
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

class BpeTokenizer implements Tokenizer {
  readonly name: TokenizerName;
  readonly #classes: CharacterClasses;
  readonly #scan: Scan;
  readonly #finder: TokenFinder;
  readonly #merger: PairMerger;
  readonly #utf8 = new Utf8Scratch();

  constructor(name: TokenizerName) {
    const table = readTable(name);
    this.name = name;
    this.#classes = new CharacterClasses(table);
    this.#scan = SCANS[name](this.#classes);
    this.#finder = new TokenFinder(table);
    this.#merger = new PairMerger(this.#finder);
  }

  count(text: string): number {
    if (text.length <= CUT_SIZES.piece) return this.#countWhole(text);
    let total = 0;
    for (const count of this.countPieces(text)) total += count;
    return total;
  }

  *countPieces(text: string): Generator<number> {
    for (const piece of cutText(text, this.#classes)) yield this.#countWhole(piece);
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
