import { isBlank, strip, stripCharacter } from "./python-text.js";
import type { Rules } from "./rule.js";

const SEPARATOR = "******";

/** The rules about how a response begins and ends, and about giving two of them. */
export const WRAPPING_RULES: Rules = {
  "combination:two_responses": () => hasTwoResponses,
  "combination:repeat_prompt": (given) => {
    const prompt = given.text("prompt_to_repeat").toLowerCase();
    return (response) => strip(response).toLowerCase().startsWith(prompt);
  },
  "startend:end_checker": (given) => {
    const ending = given.text("end_phrase").toLowerCase();
    return (response) => stripCharacter(strip(response), '"').toLowerCase().endsWith(ending);
  },
  "startend:quotation": () => (response) => {
    const text = strip(response);
    return text.length > 1 && text.startsWith('"') && text.endsWith('"');
  },
};

function hasTwoResponses(response: string): boolean {
  const parts = response.split(SEPARATOR);
  if (parts.slice(1, -1).some(isBlank)) return false;
  const [first, second, ...more] = parts.map(strip).filter((part) => part !== "");
  return second !== undefined && more.length === 0 && first !== second;
}
