import type { RawRow } from "../../source-row.js";
import { integer, RowProblem, text, texts, valueAt } from "../columns.js";
import type { CatalogueEntry } from "../entry.js";

export const mtBench: CatalogueEntry = {
  about: "Conversations of two turns in eight categories; a judge scores the answer to each turn.",
  repo: "HuggingFaceH4/mt_bench_prompts",
  licence: "apache-2.0",
  size: 80,
  sources: () => [{ config: "default", split: "train", files: ["data/train-*.parquet"] }],
  columns: ["category", "prompt", "reference", "prompt_id"],
  examples(row) {
    const asked = texts(row, "prompt").filter((turn) => turn.trim() !== "");
    if (asked.length === 0) throw new RowProblem('has no turn in "prompt"');
    const turns = asked.map((content) => ({ role: "user", content }));
    return { id: integer(row, "prompt_id"), turns, category: text(row, "category"), ...references(row) };
  },
  evaluators: ["llm_judge"],
  primaryField: "judge_score",
  subject: "category",
  facets: ["category"],
  judge: { perTurn: true },
};

/** One per turn; only verifiable questions, such as math and code, have references. */
function references(row: RawRow): { reference?: string[] } {
  const value = valueAt(row, "reference");
  const reference = value === null || value === undefined ? [] : texts(row, "reference");
  return reference.length === 0 ? {} : { reference };
}
