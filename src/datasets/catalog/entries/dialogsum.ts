import type { CatalogEntry } from "../entry.js";
import { buildSummaryExample, requireText, SUMMARY_SCORING } from "../row-fields.js";

const FIELDS = {
  what: "this dialogue",
  length: "one to three sentences",
  document: "dialogue",
  summary: "summary",
};

export const dialogsum: CatalogEntry = {
  about: "Everyday dialogues to summarize; each comes three times, with summaries by three people.",
  repo: "knkarthick/dialogsum",
  license: "cc-by-nc-sa-4.0",
  size: 1500,
  sources: () => [{ config: "default", split: "test", files: ["test.csv"] }],
  columns: ["id", "dialogue", "summary"],
  optionalColumns: ["topic"],
  examples: (row) => ({ id: requireText(row, "id"), ...buildSummaryExample(row, FIELDS) }),
  ...SUMMARY_SCORING,
};
