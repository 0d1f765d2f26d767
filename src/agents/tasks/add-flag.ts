import { type AgentTask, createTestGrader, createWriteCommand } from "./task.js";

const CODE = String.raw`import { readFileSync } from "node:fs";

const USAGE = "Usage: node count.mjs FILE";

function main(args) {
  const unknown = args.find((arg) => arg.startsWith("-"));
  if (unknown !== undefined || args.length !== 1) {
    console.error(USAGE);
    return 2;
  }
  const text = readFileSync(args[0], "utf8");
  console.log(text.split("\n").length - 1);
  return 0;
}

process.exitCode = main(process.argv.slice(2));
`;

const VISIBLE_TESTS = String.raw`import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test, { after } from "node:test";

const dir = mkdtempSync(join(tmpdir(), "count-"));
after(() => rmSync(dir, { recursive: true }));
const file = join(dir, "text.txt");
writeFileSync(file, "one two\n  three\n\n");

function count(...args) {
  const { status, stdout } = spawnSync(process.execPath, ["count.mjs", ...args], { encoding: "utf8" });
  return { status, stdout: stdout.trim() };
}

test("counts lines", () => {
  assert.deepEqual(count(file), { status: 0, stdout: "3" });
});

test("refuses a flag it does not know", () => {
  assert.equal(count("--letters", file).status, 2);
});
`;

const HIDDEN_TESTS = `${VISIBLE_TESTS}
test("counts words with --words", () => {
  assert.deepEqual(count("--words", file), { status: 0, stdout: "3" });
});

test("takes the flag after the file, and finds no words in white space", () => {
  writeFileSync(file, " \\n\\t ");
  assert.deepEqual(count(file, "--words"), { status: 0, stdout: "0" });
});

test("still wants a file", () => {
  assert.equal(count("--words").status, 2);
});
`;

const SOLUTION = String.raw`import { readFileSync } from "node:fs";

const USAGE = "Usage: node count.mjs [--words] FILE";

function main(args) {
  const files = args.filter((arg) => arg !== "--words");
  if (files.length !== 1 || files[0].startsWith("-")) {
    console.error(USAGE);
    return 2;
  }
  const text = readFileSync(files[0], "utf8");
  console.log(args.includes("--words") ? words(text) : text.split("\n").length - 1);
  return 0;
}

function words(text) {
  return text.match(/\S+/g)?.length ?? 0;
}

process.exitCode = main(process.argv.slice(2));
`;

const README = `# count

    node count.mjs FILE           the number of lines
    node count.mjs --words FILE   the number of words
`;

/** Add a flag to a small program. */
export const addFlag: AgentTask = {
  id: "add-flag",
  kind: "feature",
  difficulty: "easy",
  question:
    "The program count.mjs prints how many lines a file has. Give it a flag --words, before or after the file, with which it prints the number of words instead (separated by any white space). What it does without the flag must not change, and any other flag is still refused with exit code 2. Run the tests with: node --test",
  files: [
    { dest: "count.mjs", content: CODE },
    { dest: "count.test.mjs", content: VISIBLE_TESTS },
  ],
  graders: [createTestGrader("count.test.mjs", HIDDEN_TESTS)],
  // Correct after the second step; the rest shows how long a model continues without need.
  walkthrough: [
    { command: "ls && cat count.mjs" },
    createWriteCommand("count.mjs", SOLUTION),
    { command: "node --test && node count.mjs --words count.mjs" },
    createWriteCommand("README.md", README),
    { command: "node count.mjs README.md && node count.mjs README.md --words" },
    { text: "count.mjs takes --words now, and README.md says so." },
  ],
};
