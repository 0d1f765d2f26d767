const LABEL =
  /^\s*(?:\\(?:text|textbf|textrm|textnormal|mathrm|mathbf|mbox)\s?\{\s?\(([A-Z])\)\s*(\}?)|\(([A-Z])\)(?=\\ |\s))(?:\\[ ,;:]|\\q?quad(?![a-z])|[~\s:])*/;

/** An option of a choice with its label: `\textbf{(D)}\ 12`. */
export interface Option {
  readonly label: string;
  readonly content: string;
}

/** Several labels, "(A) and (B)", or nothing but a full stop. */
const GOES_ON = /^(?:[.,;&]|(?:and|or)(?![a-z])|\\text\{\s?(?:,|and|or))/;

/** Null for what has no label, and for a label alone. */
export function optionOf(answer: string): Option | null {
  const match = LABEL.exec(answer);
  if (match === null) return null;
  const rest = answer.slice(match[0].length).trim();
  const isOpen = match[1] !== undefined && match[2] === "";
  const content = isOpen ? rest.replace(/\}$/, "") : rest;
  return content.trim() === "" || GOES_ON.test(content) ? null : { label: match[1] ?? match[3] ?? "", content };
}

const LETTER = /^\s*(?:\\(?:text|textbf|textrm|mathrm)\s?\{)?\s?\(?[A-Z]\)?\s?\}?\s*$/;

/** Whether an answer is the label of an option: `D`, `(D)`, `\text{(D)}`. */
export function isLetter(answer: string): boolean {
  return LETTER.test(answer);
}

/** The part of an answer that another answer can be compared with: the label when that is a letter, else the content. */
export function comparablePart(answer: string, other: string): string {
  const option = optionOf(answer);
  if (option === null) return answer;
  return isLetter(other) ? option.label : option.content;
}
