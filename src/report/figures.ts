import type { Figure, FigureValue, Unit } from "./markdown.js";

type FormatFigure = (value: number | null | undefined) => string;

/** Values as texts. Value and interval are apart, because they are aligned apart. */
export interface FigureText {
  value: string;
  /** Empty if there is none. */
  interval: string;
  isBest: boolean;
}

/**
 * Formats a column of numbers with one unit and one precision, so that they can be compared at a glance.
 * @example
 * formatFigures({ unit: "seconds", get: (value: number) => ({ value }) }, [0.012, 1.5]).map(({ value }) => value); // ["0.01 s", "1.50 s"]
 */
export function formatFigures<T>(figure: Figure<T>, items: readonly T[]): FigureText[] {
  const { unit, better, digits, get } = figure;
  const values = items.map((item) => get(item));
  const format = createFigureFormat(unit, values, digits);
  const texts = values.map((value) => format(value.value));
  const best = better === undefined ? null : findBest(values, better);
  const isDecided = new Set(texts).size > 1;
  const bestText = best === null ? null : format(best);
  return values.map((each, i) => {
    const value = texts[i] ?? "";
    return { value, interval: formatInterval(each, format), isBest: isDecided && value === bestText };
  });
}

function formatInterval({ value, low, high }: FigureValue, format: FormatFigure): string {
  if (value === null || low == null) return "";
  return `[${format(low)}, ${high == null ? "∞" : format(high)}]`;
}

function findBest(values: readonly FigureValue[], better: "higher" | "lower"): number | null {
  const known = values.flatMap(({ value }) => value ?? []);
  if (known.length < 2) return null;
  return better === "higher" ? Math.max(...known) : Math.min(...known);
}

function selectFinite(numbers: readonly (number | null | undefined)[]): number[] {
  return numbers.flatMap((number) => (number != null && Number.isFinite(number) ? [number] : []));
}

/** Each unit with the factor from the unit of the values. */
const SCALES: Readonly<Record<Unit, readonly { from: number; factor: number; before: string; after: string }[]>> = {
  number: [{ from: 0, factor: 1, before: "", after: "" }],
  share: [{ from: 0, factor: 100, before: "", after: " %" }],
  dollars: [{ from: 0, factor: 1, before: "$", after: "" }],
  seconds: [
    { from: 120, factor: 1 / 60, before: "", after: " min" },
    { from: 1, factor: 1, before: "", after: " s" },
    { from: 0, factor: 1000, before: "", after: " ms" },
  ],
};

const MAX_DECIMALS = 8;

/** One format for all these values and their intervals. */
function createFigureFormat(unit: Unit, figures: readonly FigureValue[], digits = 3): FormatFigure {
  const values = selectFinite(figures.map(({ value }) => value));
  const numbers = selectFinite([...values, ...figures.flatMap(({ low, high }) => [low, high])]);
  const largest = Math.max(0, ...numbers.map(Math.abs));
  const [last = { from: 0, factor: 1, before: "", after: "" }] = SCALES[unit].slice(-1);
  const { factor, before, after } = SCALES[unit].find(({ from }) => largest >= from) ?? last;
  const wanted = DECIMALS[unit](largest * factor, digits);
  const most = findNeededDecimals(
    values.map((value) => value * factor),
    { wanted, arePrices: unit === "dollars" },
  );
  const scaled = numbers.map((number) => number * factor);
  const decimals = dropZeros(scaled, most, unit === "dollars" ? 2 : 0);
  return (value) => {
    if (value == null || Number.isNaN(value)) return "–";
    if (!Number.isFinite(value)) return value < 0 ? "-∞" : "∞";
    return `${value < 0 ? "-" : ""}${before}${formatScaled(Math.abs(value) * factor, decimals)}${after}`;
  };
}

/** Decimals that are enough to tell values of this size apart. */
const DECIMALS: Readonly<Record<Unit, (largest: number, digits: number) => number>> = {
  number: (largest, digits) => (largest >= 1000 ? 0 : largest >= 100 ? 1 : digits),
  share: () => 1,
  dollars: (largest) => (largest >= 1 ? 2 : 4),
  seconds: (largest) => (largest >= 100 ? 0 : largest >= 10 ? 1 : 2),
};

/** As many as wanted, or more if a value other than 0 would be shown as 0. */
function findNeededDecimals(
  values: readonly number[],
  { wanted, arePrices }: { wanted: number; arePrices: boolean },
): number {
  const smallest = Math.min(...values.map(Math.abs).filter((value) => value > 0));
  const needed = Number.isFinite(smallest) ? Math.ceil(-Math.log10(smallest)) + (arePrices ? 1 : 0) : 0;
  return Math.min(MAX_DECIMALS, Math.max(wanted, needed));
}

/** Without decimals that would be 0 in every number. */
function dropZeros(numbers: readonly number[], most: number, least: number): number {
  for (let decimals = least; decimals < most; decimals++)
    if (numbers.every((number) => Number(number.toFixed(decimals)) === Number(number.toFixed(most)))) return decimals;
  return most;
}

function formatScaled(size: number, decimals: number): string {
  // Very large and very small numbers would be long rows of zeros.
  if (size >= 1e15 || (size > 0 && Number(size.toFixed(decimals)) === 0)) return size.toPrecision(2);
  return size.toFixed(decimals);
}
