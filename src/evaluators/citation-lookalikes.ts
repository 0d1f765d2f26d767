/** Where a mark stands in its text. */
export interface Place {
  text: string;
  start: number;
  end: number;
}

const CODE = /```[\s\S]*?```|`[^`\n]{1,1000}`/g;
/** What a bracket can be an index of. */
const INDEXED = /(?:[A-Za-z_$][\w$.]{0,60}|[\])])$/;
/** Names that no word of a sentence is, maybe with an index already: a small letter, with an underscore, of programs. */
const NAME_OF_CODE = /(?:^|[^\w.’'-])(?:[b-z]|\w*_\w*|arr|nums|argv|args|vec|lst|dict|tuple)(?:\[\w{1,9}\]){0,4}$/;
const OPERATION = /^\s?(?:[-+*/%]?=(?!>)|\+\s?[\w([])|^\.[a-z]+\(/;
const NUMBER = /^\[(\d{1,9})\]$/;

/** Tells whether a place is in code: in a fence, or between backticks. Places are asked for from left to right. */
export function spansOfCode(text: string): (place: number) => boolean {
  const spans = text.matchAll(CODE);
  let next = spans.next();
  return (place) => {
    while (!next.done && next.value.index + next.value[0].length <= place) next = spans.next();
    return !next.done && next.value.index <= place;
  };
}

/**
 * Whether a number in square brackets is an index, as in x[0]: it stands directly behind a name, in code, or behind one
 * that is none of a sentence's words, or is computed with.
 */
export function isIndex({ text, start, end }: Place, isCode: boolean, golds: ReadonlySet<string>): boolean {
  const number = NUMBER.exec(text.slice(start, Math.min(end, start + 12)))?.[1];
  const before = text.slice(Math.max(0, start - 64), start);
  if (number === undefined || !INDEXED.test(before)) return false;
  if (isCode || NAME_OF_CODE.test(before)) return true;
  return (Number(number) === 0 && !golds.has("0")) || OPERATION.test(text.slice(end, end + 32));
}

/** Behind these a raised number is a citation: a sentence's mark or a word; behind a digit, a unit or a bracket, a power. */
const WORD = /[.,;:!?"”’»\]]\s?$|\p{L}{3}$/u;
const FUNCTION = /(?:sin|cos|tan|log|sec|min|exp)$/;

/** Whether a raised number is a power, as in x², 10³ or cm². */
export function isPower({ text, start }: Place): boolean {
  const before = text.slice(Math.max(0, start - 8), start).trimEnd();
  return !WORD.test(before) || FUNCTION.test(before);
}
