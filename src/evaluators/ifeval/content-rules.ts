import { ownValue } from "../../core/own-value.js";
import { patternOf } from "./pattern-of.js";
import { SPACE } from "./python-text.js";
import type { Rules } from "./rule.js";

const OPTIONAL_SPACE = `[${SPACE}]?`;

/** Markers that may be written with spaces in them. */
const MARKERS: Readonly<Record<string, string>> = {
  "P.P.S": `p\\.${OPTIONAL_SPACE}p\\.${OPTIONAL_SPACE}s`,
  "P.S.": `p\\.${OPTIONAL_SPACE}s\\.`,
};

/** The rules about what a response contains. */
export const CONTENT_RULES: Rules = {
  "detectable_content:number_placeholders": (given) => {
    const wanted = given.count("num_placeholders");
    return (response) => countPlaceholders(response) >= wanted;
  },
  "detectable_content:postscript": (given) => {
    const marker = given.searched("postscript_marker");
    const pattern = new RegExp(ownValue(MARKERS, marker) ?? patternOf(marker.toLowerCase()), "u");
    return (response) => pattern.test(response.toLowerCase());
  },
};

/** How many square brackets are closed in the line they are opened in. */
function countPlaceholders(text: string): number {
  return text.split("\n").reduce((count, line) => count + countBrackets(line), 0);
}

function countBrackets(line: string): number {
  let count = 0;
  for (let place = 0; ; count++) {
    const open = line.indexOf("[", place);
    const close = open === -1 ? -1 : line.indexOf("]", open);
    if (close === -1) return count;
    place = close + 1;
  }
}
