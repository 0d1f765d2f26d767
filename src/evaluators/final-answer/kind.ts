/** What sort of answer a gold is: it decides how the response is read. */
type Kind = "option" | "number" | "brackets" | "verdict" | "list" | "words";

const OPTION = /^\(([a-z])\)$|^([a-z])[.)]?$/i;
const NUMBER = /^[-−+]?\d[\d,]*(?:\.\d+)?$/;
const BRACKETS = /^[\s()[\]{}<>]+$/;
const VERDICTS = [
  ["yes", "no"],
  ["true", "false"],
  ["valid", "invalid"],
  ["plausible", "implausible"],
];
const SPELLED = [
  ..."zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen".split(" "),
  ..."sixteen seventeen eighteen nineteen twenty".split(" "),
];

/** The sort of a gold answer. */
export function kindOf(gold: string): Kind {
  const text = gold.trim();
  if (OPTION.test(text)) return "option";
  if (NUMBER.test(text)) return "number";
  if (isBrackets(text)) return "brackets";
  if (verdictsLike(text).length > 0) return "verdict";
  return /^\S+(?:\s+\S+)+$/.test(text) && !text.includes(",") ? "list" : "words";
}

/** The answers that a gold such as "Yes" is one of; none for a gold of any other sort. */
export function verdictsLike(gold: string): readonly string[] {
  return VERDICTS.find((verdicts) => verdicts.includes(gold.trim().toLowerCase())) ?? [];
}

/** Whether a text is brackets and nothing else. */
export function isBrackets(text: string): boolean {
  return BRACKETS.test(text);
}

/** The letter of a gold such as "(B)" or "B". */
export function optionLetter(gold: string): string {
  const match = OPTION.exec(gold.trim());
  return (match?.[1] ?? match?.[2] ?? "").toUpperCase();
}

/** The number that a text is, in digits or in a word up to twenty; null when it is none or more than one. */
export function wholeNumber(text: string): number | null {
  const spelled = SPELLED.indexOf(text.toLowerCase());
  if (spelled !== -1) return spelled;
  return NUMBER.test(text) ? Number(text.replaceAll(",", "").replace("−", "-")) : null;
}
