import type { CatalogueEntry } from "../entry.js";
import { SUMMARY_SCORING, summarise } from "../summarise.js";

const FIELDS = {
  what: "what these news articles report",
  length: "a few paragraphs",
  document: "document",
  summary: "summary",
};

/** Multi-News. */
export const multiNews: CatalogueEntry = {
  about: "Several news articles about one event, to be summarised together.",
  repo: "alexfabbri/multi_news",
  licence: "other",
  size: 5622,
  sources: () => [{ config: "default", split: "test" }],
  columns: ["document", "summary"],
  examples(row) {
    const fields = summarise(row, FIELDS);
    return { ...fields, context: articles(fields.context) };
  },
  ...SUMMARY_SCORING,
};

/** The dataset's own mark between articles means nothing to a reader. */
function articles(document: string): string {
  const parts = document.split("|||||").map((article) => article.trim());
  return parts.filter((article) => article !== "").join("\n\n---\n\n");
}
