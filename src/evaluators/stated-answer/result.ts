/** A calculation between numbers that has not come to its "=" yet. */
const CALCULATION =
  /\broot of\b|\d[\s)%$]*(?:[-–−+*/×÷^]|\\times|\\cdot|\\div|\bx\b|\btimes\b|\bplus\b|\bminus\b|\bdivided by\b|\bchoose\b|(?<=% ?)of\b)[\s($]*\d/;
/** The result was written, or the clause has gone on to give a reason. */
const GOES_ON = /[=≈\n]|\b(?:because|since|as)\b/i;
const RESULT =
  /[,;]?\s(?:(?:which|that|and this|and that|this|it)\s(?:is|equals|gives|makes|results in|(?:comes|adds|works)(?: out)? to|simplifies to|evaluates to)|equals|gives)(?:\s(?:equal to|exactly|then|therefore|simply|also))?[\s:]/i;

/**
 * What a stated calculation comes to in words: "452" of "676 - 224, which is 452". A clause that does not calculate, or
 * writes its result behind "=", is given back as it is.
 * @example
 * findResult("676 - 224, which is 452."); // "452."
 */
export function findResult(clause: string): string {
  const result = RESULT.exec(clause);
  if (result === null) return clause;
  const before = clause.slice(0, result.index);
  if (!CALCULATION.test(before) || GOES_ON.test(before)) return clause;
  return clause.slice(result.index + result[0].length).trimStart();
}
