/** Few digits, and a dash for a missing value. */
export function formatNumber(value: number | null | undefined, digits = 3): string {
  if (value === null || value === undefined || Number.isNaN(value)) return "–";
  if (value === Number.POSITIVE_INFINITY) return "∞";
  if (Number.isInteger(value) && Math.abs(value) < 1e15) return String(value);
  const size = Math.abs(value);
  if (size >= 1000) return value.toFixed(0);
  if (size >= 100) return value.toFixed(1);
  return size >= 0.001 ? String(Number(value.toFixed(digits))) : value.toPrecision(2);
}

export function formatShare(value: number | null | undefined): string {
  return value === null || value === undefined ? "–" : `${Number((value * 100).toFixed(1))} %`;
}

export function formatDollars(value: number | null | undefined): string {
  if (value === null || value === undefined) return "–";
  if (!Number.isFinite(value)) return "∞";
  return `$${value >= 0.01 || value === 0 ? value.toFixed(value >= 1 ? 2 : 4) : value.toPrecision(2)}`;
}

export function formatSeconds(value: number | null | undefined): string {
  if (value === null || value === undefined) return "–";
  const whole = Math.round(value);
  if (value >= 60) return `${Math.floor(whole / 60)} min ${whole % 60} s`;
  if (value >= 1) return `${value.toFixed(2)} s`;
  return `${formatNumber(value * 1000, 2)} ms`;
}

/** `1 trial`, `3 trials`. */
export function formatPlural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}

const BYTE_UNITS = ["B", "kB", "MB", "GB", "TB"];

/**
 * @example
 * formatBytes(1_234_567); // "1.2 MB"
 */
export function formatBytes(bytes: number): string {
  let [value, unit] = [bytes, 0];
  while (value >= 1000 && unit < BYTE_UNITS.length - 1) [value, unit] = [value / 1000, unit + 1];
  return `${unit === 0 ? value : value.toFixed(value < 100 ? 1 : 0)} ${BYTE_UNITS[unit]}`;
}
