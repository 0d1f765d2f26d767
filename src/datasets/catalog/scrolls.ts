import type { RawRow } from "../source-row.js";
import { RowProblem, text } from "./columns.js";
import type { CatalogueEntry } from "./entry.js";

/** What all tasks of SCROLLS share: their place on the hub and their columns. */
export function scrolls(task: string) {
  return {
    repo: "tau/scrolls",
    licence: "not stated",
    // The repository holds archives alone; the split is where the hub would lay Parquet files of it.
    sources: () => [{ config: task, split: "validation", files: [`${task}.zip`], member: `${task}/validation.jsonl` }],
    columns: ["pid", "input", "output"],
  } satisfies Partial<CatalogueEntry>;
}

/** What a row is asked about and the document that is asked about, which follows after a blank line. */
export function queryAndDocument(row: RawRow): { query: string; document: string } {
  const input = text(row, "input");
  const end = input.search(/\n\s*\n/);
  const query = input.slice(0, Math.max(end, 0)).trim();
  const document = input.slice(Math.max(end, 0)).trim();
  if (query !== "" && document !== "") return { query, document };
  throw new RowProblem('has no query, a blank line and a document in "input"');
}
