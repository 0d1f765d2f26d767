import { type AgentTask, createTestGrader, createWriteCommand } from "./task.js";

const VISIBLE_TESTS = `import assert from "node:assert/strict";
import test from "node:test";
import { parseDuration } from "./duration.mjs";

test("reads one unit", () => {
  assert.equal(parseDuration("45s"), 45_000);
  assert.equal(parseDuration("250ms"), 250);
});

test("adds several units up", () => {
  assert.equal(parseDuration("1h30m"), 5_400_000);
  assert.equal(parseDuration("2m 5s"), 125_000);
});

test("refuses what is not a duration", () => {
  for (const text of ["", "12", "h", "5 parsecs"]) assert.throws(() => parseDuration(text), RangeError);
});
`;

const HIDDEN_TESTS = `${VISIBLE_TESTS}
test("tells m from ms, and days from all else", () => {
  assert.equal(parseDuration("1m1ms"), 60_001);
  assert.equal(parseDuration("1d"), 86_400_000);
});

test("refuses a duration with something after it", () => {
  for (const text of ["5s!", "1h30", "-5s", "1h and 2m"]) assert.throws(() => parseDuration(text), RangeError);
});
`;

const FIRST_ATTEMPT = String.raw`const UNITS = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Milliseconds in a text such as 1h30m. */
export function parseDuration(text) {
  let total = 0;
  for (const [, amount, unit] of text.matchAll(/(\d+)\s*(ms|s|m|h|d)/g)) total += Number(amount) * UNITS[unit];
  return total;
}
`;

const SOLUTION = FIRST_ATTEMPT.replace(
  "  let total = 0;\n",
  String.raw`  if (!/^(\s*\d+\s*(ms|s|m|h|d))+\s*$/.test(text)) throw new RangeError("Not a duration: " + text);
  let total = 0;
`,
);

/** Write a function from its tests. */
export const fromTests: AgentTask = {
  id: "from-tests",
  kind: "feature",
  difficulty: "medium",
  question:
    "The module duration.mjs is missing. Write it so that the tests in duration.test.mjs pass: it exports parseDuration(text), which returns milliseconds. The units are ms, s, m, h and d; anything that is not a duration from beginning to end is a RangeError. Run the tests with: node --test",
  files: [{ dest: "duration.test.mjs", content: VISIBLE_TESTS }],
  graders: [createTestGrader("duration.test.mjs", HIDDEN_TESTS)],
  walkthrough: [
    { command: "cat duration.test.mjs" },
    createWriteCommand("duration.mjs", FIRST_ATTEMPT),
    { command: "node --test" },
    createWriteCommand("duration.mjs", SOLUTION),
    { command: "node --test" },
    { text: "duration.mjs reads all units and refuses what is not a duration. All tests pass." },
  ],
};
