import { UsageError } from "../core/errors.js";
import type { Evaluator, Scored } from "../core/evaluator.js";
import type { Example } from "../core/example.js";
import { ownValue } from "../core/own-value.js";
import type { Output } from "../core/system.js";
import { goldsOf, responseOf, textOf, undecided } from "./gold.js";
import { FAMILIES, ownMap, STANCES, THIRD_TRUTH, TWO_WAY_FAMILY, TWO_WAY_GOLD } from "./nli/label-map.js";
import { LabelReader } from "./nli/reader.js";
import { ownAnswer } from "./own-answer.js";

const FIELD = "nli_accuracy";
const SHORT: Readonly<Record<string, string>> = { e: "entailment", c: "contradiction", n: "neutral" };

export interface NLILabelMatchOptions {
  /** Labels of one's own, each with further phrases that stand for it, in place of those that are built in. */
  labels?: Readonly<Record<string, readonly string[]>>;
}

interface Gold {
  reader: LabelReader;
  label: string;
}

/**
 * Whether a response arrives at the gold label of an inference: entailment / contradiction / not mentioned, supports /
 * refutes / not enough info, true / false / neither, yes / no / maybe, entailment / not_entailment. Inflections and
 * denials are understood ("contradicted", "does not entail"), and the last label that is stated counts. A response that
 * names none of the gold's own labels may name one of the others that says the same ("True" for "supports").
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
    if (labels !== undefined) checkLabels(labels);
    this.#labels = labels ?? null;
    this.#families = (labels === undefined ? FAMILIES : [ownMap(labels)]).map((map) => new LabelReader(map));
    this.#twoWay = labels === undefined ? new LabelReader(TWO_WAY_FAMILY) : null;
  }

  score(original: Example, processed: Output): Scored {
    const texts = goldsOf(original);
    const said = texts.length > 0 ? texts : [textOf(original.label)].filter((text) => text.trim() !== "");
    const golds = said.flatMap((text) => this.#goldOf(text) ?? []);
    const [gold] = golds;
    if (gold === undefined) return undecided(this.fields, reasonFor(said));
    const answer = ownAnswer(responseOf(processed));
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

  /** The label of a response in the gold's own family; when it names none of them, that of a parallel family. */
  #read(answer: string, { reader }: Gold): string | null {
    const own = reader.label(answer);
    if (own !== null || this.#labels !== null || reader.hasLabel(answer)) return own;
    for (const family of this.#families) {
      const label = family === reader ? null : family.label(answer);
      if (label !== null) return label;
    }
    return null;
  }

  /** In two-way datasets whatever is not entailed is the other label. */
  #isGold(read: string | null, { label }: Gold): boolean {
    if (read === null || read === label || this.#labels !== null) return read === label;
    const [said, wanted] = [ownValue(STANCES, read), ownValue(STANCES, label)];
    return said === wanted || (label === "not supported" && said === "open");
  }

  #goldOf(text: string): Gold | null {
    const gold = text.trim();
    if (this.#twoWay !== null && TWO_WAY_GOLD.test(gold)) return { reader: this.#twoWay, label: "not supported" };
    const full = this.#labels === null ? (ownValue(SHORT, gold.toLowerCase()) ?? gold) : gold;
    const isThirdTruth = this.#labels === null && THIRD_TRUTH.test(gold);
    for (const reader of this.#families.slice(isThirdTruth ? 1 : 0)) {
      const label = reader.whole(full);
      if (label !== null) return { reader, label };
    }
    return null;
  }
}

function checkLabels(labels: unknown): void {
  const entries = typeof labels === "object" && labels !== null && !Array.isArray(labels) ? Object.entries(labels) : [];
  const isList = (value: unknown) =>
    Array.isArray(value) && value.every((item) => typeof item === "string" && item.trim() !== "");
  if (entries.length >= 2 && entries.every(([label, phrases]) => label.trim() !== "" && isList(phrases))) return;
  throw new UsageError(
    'nli_label_match: labels must name two labels or more, each with a list of phrases, such as { "yes": ["true"], "no": [] }.',
  );
}

function reasonFor(golds: readonly string[]): string {
  const [gold] = golds;
  if (gold === undefined) return "the example has no gold label (answer or label)";
  return `the gold label ${JSON.stringify(gold.slice(0, 60))} is not known: give your own with the option labels`;
}
