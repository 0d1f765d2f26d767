/** A formula between the marks of formulas, `$…$` or `\(…\)`, or in an environment such as `\begin{pmatrix}`. */
export interface Span {
  readonly content: string;
  readonly start: number;
  readonly end: number;
}

// A dollar sign behind a number is money and opens nothing, one before a digit closes nothing, nor does one behind a
// space unless a space follows the one that opened.
const SPAN = new RegExp(
  [
    "\\$\\$(?<display>[^$]{1,1500})\\$\\$",
    "(?<!\\d\\s?)\\$(?=\\S)(?<inline>[^$\\n]{0,799}[^$\\s\\\\])\\$(?!\\d)",
    "(?<!\\d\\s?)\\$\\s(?<spaced>[^$\\n]{1,798})\\s\\$(?!\\d)",
    "\\\\\\((?<round>[\\s\\S]{1,800}?)\\\\\\)",
    "\\\\\\[(?<square>[\\s\\S]{1,1500}?)\\\\\\]",
    "(?<environment>\\\\begin\\{(?<name>[a-zA-Z]{3,12}\\*?)\\}[\\s\\S]{1,1500}?\\\\end\\{\\k<name>\\})",
  ].join("|"),
  "g",
);

/** The formulas of a text that are marked as such, in order. */
export function spansIn(text: string): Span[] {
  if (!/[$\\]/.test(text)) return [];
  const spans: Span[] = [];
  const pattern = new RegExp(SPAN);
  for (let match = pattern.exec(text); match !== null; match = pattern.exec(text)) {
    const { display, inline, spaced, round, square, environment } = match.groups ?? {};
    const content = display ?? inline ?? spaced ?? round ?? square ?? environment ?? "";
    const isMoney = (inline ?? spaced) !== undefined && isProse(content);
    if (isMoney) pattern.lastIndex = match.index + 1;
    else spans.push({ content, start: match.index, end: match.index + match[0].length });
  }
  return spans;
}

const NO_PROSE = /\\(?:text|textbf|textrm|textit|mathrm|mbox|operatorname)\s?\{[^{}]*\}|\\[a-zA-Z]+/g;

/** Words between two dollar signs, "$5 for each of the 3 and $", tell that these are money. */
function isProse(content: string): boolean {
  return (content.replace(NO_PROSE, " ").match(/\p{L}{3,}/gu) ?? []).length >= 2;
}
