import type { RawRow } from "../../source-row.js";
import type { CatalogEntry } from "../entry.js";
import { getValueAtPath, RowProblem, requireIntegerValue, requireText, requireTextList } from "../row-fields.js";

export const mtBench: CatalogEntry = {
  about: "Conversations of two turns in eight categories; a judge scores the answer to each turn.",
  repo: "HuggingFaceH4/mt_bench_prompts",
  license: "apache-2.0",
  size: 80,
  sources: () => [{ config: "default", split: "train", files: ["data/train-*.parquet"] }],
  columns: ["category", "prompt", "reference", "prompt_id"],
  examples(row) {
    const asked = requireTextList(row, "prompt").filter((turn) => turn.trim() !== "");
    if (asked.length === 0) throw new RowProblem('has no turn in "prompt"');
    const turns = asked.map((content) => ({ role: "user", content }));
    return {
      id: requireIntegerValue(row, "prompt_id"),
      turns,
      category: requireText(row, "category"),
      ...readReferences(row),
    };
  },
  evaluators: ["llm_judge"],
  primaryField: "judge_score",
  subject: "category",
  facets: ["category"],
  judge: { perTurn: true },
};

/** One per turn; only verifiable questions, such as math and code, have references. */
function readReferences(row: RawRow): { reference?: string[] } {
  const value = getValueAtPath(row, "reference");
  const reference = value === null || value === undefined ? [] : requireTextList(row, "reference");
  return reference.length === 0 ? {} : { reference };
}
