const MAX_BEFORE = 200;
const MAX_BEHIND = 60;
/** "I hope this answer is helpful", "if the correct answer is A", "the wrong answer is": nothing is announced. */
const REFUSED =
  /\b(?:this|that|your|he|she|it|they|who|hope|hope that the|sure the|confirm the|check the|wrong|incorrect)(?: final| correct)? $/i;
const SUPPOSED =
  /\b(?:if|whether|suppose|supposing|assume|assuming|unless)(?: that)?(?: (?:the|your|my|our|this|that|an?|any))*(?: (?:final|correct|best|right|true))? $/i;
/** "If it was about Italy, …"; but "if I had to choose, the answer would be A" chooses. */
const CONDITION_BEFORE =
  /^\W{0,4}(?:but |and |however,? )?(?:if(?! (?:(?:i|we) (?:had|have|must|were)|forced|asked|pressed|required)\b)[^\n]*\b(?:were|was|had|did|instead|asked|meant|wanted|(?:were|was|did)n['’]t)\b|had\b|were\b)/i;
const WOULD = /\b(?:would|could|might)\b/i;
const CONDITION_BEHIND = /^[^.;!?\n]{0,40}?\bif\b/i;

/**
 * Whether a text only supposes its answer: "if the answer were A", "the answer would be A if …". What stands in another
 * sentence or on another line does not make it so.
 */
export function isHypothetical(text: string, noun: number, answer: number): boolean {
  const before = sentenceBefore(text, noun);
  if (REFUSED.test(before) || SUPPOSED.test(before)) return true;
  if (!WOULD.test(text.slice(noun, answer))) return false;
  return CONDITION_BEFORE.test(before) || CONDITION_BEHIND.test(text.slice(answer, answer + MAX_BEHIND));
}

/** The sentence that ends here, without what stands on lines before. */
function sentenceBefore(text: string, end: number): string {
  const window = text.slice(Math.max(0, end - MAX_BEFORE), end);
  const line = window.slice(window.lastIndexOf("\n") + 1);
  const ends = [...line.matchAll(/[.;:!?](?=\s)|[。！？।]/g)];
  return line.slice((ends.at(-1)?.index ?? -1) + 1);
}
