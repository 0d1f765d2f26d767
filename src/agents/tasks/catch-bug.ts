import { type AgentTask, createCheckGrader, createWriteCommand } from "./task.js";

const CODE = `/** Whether a year of the Gregorian calendar has 366 days. */
export function isLeapYear(year) {
  return (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
}
`;

/** Runs the test against correct and incorrect code in separate folders, leaving the workspace unchanged. */
const CHECK = String.raw`import { spawnSync } from "node:child_process";
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const VARIANTS = {
  right: { rule: "(year % 4 === 0 && year % 100 !== 0) || year % 400 === 0", passes: true },
  "without the rule of 100": { rule: "year % 4 === 0", passes: false },
  "without the rule of 400": { rule: "year % 4 === 0 && year % 100 !== 0", passes: false },
};

function passes(rule) {
  const dir = mkdtempSync(join(tmpdir(), "leap-"));
  try {
    copyFileSync("leap.test.mjs", join(dir, "leap.test.mjs"));
    writeFileSync(join(dir, "leap.mjs"), "export function isLeapYear(year) { return " + rule + "; }\n");
    return spawnSync(process.execPath, ["leap.test.mjs"], { cwd: dir, timeout: 5000 }).status === 0;
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

for (const [name, variant] of Object.entries(VARIANTS)) {
  if (passes(variant.rule) === variant.passes) continue;
  console.error("leap.test.mjs " + (variant.passes ? "fails" : "passes") + " with the code that is " + name);
  process.exitCode = 1;
}
`;

const FIRST_ATTEMPT = `import assert from "node:assert/strict";
import test from "node:test";
import { isLeapYear } from "./leap.mjs";

test("every fourth year is a leap year", () => {
  assert.equal(isLeapYear(2024), true);
  assert.equal(isLeapYear(2023), false);
});

test("most centuries are not", () => {
  assert.equal(isLeapYear(1900), false);
});
`;

const SOLUTION = `${FIRST_ATTEMPT}
test("every fourth century is", () => {
  assert.equal(isLeapYear(2000), true);
});
`;

/** Write a test that detects wrong code. */
export const catchBug: AgentTask = {
  id: "catch-bug",
  kind: "test",
  difficulty: "medium",
  question:
    "The function isLeapYear in leap.mjs is right but has no tests, and twice somebody broke it while tidying up: once the rule for years divisible by 100 was lost, once the one for years divisible by 400. Write leap.test.mjs with node:test so that it passes now and would have failed in both cases. Do not change leap.mjs. Run it with: node --test",
  files: [{ dest: "leap.mjs", content: CODE }],
  graders: [createCheckGrader("check-leap.mjs", CHECK)],
  walkthrough: [
    { command: "cat leap.mjs" },
    createWriteCommand("leap.test.mjs", FIRST_ATTEMPT),
    { command: "node --test" },
    createWriteCommand("leap.test.mjs", SOLUTION),
    { command: "node --test" },
    { text: "leap.test.mjs holds a test for each of the three rules." },
  ],
};
