/** What may stand between the verb and the digits of a number. */
const DRESS =
  /(?:\\(?:text|textbf|mathbf|boldsymbol|underline|mathrm|displaystyle|boxed|left|bf|color\{\w+\})\s?\{?|\\[([]|\\[,;! ]|[([{*_`"'“”「\s]|\$\$?(?=\s?[\\a-zA-Z*\d.-])|[a-zA-Z](?:_\{?\w\}?)?\s?=|\(?[A-Ea-e]\)\s)/y;
const MAX_DRESS = 8;

/** Past what only dresses a number: brackets, bold marks, `\text{`, `x =`. */
export function undressed(text: string, start: number): number {
  let at = start;
  for (let step = 0; step < MAX_DRESS; step++) {
    DRESS.lastIndex = at;
    const length = DRESS.exec(text)?.[0].length ?? 0;
    if (length === 0) break;
    at += length;
  }
  return at;
}

const MINUS = /^\s-[a-zA-Z(]/;
/** A cell of a table has spaces in it. */
const ABSOLUTE = /^[\s*\p{Script=Han}]\|\S(?:[^|\n]{0,80}\S)?\|/u;

/** Where a formula begins whose first sign was taken for a mark: "the answer is -q + p", "the answer is |x - 3|". */
export function withMark(text: string, start: number): number {
  const from = text.slice(Math.max(0, start - 2), start + 100);
  return start > 1 && (MINUS.test(from) || ABSOLUTE.test(from)) ? start - 1 : start;
}
