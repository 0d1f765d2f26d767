import { ASIDE, LINK, NOUN, REVERSED, SHORT_NOUN } from "./words.js";

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
function isHypothetical(text: string, noun: number, answer: number): boolean {
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

/** Texts with more announcements are not searched further back. */
const MAX_STATED = 100;
/** How far after an answer a retraction is looked for. */
const MAX_BEHIND = 200;

const TAG = /(?:<(?:final[_ -]?)?(?:answer|ans)>|\[(?:final[_ -]?)?answer\])\s*/gi;
const CLOSING_TAG = /<\/(?:final[_ -]?)?(?:answer|ans)>|\[\/(?:final[_ -]?)?answer\]/gi;
const IN_TAG = /(?:<\/?|\[\/)(?:final[_ -]?)?$/i;
const BOX = /\\(?:boxed|fbox|framebox)\s?\{?/g;
/** A response that continues a prompt ending in "Answer". */
const OPENING_COLON = /^\s*[:：]\s*(?=\S)/;
/** A response whose first line is followed by an explanation. */
const EXPLAINED =
  /^\s*(?=\S[^\n]{0,80}\n[\s*_#>]{1,12}(?:explanation|reasoning|reason|justification|rationale|solution|steps|working|here['’]s (?:how|why)|why)\b)/i;
/** "not (A) but (B)", "not A; it is B". */
const CORRECTION = /not\b[^.\n]{1,80}?(?:\bbut(?: rather)?|[;,] (?:rather|instead|it is|it['’]s))\s+/iy;
const DENIAL = /not\b/iy;

/**
 * Finds where a text states its final answer, last first: in <answer> tags, in \boxed, after "Answer:", "the answer
 * is" or a heading, in many languages. Suppositions ("if the answer is …") are skipped. Callers read what
 * follows, and try the next place if it is not the kind of answer they look for.
 * @example
 * const text = "One and two is three. So the answer is 3.";
 * text.slice(findStatedAnswers(text)[0]?.start); // "3."
 */
export function findStatedAnswers(text: string, options: FindAnswerOptions = {}): StatedAnswer[] {
  const last = text.trimEnd().length;
  const found = [
    ...findTaggedAnswers(text),
    ...findNamedAnswers(text, options),
    ...findBoxedAnswers(text),
    ...findOpeningAnswer(text),
  ];
  const ofStart = new Map<number, StatedAnswer>();
  for (const stated of found) {
    // "The answer is \boxed{4}" and "<answer>Answer: 4</answer>" are one answer each.
    if (stated.from < Math.min(last, stated.end) && !ofStart.has(stated.from)) ofStart.set(stated.from, stated);
  }
  return [...ofStart.values()].sort((a, b) => b.from - a.from).slice(0, MAX_STATED);
}

/** Where a text calls what precedes it the answer, "24 is the answer"; -1 if it does not. */
export function findReversedAnswer(text: string): number {
  let last = -1;
  for (const { index } of text.matchAll(REVERSED)) last = index;
  return last;
}

function findOpeningAnswer(text: string): StatedAnswer[] {
  const from = (OPENING_COLON.exec(text) ?? EXPLAINED.exec(text))?.[0].length;
  return from === undefined
    ? []
    : [{ from, start: from, end: text.length, by: "colon", isFinal: false, isDenied: false }];
}

function findNamedAnswers(text: string, { names, isShortNameKnown = false }: FindAnswerOptions): StatedAnswer[] {
  const nouns = [NOUN, ...(isShortNameKnown ? [SHORT_NOUN] : [])].flatMap((pattern) => findNouns(text, pattern));
  const others = names === undefined ? [] : findNouns(text, names);
  // "Option B" alone announces nothing, unlike "Answer B".
  const linked = others.flatMap((noun) => readNoun(text, noun)).filter(({ by }) => by !== "space");
  return [...nouns.flatMap((noun) => readNoun(text, noun)), ...linked];
}

function findNouns(text: string, pattern: RegExp): AnswerNoun[] {
  return findLastMatches(text, pattern).map(({ index, 0: noun, groups }) => ({
    at: index,
    end: index + noun.length,
    isFinal: groups?.final !== undefined,
  }));
}

function readNoun(text: string, noun: AnswerNoun): StatedAnswer[] {
  if (IN_TAG.test(text.slice(Math.max(0, noun.at - 8), noun.at))) return [];
  const followed = followNoun(text, noun);
  if (isHypothetical(text, noun.at, followed.start)) return [];
  const stated = { ...followed, end: text.length, isFinal: noun.isFinal, isDenied: false };
  const isTakenBack = isRetracted(text.slice(followed.start, followed.start + MAX_BEHIND));
  return [isDoubted(text, noun.at) || isTakenBack ? { ...stated, isDenied: true } : applyCorrection(text, stated)];
}

function applyCorrection(text: string, stated: StatedAnswer): StatedAnswer {
  const corrected = skipPattern(CORRECTION, text, stated.from);
  if (corrected > stated.from) return { ...stated, from: corrected, start: corrected };
  return { ...stated, isDenied: skipPattern(DENIAL, text, stated.from) > stated.from };
}

function findBoxedAnswers(text: string): StatedAnswer[] {
  return findLastMatches(text, BOX).map(({ index, 0: mark }) => ({
    from: index,
    start: index + mark.length,
    end: text.length,
    by: "box",
    isFinal: true,
    isDenied: false,
  }));
}

function findTaggedAnswers(text: string): StatedAnswer[] {
  const closings = findLastMatches(text, CLOSING_TAG).map(({ index }) => index);
  return findLastMatches(text, TAG).map(({ index, 0: tag }) => {
    const from = index + tag.length;
    const end = closings.find((at) => at >= from) ?? text.length;
    return { from, start: from, end, by: "tag", isFinal: true, isDenied: false };
  });
}

/** Only the last ones: a megabyte may hold nothing but matches. */
function findLastMatches(text: string, pattern: RegExp): RegExpExecArray[] {
  const found: RegExpExecArray[] = [];
  for (const match of text.matchAll(pattern)) {
    found.push(match);
    if (found.length > 2 * MAX_STATED) found.splice(0, MAX_STATED);
  }
  return found;
}

/** A place that names the answer. */
interface AnswerNoun {
  readonly at: number;
  readonly end: number;
  readonly isFinal: boolean;
}

const MAX_LINKS = 24;
/** Marks that close around the noun: **Answer**, "answer". */
const CLOSING = /[*_"'`)\]]{0,4}/y;
/** Between a verb or colon and its answer. No minus, which may belong to a number, and no mark that opens bold text. */
const MARKS = /(?:[\s:：=,]|[*_]{1,3}(?=\s|$)|```[\w-]{0,20}[ \t]*\n)+/y;
/** The noun alone on its line is a heading. */
const HEADING_LEFT = /(?:^|\n)[ \t#*_>-]{0,10}(?:(?:final|correct|my|the|your)\s){0,2}$/i;
const HEADING_RIGHT = /[ \t*_#]{0,8}\r?\n/y;
const MAX_HEADING = 40;

/** Skips verb, colon, remarks and filler words between the noun and the answer. */
function followNoun(text: string, noun: AnswerNoun): Pick<StatedAnswer, "from" | "start" | "by"> {
  const aside = skipPattern(ASIDE, text, noun.end);
  const closed = aside > noun.end ? aside : skipPattern(CLOSING, text, noun.end);
  const isVerbSkipped = aside > noun.end && /\p{L}$/u.test(text.slice(noun.end, aside));
  let by: StatedAnswer["by"] = isVerbSkipped ? "verb" : "space";
  let from = closed;
  let start = aside;
  let isOpen = true;
  for (let step = 0; step < MAX_LINKS; step++) {
    LINK.lastIndex = start;
    const match = LINK.exec(text);
    if (match === null) break;
    const { copula, colon } = match.groups ?? {};
    const isLinking = copula !== undefined || colon !== undefined;
    // Words of the answer may look like links: only what directly continues "is" or ":" moves its beginning.
    if (isLinking && isOpen && (by === "space" || isBlankBetween(text, from, start))) from = start + match[0].length;
    if (colon !== undefined) isOpen = false;
    if (copula !== undefined && by === "space") by = "verb";
    else if (colon !== undefined && by === "space") by = "colon";
    start += match[0].length;
  }
  if (by === "space" && isAnswerHeading(text, noun)) by = "colon";
  from = skipPattern(MARKS, text, from);
  // A text that ends in such words consists of them: "The answer is: are be is".
  const isAnswered = start < text.length || from >= start;
  return { from, start: isAnswered ? Math.max(from, start) : from, by };
}

function isBlankBetween(text: string, from: number, to: number): boolean {
  return to - from < 10 && /^[\s*_]*$/.test(text.slice(from, to));
}

function isAnswerHeading(text: string, { at, end }: AnswerNoun): boolean {
  return (
    skipPattern(HEADING_RIGHT, text, end) > end && HEADING_LEFT.test(text.slice(Math.max(0, at - MAX_HEADING), at))
  );
}

/** Returns the same position if the sticky pattern does not match there. */
function skipPattern(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return at + (pattern.exec(text)?.[0].length ?? 0);
}

/** A place where a text states its final answer. */
export interface StatedAnswer {
  /** Where the answer begins as written: right after the verb, the colon, the tag or the heading. */
  readonly from: number;
  /** Where it begins after filler words and marks: "therefore", "about", quotes, bold. */
  readonly start: number;
  /** Where it ends at the latest: at the closing tag, else at the end of the text. */
  readonly end: number;
  /** What announces it. A heading counts as a colon; "space" is the word "answer" with nothing else after it. */
  readonly by: "box" | "tag" | "verb" | "colon" | "space";
  /** It is called the final answer. */
  readonly isFinal: boolean;
  /** The text only says what the answer is not. */
  readonly isDenied: boolean;
}

interface FindAnswerOptions {
  /** Other names for the answer, as a global pattern: "choice", "label". A verb or a colon must follow. */
  readonly names?: RegExp;
  /** Whether "A:" at the start of a line announces the answer; false if it may be an option label. */
  readonly isShortNameKnown?: boolean;
}

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
