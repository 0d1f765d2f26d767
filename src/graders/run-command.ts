import * as z from "zod";
import { inWords } from "../core/duration.js";
import { messageOf, UsageError } from "../core/errors.js";
import type { Graded, GraderFactory, Verdict } from "../core/grader.js";
import type { CommandResult } from "../exec/process/index.js";
import { filled, pattern, readConfig } from "./config.js";
import { quoted } from "./excerpt.js";
import { ownGrader, verdict } from "./own-grader.js";
import { occursIn, readPattern } from "./pattern.js";
import { endOf, printed, runConfig, runInFolder } from "./run-in-folder.js";

const exitCode = z
  .number("must be a number")
  .int("must be a whole number")
  .min(0, "must be from 0 to 255")
  .max(255, "must be from 0 to 255");

const schema = z.strictObject({
  command: filled,
  expected_exit_code: exitCode.default(0),
  stdout_contains: filled.optional(),
  stdout_matches: pattern.optional(),
  stdout_not_matches: pattern.optional(),
  stderr_contains: filled.optional(),
  ...runConfig,
});

type Settings = z.output<typeof schema>;

/**
 * Runs a command in the workspace and checks its exit code and output. With `args` the command is a program, otherwise a
 * shell command line. Its `files` are written first and overwrite the agent's, so that no agent passes by changing tests.
 */
export const runCommandGraders = {
  "run-command": (config) => {
    const settings = readConfig(schema, config);
    return ownGrader({ name: "run-command", folderUse: "runs", grade: (graded) => grade(settings, graded) });
  },
} satisfies Record<string, GraderFactory>;

async function grade(settings: Settings, graded: Graded): Promise<Verdict> {
  const ran = await run(settings, graded);
  if (ran === null) return verdict(false, `there is no folder ${settings.sub_path} in the workspace`);
  return typeof ran === "string" ? verdict(false, ran) : judged(settings, ran);
}

/** The result of the command, or why it could not be started: providing the program is up to the agent. */
async function run(settings: Settings, graded: Graded): Promise<CommandResult | string | null> {
  const { command, args } = settings;
  try {
    return await runInFolder({ command, shell: args === undefined }, settings, graded);
  } catch (error) {
    if (error instanceof UsageError && !graded.signal.aborted) return messageOf(error);
    throw error;
  }
}

function judged(settings: Settings, ran: CommandResult): Verdict {
  const problems = [endProblem(settings, ran), ...printProblems(settings, ran)].filter((problem) => problem !== null);
  const { command } = settings;
  if (problems.length === 0) return verdict(true, `${quoted(command)} ${endOf(ran)} in ${inWords(ran.durationMs)}`);
  return verdict(false, [`${quoted(command)}: ${problems.join("; ")}`, ...printed(ran)].join("\n"));
}

function endProblem({ expected_exit_code: expected, timeout }: Settings, ran: CommandResult): string | null {
  if (ran.timedOut) return `it was stopped after ${inWords(timeout)}`;
  return ran.code === expected ? null : `it ${endOf(ran)}, expected ${expected}`;
}

function printProblems(settings: Settings, { stdout, stderr }: CommandResult): (string | null)[] {
  const { stdout_contains, stdout_matches, stdout_not_matches, stderr_contains } = settings;
  const lacks = (output: string, wanted: string | undefined) => wanted !== undefined && !output.includes(wanted);
  const matches = (wanted: string) => occursIn(readPattern(wanted), stdout);
  const isUnmatched = stdout_matches !== undefined && !matches(stdout_matches);
  const isMatched = stdout_not_matches !== undefined && matches(stdout_not_matches);
  return [
    lacks(stdout, stdout_contains) ? `stdout does not contain ${quoted(stdout_contains ?? "")}` : null,
    isUnmatched ? `stdout does not match ${stdout_matches}` : null,
    isMatched ? `stdout matches ${stdout_not_matches}` : null,
    lacks(stderr, stderr_contains) ? `stderr does not contain ${quoted(stderr_contains ?? "")}` : null,
  ];
}
