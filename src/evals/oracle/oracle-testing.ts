import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Environment } from "../../core/environment.js";
import type { Example } from "../../core/example.js";
import type { GraderSpec } from "../../core/grader.js";
import type { OracleTask } from "./check-stimulus.js";

/** File contents by path. */
export type Files = Readonly<Record<string, string | Buffer>>;

const ENV = { PATH: process.env.PATH, GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_NOSYSTEM: "1" };

/** Creates the git patch that turns some files into others. */
export function patchBetween(before: Files, after: Files, ...flags: string[]): string {
  const root = folderWith({});
  try {
    writeAll(join(root, "a"), before);
    writeAll(join(root, "b"), after);
    const args = ["diff", "--no-index", "--no-prefix", "--binary", ...flags, "a", "b"];
    const { stdout } = spawnSync("git", args, { cwd: root, env: ENV, encoding: "utf8" });
    // Without an index, git includes the folder in the names of renamed files.
    return stdout.replaceAll(/^(rename|copy) (from|to) [ab]\//gm, "$1 $2 ");
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

export function folderWith(files: Files): string {
  const root = mkdtempSync(join(tmpdir(), "assay-oracle-test-"));
  writeAll(root, files);
  return root;
}

function writeAll(folder: string, files: Files): void {
  mkdirSync(folder, { recursive: true });
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  }
}

/** Applies a patch with git; an empty one does nothing. */
export function gitApply(folder: string, patch: string): void {
  if (patch === "") return;
  execFileSync("git", ["apply", "--whitespace=nowarn", "-"], { cwd: folder, env: ENV, input: patch, stdio: "pipe" });
}

export interface TaskParts {
  readonly files?: Readonly<Record<string, string>>;
  readonly environment?: Environment;
  readonly patch?: string | null;
  readonly graders: readonly GraderSpec[];
  readonly threshold?: number;
  readonly name?: string;
}

/** Creates a test case with files in its folder. */
export function taskOf({
  files = {},
  environment,
  patch = null,
  graders,
  threshold,
  name = "task",
}: TaskParts): OracleTask {
  const given = Object.entries(files).map(([dest, content]) => ({ dest, content }));
  const example: Example = {
    id: name,
    question: "Do it.",
    environment: { files: given, ...environment },
    graders,
    ...(threshold === undefined ? {} : { threshold }),
  };
  const place = { eval: "evals", stimulus: name, file: "eval.yaml", line: 3, column: 5 };
  return { place, example, goldenPatch: patch === null ? null : { file: "golden.diff", text: patch } };
}

export function shell(command: string, more: Partial<GraderSpec> = {}): GraderSpec {
  return { type: "run-command", config: { command }, ...more };
}
