/** The kind of a gold answer decides how the response is read. */
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

export function kindOf(gold: string): Kind {
  const text = gold.trim();
  if (OPTION.test(text)) return "option";
  if (NUMBER.test(text)) return "number";
  if (isBrackets(text)) return "brackets";
  if (verdictsLike(text).length > 0) return "verdict";
  return /^\S+(?:\s+\S+)+$/.test(text) && !text.includes(",") ? "list" : "words";
}

/** The set of answers that a gold such as "Yes" belongs to; empty for other golds. */
export function verdictsLike(gold: string): readonly string[] {
  return VERDICTS.find((verdicts) => verdicts.includes(gold.trim().toLowerCase())) ?? [];
}

export function isBrackets(text: string): boolean {
  return BRACKETS.test(text);
}

export function optionLetter(gold: string): string {
  const match = OPTION.exec(gold.trim());
  return (match?.[1] ?? match?.[2] ?? "").toUpperCase();
}

/** Parses digits or a word up to twenty; null for other texts. */
export function wholeNumber(text: string): number | null {
  const spelled = SPELLED.indexOf(text.toLowerCase());
  if (spelled !== -1) return spelled;
  return NUMBER.test(text) ? Number(text.replaceAll(",", "").replace("−", "-")) : null;
}
