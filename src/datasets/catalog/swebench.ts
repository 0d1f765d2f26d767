import type { RawRow } from "../source-row.js";
import { goldText } from "./answers.js";
import { jsonList, optionalText, text } from "./columns.js";
import type { CatalogueEntry, ExampleFields } from "./entry.js";

const ASK = "Write the patch that resolves this issue. Answer with a unified diff alone.";
const CAUTION =
  "SWE-bench is scored by running the repository's tests, which is not done here. levenshtein only measures how similar a patch is to the reference patch: a smoke score that does not show whether a system solves anything.";

/** Differences between the sets of SWE-bench. */
export interface SweBenchSet {
  readonly about: string;
  readonly repo: string;
  readonly size: number;
  readonly facets: readonly string[];
}

export function sweBench(set: SweBenchSet): CatalogueEntry {
  return {
    ...set,
    licence: "not stated",
    sources: () => [{ config: "default", split: "test" }],
    columns: ["instance_id", "repo", "base_commit", "problem_statement", "patch", "FAIL_TO_PASS", "PASS_TO_PASS"],
    optionalColumns: ["test_patch", "version", "environment_setup_commit", "difficulty"],
    examples: exampleOf,
    evaluators: ["levenshtein"],
    primaryField: null,
    subject: "repo",
    caution: CAUTION,
  };
}

function exampleOf(row: RawRow): ExampleFields {
  const [repo, base_commit] = [text(row, "repo"), text(row, "base_commit")];
  return {
    id: text(row, "instance_id"),
    context: `Repository: ${repo}\nCommit: ${base_commit}\n\nIssue:\n${text(row, "problem_statement").trim()}`,
    question: ASK,
    answer: patchOf(row),
    repo,
    base_commit,
    FAIL_TO_PASS: jsonList(row, "FAIL_TO_PASS"),
    PASS_TO_PASS: jsonList(row, "PASS_TO_PASS"),
    ...presentTexts(row, ["test_patch", "version", "environment_setup_commit", "difficulty"]),
  };
}

/** Keeps the final line break: without it the patch could not be applied. */
function patchOf(row: RawRow): string {
  goldText(row, "patch");
  return text(row, "patch");
}

function presentTexts(row: RawRow, columns: readonly string[]): Record<string, string> {
  const found = columns.map((column) => [column, optionalText(row, column)] as const);
  return Object.fromEntries(found.filter(([, value]) => value !== ""));
}
