const REFUSAL =
  /\b(?:can(?:not|['’]t| not)|could(?: not|n['’]t)|(?:un|not )able to|(?:im|not )possible to)(?: be)? (?:\w+ )?(?:answer|help|solve|determine|find|calculate|compute|tell|say|know|provide|give)|(?:\bnot enough|n['’]t enough|\binsufficient|\bno) (?:information|data|details|context)|\b(?<!\b(?:the|an|each|one) )(?:unknown|undetermined|indeterminate|unclear)(?=\s*(?:[.;:!]|$))/gi;
const CONCLUSION = /[=≈]|\b(?:but|however|so|thus|therefore|hence|assum\w+|if|then|total|must)\b/i;
const MAX_REFUSAL = 600;

/** Whether a short text only says why it gives no answer: its numbers are those of the question. */
export function isRefusal(text: string): boolean {
  if (text.length > MAX_REFUSAL) return false;
  const last = [...text.matchAll(REFUSAL)].at(-1);
  return last !== undefined && !CONCLUSION.test(text.slice(last.index + last[0].length));
}

const UNKNOWN = /^[\s*_"'“(]*(?:unknown|undetermined|indeterminate|undefined|unclear|not known)\b/i;

/** Whether a stated answer begins by saying that there is none: "unknown; 37 apples were given". */
export function isUnknown(stated: string): boolean {
  return UNKNOWN.test(stated);
}
