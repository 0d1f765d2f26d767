import { goldText, SUMMARY_SCORING } from "../answers.js";
import { text } from "../columns.js";
import type { CatalogueEntry } from "../entry.js";
import { queryAndDocument, scrolls } from "../scrolls.js";

const ASK = "Answer in one paragraph, from what is said in the meeting.";

/** QMSum, as SCROLLS has it. */
export const qmsum: CatalogueEntry = {
  about: "Transcripts of meetings, to be summarised with regard to a query.",
  ...scrolls("qmsum"),
  size: 272,
  examples(row) {
    const { query, document } = queryAndDocument(row);
    const answer = goldText(row, "output");
    return { id: text(row, "pid"), context: document, question: `${query}\n\n${ASK}`, answer };
  },
  ...SUMMARY_SCORING,
};
