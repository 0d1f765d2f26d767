import { UsageError } from "../../core/errors.js";
import type { System } from "../../core/system.js";
import { dedupe } from "./dedupe.js";
import { extract } from "./extract.js";
import { passthrough } from "./passthrough.js";
import { stopwords } from "./stopwords.js";
import { TRUNCATE_MODES, truncate } from "./truncate.js";
import { window } from "./window.js";

/**
 * The compressors by their command-line name; each takes the part of its spec after the first colon.
 * @example
 * compressorFactories["truncate"]?.("0.5:tail").name; // "truncate:0.5:tail"
 */
export const compressorFactories: Readonly<Record<string, (argument?: string) => System>> = {
  passthrough: (argument) => {
    parse(argument, { usage: "passthrough", most: 0 });
    return passthrough();
  },
  truncate: (argument) => {
    const usage = "truncate:0.5 or truncate:0.5:tail";
    const [share, mode = "head"] = parse(argument, { usage, least: 1, most: 2 });
    const known = TRUNCATE_MODES.find((candidate) => candidate === mode);
    if (known === undefined) {
      throw new UsageError(`Unknown truncate mode "${mode}". Use one of ${TRUNCATE_MODES.join(", ")}, as in ${usage}.`);
    }
    return truncate({ share: fraction(share, usage), mode: known });
  },
  extract: (argument) => {
    const usage = "extract:0.3";
    const [share] = parse(argument, { usage, least: 1, most: 1 });
    return extract({ share: fraction(share, usage) });
  },
  window: (argument) => {
    const usage = "window:0.3 or window:0.3:80 (80 words a passage)";
    const [share, words] = parse(argument, { usage, least: 1, most: 2 });
    return window({
      share: fraction(share, usage),
      ...(words === undefined ? {} : { words: wordCount(words, usage) }),
    });
  },
  dedupe: (argument) => {
    const usage = "dedupe or dedupe:0.9";
    const [threshold] = parse(argument, { usage, most: 1 });
    return dedupe(threshold === undefined ? {} : { threshold: fraction(threshold, usage) });
  },
  stopwords: (argument) => {
    parse(argument, { usage: "stopwords", most: 0 });
    return stopwords();
  },
};

function parse(argument: string | undefined, { usage, least = 0, most }: Arity): string[] {
  const parts = argument === undefined || argument === "" ? [] : argument.split(":");
  if (parts.length >= least && parts.length <= most) return parts;
  const found = parts.length === 0 ? "nothing follows the name" : `":${argument}" follows the name`;
  throw new UsageError(`Write this compressor as ${usage}: ${found}.`);
}

interface Arity {
  usage: string;
  least?: number;
  most: number;
}

function fraction(text: string | undefined, usage: string): number {
  const value = text === undefined || text.trim() === "" ? Number.NaN : Number(text);
  if (value > 0 && value <= 1) return value;
  const hint = /^\d+(\.\d+)?%?$/.test(text ?? "") && value !== 0 ? " Write shares as 0.5, not 50." : "";
  throw new UsageError(`"${text}" is not a number above 0 and up to 1, as in ${usage}.${hint}`);
}

function wordCount(text: string, usage: string): number {
  const value = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (value >= 1) return value;
  throw new UsageError(`"${text}" is not a whole number of at least 1, as in ${usage}.`);
}
