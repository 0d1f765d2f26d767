import { type AgentTask, createTestGrader, createWriteCommand } from "./task.js";

const CODE = `/** Joins ranges [from, to] that overlap or touch, in ascending order. */
export function mergeRanges(ranges) {
  const merged = [];
  for (const [from, to] of ranges.map(([a, b]) => [a, b]).sort()) {
    const last = merged.at(-1);
    if (last !== undefined && from <= last[1]) last[1] = Math.max(last[1], to);
    else merged.push([from, to]);
  }
  return merged;
}
`;

const VISIBLE_TESTS = `import assert from "node:assert/strict";
import test from "node:test";
import { mergeRanges } from "./ranges.mjs";

test("joins ranges that overlap", () => {
  assert.deepEqual(mergeRanges([[1, 3], [2, 6], [8, 9]]), [[1, 6], [8, 9]]);
});

test("orders ranges by number", () => {
  assert.deepEqual(mergeRanges([[10, 12], [2, 3], [11, 15]]), [[2, 3], [10, 15]]);
});
`;

const HIDDEN_TESTS = `${VISIBLE_TESTS}
test("joins ranges that touch, and one inside another", () => {
  assert.deepEqual(mergeRanges([[5, 7], [1, 5]]), [[1, 7]]);
  assert.deepEqual(mergeRanges([[1, 100], [20, 30]]), [[1, 100]]);
});

test("takes negative numbers, and leaves its input alone", () => {
  const given = [[3, 4], [-10, -2], [-9, 1]];
  assert.deepEqual(mergeRanges(given), [[-10, 1], [3, 4]]);
  assert.deepEqual(given, [[3, 4], [-10, -2], [-9, 1]]);
});
`;

/** Fix code that makes a test fail. */
export const failingTest: AgentTask = {
  id: "failing-test",
  kind: "fix",
  difficulty: "easy",
  question:
    "One of the tests in ranges.test.mjs fails. The test is right: mend ranges.mjs, not the test, and keep the given list unchanged. Run the tests with: node --test",
  files: [
    { dest: "ranges.mjs", content: CODE },
    { dest: "ranges.test.mjs", content: VISIBLE_TESTS },
  ],
  graders: [createTestGrader("ranges.test.mjs", HIDDEN_TESTS)],
  walkthrough: [
    { command: "node --test" },
    { command: "cat ranges.mjs" },
    createWriteCommand("ranges.mjs", CODE.replace(".sort()", ".sort((x, y) => x[0] - y[0])")),
    { command: "node --test" },
    { text: "The ranges were sorted as text, so that 10 came before 2. They are sorted by number now." },
  ],
};
