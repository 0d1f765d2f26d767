import { expect } from "vitest";

/** The value that a row is sorted by; null if unknown. */
export type Sorted = string | number | null;

const WORDS = new Intl.Collator("en", { numeric: true, sensitivity: "base" });

/** Checks the order; unknown values come last in both directions. */
export function expectInOrder(values: readonly Sorted[], isDescending: boolean, what: string): void {
  const known = values.filter((value) => value !== null);
  expect(values.slice(known.length), what).toEqual(values.filter((value) => value === null));
  const sign = isDescending ? -1 : 1;
  for (const [place, value] of known.entries()) {
    const next = known[place + 1] ?? value;
    expect(sign * compare(value, next), `${what}: ${value} before ${next}`).toBeLessThanOrEqual(0);
  }
}

function compare(a: string | number, b: string | number): number {
  return typeof a === "number" && typeof b === "number" ? a - b : WORDS.compare(String(a), String(b));
}
