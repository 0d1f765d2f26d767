import { execFile } from "node:child_process";
import { cp, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { EnvironmentFile } from "../../core/environment.js";
import type { Evaluator, ScoredWithEvidence } from "../../core/evaluator.js";
import { toAgentTaskExample } from "./dataset.js";
import type { AgentTask } from "./task.js";

/** Creates a temporary folder with a task's files. */
export async function createTaskFolder({ files }: Pick<AgentTask, "files">): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), "assay-task-"));
  await writeTaskFiles(dir, files);
  return dir;
}

export async function writeTaskFiles(dir: string, files: readonly EnvironmentFile[]): Promise<void> {
  for (const file of files) {
    if (!("content" in file)) throw new Error(`${file.dest} has no content`);
    await mkdir(dirname(join(dir, file.dest)), { recursive: true });
    await writeFile(join(dir, file.dest), file.content);
  }
}

/** Runs a command like an agent, and returns its exit code. */
export function runInShell(dir: string, command: string): Promise<number> {
  return new Promise((resolve) => {
    execFile("/bin/sh", ["-c", command], { cwd: dir }, (error) => resolve(Number(error?.code ?? 0)));
  });
}

/** Checks whether the work in a folder passes. Grades a copy, so that graders leave nothing for the next step. */
export function createPassCheck(evaluator: Evaluator): (task: AgentTask, dir: string) => Promise<boolean> {
  return async (task, dir) => {
    const copy = await mkdtemp(join(tmpdir(), "assay-graded-"));
    try {
      await cp(dir, copy, { recursive: true });
      const scored = await evaluator.score(toAgentTaskExample(task), { workspace: { path: copy, changes: [] } });
      return readTaskVerdict(scored as ScoredWithEvidence);
    } finally {
      await rm(copy, { recursive: true, force: true });
    }
  };
}

/** A grader without a verdict means a broken task, not a failed one. */
function readTaskVerdict({ scores, unscored }: ScoredWithEvidence): boolean {
  if (scores.verdict === undefined) throw new Error(`No verdict: ${JSON.stringify(unscored)}`);
  return scores.verdict === 1;
}
