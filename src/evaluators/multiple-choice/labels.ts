import { isCounterfactual, isDoubted, isRetracted } from "../stated-answer/index.js";

/** The labels of options: A, B, C … and, if the gold is a number, 1, 2, 3 … too. */
interface OptionLabels {
  /** Labels beyond this number of options are not answers. */
  count: number;
  isNumbered: boolean;
}

export interface ChoiceOptions extends OptionLabels {
  /** The text of each option; empty if only letters are known. */
  texts: readonly string[];
  /** Whether an answer must name its letter: the text of an option alone does not count. */
  isLetterRequired?: boolean;
}

const A = "A".charCodeAt(0);
/** There are no labels after Z. */
export const MAX_OPTIONS = 26;

/** Returns the index of the option, or -1 if there is none. */
export function findLabelIndex(label: string, { count, isNumbered }: OptionLabels): number {
  const isNumber = /^\d{1,2}$/.test(label);
  if (isNumber && !isNumbered) return -1;
  const index = isNumber ? Number(label) - 1 : toLetterIndex(label);
  return index >= 0 && index < count ? index : -1;
}

/** From 0; -1 for anything else. */
export function toLetterIndex(letter: string): number {
  return /^[a-z]$/i.test(letter) ? letter.toUpperCase().charCodeAt(0) - A : -1;
}

export function toLetter(index: number): string {
  return String.fromCharCode(A + index);
}

