const ESCAPE = /\\(?:u(d[89a-f][0-9a-f]{2})|.)/g;

/**
 * JSON that DuckDB reads as well. It refuses half a character, such as a text ends with that was cut in the middle of an
 * emoji: that is U+FFFD then, as everywhere a text is written as UTF-8.
 * @example
 * strictJson("cut \ud83d"); // '"cut \\ufffd"'
 */
export function strictJson(value: unknown): string {
  return JSON.stringify(value).replace(ESCAPE, (whole, half?: string) => (half === undefined ? whole : "\\ufffd"));
}
