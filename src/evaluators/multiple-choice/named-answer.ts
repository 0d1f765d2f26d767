import { LINK, NOUN } from "../stated-answer/words.js";

const MAX_LINKS = 12;
/** "故选B", "应选择 B": Chinese chooses without the word for answer. */
const CHOSEN = /(?:选|選)(?:择|擇)?[:：\s]{0,2}$/;

/** "La respuesta correcta es", "a resposta certa é". */
const ADJECTIVE = /\s(?:corr?ec?tt?[ae]|certa|giusta|juste|finale)(?=[\s:])/giu;

/** Whether a text ends by naming the answer in any of the languages known: "die richtige Antwort ist", "答案：". */
export function announcesAnswer(text: string): boolean {
  if (CHOSEN.test(text)) return true;
  const left = text.replace(ADJECTIVE, "");
  let at = -1;
  for (const { 0: noun, index } of left.matchAll(NOUN)) at = index + noun.length;
  if (at === -1) return false;
  const link = new RegExp(LINK);
  let isLinked = false;
  for (let step = 0; step < MAX_LINKS && at < left.length; step++) {
    link.lastIndex = at;
    const match = link.exec(left);
    if (match === null) return false;
    isLinked ||= match.groups?.copula !== undefined || match.groups?.colon !== undefined;
    at += match[0].length;
  }
  return isLinked && at === left.length;
}
