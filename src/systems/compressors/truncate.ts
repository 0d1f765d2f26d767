import type { System } from "../../core/index.js";
import { UsageError } from "../../core/index.js";
import { createCompressor, type ShareOptions, TokenShare } from "./compressor.js";

/** The modes of `truncate`. */
export const TRUNCATE_MODES = ["head", "tail", "middle"] as const;

/** What is kept: the beginning, the end, or both without the middle. */
export type TruncateMode = (typeof TRUNCATE_MODES)[number];

/** Options of `truncate`. */
export interface TruncateOptions extends ShareOptions {
  mode?: TruncateMode;
}

/** Replaces the middle, so that the two ends do not read as one sentence. */
const GAP = "\n…\n";

/**
 * Keeps as many whole words of the context as fit into a share of its tokens.
 * @example
 * truncate({ share: 0.5, mode: "tail" }).name; // "truncate:0.5:tail"
 */
export function truncate({ mode = "head", ...options }: TruncateOptions): System {
  if (!TRUNCATE_MODES.includes(mode)) {
    throw new UsageError(`Unknown truncate mode "${mode}". Use one of: ${TRUNCATE_MODES.join(", ")}.`);
  }
  const tokens = new TokenShare(options);
  return createCompressor({
    name: `truncate:${tokens.share}${mode === "head" ? "" : `:${mode}`}`,
    parameters: { share: tokens.share, mode, tokenizer: tokens.tokenizerName },
    compress: (context) => truncateText(context, { tokens, limit: tokens.limit(context), mode }),
  });
}

interface TruncateTextOptions {
  tokens: TokenShare;
  /** Maximum number of tokens. */
  limit: number;
  mode: TruncateMode;
}

/** The longest part of a text, cut at words, with at most `limit` tokens. */
export function truncateText(text: string, { tokens, limit, mode }: TruncateTextOptions): string {
  if (tokens.count(text) <= limit) return text;
  const ends = new TextEnds(text, tokens);
  if (mode === "head") return ends.head(ends.fitHead(limit));
  if (mode === "tail") return ends.tail(ends.fitTail(limit, "")).trimStart();
  const head = ends.head(ends.fitHead(Math.floor(limit / 2)));
  const tail = ends.tail(ends.fitTail(limit, head + GAP)).trimStart();
  return tail === "" ? head : head + GAP + tail;
}

/** The beginnings and ends of a text, by the number of cuts they include. */
class TextEnds {
  readonly #text: string;
  readonly #cuts: readonly number[];
  readonly #tokens: TokenShare;

  constructor(text: string, tokens: TokenShare) {
    this.#text = text;
    this.#cuts = findCuts(text);
    this.#tokens = tokens;
  }

  head(reach: number): string {
    return this.#text.slice(0, this.#cuts[reach]);
  }

  tail(reach: number): string {
    return this.#text.slice(this.#cuts[this.#cuts.length - 1 - reach]);
  }

  fitHead(limit: number): number {
    const guess = this.#guess(limit, (from, to) => this.#text.slice(this.#cuts[from], this.#cuts[to]));
    return findLargestFit(this.#cuts.length - 1, guess, (reach) => this.#tokens.count(this.head(reach)) <= limit);
  }

  /** How many cuts the end may include after the text `before`. */
  fitTail(limit: number, before: string): number {
    const last = this.#cuts.length - 1;
    const left = limit - this.#tokens.count(before);
    if (left <= 0) return 0;
    const guess = this.#guess(left, (from, to) => this.#text.slice(this.#cuts[last - to], this.#cuts[last - from]));
    return findLargestFit(last, guess, (reach) => this.#tokens.count(before + this.tail(reach).trimStart()) <= limit);
  }

  /**
   * Guesses the number of cuts, exactly if no token crosses a cut, which is nearly always. Each step halves what is left to
   * count, so that the text is counted about once in total; a plain binary search would count it a dozen times.
   */
  #guess(limit: number, piece: (from: number, to: number) => string): number {
    let low = 0;
    let high = this.#cuts.length;
    let counted = 0;
    while (high - low > 1) {
      const middle = (low + high) >>> 1;
      const more = counted + this.#tokens.count(piece(low, middle));
      if (more <= limit) {
        low = middle;
        counted = more;
      } else {
        high = middle;
      }
    }
    return low;
  }
}

/** A longer run without white space (a URL, Chinese) may be cut between any two characters. */
const MAX_WORD_LENGTH = 24;
const WORD = /\S+/g;

/**
 * Positions where a text may be cut, ascending, from 0 to its length: at the ends of words, and inside runs without white
 * space that are longer than any word. Never inside a surrogate pair.
 */
function findCuts(text: string): number[] {
  const cuts = [0];
  for (const match of text.matchAll(WORD)) {
    const start = match.index;
    const end = start + match[0].length;
    if (end - start > MAX_WORD_LENGTH) {
      for (let at = start + 1; at < end; at++) if (!isInsidePair(text, at)) cuts.push(at);
    }
    cuts.push(end);
  }
  if (cuts.at(-1) !== text.length) cuts.push(text.length);
  return cuts;
}

function isInsidePair(text: string, at: number): boolean {
  const before = text.charCodeAt(at - 1);
  const after = text.charCodeAt(at);
  return before >= 0xd800 && before <= 0xdbff && after >= 0xdc00 && after <= 0xdfff;
}

/**
 * Finds the largest n in [0, max] for which `fits(n)`, if everything smaller fits too. Starts at a guess and doubles its
 * step, so that a good guess needs two or three calls for any `max`.
 */
export function findLargestFit(max: number, guess: number, fits: (n: number) => boolean): number {
  let low = 0;
  let high = max + 1;
  let at = Math.min(Math.max(guess, 0), max);
  for (let step = 1; high - low > 1; step *= 2) {
    if (at <= low) at = low + 1;
    if (at >= high) at = high - 1;
    if (fits(at)) {
      low = at;
      if (high <= max) break;
      at += step;
    } else {
      high = at;
      if (low > 0) break;
      at -= step;
    }
  }
  while (high - low > 1) {
    const middle = (low + high) >>> 1;
    if (fits(middle)) low = middle;
    else high = middle;
  }
  return low;
}