/** Scripts without spaces between words: a label is also separate next to their letters. */
const SPACELESS = "[\\p{sc=Han}\\p{sc=Hiragana}\\p{sc=Katakana}\\p{sc=Hangul}\\p{sc=Thai}]";
const STARTS = `(?:(?<![\\p{L}\\p{N}_])|(?<=(?<![\\p{L}\\p{N}_])_{1,2})|(?<=${SPACELESS}))`;
const ENDS = `(?:(?![\\p{L}\\p{N}_])|(?=${SPACELESS}|_+(?![\\p{L}\\p{N}_])))`;
const LETTER = `${STARTS}[A-Za-z]${ENDS}`;
const LABEL = `${STARTS}(?<![.,])(?:[A-Za-z]|\\d{1,2})${ENDS}(?![.,]\\d)`;
const LETTERS = new RegExp(LETTER, "gu");
const LABELS = new RegExp(LABEL, "gu");
const LETTER_HERE = new RegExp(LETTER, "uy");
const LABEL_HERE = new RegExp(LABEL, "uy");
/** May surround a label: bold, brackets, quotes, \boxed. */
const OPENING = /(?:\\(?:boxed|fbox|text|textbf|mathrm|mathbf)\s?\{|<answer>|[*_`"'“‘([{$]|\\[([]|\s(?=[([{*]))+$/i;
const CLOSING = /^(?:[*_`"'”’)\]}$]|\\[)\]])+/;
/** Part of a longer word: "U.S.A.", "B12-A", "°C". In Turkish, "D'dir" says that it is D. */
const GLUED_LEFT = /[\p{L}\p{N}][-'’.&@/]$|[°#&@\\]$/u;
const GLUED_RIGHT =
  /^(?:['’](?![dt][ıiuü]r(?!\p{L}))[a-z]|[-&@/]\p{L}|\.\p{L}(?!\p{L})|[+#°]|-\d|\s?[+*/^=<>≤≥×·]\s?(?:[\d(\\]|[a-zA-Z]{1,2}(?!\p{L})))/u;
const LEFT_LENGTH = 160;
const RIGHT_LENGTH = 80;
/** The answer is among the last labels; a text of nothing but labels is not an answer. */
const MAX_MENTIONS = 5000;

/** A separate label in a text, and its surroundings. */
export interface LabelMention {
  /** The option that it names, from 0. */
  index: number;
  at: number;
  label: string;
  /** The text before it, without the marks around the label, with white space collapsed except line ends. */
  left: string;
  right: string;
  /** The marks before it. */
  opening: string;
  closing: string;
}

/** Lists the separate labels of a text, last first. */
export function* listMentionsFromEnd(text: string, labels: OptionLabels): Generator<LabelMention> {
  const places: LabelPosition[] = [];
  for (const { 0: label, index: at } of text.matchAll(labels.isNumbered ? LABELS : LETTERS)) {
    const index = findLabelIndex(label, labels);
    if (index === -1) continue;
    places.push({ at, label, index });
    // Dropped in halves: dropping one at a time would be quadratic.
    if (places.length > 2 * MAX_MENTIONS) places.splice(0, MAX_MENTIONS);
  }
  for (const place of places.slice(-MAX_MENTIONS).reverse()) {
    const mention = readSurroundings(text, place);
    if (mention !== null) yield mention;
  }
}

/** The separate label at this position; null if there is none. */
export function readMention(text: string, at: number, labels: OptionLabels): LabelMention | null {
  const pattern = labels.isNumbered ? LABEL_HERE : LETTER_HERE;
  pattern.lastIndex = at;
  const label = pattern.exec(text)?.[0];
  if (label === undefined) return null;
  const index = findLabelIndex(label, labels);
  return index === -1 ? null : readSurroundings(text, { at, label, index });
}

type LabelPosition = Pick<LabelMention, "at" | "label" | "index">;

function readSurroundings(text: string, place: LabelPosition): LabelMention | null {
  const before = text.slice(Math.max(0, place.at - LEFT_LENGTH), place.at);
  const after = text.slice(place.at + place.label.length, place.at + place.label.length + RIGHT_LENGTH);
  const opening = OPENING.exec(before)?.[0] ?? "";
  const closing = CLOSING.exec(after)?.[0] ?? "";
  if (GLUED_LEFT.test(before) || GLUED_RIGHT.test(after)) return null;
  const left = before
    .slice(0, before.length - opening.length)
    .replace(/[*_`"]+/g, "")
    .replace(/\s*\n\s*/g, "\n")
    .replace(/[^\S\n]+/g, " ");
  return { ...place, left, right: after.slice(closing.length), opening, closing };
}

const SURELY =
  "(?:clearly|definitely|therefore|thus|then|most|likely|probably|simply|just|indeed|obviously|certainly|hence|actually|to be|letter|option|choice|answer|the|correct|best|right|only|one|following|labell?ed)";
/** Chooses a label without calling it the answer; matched in lower case up to the label. */
const CHOOSING: readonly RegExp[] = [
  /(?<!\b(?:ways?|how|asked|able|want|need) to )\b(?:choose|chose|choosing|pick|picked|select|selected|selecting|go(?:ing)? (?:with|for)|opt(?:ing)? for|settle on|vote for|lean(?:ing)? towards?|guess|i(?:['’]d| would) say|i think|i believe|conclude)(?: that)?(?: it(?:['’]s| is| must be)?)?(?: the)?(?: (?:option|choice|answer|letter))?[\s:]*$/,
  /\bnot [^.;\n]{1,40} but(?: rather)?(?: (?:option|choice))? ?$/,
  /\b(?:correct|best|right|final|my) (?:option|choice|selection|letter)[\s:=–—-]*$/,
  /\bcorrect[:：=]\s?$/,
  // Chinese chooses without the word for answer: "故选B", "应选择 B".
  /(?:选|選)(?:择|擇)?[:：\s]{0,2}$/,
];
/** "The function with the error is:" and the option on this line or the next. */
const COPULA_COLON =
  /(?:^|[\s.])[^.:\n]{0,120}\b(?:is|are|be|was)(?: (?:as follows|likely|most likely|probably))?:\s?$/;
/** These choose only a label that ends its clause: "it must be B", "most likely B", "leaving B", "=> B". */
const ENDING: readonly RegExp[] = [
  new RegExp(`\\b(?:it|this|that)(?:['’]s| is| must be| has to be| should be| would be) (?:${SURELY}[\\s:,]*){0,4}$`),
  /(?:^|[.!?\n] ?)(?:(?:so|thus|then),? )?(?:must be|has to be|gotta be|looks like|seems like)(?: option)? $/,
  /\b(?:most likely|most probably|probably|likely|clearly|definitely|obviously|certainly|maybe|perhaps|possibly)(?: (?:is|be|to be|option|choice))?:? $/,
  /\b(?:leaving|leaves|left with|remains|remaining is|left is)(?: us)?(?: with)?(?: only| just)?(?: (?:option|choice|answer))? ?$/,
  /\bcorresponds? to ?$/,
  /(?:^|[^a-z]) ?(?:→|➔|➜|⇒|=>|->|-->) ?$/,
];
/** "A → B" is a relation between two things. */
const MAPPED = /(?:^|[^a-z])[a-z] ?(?:→|➔|➜|⇒|=>|->|-->) ?$/;
/** These choose only a marked label. */
const HINTS =
  /\b(?:corresponds? to|matches(?: with)?|matching|namely|i\.e\.,?|that is,?|which is)(?: the)?( (?:option|choice|answer|letter))? ?$/;
const CONCLUSION =
  /(?:^|[.;,!?] ?|\n)(?:and |but )?(?:therefore|thus|hence|so|finally|actually)[,:]?(?: it(?:['’]s| is| must be))?(?: the)?(?: (?:correct |best |right )?(?:option|choice|answer))? ?:? ?$/;
const HYPOTHETICAL = /\b(?:if|whether|suppose|supposing|assum\w+|unless)\b[^.;,\n]{0,30}$/;
const WOULD = /\bwould (?:be|have been)\b[^.;!?\n]{0,30}$/;
const CONDITION = /^[^.;!?\n]{0,40}?\bif\b/;
/** "Note that D is the best for …". */
const NOTE = /\bnote(?: also)? that (?:option |choice )?$/;

const IS = "(?:is|seems|appears|must be|would be|looks|has to be)";
const RIGHTLY =
  "(?:(?:the|to be|clearly|most likely|likely|therefore|definitely|indeed|thus|probably|obviously) ){0,3}";
const AFFIRMED = new RegExp(
  `^(?:\\s?\\([^()\\n]{1,50}\\))?\\s*${IS} ${RIGHTLY}(?:(?:correct|right)(?! (?:in|that|about|to|when|if)\\b)|(?:best|better|correct|right|most \\w+|only)(?: \\w+)? (?:answer|option|choice|one|match|fit)|(?:my |final )?answer)\\b(?! (?:only|if|when)\\b| for [A-Z])|^\\s*(?:是|为|選項|选项)?(?:正确|正確)|^['’]?[dt][ıiuü]r(?!\\p{L})`,
  "u",
);
/** "D fits best", "D is more likely", "D stands out as the best choice". */
const PREFERRED =
  /^\s*(?:fits(?: best| the\b)?|makes (?:the most )?sense|remains(?=\s*[.!]|\s*$)|(?:is|seems|appears)(?: to be)? (?:the )?(?:most|more) (?:likely|plausible|appropriate|suitable|accurate|reasonable|complete|precise|comprehensive)(?! than\b)|stands out as the (?:best|most|correct))/;
const DENIED_RIGHT =
  /^[^\S\n]*(?:(?:is|are|was|would be|seems?|looks?|must be|(?:can|could|should|may|must) (?:also |now )?be|(?:has|have) been) )?(?:also |clearly |the )?(?:\w+ly )?(?:not|isn['’]t|incorrect|wrong|false|invalid|ruled out|eliminated|excluded|dismissed|discarded|rejected|impossible|unlikely|improbable|implausible|least|less|cannot|can['’]t|could not|couldn['’]t|does not|doesn['’]t|do not|don['’]t|missing|incomplete|unclear|irrelevant|tempting)\b/;
const DENIED_LEFT =
  /(?:\b(?:not|never|cannot|neither|nor|except|eliminat\w+|rul\w+ out|reject\w*|exclud\w+|unlike)|n['’]t|(?<!\bno |\bwithout )\bdoubt|\b(?:incorrect|wrong)(?= (?:answer|option|choice|is|are)\b| ?$))(?: (?!so\b|thus\b|therefore\b|hence\b|then\b|leaving\b|leaves\b|but\b|because\b|since\b|[b-hj-z]\b)[\w'’]+){0,3} ?$/;
const BUT = /\bbut(?: rather)?(?: (?:option|choice))? ?$/;
/** Another label beside it; but not the "and" of "(A) and (B) is wrong". */
const OTHER_RIGHT =
  /^[^\S\n]*(?:,?[^\S\n]?(?:\/|&|\b(?:or|and|through|thru|to|oder|und|ou|et|atau)\b|或者?|和|及|、|または|또는|или|hoặc)\s*(?:either )?(?:option |choice )?[*([]{0,3}[A-Z](?![\w'’])(?![)\]*]{0,3}\s(?:is|was|would|does|can|cannot|has|isn|wouldn|doesn)\b)|,\s*[*([]{0,3}[A-Z][)\]*]{0,3}\s*(?:,|\bor\b|\band\b|[.\n]|$))/;
const OTHER_LEFT =
  /(?:^|[^\w'’])[A-Z][)\]*]{0,3} ?(?:,? ?\b(?:or|and|through|thru|to|oder|und|ou|et|atau)\b|\/|&|或者?|和|及|、|または|또는|или|hoặc) ?(?:option |choice )?$/;
/** "Options A and C can be eliminated". */
const PLURAL_LEFT = /\b(?:options|choices|answers|letters|both|either|neither|between) ?$/i;
const BESIDE_RIGHT = /^[^\S\n]*(?:,|\/|&|\b(?:or|and)\b)[^\S\n]*[*([]{0,3}[A-Z](?![\w'’])/;
const CLAUSE_END = /^\s*(?:[.!。,;]|$|\n|\(|(?:because|since|as)\b)/;
const SENTENCE_END = /^\s*(?:[.!。]|$|\n)/;
/** "Books are kept there. B.": the last sentence is the letter. Initials do not count. */
const OWN_SENTENCE = /[\p{L}\d)?]{2}[.!?] $/u;
/** May follow the letter A, but not the article. */
const AFTER_LETTER =
  /^(?:\s*(?:$|\n|[.,;:!?)\]–—(])|\s+-\s|\s+(?:because|since|as|which|due|based|given|is|for|and|but|though|although|with|in)\b)/;
const AFTER_PRONOUN = /^(?:\s*(?:$|\n|[.;:!?)\](]|[^\p{ASCII}]|,\s(?!\w+ly\b))|\s+-\s|\s+(?:because|since|is|as)\b)/u;
const CALLED_OPTION = /\b(?:options?|choices?|letter) ?$/i;
/** A capital letter here may only begin a sentence. */
const SENTENCE_START = /(?:^|[.!?:：\n]\s?)$/;

/** "A, no wait, B" retracts what was said before. */
const RETRACTED =
  /\b(?:no,? wait|wait,? no|scratch that|correction|(?:no|sorry|wait),? (?:i mean|actually|it['’]s))[,:.;!–—…\s-]*$/;

/** How clearly a text chooses a label without saying "the answer is". */
type ChoiceStrength = "clearly" | "weakly" | null;

export function classifyChoice(mention: LabelMention): ChoiceStrength {
  if (isDeniedLabel(mention) || isOneOfSeveral(mention) || isPlainWord(mention)) return null;
  const left = mention.left.toLowerCase();
  if (isSupposedLabel(mention, left) || /^\s*\?/.test(mention.right) || isUnclosedLabel(mention)) return null;
  if (CHOOSING.some((lead) => lead.test(left))) return HYPOTHETICAL.test(left) ? null : "clearly";
  if (!isCapital(mention)) return null;
  if (RETRACTED.test(left) && CLAUSE_END.test(mention.right)) return "clearly";
  if (AFFIRMED.test(mention.right)) return NOTE.test(left) || HYPOTHETICAL.test(left) ? null : "clearly";
  if (COPULA_COLON.test(left) && isWrittenAsLabel(mention)) return HYPOTHETICAL.test(left) ? null : "clearly";
  return isHinted(mention, left) || isPreferred(mention, left) || isConclusion(mention, left) ? "weakly" : null;
}

/** Whether the text says what would be the answer to another question. */
function isSupposedLabel({ right }: LabelMention, left: string): boolean {
  return isCounterfactual(left) || (WOULD.test(left) && CONDITION.test(right.toLowerCase()));
}

/** Whether a text was cut off after the label: a bracket before it is still open. */
function isUnclosedLabel({ opening, closing, right }: LabelMention): boolean {
  return opening.includes("(") && !closing.includes(")") && right.trim() === "";
}

export function isDeniedLabel({ left, right }: LabelMention): boolean {
  const before = left.slice(left.lastIndexOf("\n") + 1).toLowerCase();
  if (DENIED_RIGHT.test(right.toLowerCase()) || isDoubted(left, left.length) || isRetracted(right)) return true;
  return DENIED_LEFT.test(before) && !BUT.test(before);
}

/** "A or B": neither is the answer. */
export function isOneOfSeveral({ left, right, label }: LabelMention): boolean {
  if (/\d/.test(label)) return false;
  if (PLURAL_LEFT.test(left) && BESIDE_RIGHT.test(right)) return true;
  return OTHER_RIGHT.test(right) || (OTHER_LEFT.test(left) && !BUT.test(left.toLowerCase()));
}

/** The pronoun I, the article a, and any small letter in running text. */
export function isPlainWord({ label, opening, closing, left, right }: LabelMention): boolean {
  if (/[B-HJ-Z0-9]/.test(label) || /[([{*$<`]/.test(opening) || /^[)\]]/.test(closing)) return false;
  if (label !== label.toUpperCase()) return !/^\s*(?:$|\n|[.,;:!?)])/.test(right);
  if (CALLED_OPTION.test(left) || AFFIRMED.test(right)) return false;
  if (label === "I") return !AFTER_PRONOUN.test(right);
  return !AFTER_LETTER.test(right) && SENTENCE_START.test(left);
}

/** Whether a capital I is the pronoun: a verb follows it. */
export function isPronoun(mention: LabelMention): boolean {
  return mention.label === "I" && isPlainWord(mention);
}

/** Whether the label is a capital in round brackets, or called an option. */
export function isMarkedLabel({ label, opening, closing, left }: LabelMention): boolean {
  const isBracketed = opening.includes("(") && closing.includes(")");
  return (isBracketed && label === label.toUpperCase()) || CALLED_OPTION.test(left);
}

/** Whether the label is written like that of an option: "B.", "(B)", "**B**", alone on its line. */
function isWrittenAsLabel({ opening, closing, right }: LabelMention): boolean {
  return /[([*`]/.test(opening) || /^[)\]*]/.test(closing) || /^(?:[.):]|\s*(?:\n|$))/.test(right);
}

export function isCapital({ label }: LabelMention): boolean {
  return label === label.toUpperCase();
}

function isHinted(mention: LabelMention, left: string): boolean {
  const hint = HINTS.exec(left);
  return hint !== null && (hint[1] !== undefined || isMarkedLabel(mention));
}

function isPreferred({ right }: LabelMention, left: string): boolean {
  return PREFERRED.test(right) && !HYPOTHETICAL.test(left);
}

/** "So, B." and a bold letter that ends its sentence. */
function isConclusion({ right, opening, closing }: LabelMention, left: string): boolean {
  if (CLAUSE_END.test(right) && ENDING.some((lead) => lead.test(left)) && !MAPPED.test(left))
    return !HYPOTHETICAL.test(left);
  if (OWN_SENTENCE.test(left) && /^[.!]?\s*$/.test(right)) return true;
  return SENTENCE_END.test(right) && (CONCLUSION.test(left) || (opening.includes("**") && closing.includes("**")));
}
