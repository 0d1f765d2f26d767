import { cleanAnswer, extractFirstClause } from "../final-answer/clean.js";
import { findSameTexts, isValueContinued } from "./comparable.js";

const MAX_LINE = 4000;
/** May follow the text of an option before an explanation. */
const AFTER_TEXT = /^[*_"'”)\]]{0,4}(?:\s*(?:$|[.,;:!?(–—])|\s+(?:because|since|as|which|due|is|-)\s)/i;

/** The only option whose text is one of these; null if there is none. */
export function findByText(candidates: readonly string[], texts: readonly string[]): number | null {
  for (const candidate of candidates) {
    const wanted = candidate.slice(0, MAX_LINE);
    // Marks around an answer may also be part of a text: "$5", "'s".
    for (const form of [wanted, cleanAnswer(wanted)]) {
      const same = findSameTexts(form, texts);
      if (same.length === 1) return same[0] ?? null;
    }
  }
  return null;
}

/** The option whose text is the line or its beginning, before an explanation. */
export function findByLine(line: string, texts: readonly string[]): number | null {
  const clause = extractFirstClause(line);
  const said = isValueContinued(clause.trim(), line.replaceAll("**", "").slice(clause.length))
    ? [line]
    : [line, clause];
  return (
    findByText(said, texts) ??
    findByText(said.map(stripArticle), texts.map(stripArticle)) ??
    findByBeginning(line, texts)
  );
}

/** Whether a line is the text of this option, up to an explanation. */
export function isOptionText(line: string, text: string | undefined): boolean {
  return text !== undefined && text.trim() !== "" && findByLine(line, [text]) === 0;
}

const ABBREVIATED =
  /^[A-Z]\.\s(?!(?:this|that|these|those|there|which|because|since)\b)(\p{Ll}{4,})(?:\s*(?:$|\n|[.,;])|\s(?:is|are|was|were|has|have)\s)/u;

/** Whether a text begins with a name such as "C. elegans": the options contain it in this form, or don't contain its word at all. */
export function isAbbreviatedName(said: string, texts: readonly string[]): boolean {
  const [, word = ""] = ABBREVIATED.exec(said) ?? [];
  if (word === "" || texts.length === 0) return false;
  const isInTexts = (part: string): boolean => texts.some((text) => text.toLowerCase().includes(part.toLowerCase()));
  return isInTexts(`${said[0] ?? ""}. ${word}`) || !isInTexts(word.slice(0, 4));
}

/** "The roof" says the text "roof". A capital A may be a letter. */
export function stripArticle(text: string): string {
  return text.trimStart().replace(/^(?:[Tt]he|[Aa]n|a) (?=\S)/, "");
}

function findByBeginning(line: string, texts: readonly string[]): number | null {
  const said = line
    .trimStart()
    .replace(/^[*_"'“(]+/, "")
    .slice(0, MAX_LINE)
    .toLowerCase();
  let found: number | null = null;
  let longest = 0;
  for (const [index, text] of texts.entries()) {
    const wanted = text.trim().replace(/\.$/, "").toLowerCase();
    const rest = said.slice(wanted.length);
    const isSaid = wanted.length > longest && said.startsWith(wanted) && AFTER_TEXT.test(rest);
    if (isSaid && !isValueContinued(wanted, rest)) {
      found = index;
      longest = wanted.length;
    }
  }
  return found;
}
