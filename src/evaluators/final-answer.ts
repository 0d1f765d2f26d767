import type { Evaluator, Example, Output, Scored } from "../core/index.js";
import { matchGold, parseResponse } from "./final-answer/match.js";
import { convertToText, getResponseText, listGolds, markUnscored } from "./gold.js";

const FIELD = "final_answer";

/**
 * Compares the answer that a response states with the gold answers: the last stated answer ("the answer is",
 * "Answer:", \boxed, <answer>) of the gold's kind, else the last line. Bold, quotes, dollar signs, the final
 * period and capitals are ignored; "(B)", "B" and "(B) its text" are the same option, read as in
 * `multiple_choice_accuracy`; a number may be spelled out or have a unit; brackets and lists of words are compared without
 * spacing. Reasoning in tags and further questions ("Q:") of a few-shot prompt are ignored.
 * @example
 * new FinalAnswer().score({ id: 1, question: "…", answer: "(B)" }, { response: "It is the 25th. So the answer is (B)." });
 * // { scores: { final_answer: 1 }, evidence: { final_answer: 'read "(B)"' } }
 */
export class FinalAnswer implements Evaluator {
  readonly name = FIELD;
  readonly fields: readonly string[] = [FIELD];
  readonly primaryFields: readonly string[] = [FIELD];

  score(original: Example, processed: Output): Scored {
    const golds = listGolds(original);
    if (golds.length === 0) return markUnscored(this.fields, "the example has no gold answer (answer or answers)");
    const response = parseResponse(getResponseText(processed));
    const compared = golds.map((gold) => matchGold(response, gold, convertToText(original.question)));
    const right = compared.find(({ isRight }) => isRight);
    const shown = (right ?? compared[0])?.shown ?? "";
    return {
      scores: { [FIELD]: right === undefined ? 0 : 1 },
      evidence: { [FIELD]: shown === "" ? "no answer found" : `read "${shown}"` },
    };
  }

  fingerprint(): unknown {
    return { evaluator: this.name, version: 3 };
  }
}
