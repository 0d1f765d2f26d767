import { SUMMARY_SCORING, summarise } from "../answers.js";
import { text } from "../columns.js";
import type { CatalogueEntry } from "../entry.js";

const FIELDS = {
  what: "this dialogue",
  length: "one to three sentences",
  document: "dialogue",
  summary: "summary",
};

/** DialogSum. */
export const dialogsum: CatalogueEntry = {
  about: "Everyday dialogues to be summarised; each dialogue comes three times, with the summaries of three people.",
  repo: "knkarthick/dialogsum",
  licence: "cc-by-nc-sa-4.0",
  size: 1500,
  sources: () => [{ config: "default", split: "test", files: ["test.csv"] }],
  columns: ["id", "dialogue", "summary"],
  optionalColumns: ["topic"],
  examples: (row) => ({ id: text(row, "id"), ...summarise(row, FIELDS) }),
  ...SUMMARY_SCORING,
};
