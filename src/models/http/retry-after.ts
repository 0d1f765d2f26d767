/** Headers as in Node, with lower-case names. */
export type Headers = Readonly<Record<string, string | readonly string[] | undefined>>;

/** Longer requested waits are capped, so that a typo in a server does not stop a run for days. */
const LONGEST_MS = 60 * 60 * 1000;

/**
 * The wait that a server requests, in milliseconds: `retry-after-ms`, or `retry-after` in seconds or as a date. Null if
 * absent or invalid.
 * @example
 * parseRetryAfter({ "retry-after": "1.5" }, Date.now()); // 1500
 */
export function retryAfterMs(headers: Headers, now: number): number | null {
  return wait(number(headers["retry-after-ms"])) ?? afterSecondsOrDate(headers["retry-after"], now);
}

function afterSecondsOrDate(header: Headers[string], now: number): number | null {
  const seconds = number(header);
  return seconds === null ? wait(dateOf(header, now)) : wait(seconds * 1000);
}

function wait(ms: number | null): number | null {
  return ms === null || ms < 0 ? null : Math.min(Math.ceil(ms), LONGEST_MS);
}

function number(header: Headers[string]): number | null {
  const text = readHeader(header);
  return /^[+-]?\d+(?:\.\d*)?$/.test(text) ? Number(text) : null;
}

/** All three HTTP date formats start with the day's name; without this check "1 2" would be a date. */
function dateOf(header: Headers[string], now: number): number | null {
  const text = readHeader(header);
  if (!/^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)/.test(text)) return null;
  const time = Date.parse(text.endsWith("GMT") ? text : `${text} GMT`);
  return Number.isNaN(time) ? null : time - now;
}

/** A trimmed header value: the first if there are several, "" if absent. */
export function readHeader(header: Headers[string]): string {
  return (typeof header === "string" ? header : (header?.[0] ?? "")).trim();
}
