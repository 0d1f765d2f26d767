import { exactValue } from "./arithmetic.js";
import { multiply, negate, parseDecimal, type Rational } from "./rational.js";

/** The parts of a number as it stands in a text. */
export interface WrittenNumber {
  readonly core: string;
  /** "million", "dozen", "k", "万" or the like; "" when there is none. */
  readonly scale: string;
  readonly isNegative: boolean;
  readonly decimalComma: boolean;
  /** The question that is answered; "" when it is not known. */
  readonly question: string;
}

/** What a number may mean, the likeliest first. None for one that cannot be read, such as the time 3:30. */
export function valuesOf({ core, scale, isNegative, decimalComma, question }: WrittenNumber): Rational[] {
  const values = readings(core, decimalComma).flatMap((value) => scaled(value, scale.toLowerCase(), question));
  return isNegative ? values.map(negate) : values;
}

function readings(core: string, decimalComma: boolean): Rational[] {
  if (core.includes("frac") || core.includes("/")) return listed(fraction(core));
  if (/[x×*^\\]/.test(core)) return listed(exactValue(scientific(core)));
  if (core.includes(":")) return onTheHour(core);
  if (/^\d+(?:\.\d+)?(?:[eE].*)?$|^\.\d+$/.test(core)) return pointReadings(core, decimalComma);
  return separatedReadings(core, decimalComma);
}

function fraction(core: string): Rational | null {
  const plain = core.replace(/,/g, "").replace(/\\[dtc]frac/, "\\frac");
  const braced = plain.replace(/frac\s*(\d)\s*(\d)$/, "frac{$1}{$2}");
  const mixed = braced.replace(/^(\d+)(?:\s+and)?\s+(\d+)\s?\/\s?(\d+)$/, "$1\\frac{$2}{$3}");
  return exactValue(mixed.replace(/\s/g, ""));
}

function scientific(core: string): string {
  return core
    .replace(/\\times|\\cdot|[x×]/, "*")
    .replace(/\s/g, "")
    .replace(/\^(-\d+)$/, "^{$1}");
}

/** A time is a number only on the hour: 8:00 answers "at what hour?". */
function onTheHour(core: string): Rational[] {
  const [, hour, minutes] = /^(\d+):(\d+)/.exec(core) ?? [];
  return minutes === "00" && hour !== undefined ? listed(parseDecimal(hour)) : [];
}

function pointReadings(core: string, decimalComma: boolean): Rational[] {
  const asDecimal = listed(parseDecimal(core));
  return decimalComma && /^[1-9]\d{0,2}\.\d{3}$/.test(core) ? [...asDecimal, ...thousands(core)] : asDecimal;
}

/** Numbers with commas, spaces or several points in them. */
function separatedReadings(core: string, decimalComma: boolean): Rational[] {
  if (/^[1-9]\d{0,2}(?:\.\d{3})+(?:,\d+)?$/.test(core))
    return listed(parseDecimal(core.replace(/\./g, "").replace(",", ".")));
  if (/^\d+,\d+$/.test(core) && !/^[1-9]\d{0,2},\d{3}$/.test(core)) return commaDecimal(core);
  if (/^[1-9][\d' ]*,\d{1,2}$/.test(core)) return listed(parseDecimal(core.replace(/[' ]/g, "").replace(",", ".")));
  if (core.includes(" ")) return [...thousands(core), ...listed(parseDecimal(core.slice(core.lastIndexOf(" ") + 1)))];
  return decimalComma && /^\d+,\d+$/.test(core) ? [...thousands(core), ...commaDecimal(core)] : thousands(core);
}

function thousands(core: string): Rational[] {
  const point =
    /^[\d,' ]*\.\d+$/.test(core) && /[,' ]/.test(core) ? core.replace(/[,' ]/g, "") : core.replace(/[,.' ]/g, "");
  return listed(parseDecimal(point));
}

function commaDecimal(core: string): Rational[] {
  return listed(parseDecimal(core.replace(",", ".")));
}

const SCALES: Record<string, string> = {
  dozen: "12",
  dozens: "12",
  hundred: "1e2",
  thousand: "1e3",
  k: "1e3",
  million: "1e6",
  billion: "1e9",
  trillion: "1e12",
};

/** "24 million" is also read as 24 where the question speaks of millions. "25k" says nothing but 25,000. */
function scaled(value: Rational, scale: string, question: string): Rational[] {
  if (scale === "") return [value];
  const factor = SCALES[scale];
  if (factor === undefined) return listed(eastAsian(value, scale));
  const whole = listed(product(value, factor));
  const isAskedFor = scale.length > 1 && question.toLowerCase().includes(scale.replace(/s$/, ""));
  return isAskedFor ? [...whole, value] : whole;
}

const EAST_ASIAN: Record<string, string> = { 千: "1e3", 万: "1e4", 萬: "1e4", 億: "1e8", 亿: "1e8" };

/** 3万5000 is 35,000: each sign multiplies what stands before it, and all is added up. */
function eastAsian(first: Rational, scale: string): Rational | null {
  let total = 0n;
  let part: bigint | null = null;
  for (const piece of scale.match(/\d+|\D/g) ?? []) {
    const factor = EAST_ASIAN[piece];
    if (factor === undefined) part = BigInt(piece);
    else if (total === 0n && part === null) {
      const whole = product(first, factor);
      if (whole === null || whole.bottom !== 1n) return whole;
      total = whole.top;
    } else {
      total += (part ?? 1n) * (parseDecimal(factor)?.top ?? 1n);
      part = null;
    }
  }
  return { top: total + (part ?? 0n), bottom: 1n };
}

function product(value: Rational, factor: string): Rational | null {
  const by = parseDecimal(factor);
  return by === null ? null : multiply(value, by);
}

function listed(value: Rational | null): Rational[] {
  return value === null ? [] : [value];
}
