import { SUMMARY_SCORING, summarise } from "../answers.js";
import type { CatalogueEntry } from "../entry.js";

const FIELDS = {
  what: "this report of a government agency",
  length: "about one page",
  document: "report",
  summary: "summary",
};

/** GovReport. */
export const govreport: CatalogueEntry = {
  about: "Long reports of government agencies, to be summarised.",
  repo: "ccdv/govreport-summarization",
  licence: "not stated",
  size: 973,
  sources: () => [{ config: "document", split: "test" }],
  columns: ["report", "summary"],
  examples: (row) => summarise(row, FIELDS),
  ...SUMMARY_SCORING,
};
