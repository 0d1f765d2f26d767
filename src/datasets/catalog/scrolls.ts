import type { RawRow } from "../source-row.js";
import type { CatalogEntry } from "./entry.js";
import { RowProblem, requireText } from "./row-fields.js";

/** What all tasks of SCROLLS share: their repository and columns. */
export function createScrollsEntry(task: string) {
  return {
    repo: "tau/scrolls",
    license: "not stated",
    // The repository has only archives; the split is where the hub would put Parquet files.
    sources: () => [{ config: task, split: "validation", files: [`${task}.zip`], member: `${task}/validation.jsonl` }],
    columns: ["pid", "input", "output"],
  } satisfies Partial<CatalogEntry>;
}

/** Splits the input into the query and the document, which follows after a blank line. */
export function splitQueryAndDocument(row: RawRow): { query: string; document: string } {
  const input = requireText(row, "input");
  const end = input.search(/\n\s*\n/);
  const query = input.slice(0, Math.max(end, 0)).trim();
  const document = input.slice(Math.max(end, 0)).trim();
  if (query !== "" && document !== "") return { query, document };
  throw new RowProblem('has no query followed by a blank line and a document in "input"');
}
