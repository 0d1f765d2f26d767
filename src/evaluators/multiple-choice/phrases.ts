import type { Mention } from "./mention.js";
import { announcesAnswer } from "./named-answer.js";

const FILLING =
  "(?:clearly|definitely|therefore|thus|then|most|likely|probably|simply|just|indeed|obviously|certainly|hence|actually|letter|option|choice|answer|the|correct|best|right|only|one|following|labell?ed|i think|i believe)";
/** What announces an answer, read in lower case up to the label. */
const LEADS: readonly RegExp[] = [
  new RegExp(`\\banswer\\b[^.;]{0,60}?\\b(?:is|are|be)\\b[\\s:,：]*(?:${FILLING}[\\s:,]*){0,4}$`),
  new RegExp(
    `\\b(?:choice|option|selection|response|solution|pick|alternative)\\b(?: (?:here|that|which|would|should|must|will|fits|best|among|of|these|all)){0,4} (?:is|be)\\b[\\s:,：]*(?:${FILLING}[\\s:,]*){0,4}$`,
  ),
  /\banswer\b ?(?:[:：=–—>→-]{1,2} ?)?(?:(?:option|choice|letter|is) ?)?$/,
  /\b(?:correct|best|right|final|my) (?:option|choice|selection|letter) ?(?:[:=–—-] ?)?$/,
  /\b(?:option|choice|selection|letter|correct) ?[:：=] ?$/,
  /\b(?:choose|chose|choosing|pick|picked|select|selected|selecting|go(?:ing)? with|opt for|settle on|vote for|guess|i(?:['’]d| would) say|i think|i believe|conclude)(?: that)?(?: it(?:['’]s| is| must be)?)?(?: the)?(?: (?:option|choice|answer|letter))? ?:? ?$/,
  /\bnot [^.;]{1,40} but(?: rather)?(?: (?:option|choice))? ?$/,
];
/** These announce only a label that ends its sentence: "it must be B", "leaving B", "=> B". */
const ENDING_LEADS: readonly RegExp[] = [
  new RegExp(`\\b(?:it|this|that)(?:['’]s| is| must be| has to be| should be| would be) (?:${FILLING}[\\s:,]*){0,4}$`),
  /\b(?:leaving|leaves)(?: us)?(?: with)?(?: only| just)?(?: (?:option|choice|answer))? ?$/,
  /\bcorresponds? to ?$/,
  /(?:^|[^a-z]) ?(?:→|➔|➜|⇒|=>|->|-->) ?$/,
];
/** "A → B" tells of a relation between two things. */
const MAPPED = /(?:^|[^a-z])[a-z] ?(?:→|➔|➜|⇒|=>|->|-->) ?$/;
/** These announce only when the label is marked as one. */
const HINTS =
  /\b(?:corresponds? to|matches(?: with)?|matching|namely|i\.e\.,?|that is,?|which is)(?: the)?( (?:option|choice|answer|letter))? ?$/;
