/** A calculation between numbers without its "=". */
const CALCULATION =
  /\broot of\b|\d[\s)%$]*(?:[-–−+*/×÷^]|\\times|\\cdot|\\div|\bx\b|\btimes\b|\bplus\b|\bminus\b|\bdivided by\b|\bchoose\b|(?<=% ?)of\b)[\s($]*\d/;
/** The result was written, or the clause continues with a reason. */
const GOES_ON = /[=≈\n]|\b(?:because|since|as)\b/i;
const RESULT =
  /[,;]?\s(?:(?:which|that|and this|and that|this|it)\s(?:is|equals|gives|makes|results in|(?:comes|adds|works)(?: out)? to|simplifies to|evaluates to)|equals|gives)(?:\s(?:equal to|exactly|then|therefore|simply|also))?[\s:]/i;

/**
 * The result of a calculation that is stated in words: "452" of "676 - 224, which is 452". Other clauses, and those
 * with a result after "=", are returned unchanged.
 * @example
 * findCalculationResult("676 - 224, which is 452."); // "452."
 */
export function findCalculationResult(clause: string): string {
  const result = RESULT.exec(clause);
  if (result === null) return clause;
  const before = clause.slice(0, result.index);
  if (!CALCULATION.test(before) || GOES_ON.test(before)) return clause;
  return clause.slice(result.index + result[0].length).trimStart();
}
