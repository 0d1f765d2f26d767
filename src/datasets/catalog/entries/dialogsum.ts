import { SUMMARY_SCORING, summarise } from "../answers.js";
import { text } from "../columns.js";
import type { CatalogueEntry } from "../entry.js";

const FIELDS = {
  what: "this dialogue",
  length: "one to three sentences",
  document: "dialogue",
  summary: "summary",
};

export const dialogsum: CatalogueEntry = {
  about: "Everyday dialogues to summarize; each comes three times, with summaries by three people.",
  repo: "knkarthick/dialogsum",
  licence: "cc-by-nc-sa-4.0",
  size: 1500,
  sources: () => [{ config: "default", split: "test", files: ["test.csv"] }],
  columns: ["id", "dialogue", "summary"],
  optionalColumns: ["topic"],
  examples: (row) => ({ id: text(row, "id"), ...summarise(row, FIELDS) }),
  ...SUMMARY_SCORING,
};