const CONCLUSION =
  /(?:^|[.;,!?] ?|\n)(?:and )?(?:therefore|thus|hence|so|finally|actually)[,:]?(?: it(?:['’]s| is| must be))?(?: the)?(?: (?:correct |best |right )?(?:option|choice|answer))? ?:? ?$/;
const HYPOTHETICAL = /\b(?:if|whether|suppose|supposing|assum\w+|unless|incorrect|wrong)\b[^.;,]{0,30}$/;
/** "If it was about Italy, the answer would be A", "the answer would be A if …", "note that D is the best for …". */
const COUNTERFACTUAL =
  /(?:^|[.;!?:\n] ?)(?:but |and |however,? )?(?:if(?! (?:(?:i|we) (?:had|have|must|were)|forced|asked|pressed|required)\b)|had|were)\b[^.;!?]*\bwould\b[^.;!?]*$/;
const WOULD = /\bwould (?:be|have been)\b[^.;!?]{0,30}$/;
const CONDITION = /^[^.;!?\n]{0,40}?\bif\b/;
const NOTE = /\bnote(?: also)? that (?:option |choice )?$/;
const ANNOUNCER = /\b(?:answer|choice|option|selection|response|solution|pick|alternative)\b/g;

const IS = "(?:is|seems|appears|must be|would be|looks|has to be)";
const RIGHTLY =
  "(?:(?:the|to be|clearly|most likely|likely|therefore|definitely|indeed|thus|probably|obviously) ){0,3}";
const AFFIRMED = new RegExp(
  `^\\s*${IS} ${RIGHTLY}(?:(?:correct|right)(?! (?:in|that|about|to|when|if)\\b)|(?:best|correct|right|most \\w+|only)(?: \\w+)? (?:answer|option|choice|one|match|fit)|(?:my |final )?answer)\\b(?! (?:if|when)\\b| for [A-Z])`,
);
const DENIED_RIGHT =
  /^\s*(?:(?:is|are|was|would be|seems?|looks?) )?(?:also )?(?:\w+ly )?(?:not|isn['’]t|incorrect|wrong|false|invalid|ruled out|eliminated|excluded|impossible|cannot|can['’]t|does not|doesn['’]t)\b/;
const DENIED_LEFT =
  /\b(?:not|never|cannot|neither|nor|except|incorrect|wrong|eliminat\w+|rul\w+ out|reject\w*|exclud\w+|unlike)(?: \w+){0,3} ?$|n['’]t(?: \w+){0,2} ?$/;
const BUT = /\bbut(?: rather)?(?: (?:option|choice))? ?$/;
const OTHER_RIGHT =
  /^\s*(?:(?:\/|&|\b(?:or|and)\b)\s*(?:option |choice )?[*([]{0,3}[A-Z](?![\w'’])|,\s*[*([]{0,3}[A-Z][)\]*]{0,3}\s*(?:,|\bor\b|\band\b))/;
const OTHER_LEFT = /(?:^|[^\w'’])[A-Z][)\]*]{0,3} ?(?:,? ?\b(?:or|and)\b|\/|&) ?(?:option |choice )?$/;
const SENTENCE_END = /^\s*(?:[.!。]|$|\n)/;
const AFTER_ARTICLE = /^(?:\s*(?:$|\n|[.,;:!?)])|\s+(?:because|since|as|which|due|based|given|is|for)\b)/;

/** Whether the text says, with this label, what its answer is. */
export function isAnnounced(mention: Mention): boolean {
  if (isDenied(mention) || isOneOfSeveral(mention) || isWord(mention)) return false;
  if (/boxed|fbox|<answer>/i.test(mention.opening)) return true;
  const left = mention.left.toLowerCase();
  if (isSupposed(mention, left)) return false;
  if (LEADS.some((lead) => lead.test(left))) return !HYPOTHETICAL.test(beforeLead(left));
  if (!isCapital(mention)) return false;
  if (AFFIRMED.test(mention.right)) return !NOTE.test(left);
  if (isHinted(mention, left) || concludes(mention, left)) return true;
  return announcesAnswer(mention.left) && !HYPOTHETICAL.test(beforeLead(left));
}

/** Whether the text tells what would be the answer to another question. */
function isSupposed({ right }: Mention, left: string): boolean {
  return COUNTERFACTUAL.test(left) || (WOULD.test(left) && CONDITION.test(right.toLowerCase()));
}

/** Whether the text says that this label is not the answer. */
export function isDenied({ left, right }: Mention): boolean {
  const before = left.toLowerCase();
  return DENIED_RIGHT.test(right.toLowerCase()) || (DENIED_LEFT.test(before) && !BUT.test(before));
}

/** "A or B": neither is the answer. */
export function isOneOfSeveral({ left, right, label }: Mention): boolean {
  if (/\d/.test(label)) return false;
  return OTHER_RIGHT.test(right) || (OTHER_LEFT.test(left) && !BUT.test(left.toLowerCase()));
}

/** The pronoun I, the article a, and any small letter in running text. */
export function isWord({ label, opening, closing, left, right }: Mention): boolean {
  if (/[B-HJ-Z0-9]/.test(label) || /[([{*$<`]/.test(opening)) return false;
  if (/^[)\]]/.test(closing)) return false;
  if (label !== label.toUpperCase()) return !/^\s*(?:$|\n|[.,;:!?)])/.test(right);
  return !(AFTER_ARTICLE.test(right) || AFFIRMED.test(right) || /(?:option|choice)s? $/i.test(left));
}

/** Whether the label is marked as one: in brackets, or called an option. */
export function isMarked({ opening, left }: Mention): boolean {
  return /[([]/.test(opening) || /\b(?:option|choice)s? ?$/i.test(left);
}

function isCapital({ label }: Mention): boolean {
  return label === label.toUpperCase();
}

function isHinted(mention: Mention, left: string): boolean {
  const hint = HINTS.exec(left);
  return hint !== null && (hint[1] !== undefined || isMarked(mention));
}

/** "So, B." and a bold letter that ends its sentence. */
function concludes({ right, opening, closing }: Mention, left: string): boolean {
  if (!SENTENCE_END.test(right)) return false;
  if (ENDING_LEADS.some((lead) => lead.test(left)) && !MAPPED.test(left)) return !HYPOTHETICAL.test(left);
  return CONCLUSION.test(left) || (opening.includes("**") && closing.includes("**"));
}

function beforeLead(left: string): string {
  let at = left.length;
  for (const match of left.matchAll(ANNOUNCER)) at = match.index;
  return left.slice(0, at);
}
