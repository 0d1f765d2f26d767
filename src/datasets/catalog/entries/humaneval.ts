import { requiredCode } from "../answers.js";
import { text } from "../columns.js";
import type { CatalogueEntry } from "../entry.js";

export const humaneval: CatalogueEntry = {
  about: "Python functions to complete from their signature and docstring, with tests.",
  repo: "openai/openai_humaneval",
  licence: "mit",
  size: 164,
  sources: () => [{ config: "openai_humaneval", split: "test" }],
  columns: ["task_id", "prompt", "canonical_solution", "test", "entry_point"],
  examples: (row) => {
    const prompt = requiredCode(row, "prompt");
    const name = requiredCode(row, "entry_point");
    return {
      id: text(row, "task_id"),
      context: prompt,
      question: `Complete the function ${name}. Answer with one Python code block that holds the whole function.`,
      answer: requiredCode(row, "canonical_solution"),
      prompt,
      entry_point: name,
      test: requiredCode(row, "test"),
    };
  },
  evaluators: ["code_execution"],
  primaryField: "pass_at_1",
};
