import type { CatalogEntry } from "../entry.js";
import { buildSummaryExample, hasBlankColumn, readOptionalText, SUMMARY_SCORING } from "../row-fields.js";

const FIELDS = {
  what: "this part of a city council's meeting",
  length: "one to three sentences",
  document: "transcript",
  summary: "summary",
};

const COLUMNS = [FIELDS.document, FIELDS.summary];

export const meetingbank: CatalogEntry = {
  about: "Parts of city council meetings to summarize like their minutes.",
  repo: "huuuyeah/meetingbank",
  license: "cc-by-nc-sa-4.0",
  size: 862,
  sources: () => [{ config: "default", split: "test", files: ["test.json"] }],
  columns: COLUMNS,
  optionalColumns: ["uid"],
  isExpanding: true,
  examples(row) {
    if (hasBlankColumn(row, COLUMNS)) return [];
    const uid = readOptionalText(row, "uid");
    return { ...(uid === "" ? {} : { id: uid }), ...buildSummaryExample(row, FIELDS) };
  },
  ...SUMMARY_SCORING,
};
