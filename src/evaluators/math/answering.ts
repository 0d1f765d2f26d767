import { isRetracted } from "../stated-answer/index.js";
import type { TokenOptions } from "./number-token.js";
import { type Quantity, quantitiesIn } from "./quantities.js";

/** "It is not 18", "it can't be 18", "20 rather than 18". */
const DENIED_BEFORE =
  /(?:\bnot|n['’]t|\bcannot|\bnever|\brather than|\binstead of|\bother than)(?:\s(?:be|been|have|is|equals?|to|simply|just|actually|really|exactly|the|answer|an?))*[\s$*_"'“(\\]*$/i;
/** "18 is wrong", "18 eggs is not the answer". */
const DENIED_BEHIND =
  /^[\s*_$"'”)]*(?:\p{L}+\s){0,2}(?:(?:is|are|was|were|would be|must be)\s(?:clearly |definitely |therefore |thus |also |simply )?(?:wrong|incorrect|false|impossible|not)|(?:isn|aren|wasn|can)['’]t|cannot)\b(?!\s(?:only|just)\b)(?!\s\p{L}+ing\b)/iu;
/** "She has more than 6": another number. "No more than 6" may be asked for, as "at least 6" may. */
const COMPARED =
  /\b(?<!\b(?:no|not)\s)(?:more|less|fewer|greater|larger|smaller|higher|lower|bigger|longer|shorter|older|younger) than(?: or equal to)?[\s$*_(\\]*$/i;
const BEFORE = 80;

/** The numbers and formulas of a sentence that it may answer with. */
export function answersIn(sentence: string, options: TokenOptions = {}): Quantity[] {
  return quantitiesIn(sentence, options).filter(
    (quantity) => isAnswer(quantity) && !isDenied(sentence, quantity) && !isCompared(sentence, quantity),
  );
}

/** A time such as 3:30 is neither a number nor a formula. */
function isAnswer({ values, isFormula }: Quantity): boolean {
  return values.length > 0 || isFormula;
}

/** Whether a sentence says that a number is not what is asked for. */
function isDenied(sentence: string, { from, end }: Quantity): boolean {
  return (
    DENIED_BEFORE.test(sentence.slice(Math.max(0, from - BEFORE), from)) ||
    DENIED_BEHIND.test(sentence.slice(end, end + BEFORE)) ||
    isRetracted(sentence.slice(end, end + BEFORE))
  );
}

function isCompared(sentence: string, { from }: Quantity): boolean {
  return COMPARED.test(sentence.slice(Math.max(0, from - BEFORE), from));
}
