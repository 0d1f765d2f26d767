import { goldTexts, requiredCode } from "../answers.js";
import { integer, RowProblem, text, texts } from "../columns.js";
import type { CatalogueEntry } from "../entry.js";
import { callOf } from "../tool-calling.js";

/** The sanitized version. */
export const mbpp: CatalogueEntry = {
  about: "Small Python tasks for beginners, checked by hand, with about three tests each.",
  repo: "google-research-datasets/mbpp",
  licence: "cc-by-4.0",
  size: 257,
  sources: () => [{ config: "sanitized", split: "test" }],
  columns: ["task_id", "prompt", "code", "test_imports", "test_list"],
  examples: (row) => {
    const code = requiredCode(row, "code");
    const tests = goldTexts(texts(row, "test_list"), "test_list");
    return {
      id: integer(row, "task_id"),
      question: `${text(row, "prompt").trim()}\n\n${asked(code, tests)}`,
      answer: code,
      test_list: tests,
      test_imports: texts(row, "test_imports"),
    };
  },
  evaluators: ["code_execution"],
  primaryField: "pass_at_1",
};

/** Without a sample call, the expected function name would be unknown. */
function asked(code: string, tests: readonly string[]): string {
  for (const test of tests) {
    const call = callOf(code, test);
    if (call !== null) return `It is called like this: ${call}\nAnswer with one Python code block.`;
  }
  throw new RowProblem('has no test in "test_list" that calls what "code" defines');
}
