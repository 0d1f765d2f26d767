import type { Evaluator, Example, Output, Scored } from "../core/index.js";
import { getResponseText, markUnscored } from "./gold.js";
import { findChosenOption } from "./multiple-choice/extract.js";
import { readChoiceQuestion } from "./multiple-choice/gold.js";
import { toLetter } from "./multiple-choice/labels.js";

const ACCURACY = "mc_accuracy";
const EXTRACTED = "mc_extracted";

/**
 * Whether a response chooses the right option. The last option that is stated or chosen counts ("the answer is (B)",
 * "I'd go with B", "\boxed{B}"), else a letter on its own line, at the beginning or the end, else the text of an
 * option. A response without a choice is wrong, with `mc_extracted` 0; so is one that was cut off, or has letters
 * only as list marks or in formulas. The gold is a letter or the text of a choice, or `answer_index` (or `label`)
 * from 0.
 * @example
 * new MultipleChoiceAccuracy().score(
 *   { id: 1, question: "Capital of France?", choices: ["Rome", "Paris"], answer: "Paris" },
 *   { response: "It is not A. The answer is clearly B." },
 * );
 * // { scores: { mc_accuracy: 1, mc_extracted: 1 }, evidence: { mc_accuracy: "chose B, right is B" } }
 */
export class MultipleChoiceAccuracy implements Evaluator {
  readonly name = "multiple_choice_accuracy";
  readonly fields: readonly string[] = [ACCURACY, EXTRACTED];
  readonly primaryFields: readonly string[] = [ACCURACY];

  score(original: Example, processed: Output): Scored {
    const question = readChoiceQuestion(original);
    if (typeof question === "string") return markUnscored(this.fields, question);
    const chosen = findChosenOption(getResponseText(processed), question.options);
    const right = [...question.right].map(toLetter).join(" or ");
    return {
      scores: {
        [ACCURACY]: chosen !== null && question.right.has(chosen) ? 1 : 0,
        [EXTRACTED]: chosen === null ? 0 : 1,
      },
      evidence: { [ACCURACY]: `chose ${chosen === null ? "nothing" : toLetter(chosen)}, right is ${right}` },
    };
  }

  fingerprint(): unknown {
    return { evaluator: this.name, version: 3 };
  }
}
