/** Headers as in Node, with lower-case names. */
export type HttpHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

/** Longer requested waits are capped, so that a typo in a server does not stop a run for days. */
const MAX_RETRY_AFTER_MS = 60 * 60 * 1000;

/**
 * The wait that a server requests, in milliseconds: `retry-after-ms`, or `retry-after` in seconds or as a date. Null if
 * absent or invalid.
 * @example
 * parseRetryAfter({ "retry-after": "1.5" }, Date.now()); // 1500
 */
export function parseRetryAfter(headers: HttpHeaders, now: number): number | null {
  return (
    limitRetryWait(parseHeaderNumber(headers["retry-after-ms"])) ?? parseSecondsOrDate(headers["retry-after"], now)
  );
}

function parseSecondsOrDate(header: HttpHeaders[string], now: number): number | null {
  const seconds = parseHeaderNumber(header);
  return seconds === null ? limitRetryWait(parseHeaderDate(header, now)) : limitRetryWait(seconds * 1000);
}

function limitRetryWait(ms: number | null): number | null {
  return ms === null || ms < 0 ? null : Math.min(Math.ceil(ms), MAX_RETRY_AFTER_MS);
}

function parseHeaderNumber(header: HttpHeaders[string]): number | null {
  const text = readHeader(header);
  return /^[+-]?\d+(?:\.\d*)?$/.test(text) ? Number(text) : null;
}

/** All three HTTP date formats start with the day's name; without this check "1 2" would be a date. */
function parseHeaderDate(header: HttpHeaders[string], now: number): number | null {
  const text = readHeader(header);
  if (!/^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)/.test(text)) return null;
  const time = Date.parse(text.endsWith("GMT") ? text : `${text} GMT`);
  return Number.isNaN(time) ? null : time - now;
}

/** A trimmed header value: the first if there are several, "" if absent. */
export function readHeader(header: HttpHeaders[string]): string {
  return (typeof header === "string" ? header : (header?.[0] ?? "")).trim();
}
