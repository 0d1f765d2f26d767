import type { EnvironmentFile, GraderSpec } from "../../core/index.js";

type TaskKind = "fix" | "feature" | "refactor" | "data" | "test";

/** A coding task with its folder, its graders and one solution. */
export interface AgentTask {
  readonly id: string;
  readonly kind: TaskKind;
  readonly difficulty: "easy" | "medium";
  /** One paragraph, as for a colleague. */
  readonly question: string;
  readonly files: readonly EnvironmentFile[];
  readonly graders: readonly GraderSpec[];
  /** Steps of a model that solves it, including detours. Played by the mock, and run by the tests. */
  readonly walkthrough: readonly TaskStep[];
}

/** One turn of a model: a shell command, or its final text. */
export type TaskStep = TaskCommand | TaskText;

export interface TaskCommand {
  readonly command: string;
  /** The turn is padded to this many tokens. */
  readonly outputTokens?: number;
}

interface TaskText {
  readonly text: string;
}

/** Long enough for a slow machine, short enough for endless loops. */
const TIMEOUT = "20s";

/**
 * Runs our tests in place of existing ones. All of them must have run, or code that ends the process early would pass.
 * @example
 * createTestGrader("sum.test.mjs", 'import test from "node:test"; …');
 */
export function createTestGrader(dest: string, content: string): GraderSpec {
  const count = content.match(/^test\(/gm)?.length ?? 0;
  return {
    type: "run-command",
    name: "tests",
    required: true,
    config: {
      command: "node",
      // Without --test, one process less is started. The reporter is named because the default depends on Node's version.
      args: ["--test-reporter=tap", dest],
      stdout_contains: `# pass ${count}\n`,
      timeout: TIMEOUT,
      files: [{ dest, content }],
    },
  };
}

/** Runs our program, whose exit code decides whether the work is correct. */
export function createCheckGrader(dest: string, content: string): GraderSpec {
  return {
    type: "run-command",
    name: "tests",
    required: true,
    config: { command: "node", args: [dest], timeout: TIMEOUT, files: [{ dest, content }] },
  };
}

/**
 * Creates a step that writes a file. A here-document takes any text without escaping, in every shell that agents use.
 * @example
 * createWriteCommand("sum.mjs", "export const sum = (a, b) => a + b;\n");
 */
export function createWriteCommand(path: string, content: string): TaskCommand {
  return { command: `cat > ${path} <<'EOF'\n${content}EOF` };
}
