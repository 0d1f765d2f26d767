import type { CatalogEntry } from "../entry.js";
import { buildSummaryExample, requireText, SUMMARY_SCORING } from "../row-fields.js";
import { createScrollsEntry } from "../scrolls.js";

const FIELDS = {
  what: "what happens in this episode of a television series",
  length: "one paragraph",
  document: "input",
  summary: "output",
};

/** The version of SCROLLS. */
export const summscreenfd: CatalogEntry = {
  about: "Transcripts of television episodes to summarize.",
  ...createScrollsEntry("summ_screen_fd"),
  size: 338,
  examples: (row) => ({ id: requireText(row, "pid"), ...buildSummaryExample(row, FIELDS) }),
  ...SUMMARY_SCORING,
};
