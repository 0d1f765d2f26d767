import type { RawRow } from "../source-row.js";
import type { CatalogEntry, ExampleFields } from "./entry.js";
import { readOptionalText, requireGoldText, requireJsonList, requireText } from "./row-fields.js";

const INSTRUCTION = "Write the patch that resolves this issue. Answer with a unified diff alone.";
const CAUTION =
  "SWE-bench is scored by running the repository's tests, which is not done here. levenshtein only measures how similar a patch is to the reference patch: a smoke score that does not show whether a system solves anything.";

/** Differences between the sets of SWE-bench. */
export interface SweBenchSet {
  readonly about: string;
  readonly repo: string;
  readonly size: number;
  readonly facets: readonly string[];
}

export function createSweBenchEntry(set: SweBenchSet): CatalogEntry {
  return {
    ...set,
    license: "not stated",
    sources: () => [{ config: "default", split: "test" }],
    columns: ["instance_id", "repo", "base_commit", "problem_statement", "patch", "FAIL_TO_PASS", "PASS_TO_PASS"],
    optionalColumns: ["test_patch", "version", "environment_setup_commit", "difficulty"],
    examples: toSweBenchExample,
    evaluators: ["levenshtein"],
    primaryField: null,
    subject: "repo",
    caution: CAUTION,
  };
}

function toSweBenchExample(row: RawRow): ExampleFields {
  const [repo, base_commit] = [requireText(row, "repo"), requireText(row, "base_commit")];
  return {
    id: requireText(row, "instance_id"),
    context: `Repository: ${repo}\nCommit: ${base_commit}\n\nIssue:\n${requireText(row, "problem_statement").trim()}`,
    question: INSTRUCTION,
    answer: readPatch(row),
    repo,
    base_commit,
    FAIL_TO_PASS: requireJsonList(row, "FAIL_TO_PASS"),
    PASS_TO_PASS: requireJsonList(row, "PASS_TO_PASS"),
    ...readPresentTexts(row, ["test_patch", "version", "environment_setup_commit", "difficulty"]),
  };
}

/** Keeps the final line break: without it the patch could not be applied. */
function readPatch(row: RawRow): string {
  requireGoldText(row, "patch");
  return requireText(row, "patch");
}

function readPresentTexts(row: RawRow, columns: readonly string[]): Record<string, string> {
  const found = columns.map((column) => [column, readOptionalText(row, column)] as const);
  return Object.fromEntries(found.filter(([, value]) => value !== ""));
}
