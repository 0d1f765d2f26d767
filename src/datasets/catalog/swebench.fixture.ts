import type { Fixture } from "./fixture.js";

const COLUMNS = {
  repo: "VARCHAR",
  instance_id: "VARCHAR",
  base_commit: "VARCHAR",
  patch: "VARCHAR",
  test_patch: "VARCHAR",
  problem_statement: "VARCHAR",
  hints_text: "VARCHAR",
  created_at: "VARCHAR",
  version: "VARCHAR",
  FAIL_TO_PASS: "VARCHAR",
  PASS_TO_PASS: "VARCHAR",
  environment_setup_commit: "VARCHAR",
};
const PATCH = "--- a/tide.py\n+++ b/tide.py\n@@ -1 +1 @@\n-low = 2\n+low = 1\n";
const QUESTION = "Write the patch that resolves this issue. Answer with a unified diff alone.";

function createSweBenchRow(number: number, extra: Readonly<Record<string, string>>) {
  return {
    repo: "harbour/tides",
    instance_id: `harbour__tides-${number}`,
    base_commit: "abc123",
    patch: PATCH,
    test_patch: "--- a/test_tide.py\n+++ b/test_tide.py\n",
    problem_statement: `Low water is wrong (${number})\nIt says 2.\n`,
    hints_text: "",
    created_at: "2020-01-02T03:04:05Z",
    version: "1.2",
    FAIL_TO_PASS: '["test_tide.py::test_low"]',
    PASS_TO_PASS: "[]",
    environment_setup_commit: "def456",
    ...extra,
  };
}

function createSweBenchExpectation(number: number, extra: Readonly<Record<string, string>>) {
  return {
    id: `harbour__tides-${number}`,
    context: `Repository: harbour/tides\nCommit: abc123\n\nIssue:\nLow water is wrong (${number})\nIt says 2.`,
    question: QUESTION,
    answer: PATCH,
    repo: "harbour/tides",
    base_commit: "abc123",
    version: "1.2",
    FAIL_TO_PASS: ["test_tide.py::test_low"],
    PASS_TO_PASS: [],
    ...extra,
  };
}

/** Made-up rows, plus the columns that only this set has. */
export function createSweBenchFixture(extra: Readonly<Record<string, string>> = {}): Fixture {
  const more = Object.fromEntries(Object.keys(extra).map((column) => [column, "VARCHAR"]));
  return {
    files: {
      "data/test-00000-of-00001.parquet": {
        columns: { ...COLUMNS, ...more },
        rows: [createSweBenchRow(1, extra), createSweBenchRow(2, extra)],
      },
    },
    expected: [createSweBenchExpectation(1, extra), createSweBenchExpectation(2, extra)],
  };
}
