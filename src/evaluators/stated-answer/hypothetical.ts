const MAX_BEFORE = 200;
const MAX_CONDITION_BEHIND = 60;
/**
 * "I hope this answer is helpful", "if the correct answer is A", "the wrong answer is": nothing is announced. "Your
 * answer:" at the start of a line is a form that was filled in.
 */
const REFUSED =
  /\b(?:this|that|(?<=\w )your|he|she|it|they|who|hope|hope that the|sure the|confirm the|check the|wrong|incorrect)(?: final| correct)? $/i;
const SUPPOSED =
  /\b(?:if|whether|suppose|supposing|assume|assuming|unless)(?: that)?(?: (?:the|your|my|our|this|that|an?|any))*(?: (?:final|correct|best|right|true))? $/i;
/** "If I had to choose, the answer would be A" chooses. */
const IF = "(?:but |and |however,? )?(?:if(?! (?:(?:i|we) (?:had|have|must|were)|forced|asked|pressed|required)\\b)";
/** "If it was about Italy, …", "if the text mentioned it, …"; but "if both are combined, the answer would be A" answers. */
const CONDITION_BEFORE = new RegExp(
  `^\\W{0,4}${IF}[^\\n]*\\b(?:were|was|had|did|said|told|instead|meant|(?:were|was|did)n['’]t|(?<!\\b(?:if|is|are|be|been|has|have|the|an?) )[a-z]{2,}[^\\We]ed)\\b|had\\b|were\\b)`,
  "i",
);
/** "If it was about Italy, it would be", without the noun. */
const COUNTERFACTUAL = new RegExp(`(?:^|[.;!?:\\n] ?)${IF}|had|were)\\b[^.;!?\\n]*\\bwould\\b[^.;!?\\n]*$`, "i");
const ANNOUNCED =
  "(?: that)?(?: (?:the|your|my|our|this|that|it|an?|any))*(?: (?:final|correct|best|right|true|only))*(?: (?:option|choice|answer))?(?:['’]s| is| was| would be| must be)?(?: (?:option|choice))? $";
/** "I don't think the answer is A", "I doubt that the answer is A", "the least likely answer is A". */
const DOUBTED = new RegExp(
  `(?:(?:\\bnot|\\bnever|\\bcannot|n['’]t)(?: \\w+){0,2}? (?:think|believe|say|sure|certain|convinced|agree|confirm|conclude|guarantee|clear|likely|mean|feel)|(?<!\\b(?:no|any|without|beyond|little|not)(?: an?)? )\\bdoubt(?:s|ed|ful)?|\\b(?:unlikely|unsure|uncertain|disagree))${ANNOUNCED}|\\bleast \\w+(?: correct)? $`,
  "i",
);
/** "Some textbooks say that the answer is A", "one might think the answer is A": it is the answer of others. */
const OTHERS = new RegExp(
  `\\b(?:(?:students?|people|textbooks?|sources?|authors?|others|readers?|many|some|test[- ]takers?)(?: (?!would\\b)\\w+){0,3}?|(?:one|you|someone) (?:might|may|could)(?: \\w+){0,3}?|tempt(?:ed|ing) to) (?:say|think|believe|choose|pick|select|argue|claim|assume|answer|state|guess|expect)(?:s|ed)?${ANNOUNCED}`,
  "i",
);
const WOULD = /\b(?:would|could|might)\b/i;
const CONDITION_BEHIND = /^[^.;!?\n]{0,40}?\bif\b/i;

/**
 * Whether a text only supposes its answer: "if the answer were A", "the answer would be A if …". Other sentences
 * and lines do not matter.
 */
export function isHypothetical(text: string, noun: number, answer: number): boolean {
  const before = getSentenceBefore(text, noun);
  if (REFUSED.test(before) || SUPPOSED.test(before)) return true;
  if (!WOULD.test(text.slice(noun, answer))) return false;
  return CONDITION_BEFORE.test(before) || CONDITION_BEHIND.test(text.slice(answer, answer + MAX_CONDITION_BEHIND));
}

/** Whether the text before describes another condition: "if the man were asleep, this would be". */
export function isCounterfactual(before: string): boolean {
  return COUNTERFACTUAL.test(before);
}

const RETRACTION =
  /^(?:[^\n.!?]|[.!?](?=\S)){0,100}[.!?…]+["'”)*]*\s+(?:(?:wait|hmm+|oh|oops|no|hold on|actually|sorry|but)[\s,.!…–—-]+){1,4}(?:(?:that|this|it|i)(?:['’]s|['’]m| is| was| am| made)?\s+)?(?:(?:an? |clearly |definitely )?(?:wrong|incorrect|mistaken?)|not (?:right|correct)|(?:isn['’]t|can['’]t be|cannot be) (?:right|correct))\b/i;

/** Whether what follows an answer retracts it: "Wait, no, that is wrong." */
export function isRetracted(behind: string): boolean {
  return RETRACTION.test(behind);
}

/** Whether the text before doubts what follows, or attributes it to others. */
export function isDoubted(text: string, at: number): boolean {
  const before = `${getSentenceBefore(text, at).trimEnd()} `;
  return DOUBTED.test(before) || OTHERS.test(before);
}

/** The sentence that ends here, without earlier lines. */
function getSentenceBefore(text: string, end: number): string {
  const window = text.slice(Math.max(0, end - MAX_BEFORE), end);
  const line = window.slice(window.lastIndexOf("\n") + 1);
  const ends = [...line.matchAll(/[.;:!?](?=\s)|[。！？।]/g)];
  return line.slice((ends.at(-1)?.index ?? -1) + 1);
}
