import { type AgentTask, createTestGrader, createWriteCommand } from "./task.js";

const CODE = `/** How many pages it takes to show all items. */
export function pageCount(items, size) {
  return Math.ceil(items.length / size);
}

/** The items of one page; the first page is 1. */
export function pageOf(items, page, size) {
  const start = (page - 1) * size;
  const end = Math.min(start + size, items.length - 1);
  return items.slice(start, end);
}
`;

const VISIBLE_TESTS = `import assert from "node:assert/strict";
import test from "node:test";
import { pageCount, pageOf } from "./pages.mjs";

test("counts pages", () => {
  assert.equal(pageCount([1, 2, 3, 4, 5], 2), 3);
});

test("the first page holds the first items", () => {
  assert.deepEqual(pageOf([1, 2, 3, 4, 5], 1, 2), [1, 2]);
});
`;

const HIDDEN_TESTS = `${VISIBLE_TESTS}
test("the last page holds the last item", () => {
  assert.deepEqual(pageOf([1, 2, 3, 4, 5], 3, 2), [5]);
  assert.deepEqual(pageOf([1, 2, 3, 4], 2, 2), [3, 4]);
  assert.deepEqual(pageOf(["a"], 1, 10), ["a"]);
});

test("a page beyond the last is empty", () => {
  assert.deepEqual(pageOf([1, 2, 3], 3, 2), []);
  assert.deepEqual(pageOf([], 1, 2), []);
});
`;

/** Fix a bug that the given tests do not cover. */
export const offByOne: AgentTask = {
  id: "off-by-one",
  kind: "fix",
  difficulty: "easy",
  question:
    "Users say that the very last item of a list never shows up on any page. Find the bug in pages.mjs and fix it; everything else must stay as it is. Run the tests with: node --test",
  files: [
    { dest: "pages.mjs", content: CODE },
    { dest: "pages.test.mjs", content: VISIBLE_TESTS },
  ],
  graders: [createTestGrader("pages.test.mjs", HIDDEN_TESTS)],
  walkthrough: [
    { command: "ls && cat pages.mjs pages.test.mjs" },
    createWriteCommand("pages.mjs", CODE.replace("items.length - 1", "items.length")),
    { command: "node --test" },
    { text: "The end of a page was bounded by the index of the last item instead of the length. Fixed in pages.mjs." },
  ],
};
