import type { InfrastructureCategory } from "../../core/errors.js";

const WORDS: readonly (readonly [InfrastructureCategory, RegExp])[] = [
  ["rate_limit", /\b429\b|rate.?limit|too many requests|throttl/i],
  ["timeout", /timed?.?out|deadline exceeded/i],
  [
    "api_error",
    /\b[45]\d\d\b|\bapi\b|\bhttp|econn|enotfound|epipe|socket|network|fetch failed|quota|unauthori[sz]ed|forbidden|overloaded|unavailable|credit/i,
  ],
];

/** Words at the start of a message say what it is about; what follows may be a whole page. */
const READ_CHARS = 2000;

/**
 * What kind of failure a message tells of; other tools write down no more than that.
 * @example
 * categoryOfError("Request failed with status 429"); // "rate_limit"
 */
export function categoryOfError(message: string): InfrastructureCategory {
  const start = message.slice(0, READ_CHARS);
  return WORDS.find(([, words]) => words.test(start))?.[0] ?? "system_error";
}
