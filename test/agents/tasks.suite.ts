import { rm } from "node:fs/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { TASKS } from "../../src/agents/tasks/dataset.js";
import type { AgentTask } from "../../src/agents/tasks/task.js";
import { createPassCheck, createTaskFolder, runInShell, writeTaskFiles } from "../../src/agents/tasks/tasks-testing.js";
import type { EnvironmentFile } from "../../src/core/environment.js";
import { GraderEvaluator } from "../../src/graders/index.js";

/** After how many commands of its walkthrough each task is solved: if the first attempt fails, it takes a second. */
const DONE_AFTER: Readonly<Record<string, number>> = {
  "off-by-one": 2,
  "failing-test": 3,
  "add-flag": 2,
  "from-tests": 4,
  "extract-duplicate": 4,
  "log-report": 5,
  "catch-bug": 4,
  "idempotent-migration": 5,
};

const passes = createPassCheck(new GraderEvaluator());

const EMPTY_TEST = 'import test from "node:test";\ntest("fine", () => {});\n';

function commandsOf({ walkthrough }: AgentTask): string[] {
  return walkthrough.flatMap((step) => ("command" in step ? [step.command] : []));
}

describe.each(TASKS)("$id", (task) => {
  let dir: string;
  beforeEach(async () => {
    dir = await createTaskFolder(task);
  });
  afterEach(() => rm(dir, { recursive: true, force: true }));

  async function follow(commands: readonly string[]): Promise<void> {
    for (const command of commands) await runInShell(dir, command);
  }

  it("fails if nothing is done", async () => {
    expect(await passes(task, dir)).toBe(false);
  });

  it("passes only after the step that solves it, and at the end", { timeout: 60_000 }, async () => {
    const commands = commandsOf(task);
    const done = DONE_AFTER[task.id] ?? 0;
    await follow(commands.slice(0, done - 1));
    expect(await passes(task, dir)).toBe(false);
    await follow(commands.slice(done - 1, done));
    expect(await passes(task, dir)).toBe(true);
    await follow(commands.slice(done));
    expect(await passes(task, dir)).toBe(true);
  });
});

it.each([
  ["failing-test", "ranges.test.mjs"],
  ["extract-duplicate", "paths.test.mjs"],
  ["log-report", "report.test.mjs"],
  ["catch-bug", "leap.test.mjs"],
])("%s does not pass with tests that test nothing", (id, dest) => expectToFail(id, { dest, content: EMPTY_TEST }));

it.each([
  ["off-by-one", "pages.mjs"],
  ["failing-test", "ranges.mjs"],
  ["from-tests", "duration.mjs"],
])("%s does not pass with code that exits before its tests", (id, dest) =>
  expectToFail(id, { dest, content: "process.exit(0);\n" }),
);

async function expectToFail(id: string, file: EnvironmentFile): Promise<void> {
  const task = TASKS.find((one) => one.id === id);
  if (task === undefined) throw new Error(`There is no task ${id}`);
  const dir = await createTaskFolder(task);
  try {
    await writeTaskFiles(dir, [file]);
    expect(await passes(task, dir)).toBe(false);
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

it("has the documented number of tasks", () => {
  expect(TASKS.map(({ id }) => id).sort()).toEqual(Object.keys(DONE_AFTER).sort());
});

it("ends every walkthrough with a text, and uses nothing that agents refuse to run", () => {
  for (const task of TASKS) {
    expect(task.walkthrough.at(-1)).toHaveProperty("text");
    // Some agents do not run commands with command substitution.
    for (const command of commandsOf(task)) expect(command).not.toMatch(/`|\$\(|<\(/);
  }
});
