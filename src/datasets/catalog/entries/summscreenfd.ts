import { SUMMARY_SCORING, summarise } from "../answers.js";
import { text } from "../columns.js";
import type { CatalogueEntry } from "../entry.js";
import { scrolls } from "../scrolls.js";

const FIELDS = {
  what: "what happens in this episode of a television series",
  length: "one paragraph",
  document: "input",
  summary: "output",
};

/** The version of SCROLLS. */
export const summscreenfd: CatalogueEntry = {
  about: "Transcripts of television episodes to summarize.",
  ...scrolls("summ_screen_fd"),
  size: 338,
  examples: (row) => ({ id: text(row, "pid"), ...summarise(row, FIELDS) }),
  ...SUMMARY_SCORING,
};
