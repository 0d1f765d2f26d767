/** A formula between the marks of formulas, `$…$` or `\(…\)`, or in an environment such as `\begin{pmatrix}`. */
export interface Span {
  readonly content: string;
  readonly start: number;
  readonly end: number;
}

// A dollar sign before a digit is money and closes nothing, nor does one behind a space unless a space follows the
// one that opened.
const SPAN = new RegExp(
  [
    "\\$\\$(?<display>[^$]{1,1500})\\$\\$",
    "\\$(?=\\S)(?<inline>[^$\\n]{0,799}[^$\\s\\\\])\\$(?!\\d)",
    "\\$\\s(?<spaced>[^$\\n]{1,798})\\s\\$(?!\\d)",
    "\\\\\\((?<round>[\\s\\S]{1,800}?)\\\\\\)",
    "\\\\\\[(?<square>[\\s\\S]{1,1500}?)\\\\\\]",
    "(?<environment>\\\\begin\\{(?<name>[a-zA-Z]{3,12}\\*?)\\}[\\s\\S]{1,1500}?\\\\end\\{\\k<name>\\})",
  ].join("|"),
  "g",
);

/** The formulas of a text that are marked as such, in order. */
export function spansIn(text: string): Span[] {
  if (!/[$\\]/.test(text)) return [];
  return [...text.matchAll(SPAN)].map(({ 0: whole, index, groups = {} }) => ({
    content:
      groups.display ?? groups.inline ?? groups.spaced ?? groups.round ?? groups.square ?? groups.environment ?? "",
    start: index,
    end: index + whole.length,
  }));
}
