import type { CatalogEntry } from "../entry.js";
import {
  RowProblem,
  requireCode,
  requireGoldTexts,
  requireIntegerValue,
  requireText,
  requireTextList,
} from "../row-fields.js";
import { findFirstCall } from "../tool-calling.js";

/** The sanitized version. */
export const mbpp: CatalogEntry = {
  about: "Small Python tasks for beginners, checked by hand, with about three tests each.",
  repo: "google-research-datasets/mbpp",
  license: "cc-by-4.0",
  size: 257,
  sources: () => [{ config: "sanitized", split: "test" }],
  columns: ["task_id", "prompt", "code", "test_imports", "test_list"],
  examples: (row) => {
    const code = requireCode(row, "code");
    const tests = requireGoldTexts(requireTextList(row, "test_list"), "test_list");
    return {
      id: requireIntegerValue(row, "task_id"),
      question: `${requireText(row, "prompt").trim()}\n\n${formatMbppInstruction(code, tests)}`,
      answer: code,
      test_list: tests,
      test_imports: requireTextList(row, "test_imports"),
    };
  },
  evaluators: ["code_execution"],
  primaryField: "pass_at_1",
};

/** Without a sample call, the expected function name would be unknown. */
function formatMbppInstruction(code: string, tests: readonly string[]): string {
  for (const test of tests) {
    const call = findFirstCall(code, test);
    if (call !== null) return `It is called like this: ${call}\nAnswer with one Python code block.`;
  }
  throw new RowProblem('has no test in "test_list" that calls what "code" defines');
}
