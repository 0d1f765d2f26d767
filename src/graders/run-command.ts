import * as z from "zod";
import type { Graded, GraderFactory, Verdict } from "../core/index.js";
import { formatDuration, getErrorMessage, UsageError } from "../core/index.js";
import type { CommandResult } from "../exec/index.js";
import { makeBuiltInGrader, makeVerdict, quoteExcerpt } from "./built-in-grader.js";
import { nonEmptyText, pattern, readConfig } from "./config.js";
import { readPattern, testPattern } from "./pattern.js";
import { describeCommandExit, formatStreams, runConfig, runInFolder } from "./run-in-folder.js";

const exitCodeSchema = z
  .number("must be a number")
  .int("must be a whole number")
  .min(0, "must be from 0 to 255")
  .max(255, "must be from 0 to 255");

const schema = z.strictObject({
  command: nonEmptyText,
  expected_exit_code: exitCodeSchema.default(0),
  stdout_contains: nonEmptyText.optional(),
  stdout_matches: pattern.optional(),
  stdout_not_matches: pattern.optional(),
  stderr_contains: nonEmptyText.optional(),
  ...runConfig,
});

type RunCommandSettings = z.output<typeof schema>;

/**
 * Runs a command in the workspace and checks its exit code and output. With `args` the command is a program, otherwise a
 * shell command line. Its `files` are written first and overwrite the agent's, so that no agent passes by changing tests.
 */
export const runCommandGraders = {
  "run-command": (config) => {
    const settings = readConfig(schema, config);
    return makeBuiltInGrader({
      name: "run-command",
      folderUse: "runs",
      grade: (graded) => gradeCommand(settings, graded),
    });
  },
} satisfies Record<string, GraderFactory>;

async function gradeCommand(settings: RunCommandSettings, graded: Graded): Promise<Verdict> {
  const ran = await runGraderCommand(settings, graded);
  if (ran === null) return makeVerdict(false, `there is no folder ${settings.sub_path} in the workspace`);
  return typeof ran === "string" ? makeVerdict(false, ran) : gradeCommandResult(settings, ran);
}

/** The result of the command, or why it could not be started: providing the program is up to the agent. */
async function runGraderCommand(settings: RunCommandSettings, graded: Graded): Promise<CommandResult | string | null> {
  const { command, args } = settings;
  try {
    return await runInFolder({ command, shell: args === undefined }, settings, graded);
  } catch (error) {
    if (error instanceof UsageError && !graded.signal.aborted) return getErrorMessage(error);
    throw error;
  }
}

function gradeCommandResult(settings: RunCommandSettings, ran: CommandResult): Verdict {
  const problems = [findExitProblem(settings, ran), ...findStreamProblems(settings, ran)].filter(
    (problem) => problem !== null,
  );
  const { command } = settings;
  if (problems.length === 0)
    return makeVerdict(
      true,
      `${quoteExcerpt(command)} ${describeCommandExit(ran)} in ${formatDuration(ran.durationMs)}`,
    );
  return makeVerdict(false, [`${quoteExcerpt(command)}: ${problems.join("; ")}`, ...formatStreams(ran)].join("\n"));
}

function findExitProblem(
  { expected_exit_code: expected, timeout }: RunCommandSettings,
  ran: CommandResult,
): string | null {
  if (ran.timedOut) return `it was stopped after ${formatDuration(timeout)}`;
  return ran.code === expected ? null : `it ${describeCommandExit(ran)}, expected ${expected}`;
}

function findStreamProblems(settings: RunCommandSettings, { stdout, stderr }: CommandResult): (string | null)[] {
  const { stdout_contains, stdout_matches, stdout_not_matches, stderr_contains } = settings;
  const lacks = (output: string, wanted: string | undefined) => wanted !== undefined && !output.includes(wanted);
  const matches = (wanted: string) => testPattern(readPattern(wanted), stdout);
  const isUnmatched = stdout_matches !== undefined && !matches(stdout_matches);
  const isMatched = stdout_not_matches !== undefined && matches(stdout_not_matches);
  return [
    lacks(stdout, stdout_contains) ? `stdout does not contain ${quoteExcerpt(stdout_contains ?? "")}` : null,
    isUnmatched ? `stdout does not match ${stdout_matches}` : null,
    isMatched ? `stdout matches ${stdout_not_matches}` : null,
    lacks(stderr, stderr_contains) ? `stderr does not contain ${quoteExcerpt(stderr_contains ?? "")}` : null,
  ];
}
