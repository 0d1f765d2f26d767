import type { EnvironmentFile } from "../../core/environment.js";
import type { GraderSpec } from "../../core/grader.js";

/** What is asked for: mend something, make something, change its shape, or work on data or on tests. */
type TaskKind = "fix" | "feature" | "refactor" | "data" | "test";

/** A coding task with the folder it is done in, how the work is graded, and one way to do it. */
export interface AgentTask {
  readonly id: string;
  readonly kind: TaskKind;
  readonly difficulty: "easy" | "medium";
  /** One paragraph, as one would tell a colleague. */
  readonly question: string;
  readonly files: readonly EnvironmentFile[];
  readonly graders: readonly GraderSpec[];
  /** What a model does that solves it, detours included. Played by the mock, and run by the tests. */
  readonly walkthrough: readonly TaskStep[];
}

/** One turn of a model: a shell command, or what it says at the end. */
export type TaskStep = TaskCommand | TaskText;

export interface TaskCommand {
  readonly command: string;
  /** The turn is filled up to this many tokens. */
  readonly outputTokens?: number;
}

interface TaskText {
  readonly text: string;
}

/** Long enough for a slow machine, short enough for code that never ends. */
const TIMEOUT = "20s";

/**
 * Runs tests of our own in place of whatever lies there. All of them must have run: code that ends the process before
 * its tests would otherwise pass them.
 * @example
 * passesTests("sum.test.mjs", 'import test from "node:test"; …');
 */
export function passesTests(dest: string, content: string): GraderSpec {
  const count = content.match(/^test\(/gm)?.length ?? 0;
  return {
    type: "run-command",
    name: "tests",
    required: true,
    config: {
      command: "node",
      // Without --test there is one process less to start. Unless it is named, the form of the report depends on Node's version.
      args: ["--test-reporter=tap", dest],
      stdout_contains: `# pass ${count}\n`,
      timeout: TIMEOUT,
      files: [{ dest, content }],
    },
  };
}

/** Runs a program of our own, which says by its exit code whether the work is right. */
export function passesCheck(dest: string, content: string): GraderSpec {
  return {
    type: "run-command",
    name: "tests",
    required: true,
    config: { command: "node", args: [dest], timeout: TIMEOUT, files: [{ dest, content }] },
  };
}

/**
 * The step that writes a file. A here-document holds any text without escaping, in every shell that agents use.
 * @example
 * writes("sum.mjs", "export const sum = (a, b) => a + b;\n");
 */
export function writes(path: string, content: string): TaskCommand {
  return { command: `cat > ${path} <<'EOF'\n${content}EOF` };
}
