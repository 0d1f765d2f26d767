/** The kind of a gold answer decides how the response is read. */
type AnswerKind = "option" | "number" | "brackets" | "verdict" | "list" | "words";

const OPTION_GOLD = /^\(([a-z])\)$|^([a-z])[.)]?$/i;
const NUMBER_GOLD = /^[-−+]?\d[\d,]*(?:\.\d+)?$/;
const BRACKETS = /^[\s()[\]{}<>]+$/;
const VERDICTS = [
  ["yes", "no"],
  ["true", "false"],
  ["valid", "invalid"],
  ["plausible", "implausible"],
];
const NUMBER_WORDS = [
  ..."zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen".split(" "),
  ..."sixteen seventeen eighteen nineteen twenty".split(" "),
];

export function classifyGold(gold: string): AnswerKind {
  const text = gold.trim();
  if (OPTION_GOLD.test(text)) return "option";
  if (NUMBER_GOLD.test(text)) return "number";
  if (isBracketsOnly(text)) return "brackets";
  if (listVerdicts(text).length > 0) return "verdict";
  return /^\S+(?:\s+\S+)+$/.test(text) && !text.includes(",") ? "list" : "words";
}

/** The set of answers that a gold such as "Yes" belongs to; empty for other golds. */
export function listVerdicts(gold: string): readonly string[] {
  return VERDICTS.find((verdicts) => verdicts.includes(gold.trim().toLowerCase())) ?? [];
}

export function isBracketsOnly(text: string): boolean {
  return BRACKETS.test(text);
}

export function parseOptionLetter(gold: string): string {
  const match = OPTION_GOLD.exec(gold.trim());
  return (match?.[1] ?? match?.[2] ?? "").toUpperCase();
}

/** Parses digits or a word up to twenty; null for other texts. */
export function parseWholeNumber(text: string): number | null {
  const spelled = NUMBER_WORDS.indexOf(text.toLowerCase());
  if (spelled !== -1) return spelled;
  return NUMBER_GOLD.test(text) ? Number(text.replaceAll(",", "").replace("−", "-")) : null;
}
