/** Words for the labels of one family of datasets. */
export interface LabelMap {
  /** Patterns by label, without capturing groups. A label that is found denied is read as `denied` says. */
  labels: readonly LabelWords[];
  /** Patterns that hold a denial of their own ("not mentioned") and come before all others. */
  phrases?: LabelWords;
  denied: Readonly<Record<string, string>>;
}

interface LabelWords {
  label: string;
  pattern: string;
}

const WORD = "[\\w'’]{1,30}";
const GAP = "[\\s_-]{1,3}";
const FOR =
  "(?:entail(?:s|ed|ment|ing)?|support(?:s|ed|ing|ive)?|impl(?:y|ies|ied)|corroborat(?:e|es|ed)|follows? (?:\\w{1,20}ly )?from)";
const AGAINST =
  "(?:contradict(?:s|ed|ion|ions|ing|ory)?|refut(?:e|es|ed|ing|ation)|disprov(?:e|es|ed|en)|inconsistent with|conflicts? with)";
const EITHER = `(?:${FOR}|${AGAINST}|verify|confirm|determine|decide|judge|conclude)`;
const KNOWLEDGE = "(?:info(?:rmation)?|evidence|data|context|details?)";
const NO = "(?:not|no|never|nowhere|cannot|does not|do not|did not|is not|\\w{1,8}n['’]t)";

/** What says that a text leaves the question open. */
const OPEN = [
  "neutral(?:ity)?",
  `${NO}${GAP}(?:${WORD} ){0,2}?(?:mention(?:s|ed|ing)?|address(?:es|ed)?|discuss(?:es|ed)?|specif(?:y|ies|ied)|stated?|covered)`,
  "notmentioned",
  `(?:not${GAP}enough|insufficient|lack of|lacks|no|not${GAP}sufficient)${GAP}(?:${WORD} ){0,2}?${KNOWLEDGE}(?: (?:${WORD} ){0,3}?${EITHER}(?: (?:or|nor|and) (?:${WORD} ){0,2}?${EITHER})?)?`,
  `${NO}${GAP}(?:provide|give|contain|offer|have|include)s?${GAP}(?:enough|sufficient|adequate|any)${GAP}(?:${WORD} ){0,2}?${KNOWLEDGE}`,
  "nei",
  "unsupported",
  "(?:undetermined|undecided|indeterminate|inconclusive|unverifiable|unverified|unknown|uncertain|unclear)",
  "(?:cannot|can not|can['’]t|could not) be (?:determined|verified|inferred|concluded|established)",
  "(?:cannot|can not|can['’]t) (?:determine|say|tell|conclude)",
  `neither(?=\\s*(?:$|[.,;!*"')\\]}<\\n]))`,
].join("|");

const ENTAILMENT: LabelMap = {
  phrases: { label: "undecided", pattern: OPEN },
  labels: [
    { label: "supported", pattern: FOR },
    { label: "contradicted", pattern: AGAINST },
  ],
  // "Does not entail" leaves it open; "does not contradict" alone says nothing.
  denied: { supported: "undecided" },
};

/** Of datasets with two labels, where whatever is not entailed is the other one. */
const TWO_WAY: LabelMap = {
  phrases: { label: "not supported", pattern: OPEN },
  labels: [
    { label: "supported", pattern: FOR },
    { label: "not supported", pattern: AGAINST },
  ],
  denied: { supported: "not supported" },
};

/** "The correct label is …" calls nothing true. */
const OF_ANSWERS =
  "\\s(?:\\w{1,15}\\s)?(?:answer|label|choice|option|classification|relation(?:ship)?|response|verdict)s?\\b";

const TRUTH: LabelMap = {
  phrases: { label: "undecided", pattern: OPEN },
  labels: [
    { label: "true", pattern: `(?:true|correct(?!${OF_ANSWERS}))` },
    { label: "false", pattern: `(?:false|untrue|incorrect(?!${OF_ANSWERS}))` },
  ],
  denied: { true: "false" },
};

const YES_NO: LabelMap = {
  phrases: { label: "undecided", pattern: `maybe|${OPEN}` },
  labels: [
    { label: "yes", pattern: "yes" },
    // In running text a "no" belongs to what follows it.
    { label: "no", pattern: `no(?=\\s*(?:$|[.,;:!*"')\\]}<\\n]|[–—]|-\\s))` },
  ],
  denied: {},
};

/** The families, in the order in which a gold label is looked for in them. */
export const FAMILIES: readonly LabelMap[] = [ENTAILMENT, TRUTH, YES_NO];

/** What a label of any of them says of the hypothesis: labels with the same stance stand for each other. */
export const STANCES: Readonly<Record<string, "for" | "against" | "open">> = {
  supported: "for",
  true: "for",
  yes: "for",
  contradicted: "against",
  false: "against",
  no: "against",
  "not supported": "against",
  undecided: "open",
};

/** A gold that stands beside "true" and "false", and not beside the labels of the first family. */
export const THIRD_TRUTH = /^(?:neither|unknown|uncertain)$/i;

/** A gold of two-way datasets: "not_entailment", "non-entailment". */
export const TWO_WAY_GOLD = /^(?:not|non|no)[\s_-]?entail/i;
export const TWO_WAY_FAMILY = TWO_WAY;

/** The map that a user's labels make: each label, and the phrases that stand for it. */
export function ownMap(labels: Readonly<Record<string, readonly string[]>>): LabelMap {
  const words = Object.entries(labels).flatMap(([label, phrases]) =>
    [label, ...phrases].map((phrase) => ({ label, phrase: phrase.trim() })),
  );
  // The longest phrase first: "not supported" is another label than "supported".
  words.sort((a, b) => b.phrase.length - a.phrase.length);
  return { labels: words.map(({ label, phrase }) => ({ label, pattern: literally(phrase) })), denied: {} };
}

/** Spaces, hyphens and underscores are the same in labels. */
function literally(phrase: string): string {
  return phrase.replace(/[.*+?^${}()|[\]\\]/g, "\\$&").replace(/[\s_-]+/g, "[\\s_-]?");
}
