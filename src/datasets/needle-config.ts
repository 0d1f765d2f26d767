import { UsageError } from "../core/errors.js";
import { didYouMean } from "../core/suggest.js";
import type { NeedleOptions } from "./needle.js";

const EXAMPLE = "needle:lengths=500,1000;depths=0,0.5,1;needles=1;count=40";
const LONGEST = 2_000_000;

/**
 * Reads what follows the colon of `needle:…`.
 * @example
 * parseNeedleConfig("lengths=500,1000;depths=0,0.5"); // { lengths: [500, 1000], depths: [0, 0.5] }
 */
export function parseNeedleConfig(config: string): NeedleOptions {
  const options: NeedleOptions = {};
  for (const part of config.split(";")) {
    if (part.trim() === "") continue;
    const [key = "", value, ...rest] = part.split("=").map((side) => side.trim());
    if (value === undefined || rest.length > 0) throw misuse(`"${part.trim()}" is not KEY=VALUE`);
    const read = KEYS.get(key);
    if (read === undefined) throw misuse(`there is no setting "${key}".${didYouMean(key, KEYS.keys())}`);
    if (Object.hasOwn(options, key)) throw misuse(`"${key}" is set twice`);
    Object.assign(options, { [key]: read(key, value) });
  }
  return options;
}

interface Range {
  low: number;
  high: number;
  whole: boolean;
}

type ReadSetting = (key: string, value: string) => number | number[];

const KEYS: ReadonlyMap<string, ReadSetting> = new Map<string, ReadSetting>([
  ["lengths", (key, value) => numbers(key, value, { low: 50, high: LONGEST, whole: true })],
  ["depths", (key, value) => numbers(key, value, { low: 0, high: 1, whole: false })],
  ["needles", (key, value) => number(key, value, { low: 1, high: 20, whole: true })],
  ["count", (key, value) => number(key, value, { low: 1, high: 1_000_000, whole: true })],
]);

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
    `The needle config cannot be read: ${problem}${problem.endsWith(".") ? "" : "."} Example: ${EXAMPLE}`,
  );
}
