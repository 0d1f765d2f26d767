import { normalizeAnswer } from "./normalize.js";

/** Longer texts say something, whatever they begin with. */
const LONGEST = 300;

// All patterns are read after normalisation: lower case, no punctuation ("dont", "na"), no articles.
const IT = "(?:(?:(?:my |final |correct )?answer|(?:this )?question|this|that|it)(?: to (?:this )?question)? )?";
const CANNOT = "(?:cannot|can not|cant|could not|couldnt)";
const THIS = "(?: (?:this|that|it|question|answer))*";
const PHRASES = [
  `${IT}(?:is )?(?:(?:un|non|not )answerable|unknown|not known|not (?:given|stated|mentioned|specified|provided|available))`,
  "(?:there is )?(?:no answer|(?:no|not enough|insufficient) (?:information|evidence|context))(?: (?:available|provided|given|found|possible))?",
  `(?:i|we) (?:do not|dont) (?:know|have enough information)${THIS}`,
  `(?:i|we) (?:${CANNOT}|(?:am|are) (?:unable|not able) to) (?:answer|determine|tell|say|find)${THIS}`,
  `${IT}${CANNOT} be (?:answered|determined|known|found|inferred|established)`,
  "(?:i am |im )?not sure|none|na|null",
];
const APOLOGY = "(?:(?:(?:i am |im )?sorry|unfortunately) (?:but )?)?";
const REASON = "(?: (?:from|in|by|based|given|with|within|using|because|since|according|to) (?!.*\\bbut\\b).*)?";
const ABSTENTION = new RegExp(`^${APOLOGY}(?:${PHRASES.join("|")})${REASON}$`);

/**
 * Whether a response declines to answer: nothing at all, or nothing but "unanswerable", "I don't know" and the like.
 * A guess after the phrase ("I don't know, perhaps Paris") is an answer.
 * @example
 * isAbstention("The question cannot be answered from the context."); // true
 */
export function isAbstention(response: string, phrases: ReadonlySet<string> = new Set()): boolean {
  if (response.length > LONGEST) return false;
  const normal = normalizeAnswer(response.replaceAll("’", "'"));
  return normal === "" || phrases.has(normal) || ABSTENTION.test(normal);
}
