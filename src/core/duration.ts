const UNITS = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 } as const;
const DURATION = /^(\d+(?:\.\d+)?)(ms|s|m|h)$/;

/** Describes the accepted format in error messages. */
export const DURATION_FORM = 'must be a duration with a unit, such as "30s", "2m" or "500ms"';

/**
 * Parses a duration with a unit into milliseconds; null if it is malformed.
 * @example
 * parseDuration("1.5m"); // 90000
 */
export function durationMs(text: string): number | null {
  const [, amount, unit] = DURATION.exec(text.trim()) ?? [];
  if (amount === undefined || unit === undefined) return null;
  const ms = Number(amount) * UNITS[unit as keyof typeof UNITS];
  return ms > 0 && Number.isFinite(ms) ? ms : null;
}

export function inWords(ms: number): string {
  return ms < 1000 ? `${Math.round(ms)} ms` : `${Number((ms / 1000).toFixed(1))} s`;
}
