import type { CatalogEntry } from "../entry.js";
import { requireCode, requireText } from "../row-fields.js";

export const humaneval: CatalogEntry = {
  about: "Python functions to complete from their signature and docstring, with tests.",
  repo: "openai/openai_humaneval",
  license: "mit",
  size: 164,
  sources: () => [{ config: "openai_humaneval", split: "test" }],
  columns: ["task_id", "prompt", "canonical_solution", "test", "entry_point"],
  examples: (row) => {
    const prompt = requireCode(row, "prompt");
    const name = requireCode(row, "entry_point");
    return {
      id: requireText(row, "task_id"),
      context: prompt,
      question: `Complete the function ${name}. Answer with one Python code block that holds the whole function.`,
      answer: requireCode(row, "canonical_solution"),
      prompt,
      entry_point: name,
      test: requireCode(row, "test"),
    };
  },
  evaluators: ["code_execution"],
  primaryField: "pass_at_1",
};
