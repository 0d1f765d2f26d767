import { type Fields, fieldsOf } from "./fields.js";

/**
 * A body with what the user adds to it: objects are merged, everything else replaced, and null removes a key.
 * @example
 * withExtra({ max_tokens: 5 }, { max_tokens: null, max_completion_tokens: 5 }); // { max_completion_tokens: 5 }
 */
export function withExtra(body: Record<string, unknown>, extra: Fields | undefined): Record<string, unknown> {
  if (extra === undefined) return body;
  const merged = { ...body };
  for (const [key, value] of Object.entries(extra)) {
    const [ours, theirs] = [fieldsOf(merged[key]), fieldsOf(value)];
    if (value === null) delete merged[key];
    else merged[key] = ours !== null && theirs !== null ? withExtra({ ...ours }, theirs) : value;
  }
  return merged;
}

/** The fields whose value is there. */
export function present(fields: Fields): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}
