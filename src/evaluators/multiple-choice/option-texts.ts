import { clauseOf, cleaned } from "../final-answer/clean.js";
import { normalizeAnswer } from "../normalize.js";

const MAX_LINE = 4000;
/** What may follow an option's text that an explanation follows. */
const AFTER_TEXT = /^[*_"'”)\]]{0,4}(?:\s*(?:$|[.,;:!?(–—])|\s+(?:because|since|as|which|due|is|-)\s)/i;

/** The one option whose text is one of these, letter case and punctuation aside; null when there is none. */
export function findByText(candidates: readonly string[], texts: readonly string[]): number | null {
  for (const candidate of candidates) {
    const wanted = comparable(cleaned(candidate.slice(0, MAX_LINE)));
    if (wanted === "") continue;
    const same = texts.flatMap((text, index) => (comparable(text) === wanted ? [index] : []));
    if (same.length === 1) return same[0] ?? null;
  }
  return null;
}

/** The option whose text a line consists of or begins with, before it goes on to explain. */
export function findByLine(line: string, texts: readonly string[]): number | null {
  const said = [line, clauseOf(line)];
  return (
    findByText(said, texts) ??
    findByText(said.map(withoutArticle), texts.map(withoutArticle)) ??
    findByBeginning(line, texts)
  );
}

/** Whether a line says the text of this option, and nothing else before it explains. */
export function saysText(line: string, text: string | undefined): boolean {
  return text !== undefined && comparable(text) !== "" && findByLine(line, [text]) === 0;
}

/** "The roof" says the text "roof". A capital A may be a letter. */
function withoutArticle(text: string): string {
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
    if (wanted.length > longest && said.startsWith(wanted) && AFTER_TEXT.test(said.slice(wanted.length))) {
      found = index;
      longest = wanted.length;
    }
  }
  return found;
}

/** A text as it is compared. Articles stay: in "A) Rome" the A is none. Of a text such as "+" nothing is taken away. */
export function comparable(text: string): string {
  return normalizeAnswer(text, "articles") || normalizeAnswer(text, "all");
}
