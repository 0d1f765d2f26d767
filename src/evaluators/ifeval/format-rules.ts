import { countBullets } from "./bullets.js";
import { isJson } from "./json-text.js";
import { patternOf } from "./pattern-of.js";
import { countMatches, isBlank, SPACE, stripCharacter, stripEnd, stripStart } from "./python-text.js";
import type { Rules } from "./rule.js";

const OPTIONS = ["My answer is yes.", "My answer is no.", "My answer is maybe."];
const HIGHLIGHT = /\*[^\n*]*\*/g;
const DOUBLE_HIGHLIGHT = /\*\*[^\n*]*\*\*/g;

/** The rules about the form of a response. */
export const FORMAT_RULES: Rules = {
  "detectable_format:number_bullet_lists": (given) => {
    const wanted = given.count("num_bullets");
    return (response) => countBullets(response) === wanted;
  },
  "detectable_format:constrained_response": () => (response) => OPTIONS.some((option) => response.includes(option)),
  "detectable_format:number_highlighted_sections": (given) => {
    const wanted = given.count("num_highlights");
    return (response) => countHighlights(response) >= wanted;
  },
  "detectable_format:multiple_sections": (given) => {
    const splitter = patternOf(given.searched("section_spliter"));
    const heading = new RegExp(`${splitter}[${SPACE}]?\\p{Nd}+[${SPACE}]?`, "gu");
    const wanted = given.count("num_sections");
    return (response) => countMatches(heading, response) >= wanted;
  },
  "detectable_format:json_format": () => isJson,
  "detectable_format:title": () => (response) => response.split("\n").some(hasTitle),
};

/** Texts between asterisks and texts between pairs of them; one between three on either side is both. */
function countHighlights(text: string): number {
  const single = (text.match(HIGHLIGHT) ?? []).filter((found) => !isBlank(stripCharacter(found, "*")));
  const double = (text.match(DOUBLE_HIGHLIGHT) ?? []).filter((found) => !isBlank(found.slice(2, -2)));
  return single.length + double.length;
}

/** Whether anything stands between the first << and the last >> of the line. */
function hasTitle(line: string): boolean {
  const start = line.indexOf("<<");
  const end = line.lastIndexOf(">>");
  if (start === -1 || end < start + 3) return false;
  return !isBlank(stripEnd(stripStart(line.slice(start, end), "<"), ">"));
}
