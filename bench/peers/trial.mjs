// One run of one contender: a fresh folder, a command, and a look at whether it did the work.
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { runCommand } from "./command.mjs";
import { sizeOf } from "./install.mjs";

/** Runs a contender in a folder that is gone afterwards; throws when it did not do all of the work. */
export function runOnce(contender, command, setting) {
  return inFolder(contender, (dir) => runIn(contender, command, { ...setting, dir }));
}

/** Folders of peers are inside their own, so that what they import is found. */
export async function inFolder({ home }, work) {
  mkdirSync(home, { recursive: true });
  const dir = mkdtempSync(join(home, "trial-"));
  try {
    return await work(dir);
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

/** Runs a contender in a folder that may hold an earlier run. */
export async function runIn(contender, command, { limit, examples, ...rest }) {
  const trial = { install: contender.install, ...rest };
  const { results, ...given } = command(trial);
  const run = await runCommand({ ...given, cwd: trial.dir }, { limit });
  if (run.killed !== null) throw new Error(`did not end within ${limit} s`);
  if (run.code !== 0) throw new Error(`ended with ${run.code}: ${complaintIn(run.output)}`);
  // Before anything opens the files, which may change them.
  const resultBytes = results.reduce((total, path) => total + sizeOf(path).bytes, 0);
  checkOutcome(contender.outcome(trial, run.output), examples);
  return { ...run, resultBytes };
}

/** Of the examples that the bench writes, every tenth has another answer. */
function checkOutcome(outcome, examples) {
  if (outcome === null) return;
  const { rows, passes } = outcome;
  const expected = examples - Math.floor(examples / 10);
  if (rows !== examples || passes !== expected)
    throw new Error(`scored ${rows} of ${examples} examples, ${passes} of ${expected} exact`);
}

/** The first line that speaks of an error, else the last one, short and fit for a table. */
function complaintIn(output) {
  const lines = output.trim().split("\n");
  const telling = lines.find((line) => /error/i.test(line)) ?? lines.at(-1);
  return telling.trim().replaceAll("|", "/").slice(0, 120);
}
