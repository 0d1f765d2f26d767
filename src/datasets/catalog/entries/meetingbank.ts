import { SUMMARY_SCORING, summarise } from "../answers.js";
import { hasBlank, optionalText } from "../columns.js";
import type { CatalogueEntry } from "../entry.js";

const FIELDS = {
  what: "this part of a city council's meeting",
  length: "one to three sentences",
  document: "transcript",
  summary: "summary",
};

const COLUMNS = [FIELDS.document, FIELDS.summary];

export const meetingbank: CatalogueEntry = {
  about: "Parts of city council meetings to summarize like their minutes.",
  repo: "huuuyeah/meetingbank",
  licence: "cc-by-nc-sa-4.0",
  size: 862,
  sources: () => [{ config: "default", split: "test", files: ["test.json"] }],
  columns: COLUMNS,
  optionalColumns: ["uid"],
  isExpanding: true,
  examples(row) {
    if (hasBlank(row, COLUMNS)) return [];
    const uid = optionalText(row, "uid");
    return { ...(uid === "" ? {} : { id: uid }), ...summarise(row, FIELDS) };
  },
  ...SUMMARY_SCORING,
};
