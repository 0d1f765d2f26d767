/** The two ends of an interval. */
export interface Interval {
  low: number;
  high: number;
}

/** The ends of an interval that may not exist; null says "there is none", which a zero width would hide. */
export interface OpenInterval {
  low: number | null;
  high: number | null;
}

export const NO_INTERVAL: Readonly<OpenInterval> = Object.freeze({ low: null, high: null });

/** The share of cases an interval is meant to cover when nothing else is asked for. */
export const DEFAULT_LEVEL = 0.95;
