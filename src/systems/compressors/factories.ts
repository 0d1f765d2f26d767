import type { System } from "../../core/index.js";
import { UsageError } from "../../core/index.js";
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
    splitArgument(argument, { usage: "passthrough", most: 0 });
    return passthrough();
  },
  truncate: (argument) => {
    const usage = "truncate:0.5 or truncate:0.5:tail";
    const [share, mode = "head"] = splitArgument(argument, { usage, least: 1, most: 2 });
    const known = TRUNCATE_MODES.find((candidate) => candidate === mode);
    if (known === undefined) {
      throw new UsageError(`Unknown truncate mode "${mode}". Use one of ${TRUNCATE_MODES.join(", ")}, as in ${usage}.`);
    }
    return truncate({ share: parseShare(share, usage), mode: known });
  },
  extract: (argument) => {
    const usage = "extract:0.3";
    const [share] = splitArgument(argument, { usage, least: 1, most: 1 });
    return extract({ share: parseShare(share, usage) });
  },
  window: (argument) => {
    const usage = "window:0.3 or window:0.3:80 (80 words a passage)";
    const [share, words] = splitArgument(argument, { usage, least: 1, most: 2 });
    return window({
      share: parseShare(share, usage),
      ...(words === undefined ? {} : { words: parseWordCount(words, usage) }),
    });
  },
  dedupe: (argument) => {
    const usage = "dedupe or dedupe:0.9";
    const [threshold] = splitArgument(argument, { usage, most: 1 });
    return dedupe(threshold === undefined ? {} : { threshold: parseShare(threshold, usage) });
  },
  stopwords: (argument) => {
    splitArgument(argument, { usage: "stopwords", most: 0 });
    return stopwords();
  },
};

function splitArgument(argument: string | undefined, { usage, least = 0, most }: ArgumentCount): string[] {
  const parts = argument === undefined || argument === "" ? [] : argument.split(":");
  if (parts.length >= least && parts.length <= most) return parts;
  const found = parts.length === 0 ? "nothing follows the name" : `":${argument}" follows the name`;
  throw new UsageError(`Write this compressor as ${usage}: ${found}.`);
}

interface ArgumentCount {
  usage: string;
  least?: number;
  most: number;
}

function parseShare(text: string | undefined, usage: string): number {
  const value = text === undefined || text.trim() === "" ? Number.NaN : Number(text);
  if (value > 0 && value <= 1) return value;
  const hint = /^\d+(\.\d+)?%?$/.test(text ?? "") && value !== 0 ? " Write shares as 0.5, not 50." : "";
  throw new UsageError(`"${text}" is not a number above 0 and up to 1, as in ${usage}.${hint}`);
}

function parseWordCount(text: string, usage: string): number {
  const value = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (value >= 1) return value;
  throw new UsageError(`"${text}" is not a whole number of at least 1, as in ${usage}.`);
}
