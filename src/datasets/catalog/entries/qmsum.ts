import { goldText, SUMMARY_SCORING } from "../answers.js";
import { text } from "../columns.js";
import type { CatalogueEntry } from "../entry.js";
import { queryAndDocument, scrolls } from "../scrolls.js";

const ASK = "Answer in one paragraph, from what is said in the meeting.";

/** The version of SCROLLS. */
export const qmsum: CatalogueEntry = {
  about: "Meeting transcripts to summarize for a query.",
  ...scrolls("qmsum"),
  size: 272,
  examples(row) {
    const { query, document } = queryAndDocument(row);
    const answer = goldText(row, "output");
    return { id: text(row, "pid"), context: document, question: `${query}\n\n${ASK}`, answer };
  },
  ...SUMMARY_SCORING,
};
