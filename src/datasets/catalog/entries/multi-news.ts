import type { CatalogEntry } from "../entry.js";
import { buildSummaryExample, hasBlankColumn, SUMMARY_SCORING } from "../row-fields.js";

const FIELDS = {
  what: "what these news articles report",
  length: "a few paragraphs",
  document: "document",
  summary: "summary",
};

const COLUMNS = [FIELDS.document, FIELDS.summary];

/** The repository itself has two text files with one line per row. */
const TEXTS = {
  columns: { [FIELDS.document]: "data/test.src.cleaned", [FIELDS.summary]: "data/test.tgt" },
  lineBreak: "NEWLINE_CHAR",
};

export const multiNews: CatalogEntry = {
  about: "Several news articles about one event, to summarize together.",
  repo: "alexfabbri/multi_news",
  license: "other",
  size: 5621,
  sources: () => [{ config: "default", split: "test", fallback: { lines: TEXTS } }],
  columns: COLUMNS,
  // One row of the test split has a summary but no articles.
  isExpanding: true,
  examples(row) {
    if (hasBlankColumn(row, COLUMNS)) return [];
    const fields = buildSummaryExample(row, FIELDS);
    const context = joinArticles(fields.context);
    return context === "" ? [] : { ...fields, context };
  },
  ...SUMMARY_SCORING,
};

/** Replaces the dataset's own separator, which would mean nothing to a reader. */
function joinArticles(document: string): string {
  const parts = document.split("|||||").map((article) => article.trim());
  return parts.filter((article) => article !== "").join("\n\n---\n\n");
}
