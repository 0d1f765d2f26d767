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

/** Where a formula begins whose minus was taken for a dash: "the answer is -q + p". */
export function withMinus(text: string, start: number): number {
  return /^\s-[a-zA-Z(]$/.test(text.slice(start - 2, start + 1)) ? start - 1 : start;
}
