import type { Outcome } from "../../core/row.js";

/** Whether a trial ended badly: a failed check or an error. */
export function isFailedOutcome(outcome: Outcome): boolean {
  return outcome === "fail" || outcome === "error";
}

/** Whether a trial stands for its example better than another: failed ones first, then by number. */
export function isShownBefore(a: { outcome: Outcome; trial: number }, b: { outcome: Outcome; trial: number }): boolean {
  const [x, y] = [isFailedOutcome(a.outcome), isFailedOutcome(b.outcome)];
  return x === y ? a.trial < b.trial : x;
}

const MAX_EXCERPT_LENGTH = 200;
/** Examples of one request for excerpts. */
export const MAX_EXCERPT_EXAMPLES = 50;
/** Trials of one request for excerpts: their names must fit in an address. */
export const MAX_EXCERPT_TRIALS = 20;

/** The beginning of a text, without half of a character. */
export function cutExcerpt(text: string): string {
  if (text.length <= MAX_EXCERPT_LENGTH) return text;
  return `${text.slice(0, MAX_EXCERPT_LENGTH).replace(/[\uD800-\uDBFF]$/, "")} …`;
}
