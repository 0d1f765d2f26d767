import type { CatalogEntry } from "../entry.js";
import { requireGoldText, requireText, SUMMARY_SCORING } from "../row-fields.js";
import { createScrollsEntry, splitQueryAndDocument } from "../scrolls.js";

const INSTRUCTION = "Answer in one paragraph, from what is said in the meeting.";

/** The version of SCROLLS. */
export const qmsum: CatalogEntry = {
  about: "Meeting transcripts to summarize for a query.",
  ...createScrollsEntry("qmsum"),
  size: 272,
  examples(row) {
    const { query, document } = splitQueryAndDocument(row);
    const answer = requireGoldText(row, "output");
    return { id: requireText(row, "pid"), context: document, question: `${query}\n\n${INSTRUCTION}`, answer };
  },
  ...SUMMARY_SCORING,
};
