import { compares } from "./arguments.js";
import { countCapitalWords } from "./capital-words.js";
import { isLower, isUpper } from "./python-text.js";
import type { Follows, Rules } from "./rule.js";

/** The languages that the detector knows, by its codes. */
const LANGUAGES = new Set(
  "af ar bg bn cs da de el en es et fa fi fr gu he hi hr hu id it ja kn ko lt lv mk ml mr ne nl no pa pl pt ro ru sk sl so sq sv sw ta te th tl tr uk ur vi zh-cn zh-tw".split(
    " ",
  ),
);

/** The ids whose rules ask for the language of a response. */
export const LANGUAGE_IDS: ReadonlySet<string> = new Set([
  "language:response_language",
  "change_case:english_capital",
  "change_case:english_lowercase",
]);

/** The rules about capitals, commas and the language of a response. */
export const CASE_RULES: Rules = {
  "language:response_language": (given) => isIn(given.oneOf("language", LANGUAGES)),
  "change_case:english_capital": () => (response, detect) => isUpper(response) && isIn("en")(response, detect),
  "change_case:english_lowercase": () => (response, detect) => isLower(response) && isIn("en")(response, detect),
  "change_case:capital_word_frequency": (given) => {
    const relation = given.relation("capital_relation");
    const wanted = given.count("capital_frequency");
    return (response) => compares(countCapitalWords(response), relation, wanted);
  },
  "punctuation:no_comma": () => (response) => !response.includes(","),
};

/** A response without letters counts as followed: the official grader gives it the benefit of the doubt. */
function isIn(language: string): Follows {
  return (response, detect) => {
    const found = detect(response);
    return found === null || found === language;
  };
}
