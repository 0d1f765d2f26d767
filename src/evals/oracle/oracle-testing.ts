import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Environment } from "../../core/environment.js";
import type { Example } from "../../core/example.js";
import type { GraderSpec } from "../../core/grader.js";
import type { OracleTask } from "./check-stimulus.js";

/** File contents by path. */
export type OracleFiles = Readonly<Record<string, string | Buffer>>;

const ENV = { PATH: process.env.PATH, GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_NOSYSTEM: "1" };

/** Creates the git patch that turns some files into others. */
export function createPatch(before: OracleFiles, after: OracleFiles, ...flags: string[]): string {
  const root = createFolder({});
  try {
    writeOracleFiles(join(root, "a"), before);
    writeOracleFiles(join(root, "b"), after);
    const args = ["diff", "--no-index", "--no-prefix", "--binary", ...flags, "a", "b"];
    const { stdout } = spawnSync("git", args, { cwd: root, env: ENV, encoding: "utf8" });
    // Without an index, git includes the folder in the names of renamed files.
    return stdout.replaceAll(/^(rename|copy) (from|to) [ab]\//gm, "$1 $2 ");
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

export function createFolder(files: OracleFiles): string {
  const root = mkdtempSync(join(tmpdir(), "assay-oracle-test-"));
  writeOracleFiles(root, files);
  return root;
}

function writeOracleFiles(folder: string, files: OracleFiles): void {
  mkdirSync(folder, { recursive: true });
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  }
}

/** Applies a patch with git; an empty one does nothing. */
export function applyGitPatch(folder: string, patch: string): void {
  if (patch === "") return;
  execFileSync("git", ["apply", "--whitespace=nowarn", "-"], { cwd: folder, env: ENV, input: patch, stdio: "pipe" });
}

export interface OracleTaskParts {
  readonly files?: Readonly<Record<string, string>>;
  readonly environment?: Environment;
  readonly patch?: string | null;
  readonly graders: readonly GraderSpec[];
  readonly threshold?: number;
  readonly name?: string;
}

/** Creates a test case with files in its folder. */
export function createOracleTask({
  files = {},
  environment,
  patch = null,
  graders,
  threshold,
  name = "task",
}: OracleTaskParts): OracleTask {
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

export function createShellGrader(command: string, more: Partial<GraderSpec> = {}): GraderSpec {
  return { type: "run-command", config: { command }, ...more };
}
