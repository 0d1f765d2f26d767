import { goldText } from "../answers.js";
import { RowProblem, text } from "../columns.js";
import type { CatalogueEntry } from "../entry.js";

import { queryAndDocument, scrolls } from "../scrolls.js";

const LABELS = ["Entailment", "Contradiction", "Not mentioned"];
const ASK = `Does the contract entail this hypothesis, contradict it, or not mention it? Answer with one of: ${LABELS.join(", ")}.`;

/** The version of SCROLLS. */
export const contractNli: CatalogueEntry = {
  about: "Contracts with a hypothesis that each entails, contradicts or does not mention.",
  ...scrolls("contract_nli"),
  size: 1037,
  examples(row) {
    const { query, document } = queryAndDocument(row);
    const answer = goldText(row, "output");
    if (!LABELS.some((label) => label.toLowerCase() === answer.toLowerCase()))
      throw new RowProblem(`has "${answer}" in "output", not one of ${LABELS.join(", ")}`);
    return { id: text(row, "pid"), context: document, question: `Hypothesis: ${query}\n\n${ASK}`, answer };
  },
  evaluators: ["nli_label_match", "answer_quality"],
  primaryField: "nli_accuracy",
};
