import { add, divide, multiply, type Rational } from "./rational.js";

/** What stands around two numbers. */
interface Context {
  readonly before: string;
  readonly between: string;
  readonly behind: string;
}

/** A measure with its smaller part, and how many of these it has. */
const MEASURES: readonly (readonly [larger: string, smaller: string, parts: bigint])[] = [
  ["hours?|hrs?|h", "minutes?|mins?|m", 60n],
  ["minutes?|mins?", "seconds?|secs?|s", 60n],
  ["days?", "hours?|hrs?", 24n],
  ["weeks?", "days?", 7n],
  ["years?", "months?", 12n],
  ["feet|foot|ft|'", 'inch(?:es)?|in|"', 12n],
  ["pounds?|lbs?", "ounces?|oz", 16n],
  ["dollars?", "cents?", 100n],
  ["met(?:er|re)s?|m", "centimet(?:er|re)s?|cm", 100n],
  ["kilomet(?:er|re)s?|km", "met(?:er|re)s?|m", 1000n],
  ["kilograms?|kg", "grams?|g", 1000n],
];
const COMPOUNDS = MEASURES.map(([larger, smaller, parts]) => ({
  between: new RegExp(`^\\s?(?:${larger})(?:,|,?\\s+and)?\\s*$`, "i"),
  // "2 days, 24 hours each" multiplies.
  behind: new RegExp(`^\\s?(?:${smaller})(?![\\p{L}\\d])(?!\\s(?:each|per|an?|every|later|longer|more|less)\\b)`, "iu"),
  parts: { top: parts, bottom: 1n },
}));
const RATIO = /\b(?:ratio|odds)\b[^.;\n]{0,80}$/i;
const ENDS = /^[\s*_$"')}]*(?:[.,;!?<。]|$|\n|(?:because|since|as)\b)/;

/**
 * What two numbers say together: "2 hours and 30 minutes" are 150 or 2.5, "3 out of 4" is a share, "3 out of 4 eggs" also
 * 3, and "the ratio is 1 to 3" is no number, so that it has no values. Null when each says something by itself.
 */
export function readPair(
  one: Rational,
  other: Rational,
  { before, between, behind }: Context,
): readonly Rational[] | null {
  for (const compound of COMPOUNDS) {
    if (!compound.between.test(between) || !compound.behind.test(behind)) continue;
    const [parts, part] = [multiply(one, compound.parts), divide(other, compound.parts)];
    const values = [parts === null ? null : add(parts, other), part === null ? null : add(one, part)];
    return values.filter((value) => value !== null);
  }
  const share = divide(one, other);
  if (/^\s+out of\s+$/i.test(between) && share !== null) return ENDS.test(behind) ? [share] : [one, share];
  if (/^\s+in\s+$/i.test(between) && ENDS.test(behind) && share !== null) return [share];
  if (/^\s+to\s+$/i.test(between) && RATIO.test(before)) return [];
  return null;
}
