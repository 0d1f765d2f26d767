import type { CatalogEntry } from "../entry.js";
import { RowProblem, requireGoldText, requireText } from "../row-fields.js";

import { createScrollsEntry, splitQueryAndDocument } from "../scrolls.js";

const LABELS = ["Entailment", "Contradiction", "Not mentioned"];
const INSTRUCTION = `Does the contract entail this hypothesis, contradict it, or not mention it? Answer with one of: ${LABELS.join(", ")}.`;

/** The version of SCROLLS. */
export const contractNli: CatalogEntry = {
  about: "Contracts with a hypothesis that each entails, contradicts or does not mention.",
  ...createScrollsEntry("contract_nli"),
  size: 1037,
  examples(row) {
    const { query, document } = splitQueryAndDocument(row);
    const answer = requireGoldText(row, "output");
    if (!LABELS.some((label) => label.toLowerCase() === answer.toLowerCase()))
      throw new RowProblem(`has "${answer}" in "output", not one of ${LABELS.join(", ")}`);
    return {
      id: requireText(row, "pid"),
      context: document,
      question: `Hypothesis: ${query}\n\n${INSTRUCTION}`,
      answer,
    };
  },
  evaluators: ["nli_label_match", "answer_quality"],
  primaryField: "nli_accuracy",
};
