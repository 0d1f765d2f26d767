/** "Step 3", "Case 2": the name of a part of a solution. */
const NAMED = /\b(?:step|case|example|question|problem|equation|method|section|figure|attempt)\s(?:no\.\s?|#)?$/i;
/** "GPT-4": the name of a thing. */
const HYPHENED = /\p{Lu}[\p{L}\d]*-$/u;
const LINE_START = /(?:^|\n)[ \t#>*_(-]{0,12}$/;
const MARK = /^\*{0,2}[.):]\*{0,2}(?=\s|$)/;
const MAX_LIST = 5000;
const NEAR = 40;

/** Whether a number of a text only counts or names its parts: the mark of a list, "Step 3", "(2) the price". */
export function isListMark(text: string, start: number, end: number): boolean {
  const before = text.slice(Math.max(0, start - NEAR), start);
  if (NAMED.test(before) || HYPHENED.test(before)) return true;
  const digits = text.slice(start, end).replace(/[()]/g, "");
  if (!/^\d{1,2}$/.test(digits)) return false;
  const behind = text.slice(end, end + NEAR);
  const list = text.slice(Math.max(0, start - MAX_LIST), start);
  const previous = Number(digits) - 1;
  if (text[start] === "(" || before.endsWith("(")) {
    const isFollowed = /^\)?\s\p{L}/u.test(behind);
    return isFollowed && (previous === 0 || list.includes(`(${previous})`));
  }
  if (!LINE_START.test(before) || !MARK.test(behind)) return false;
  const isFirst = previous === 0 && /^\S{1,5}[ \t]+\S/.test(behind);
  return isFirst || new RegExp(`(?:^|\\n)[ \\t#>*_(-]{0,12}${previous}\\*{0,2}[.):]`).test(list);
}
