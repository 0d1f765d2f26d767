import type { Evaluator, Example, Output, Scored } from "../core/index.js";
import { getOwn, UsageError } from "../core/index.js";
import { convertToText, getResponseText, listGolds, markUnscored } from "./gold.js";
import { extractOwnAnswer } from "./own-answer.js";
import { findStatedAnswers, isCounterfactual, isRetracted, type StatedAnswer } from "./stated-answer/index.js";

/** Words for the labels of one family of datasets. */
export interface LabelMap {
  /** Patterns by label, without capturing groups. A denied label is read as `denied`. */
  labels: readonly LabelWords[];
  /** Patterns with their own denial ("not mentioned"), which are tried first. */
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

/** Says that a text leaves the question open. */
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

/** For datasets with two labels, where anything not entailed is the other one. */
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

/** In the order in which a gold label is looked up. */
export const FAMILIES: readonly LabelMap[] = [ENTAILMENT, TRUTH, YES_NO];

/** What a label says of the hypothesis: labels with the same stance are interchangeable. */
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

/** A gold used with "true" and "false", and not with the labels of the first family. */
export const THIRD_TRUTH = /^(?:neither|unknown|uncertain)$/i;

/** A gold of two-way datasets: "not_entailment", "non-entailment". */
export const TWO_WAY_GOLD = /^(?:not|non|no)[\s_-]?entail/i;
export const TWO_WAY_FAMILY = TWO_WAY;

/** Builds the map for a user's labels: each label and its phrases. */
export function createLabelMap(labels: Readonly<Record<string, readonly string[]>>): LabelMap {
  const words = Object.entries(labels).flatMap(([label, phrases]) =>
    [label, ...phrases].map((phrase) => ({ label, phrase: phrase.trim() })),
  );
  // Longest phrase first: "not supported" is another label than "supported".
  words.sort((a, b) => b.phrase.length - a.phrase.length);
  return { labels: words.map(({ label, phrase }) => ({ label, pattern: toLiteralPattern(phrase) })), denied: {} };
}

/** Spaces, hyphens and underscores are the same in labels. */
function toLiteralPattern(phrase: string): string {
  return phrase.replace(/[.*+?^${}()|[\]\\]/g, "\\$&").replace(/[\s_-]+/g, "[\\s_-]?");
}

const BLOCKED =
  "(?:and|but|so|thus|therefore|hence|rather|instead|only|because|which|mention\\w*|enough|sufficient)\\b";
const DENIAL = `(?:\\b(?:not|never|no|cannot|neither|nor|without|non|fails? to|failed to)|n['’]t)(?![\\s]+only\\b)(?:\\s{1,3}(?!${BLOCKED})[\\w'’]{1,30}){0,4}?[\\s_-]{1,3}`;
/** Other names for the answer. */
const NAMES =
  /\b(?:label|verdict|relation(?:ship)?|conclusion|classification|judge?ment|prediction|choice|category|response|stance)\b/gi;
const CLASSIFIED = /\b(?:classified|labell?ed|categori[sz]ed) (?:as|:)\s?(?:an? )?[*"'`(]{0,3}$/i;
const CONCLUDED =
  /\b(?:therefore|thus|hence|so|consequently|overall|in conclusion|in summary|accordingly)\b[^.\n]{0,110}$/i;
const HYPOTHETICAL = /\b(?:whether|if|either|determine|decide|options|labels|choices)\b[^.\n]{0,60}$/i;
const MARKED = /(?:\*\*|\\boxed\{(?:\\text\{)?|<answer>\s?|`|")$/;
const LISTED = /^\W{0,4}(?:,|\/|\||\bor\b)\W{0,4}(?:(?:or|is|an?)\W{1,3}){0,3}$/i;
const BEFORE = 130;
const BEHIND = 200;
/** How far after the announcement a label may be: "the answer is that the text entails it". */
const MAX_DISTANCE = 60;
/** The answer is among the last labels; a text of nothing but labels is not an answer. */
const MAX_LABELS = 4000;

interface LabelMatch {
  label: string;
  /** The label follows from a denied one: "not entailment". */
  isDenied: boolean;
  at: number;
  end: number;
}

/** Finds the labels of one map in texts. */
export class LabelReader {
  readonly #pattern: RegExp;
  readonly #map: LabelMap;

  constructor(map: LabelMap) {
    this.#map = map;
    const plain = map.labels.map(({ pattern }) => `(${pattern})`).join("|");
    this.#pattern = new RegExp(
      `(?<!\\w)(?:${plain})(?!\\w)|${DENIAL}(?:${plain})(?!\\w)|(?<!\\w)(${map.phrases?.pattern ?? "(?!)"})(?!\\w)`,
      "gi",
    );
  }

  /** The label if the text is nothing else; null otherwise. */
  readWholeLabel(text: string): string | null {
    const bare = text.trim().replace(/^[\s"'*(]+|[\s"'*).!]+$/g, "");
    const found = this.#findAll(bare);
    const [only] = found;
    return found.length === 1 && only?.at === 0 && only.end === bare.length ? only.label : null;
  }

  /** The label that a response arrives at; null if it names none. */
  findLabel(text: string): string | null {
    const found = removeLabelLists(this.#findAll(text), text).filter(
      ({ at, end }) => !isCounterfactual(getLabelContext(text, at)) && !isRetracted(text.slice(end, end + BEHIND)),
    );
    const real = found.filter(({ at }) => !HYPOTHETICAL.test(getLabelContext(text, at)));
    const edge = this.#findAtEdge(text);
    const isChosen = found.some(({ label }) => label === edge);
    return (
      findLastStatedLabel(real, text) ?? (isChosen ? edge : null) ?? real.at(-1)?.label ?? found.at(-1)?.label ?? null
    );
  }

  /** Whether a text names any label, chosen or not. */
  hasLabel(text: string): boolean {
    return this.#findAll(text).length > 0;
  }

  /** A label alone on the last line, or one that the response begins with before an explanation. */
  #findAtEdge(text: string): string | null {
    const trimmed = text.trim();
    const last = this.readWholeLabel(trimmed.slice(trimmed.lastIndexOf("\n") + 1).slice(0, 200));
    if (last !== null) return last;
    const opening = /^[^\n.,;:!–—(]{1,60}?(?=[\n.,;:!–—(]|\s-\s|$)/.exec(trimmed)?.[0];
    return opening === undefined ? null : this.readWholeLabel(opening);
  }

  #findAll(text: string): LabelMatch[] {
    const found: LabelMatch[] = [];
    for (const match of text.matchAll(this.#pattern)) {
      const named = this.#readMatch(match);
      if (named !== null) found.push({ ...named, at: match.index, end: match.index + match[0].length });
      if (found.length > 2 * MAX_LABELS) found.splice(0, MAX_LABELS);
    }
    return found.slice(-MAX_LABELS);
  }

  /** The groups are each label, each denied label, and the phrases. */
  #readMatch(match: RegExpMatchArray): Pick<LabelMatch, "label" | "isDenied"> | null {
    const { labels, phrases, denied } = this.#map;
    const hit = match.findIndex((group, i) => i > 0 && group !== undefined) - 1;
    const isPhrase = hit >= 2 * labels.length;
    const isDenied = !isPhrase && hit >= labels.length;
    const named = isPhrase ? phrases?.label : labels[hit % labels.length]?.label;
    const label = isDenied ? getOwn(denied, named ?? "") : named;
    return label === undefined ? null : { label, isDenied };
  }
}

/** The last label announced as the answer, else the last one that is concluded or marked. */
function findLastStatedLabel(found: readonly LabelMatch[], text: string): string | null {
  const fromEnd = [...found].reverse();
  const announced = findFirstLabelAfter(findStatedAnswers(text, { names: NAMES }), found, text);
  const classified = fromEnd.find(({ at }) => CLASSIFIED.test(getLabelContext(text, at)));
  if (announced !== null && (classified === undefined || announced.at >= classified.at)) return announced.label;
  if (classified !== undefined) return classified.label;
  const concluded = fromEnd.find(
    ({ at }) => CONCLUDED.test(getLabelContext(text, at)) || MARKED.test(getLabelContext(text, at)),
  );
  return concluded?.label ?? null;
}

/** The label where the answer is stated; of several places the last one with a label. */
function findFirstLabelAfter(
  stated: readonly StatedAnswer[],
  found: readonly LabelMatch[],
  text: string,
): LabelMatch | null {
  for (const { from, end, by } of stated) {
    if (by === "space") continue;
    const first = found.find(({ at }) => at >= from && at < end);
    if (first === undefined || first.at - from > MAX_DISTANCE) continue;
    if (!/[.\n]\s*\S/.test(text.slice(from, first.at))) return first;
  }
  return null;
}

/** "entailment, contradiction or neutral" only lists the options. */
function removeLabelLists(found: readonly LabelMatch[], text: string): LabelMatch[] {
  const listed = new Set<LabelMatch>();
  for (const [i, next] of found.entries()) {
    const previous = found[i - 1];
    if (previous === undefined || previous.label === next.label || next.at - previous.end > 12) continue;
    // "Contradiction, not entailment" chooses.
    if (next.isDenied) continue;
    if (LISTED.test(text.slice(previous.end, next.at))) listed.add(previous).add(next);
  }
  return found.filter((one) => !listed.has(one));
}

function getLabelContext(text: string, at: number): string {
  return text.slice(Math.max(0, at - BEFORE), at);
}

const FIELD = "nli_accuracy";
const MAX_SHORT_CHARS: Readonly<Record<string, string>> = { e: "entailment", c: "contradiction", n: "neutral" };

/** Options of `NLILabelMatch`. */
export interface NLILabelMatchOptions {
  /** Custom labels, each with more phrases that mean it, instead of the built-in ones. */
  labels?: Readonly<Record<string, readonly string[]>>;
}

interface GoldLabel {
  reader: LabelReader;
  label: string;
}

/**
 * Whether a response arrives at the gold label of an inference: entailment / contradiction / not mentioned, supports /
 * refutes / not enough info, true / false / neither, yes / no / maybe, entailment / not_entailment. Inflections and
 * denials are understood ("contradicted", "does not entail"), and the last stated label counts. A response that
 * names none of the gold's own labels may name an equivalent one ("True" for "supports").
 * @example
 * new NLILabelMatch().score(
 *   { id: 1, question: "…", answer: "contradiction" },
 *   { response: "Nothing here is entailed. Therefore the label is: contradiction" },
 * );
 * // { scores: { nli_accuracy: 1 }, evidence: { nli_accuracy: "read contradicted, gold contradicted" } }
 */
export class NLILabelMatch implements Evaluator {
  readonly name = "nli_label_match";
  readonly fields: readonly string[] = [FIELD];
  readonly primaryFields: readonly string[] = [FIELD];
  readonly #families: readonly LabelReader[];
  readonly #twoWay: LabelReader | null;
  readonly #labels: NLILabelMatchOptions["labels"] | null;

  constructor({ labels }: NLILabelMatchOptions = {}) {
    if (labels !== undefined) validateLabels(labels);
    this.#labels = labels ?? null;
    this.#families = (labels === undefined ? FAMILIES : [createLabelMap(labels)]).map((map) => new LabelReader(map));
    this.#twoWay = labels === undefined ? new LabelReader(TWO_WAY_FAMILY) : null;
  }

  score(original: Example, processed: Output): Scored {
    const texts = listGolds(original);
    const said = texts.length > 0 ? texts : [convertToText(original.label)].filter((text) => text.trim() !== "");
    const golds = said.flatMap((text) => this.#findGold(text) ?? []);
    const [gold] = golds;
    if (gold === undefined) return markUnscored(this.fields, explainUnknownGold(said));
    const answer = extractOwnAnswer(getResponseText(processed));
    const read = this.#read(answer, gold);
    const isRight = golds.some((each) =>
      this.#isGold(each.reader === gold.reader ? read : this.#read(answer, each), each),
    );
    const shown = `read ${read ?? "no label"}, gold ${golds.map(({ label }) => label).join(" or ")}`;
    return { scores: { [FIELD]: isRight ? 1 : 0 }, evidence: { [FIELD]: shown } };
  }

  fingerprint(): unknown {
    return { evaluator: this.name, version: 3, labels: this.#labels };
  }

  /** The label in the gold's own family; if it names none of them, that of a parallel family. */
  #read(answer: string, { reader }: GoldLabel): string | null {
    const own = reader.findLabel(answer);
    if (own !== null || this.#labels !== null || reader.hasLabel(answer)) return own;
    for (const family of this.#families) {
      const label = family === reader ? null : family.findLabel(answer);
      if (label !== null) return label;
    }
    return null;
  }

  /** In two-way datasets anything not entailed is the other label. */
  #isGold(read: string | null, { label }: GoldLabel): boolean {
    if (read === null || read === label || this.#labels !== null) return read === label;
    const [said, wanted] = [getOwn(STANCES, read), getOwn(STANCES, label)];
    return said === wanted || (label === "not supported" && said === "open");
  }

  #findGold(text: string): GoldLabel | null {
    const gold = text.trim();
    if (this.#twoWay !== null && TWO_WAY_GOLD.test(gold)) return { reader: this.#twoWay, label: "not supported" };
    const full = this.#labels === null ? (getOwn(MAX_SHORT_CHARS, gold.toLowerCase()) ?? gold) : gold;
    const isThirdTruth = this.#labels === null && THIRD_TRUTH.test(gold);
    for (const reader of this.#families.slice(isThirdTruth ? 1 : 0)) {
      const label = reader.readWholeLabel(full);
      if (label !== null) return { reader, label };
    }
    return null;
  }
}

function validateLabels(labels: unknown): void {
  const entries = typeof labels === "object" && labels !== null && !Array.isArray(labels) ? Object.entries(labels) : [];
  const isList = (value: unknown) =>
    Array.isArray(value) && value.every((item) => typeof item === "string" && item.trim() !== "");
  if (entries.length >= 2 && entries.every(([label, phrases]) => label.trim() !== "" && isList(phrases))) return;
  throw new UsageError(
    'nli_label_match: labels must have at least two labels, each with a list of phrases, such as { "yes": ["true"], "no": [] }.',
  );
}

function explainUnknownGold(golds: readonly string[]): string {
  const [gold] = golds;
  if (gold === undefined) return "the example has no gold label (answer or label)";
  return `unknown gold label ${JSON.stringify(gold.slice(0, 60))}: define your own labels with the option labels`;
}
