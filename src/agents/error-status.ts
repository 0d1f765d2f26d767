/** How programs write the status of an answer into the text of an error: the surest way first. */
const WRITTEN = [
  /"(?:code|status|statusCode)"\s*:\s*([45]\d\d)\b/,
  /\b(?:status(?: code)?|HTTP|error code)\s*[:=]?\s*([45]\d\d)\b/i,
  /^\W*(?:Error:\s*)?([45]\d\d)\b/,
];

/** The names that an API gives to statuses, in errors that hold no number. */
const NAMED: readonly (readonly [RegExp, number])[] = [
  [/UNAUTHENTICATED|authentication_error|invalid_api_key/, 401],
  [/PERMISSION_DENIED|permission_error/, 403],
  [/NOT_FOUND|not_found_error/, 404],
  [/RESOURCE_EXHAUSTED|rate_limit_error|rate_limit_exceeded/, 429],
  [/overloaded_error/, 529],
  [/UNAVAILABLE/, 503],
  [/"INTERNAL"|api_error|server_error/, 500],
];

/**
 * The status of a model's endpoint that the text of an error tells; null when it tells none.
 * @example
 * statusIn('401: {"message":"wrong key"}'); // 401
 * statusIn("fetch failed"); // null
 */
export function statusIn(message: string): number | null {
  for (const pattern of WRITTEN) {
    const status = pattern.exec(message)?.[1];
    if (status !== undefined) return Number(status);
  }
  return NAMED.find(([name]) => name.test(message))?.[1] ?? null;
}
