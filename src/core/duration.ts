const UNIT_MS = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 } as const;
const DURATION_PATTERN = /^(\d+(?:\.\d+)?)(ms|s|m|h)$/;

/** Describes the accepted format in error messages. */
export const DURATION_FORMAT_HINT = 'must be a duration with a unit, such as "30s", "2m" or "500ms"';

/**
 * Parses a duration with a unit into milliseconds; null if it is malformed.
 * @example
 * parseDuration("1.5m"); // 90000
 */
export function parseDuration(text: string): number | null {
  const [, amount, unit] = DURATION_PATTERN.exec(text.trim()) ?? [];
  if (amount === undefined || unit === undefined) return null;
  const ms = Number(amount) * UNIT_MS[unit as keyof typeof UNIT_MS];
  return ms > 0 && Number.isFinite(ms) ? ms : null;
}

export function formatDuration(ms: number): string {
  return ms < 1000 ? `${Math.round(ms)} ms` : `${Number((ms / 1000).toFixed(1))} s`;
}
