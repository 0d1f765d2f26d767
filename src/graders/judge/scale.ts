import { describeValue } from "../../core/index.js";
import { normalizeJudgeScore, type ScoreScale } from "../../metrics/index.js";

/** The scales a judge can use. */
export type JudgeScale = "binary" | "1-5" | "1-10";

/** A scale with its values in order. */
export interface Scale {
  readonly name: JudgeScale;
  /** The key of the value in a verdict. */
  readonly key: "verdict" | "score";
  readonly low: number;
  readonly high: number;
  /** The values as people and models write them, worst first. */
  readonly values: readonly (string | number)[];
  readonly scoringKey: ScoreScale;
}

const SCALES: Readonly<Record<JudgeScale, Scale>> = {
  binary: { name: "binary", key: "verdict", low: 0, high: 1, values: ["fail", "pass"], scoringKey: "binary" },
  "1-5": { name: "1-5", key: "score", low: 1, high: 5, values: listWholeNumbers(5), scoringKey: "scale_1_5" },
  "1-10": { name: "1-10", key: "score", low: 1, high: 10, values: listWholeNumbers(10), scoringKey: "scale_1_10" },
};

export const SCALE_NAMES = Object.keys(SCALES) as readonly JudgeScale[];

export function getScale(name: JudgeScale): Scale {
  return SCALES[name];
}

export function isScale(name: unknown): name is JudgeScale {
  return typeof name === "string" && Object.hasOwn(SCALES, name);
}

function listWholeNumbers(high: number): number[] {
  return Array.from({ length: high }, (_, i) => i + 1);
}

const VERDICT_WORDS: ReadonlyMap<string, number> = new Map(
  Object.entries({ pass: 1, yes: 1, true: 1, correct: 1, "1": 1, fail: 0, no: 0, false: 0, incorrect: 0, "0": 0 }),
);

/**
 * Converts a value on a scale to a score in [0, 1], or returns what is wrong with it. Accepts unambiguous words, booleans
 * and numbers written as strings.
 * @example
 * readScaleValue(4, getScale("1-5")); // 0.75
 */
export function readScaleValue(value: unknown, scale: Scale): number | string {
  const number = scale.name === "binary" ? parseBinaryValue(value) : parseNumericValue(value);
  if (number === null) return `is ${shortenScaleValue(value)}, but must be ${describeScaleValues(scale)}`;
  try {
    return normalizeJudgeScore(number, scale.scoringKey);
  } catch {
    return `is ${shortenScaleValue(value)}, but must be ${describeScaleValues(scale)}`;
  }
}

function parseBinaryValue(value: unknown): number | null {
  return isScaleScalar(value) ? (VERDICT_WORDS.get(String(value).trim().toLowerCase()) ?? null) : null;
}

function parseNumericValue(value: unknown): number | null {
  if (typeof value === "number") return value;
  return typeof value === "string" && /^\d{1,3}(?:\.\d{1,9})?$/.test(value.trim()) ? Number(value) : null;
}

function isScaleScalar(value: unknown): boolean {
  return ["string", "number", "boolean"].includes(typeof value);
}

export function describeScaleValues({ name, low, high }: Scale): string {
  return name === "binary" ? '"pass" or "fail"' : `a whole number from ${low} to ${high}`;
}

/** Formats a score in [0, 1] as a value of the scale. */
export function formatScaleValue(share: number, { name, low, high }: Scale): string {
  if (name === "binary" && Number.isInteger(share)) return share === 1 ? "pass" : "fail";
  const value = low + share * (high - low);
  return `${Number(value.toFixed(2))} of ${high}`;
}

const MAX_SHOWN_LENGTH = 60;

function shortenScaleValue(value: unknown): string {
  const text = describeValue(value);
  return text.length <= MAX_SHOWN_LENGTH ? text : `${text.slice(0, MAX_SHOWN_LENGTH)}…`;
}
