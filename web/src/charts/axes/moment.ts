/** The years 1970 to 2200: near the end of the calendar, looking for round moments never ends. */
const MAX_TIMESTAMP = Date.UTC(2200, 0);

/**
 * A date in milliseconds since 1970; null when it is none, or far from any run there can be.
 * @example
 * parseTimestamp("2026-11-14T12:00:00Z"); // 1794657600000
 * parseTimestamp("soon"); // null
 */
export function parseTimestamp(iso: string): number | null {
  const moment = Date.parse(iso);
  return moment >= 0 && moment < MAX_TIMESTAMP ? moment : null;
}
