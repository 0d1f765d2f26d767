import { UsageError } from "../core/errors.js";
import { didYouMean } from "../core/suggest.js";

const EXAMPLE = "nolima:lengths=1000,4000;depths=0,0.5,1;hops=1";
const LONGEST = 2_000_000;

/** How long the texts are, where the needle stands in them, and how far the question is from it. */
export interface NolimaSettings {
  /** Approximate lengths of the context in tokens. */
  readonly lengths: readonly number[];
  /** Where the needle stands: 0 is the beginning, 1 the end. */
  readonly depths: readonly number[];
  /** 1 for questions that are one step of knowledge away from the needle, 2 for those that are two. */
  readonly hops: readonly number[];
}

const DEFAULTS: NolimaSettings = { lengths: [1000, 4000, 16_000], depths: [0, 0.25, 0.5, 0.75, 1], hops: [1, 2] };

interface Range {
  low: number;
  high: number;
  whole: boolean;
}

const RANGES: ReadonlyMap<string, Range> = new Map([
  ["lengths", { low: 250, high: LONGEST, whole: true }],
  ["depths", { low: 0, high: 1, whole: false }],
  ["hops", { low: 1, high: 2, whole: true }],
]);

/**
 * Reads what follows the colon of `nolima:…`.
 * @example
 * parseNolimaConfig("lengths=1000;hops=1"); // { lengths: [1000], depths: [0, 0.25, 0.5, 0.75, 1], hops: [1] }
 */
export function parseNolimaConfig(config: string): NolimaSettings {
  const chosen: Record<string, number[]> = {};
  for (const part of config.split(";")) {
    if (part.trim() === "") continue;
    const [key = "", value, ...rest] = part.split("=").map((side) => side.trim());
    if (value === undefined || rest.length > 0) throw misuse(`"${part.trim()}" is not KEY=VALUE`);
    const range = RANGES.get(key);
    if (range === undefined) throw misuse(`there is no setting "${key}".${didYouMean(key, RANGES.keys())}`);
    if (Object.hasOwn(chosen, key)) throw misuse(`"${key}" is set twice`);
    chosen[key] = numbers(key, value, range);
  }
  return { ...DEFAULTS, ...chosen };
}

function numbers(key: string, value: string, range: Range): number[] {
  const list = value.split(",").map((item) => number(key, item.trim(), range));
  const repeated = list.find((item, index) => list.indexOf(item) !== index);
  if (repeated !== undefined) throw misuse(`${key} names ${repeated} twice`);
  return list;
}

function number(key: string, text: string, { low, high, whole }: Range): number {
  const value = text === "" ? Number.NaN : Number(text);
  if (value >= low && value <= high && (!whole || Number.isInteger(value))) return value;
  throw misuse(`${key} takes ${whole ? "whole numbers" : "numbers"} from ${low} to ${high}, not "${text}"`);
}

function misuse(problem: string): UsageError {
  return new UsageError(
    `The nolima config cannot be read: ${problem}${problem.endsWith(".") ? "" : "."} Example: ${EXAMPLE}`,
  );
}
