/** Pairs of marks that may surround an answer. */
const PAIRS: readonly (readonly [string, string])[] = [
  ["**", "**"],
  ["__", "__"],
  ["*", "*"],
  ["`", "`"],
  ["$$", "$$"],
  ["$", "$"],
  ["\\(", "\\)"],
  ["\\[", "\\]"],
  ['"', '"'],
  ["'", "'"],
  ["“", "”"],
  ["‘", "’"],
];
const COMMAND = /^\\(?:boxed|fbox|text|textbf|textit|mathrm|mathbf|mathit)\s?\{/;
/** Stop tokens that were left in the response. */
const STOP_MARK = /(?:<\/s>|<\|[a-z_]{1,20}\|>|<\/answer>)$/i;
/** Ends the clause in "No, because …" and in "12. There are …". */
const CLAUSE_END = /[.,;:!?](?=\s|$)|\s[-–—(]|\s(?:because|since|as)\s/;
const MAX_LAYERS = 12;

/**
 * Removes what surrounds an answer: bold, quotes, dollar signs, \boxed, the final period.
 * @example
 * cleanAnswer("**\\boxed{\\text{No}}**."); // "No"
 */
export function cleanAnswer(text: string): string {
  let answer = text.trim();
  for (let layer = 0; layer < MAX_LAYERS; layer++) {
    const peeled = peelLayer(answer);
    if (peeled === answer) break;
    answer = peeled;
  }
  return answer;
}

function peelLayer(answer: string): string {
  const bare = unwrapPair(answer.replace(STOP_MARK, "").trim());
  return stripPeriod(stripHalfMark(bare)).trim();
}

/** A bold mark whose other half was cut off. */
function stripHalfMark(answer: string): string {
  const mark = answer.indexOf("**");
  if (mark === -1 || answer.includes("**", mark + 2)) return answer;
  return mark === 0 ? answer.slice(2) : answer.endsWith("**") ? answer.slice(0, -2) : answer;
}

function stripPeriod(answer: string): string {
  let end = answer.length;
  while (end > 0 && answer[end - 1] === ".") end -= 1;
  return answer.slice(0, end);
}

function unwrapPair(answer: string): string {
  for (const [open, close] of PAIRS) {
    if (answer.length > open.length + close.length && answer.startsWith(open) && answer.endsWith(close)) {
      const inside = answer.slice(open.length, -close.length);
      if (!inside.includes(open)) return inside;
    }
  }
  return extractCommandContent(answer) ?? answer;
}

/** The content of a leading LaTeX command; null if the text begins otherwise. */
function extractCommandContent(text: string): string | null {
  const command = COMMAND.exec(text);
  if (command === null) return null;
  let depth = 1;
  for (let i = command[0].length; i < text.length; i++) {
    if (text[i] === "\\") i += 1;
    else if (text[i] === "{") depth += 1;
    else if (text[i] === "}") depth -= 1;
    if (depth === 0) return text.slice(command[0].length, i);
  }
  return text.slice(command[0].length);
}

export function findFirstBold(line: string): string | null {
  const open = line.indexOf("**");
  const close = open === -1 ? -1 : line.indexOf("**", open + 2);
  return close === -1 ? null : line.slice(open + 2, close);
}

/** The beginning of a line, up to where an explanation starts. */
export function extractFirstClause(line: string): string {
  const text = line.replaceAll("**", "");
  const end = text.search(CLAUSE_END);
  return end === -1 ? text : text.slice(0, end);
}
