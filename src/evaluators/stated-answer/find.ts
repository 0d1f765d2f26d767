/** A text that announces more is not searched further back. */
const MAX_STATED = 100;
/** How far behind an answer it may be taken back. */
const MAX_BEHIND = 200;

const TAG = /(?:<(?:final[_ -]?)?(?:answer|ans)>|\[(?:final[_ -]?)?answer\])\s*/gi;
const CLOSING_TAG = /<\/(?:final[_ -]?)?(?:answer|ans)>|\[\/(?:final[_ -]?)?answer\]/gi;
const IN_TAG = /(?:<\/?|\[\/)(?:final[_ -]?)?$/i;
const BOX = /\\(?:boxed|fbox|framebox)\s?\{?/g;
/** A response that goes on from a prompt which ended in "Answer". */
const OPENING_COLON = /^\s*[:：]\s*(?=\S)/;
/** A response whose first line is followed by its explanation. */
const EXPLAINED =
  /^\s*(?=\S[^\n]{0,80}\n[\s*_#>]{1,12}(?:explanation|reasoning|reason|justification|rationale|solution|steps|working|here['’]s (?:how|why)|why)\b)/i;
/** "not (A) but (B)", "not A; it is B". */
const CORRECTION = /not\b[^.\n]{1,80}?(?:\bbut(?: rather)?|[;,] (?:rather|instead|it is|it['’]s))\s+/iy;
const DENIAL = /not\b/iy;

/**
 * Where a text states its final answer, the last place first: in <answer> tags, in \boxed, behind "Answer:", "the answer
 * is" or a heading, in many languages. What is only supposed ("if the answer is …") is left out. A caller reads what
 * follows, and goes on to the next place when that is no answer of the kind it looks for.
 * @example
 * const text = "One and two is three. So the answer is 3.";
 * text.slice(findStatedAnswers(text)[0]?.start); // "3."
 */
export function findStatedAnswers(text: string, options: FindOptions = {}): StatedAnswer[] {
  const last = text.trimEnd().length;
  const found = [...findTagged(text), ...findNamed(text, options), ...findBoxes(text), ...findOpening(text)];
  const ofStart = new Map<number, StatedAnswer>();
  for (const stated of found) {
    // "The answer is \boxed{4}" and "<answer>Answer: 4</answer>" are one answer each.
    if (stated.from < Math.min(last, stated.end) && !ofStart.has(stated.from)) ofStart.set(stated.from, stated);
  }
  return [...ofStart.values()].sort((a, b) => b.from - a.from).slice(0, MAX_STATED);
}

/** Where a text calls what stands before it the answer, "24 is the answer"; -1 when it does not. */
export function findReversed(text: string): number {
  let last = -1;
  for (const { index } of text.matchAll(REVERSED)) last = index;
  return last;
}

function findOpening(text: string): StatedAnswer[] {
  const from = (OPENING_COLON.exec(text) ?? EXPLAINED.exec(text))?.[0].length;
  return from === undefined
    ? []
    : [{ from, start: from, end: text.length, by: "colon", isFinal: false, isDenied: false }];
}

function findNamed(text: string, { names, isShortNameKnown = false }: FindOptions): StatedAnswer[] {
  const nouns = [NOUN, ...(isShortNameKnown ? [SHORT_NOUN] : [])].flatMap((pattern) => findNouns(text, pattern));
  const others = names === undefined ? [] : findNouns(text, names);
  // "Option B" alone announces nothing, as "Answer B" does.
  const linked = others.flatMap((noun) => readNoun(text, noun)).filter(({ by }) => by !== "space");
  return [...nouns.flatMap((noun) => readNoun(text, noun)), ...linked];
}

function findNouns(text: string, pattern: RegExp): Noun[] {
  return lastMatches(text, pattern).map(({ index, 0: noun, groups }) => ({
    at: index,
    end: index + noun.length,
    isFinal: groups?.final !== undefined,
  }));
}

function readNoun(text: string, noun: Noun): StatedAnswer[] {
  if (IN_TAG.test(text.slice(Math.max(0, noun.at - 8), noun.at))) return [];
  const followed = followNoun(text, noun);
  if (isHypothetical(text, noun.at, followed.start)) return [];
  const stated = { ...followed, end: text.length, isFinal: noun.isFinal, isDenied: false };
  const isTakenBack = isRetracted(text.slice(followed.start, followed.start + MAX_BEHIND));
  return [isDoubted(text, noun.at) || isTakenBack ? { ...stated, isDenied: true } : correct(text, stated)];
}

function correct(text: string, stated: StatedAnswer): StatedAnswer {
  const corrected = skipPattern(CORRECTION, text, stated.from);
  if (corrected > stated.from) return { ...stated, from: corrected, start: corrected };
  return { ...stated, isDenied: skipPattern(DENIAL, text, stated.from) > stated.from };
}

function findBoxes(text: string): StatedAnswer[] {
  return lastMatches(text, BOX).map(({ index, 0: mark }) => ({
    from: index,
    start: index + mark.length,
    end: text.length,
    by: "box",
    isFinal: true,
    isDenied: false,
  }));
}

function findTagged(text: string): StatedAnswer[] {
  const closings = lastMatches(text, CLOSING_TAG).map(({ index }) => index);
  return lastMatches(text, TAG).map(({ index, 0: tag }) => {
    const from = index + tag.length;
    const end = closings.find((at) => at >= from) ?? text.length;
    return { from, start: from, end, by: "tag", isFinal: true, isDenied: false };
  });
}

/** The latest matches of a pattern: a megabyte may hold nothing else. */
function lastMatches(text: string, pattern: RegExp): RegExpExecArray[] {
  const found: RegExpExecArray[] = [];
  for (const match of text.matchAll(pattern)) {
    found.push(match);
    if (found.length > 2 * MAX_STATED) found.splice(0, MAX_STATED);
  }
  return found;
}

/** A place that names the answer. */
interface Noun {
  readonly at: number;
  readonly end: number;
  readonly isFinal: boolean;
}

const MAX_LINKS = 24;
/** Marks that close what the noun stands in: **Answer**, "answer". */
const CLOSING = /[*_"'`)\]]{0,4}/y;
/** Between a verb or colon and its answer. No minus, which may belong to a number, and no mark that opens bold text. */
const MARKS = /(?:[\s:：=,]|[*_]{1,3}(?=\s|$)|```[\w-]{0,20}[ \t]*\n)+/y;
/** The noun alone on its line is a heading. */
const HEADING_LEFT = /(?:^|\n)[ \t#*_>-]{0,10}(?:(?:final|correct|my|the|your)\s){0,2}$/i;
const HEADING_RIGHT = /[ \t*_#]{0,8}\r?\n/y;
const MAX_HEADING = 40;

/** Goes from the noun over verb, colon, remarks and filling words to the answer. */
function followNoun(text: string, noun: Noun): Pick<StatedAnswer, "from" | "start" | "by"> {
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
    if (isLinking && isOpen && (by === "space" || isBlank(text, from, start))) from = start + match[0].length;
    if (colon !== undefined) isOpen = false;
    if (copula !== undefined && by === "space") by = "verb";
    else if (colon !== undefined && by === "space") by = "colon";
    start += match[0].length;
  }
  if (by === "space" && isHeading(text, noun)) by = "colon";
  from = skipPattern(MARKS, text, from);
  // A text that ends in such words consists of them: "The answer is: are be is".
  const isAnswered = start < text.length || from >= start;
  return { from, start: isAnswered ? Math.max(from, start) : from, by };
}

function isBlank(text: string, from: number, to: number): boolean {
  return to - from < 10 && /^[\s*_]*$/.test(text.slice(from, to));
}

function isHeading(text: string, { at, end }: Noun): boolean {
  return (
    skipPattern(HEADING_RIGHT, text, end) > end && HEADING_LEFT.test(text.slice(Math.max(0, at - MAX_HEADING), at))
  );
}

/** Past a sticky pattern; the same place when it does not match there. */
function skipPattern(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return at + (pattern.exec(text)?.[0].length ?? 0);
}

const MAX_BEFORE = 200;
const HYPOTHETICAL_MAX_BEHIND = 60;
/**
 * "I hope this answer is helpful", "if the correct answer is A", "the wrong answer is": nothing is announced. "Your
 * answer:" at the beginning of a line is a form that was filled in.
 */
const REFUSED =
  /\b(?:this|that|(?<=\w )your|he|she|it|they|who|hope|hope that the|sure the|confirm the|check the|wrong|incorrect)(?: final| correct)? $/i;
const SUPPOSED =
  /\b(?:if|whether|suppose|supposing|assume|assuming|unless)(?: that)?(?: (?:the|your|my|our|this|that|an?|any))*(?: (?:final|correct|best|right|true))? $/i;
/** "If I had to choose, the answer would be A" chooses. */
const IF = "(?:but |and |however,? )?(?:if(?! (?:(?:i|we) (?:had|have|must|were)|forced|asked|pressed|required)\\b)";
/** "If it was about Italy, …", "if the text mentioned it, …"; but "if both are combined, the answer would be A" tells it. */
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
 * Whether a text only supposes its answer: "if the answer were A", "the answer would be A if …". What stands in another
 * sentence or on another line does not make it so.
 */
function isHypothetical(text: string, noun: number, answer: number): boolean {
  const before = sentenceBefore(text, noun);
  if (REFUSED.test(before) || SUPPOSED.test(before)) return true;
  if (!WOULD.test(text.slice(noun, answer))) return false;
  return CONDITION_BEFORE.test(before) || CONDITION_BEHIND.test(text.slice(answer, answer + HYPOTHETICAL_MAX_BEHIND));
}

/** Whether a text says up to here what would be so under another condition: "if the man were asleep, this would be". */
export function isCounterfactual(before: string): boolean {
  return COUNTERFACTUAL.test(before);
}

const RETRACTION =
  /^(?:[^\n.!?]|[.!?](?=\S)){0,100}[.!?…]+["'”)*]*\s+(?:(?:wait|hmm+|oh|oops|no|hold on|actually|sorry|but)[\s,.!…–—-]+){1,4}(?:(?:that|this|it|i)(?:['’]s|['’]m| is| was| am| made)?\s+)?(?:(?:an? |clearly |definitely )?(?:wrong|incorrect|mistaken?)|not (?:right|correct)|(?:isn['’]t|can['’]t be|cannot be) (?:right|correct))\b/i;

/** Whether what follows an answer takes it back: "Wait, no, that is wrong." */
export function isRetracted(behind: string): boolean {
  return RETRACTION.test(behind);
}

/** Whether a text says up to here that it doubts what follows, or that others say so. */
export function isDoubted(text: string, at: number): boolean {
  const before = `${sentenceBefore(text, at).trimEnd()} `;
  return DOUBTED.test(before) || OTHERS.test(before);
}

/** The sentence that ends here, without what stands on lines before. */
function sentenceBefore(text: string, end: number): string {
  const window = text.slice(Math.max(0, end - MAX_BEFORE), end);
  const line = window.slice(window.lastIndexOf("\n") + 1);
  const ends = [...line.matchAll(/[.;:!?](?=\s)|[。！？।]/g)];
  return line.slice((ends.at(-1)?.index ?? -1) + 1);
}

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

/** A place where a text says what its final answer is. */
export interface StatedAnswer {
  /** Where the answer begins as it was written: right behind the verb, the colon, the tag or the heading. */
  readonly from: number;
  /** Where it begins behind filling words and marks: "therefore", "about", quotes, bold. */
  readonly start: number;
  /** Where it ends at the latest: at the closing tag, else at the end of the text. */
  readonly end: number;
  /** What announces it. A heading counts as a colon; "space" is the word "answer" with nothing else behind it. */
  readonly by: "box" | "tag" | "verb" | "colon" | "space";
  /** It is said to be the final one. */
  readonly isFinal: boolean;
  /** The text says what the answer is not, and not what it is. */
  readonly isDenied: boolean;
}

export interface FindOptions {
  /** What else the answer is called, as a global pattern: "choice", "label". A verb or a colon must follow. */
  readonly names?: RegExp;
  /** Whether "A:" at the beginning of a line announces the answer; false where it may be the label of an option. */
  readonly isShortNameKnown?: boolean;
}

/** The word for "answer", in the languages of MGSM and a few others. */
const NOUNS = [
  "answers?|ans(?=\\.?\\s?[:=])",
  "(?:end|schluss)?antwort|endergebnis",
  "respuesta|réponse|reponse|resposta|risposta|antwoord",
  "ответ(?:ом)?|відповідь|odpowiedź|cevap|yanıt|jawaban(?:nya)?|jibu|đáp án|đáp số",
];
/** Scripts without spaces between words, or with endings that join the word: they need no boundary. */
const JOINED_NOUNS = [
  "答え|解答|回答|正解|答案|答(?=[:：])",
  "উত্তর(?:টি|টা)?|సమాధానం|జవాబు|คำตอบ|उत्तर|정답|답(?=[은:])|الجواب|الإجابة",
];
export const FINALS = [
  "final|finale|correct|overall|endgültige|окончательный|最終的な|最終|最终|চূড়ান্ত|চূড়ান্ত|చివరి|la mwisho|สุดท้าย",
];

/** Every place that names the answer; the group `final` tells that it is said to be the final one. */
export const NOUN = new RegExp(
  `(?:(?<final>(?<![a-zA-Z])(?:${oneOf(FINALS)}))\\s?(?:の)?)?(?:(?<![\\p{L}\\p{N}])(?:${NOUNS.join("|")})(?![\\p{L}\\p{N}])|(?:${JOINED_NOUNS.join("|")}))`,
  "giu",
);
/** In the form of few-shot prompts, "A: 18". */
const SHORT_NOUN = /(?<=(?:^|\n)[ \t*#>]{0,6})A(?=\**[:：])/g;

/** Verbs that say what the answer is. */
export const COPULAS = [
  "is|are|was|be|would be|will be|should be|must be|might be|may be|could be|has to be|seems to be|appears to be|turns out to be|can only be|comes out to|comes out to be|equal|equals|equal to|equals to|becomes",
  "ist|sind|lautet|beträgt|wäre|es|son|sería|est|sont|serait|é|è|são|sono|ni|ni sawa na|adalah|là",
  "является|равен|равна|равно|составляет|это|будет",
];
export const JOINED_COPULAS = ["は|が|是|为|為|等于|হল|হলো|হচ্ছে|হবে|হ'ল|คือ|เท่ากับ|은|는|هو|هي|है"];
export const ADVERBS = [
  "therefore|thus|then|so|simply|just|also|indeed|approximately|about|around|roughly|exactly|only|now|found to|equal to|a total of|that",
  "clearly|hence|most likely|likely|probably|definitely|certainly|obviously|actually|still",
  "daher|somit|also|etwa|ungefähr|genau|aproximadamente|exactamente|donc|environ|примерно|около|ровно",
  "final|finale|numérica|numérico|correct|correcta|corretta|correta|certa|giusta|juste|la mwisho|sahihi|đúng|yang benar|صحيحة|الصحيحة|الصحيح|correcte|richtige|choice|option|value|number|key|letter",
];
export const JOINED_ADVERBS = ["約|およそ|合計|大约|约|共|ประมาณ"];

/** The longest first: a pattern takes the first that fits, and "ni" fits where "ni sawa na" stands. */
function oneOf(words: readonly string[]): string {
  return words
    .flatMap((line) => line.split("|"))
    .sort((a, b) => b.length - a.length)
    .join("|");
}

/** What may stand between the word and the answer: a verb, adverbs, marks. */
export const LINK = new RegExp(
  `(?:(?<copula>(?:(?:${oneOf(COPULAS)})(?![\\p{L}\\p{N}])|(?:${oneOf(JOINED_COPULAS)})|=|≈))` +
    `|(?:${oneOf(ADVERBS)})(?!_?[\\p{L}\\p{N}])|(?:${oneOf(JOINED_ADVERBS)})|(?<colon>[:：])` +
    `|[\\s*_\`"'“”「»«,、।>#~|…]|[-–—](?![\\d.$\\\\])|[-–—](?= )|\\.{2,})`,
  "iuy",
);

/** Not the verb of a clause that goes on: "the answer that we are looking for is". */
const VERB =
  "(?:is|are|was|equals|would be|will be|should be|must be)(?![\\p{L}]| (?:looking|asked|asking|trying|searching|seeking|supposed|going|given|after|in)\\b)";
/**
 * What is said about the answer before the verb: "the answer to the question is", "the answer, in dollars, is", "the
 * answer (Yes or No) is". The remark in brackets is no letter of an option: that would be the answer itself.
 */
const ASIDE = new RegExp(
  `\\s?,?\\s(?:to|for|in|of|we|i|you|that|which|here|from|among|based on|given|according to|choice that|option that)\\s(?:[^.:=\\n]{0,100}?\\s)?${VERB}` +
    `|,[^.:=\\n,]{0,60}?,\\s${VERB}` +
    `|[*_]{0,3}\\s?\\((?!\\s?\\w\\s?\\))[^()\\n]{1,80}\\)[*_]{0,3}(?=\\s?(?:[:：=]|${VERB}))`,
  "iuy",
);

/** An answer that is named before it is called the answer: "24 is the answer". */
const REVERSED =
  /\b(?:is|are|was|would be) (?:therefore |thus |indeed )?(?:the|our|my|your) (?:final |correct )?answer\b/gi;
