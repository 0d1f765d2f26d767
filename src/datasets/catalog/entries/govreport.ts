import type { CatalogEntry } from "../entry.js";
import { buildSummaryExample, SUMMARY_SCORING } from "../row-fields.js";

const FIELDS = {
  what: "this report of a government agency",
  length: "about one page",
  document: "report",
  summary: "summary",
};

export const govreport: CatalogEntry = {
  about: "Long government agency reports to summarize.",
  repo: "ccdv/govreport-summarization",
  license: "not stated",
  size: 973,
  sources: () => [{ config: "document", split: "test" }],
  columns: ["report", "summary"],
  examples: (row) => buildSummaryExample(row, FIELDS),
  ...SUMMARY_SCORING,
};
