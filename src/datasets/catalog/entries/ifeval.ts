import type { RawRow } from "../../source-row.js";
import type { CatalogEntry } from "../entry.js";
import { RowProblem, requireIntegerValue, requireListValue, requireText, requireTextList } from "../row-fields.js";

export const ifeval: CatalogEntry = {
  about: "Requests with instructions that a program can check, such as the number of words or the letters used.",
  repo: "google/IFEval",
  license: "apache-2.0",
  size: 541,
  sources: () => [{ config: "default", split: "train", files: ["*input_data.jsonl"] }],
  columns: ["key", "prompt", "instruction_id_list", "kwargs"],
  examples(row) {
    const instruction_id_list = readInstructionIds(row);
    const kwargs = readInstructionArguments(row);
    if (kwargs.length !== instruction_id_list.length)
      throw new RowProblem(`has ${kwargs.length} items in "kwargs" for ${instruction_id_list.length} instructions`);
    return { id: requireIntegerValue(row, "key"), question: requireText(row, "prompt"), instruction_id_list, kwargs };
  },
  evaluators: ["ifeval_checker"],
  primaryField: "ifeval_strict",
};

function readInstructionIds(row: RawRow): string[] {
  const ids = requireTextList(row, "instruction_id_list");
  if (ids.length === 0) throw new RowProblem('has no instruction in "instruction_id_list"');
  return ids;
}

/** Drops the nulls that Parquet adds for missing arguments, and converts big integers to numbers. */
function readInstructionArguments(row: RawRow): Record<string, unknown>[] {
  return requireListValue(row, "kwargs").map((item) => {
    const given = Object.entries(item ?? {}).filter(([, value]) => value !== null && value !== undefined);
    return Object.fromEntries(given.map(([name, value]) => [name, typeof value === "bigint" ? Number(value) : value]));
  });
}
