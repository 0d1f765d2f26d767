import { z } from "zod";
import { messageOf, UsageError } from "../core/errors.js";
import type { Graded, GraderFactory, Verdict } from "../core/grader.js";
import { type CommandResult, runCommand } from "../processes/index.js";
import { duration, filled, path, pattern, readConfig, text } from "./config.js";
import { inWords } from "./duration.js";
import { lastLines, quoted } from "./excerpt.js";
import { ownGrader, verdict } from "./own-grader.js";
import { occursIn, readPattern } from "./pattern.js";
import { placeFiles } from "./place-files.js";
import { folderOf, realInside } from "./workspace-files.js";

const USUAL_TIMEOUT_MS = 30_000;
const exitCode = z
  .number("must be a number")
  .int("must be a whole number")
  .min(0, "must be from 0 to 255")
  .max(255, "must be from 0 to 255");

const schema = z.strictObject({
  command: filled,
  args: z.array(text, "must be a list of texts").optional(),
  expected_exit_code: exitCode.default(0),
  stdout_contains: filled.optional(),
  stdout_matches: pattern.optional(),
  stderr_contains: filled.optional(),
  timeout: duration.default(USUAL_TIMEOUT_MS),
  sub_path: path.default("."),
  env: z.record(z.string(), text).default({}),
  files: z.array(z.strictObject({ dest: path, content: text }), "must be a list of { dest, content }").default([]),
});

type Settings = z.output<typeof schema>;

/**
 * A grader that runs a command in the workspace and looks at how it ended and what it printed. With `args` the command is
 * a program; without, a line for the shell. Its `files` are written first, over whatever the agent left, so that no
 * agent passes by changing the tests.
 */
export const runCommandGraders = {
  "run-command": (config) => {
    const settings = readConfig(schema, config);
    return ownGrader({ name: "run-command", folderUse: "runs", grade: (graded) => grade(settings, graded) });
  },
} satisfies Record<string, GraderFactory>;

async function grade(settings: Settings, graded: Graded): Promise<Verdict> {
  const folder = folderOf(graded);
  await placeFiles(folder, settings.files);
  const cwd = await realInside(folder, settings.sub_path);
  if (cwd === null) return verdict(false, `there is no folder ${settings.sub_path} in the workspace`);
  const ran = await run(settings, { graded, folder, cwd });
  return typeof ran === "string" ? verdict(false, ran) : judged(settings, ran);
}

interface Place {
  graded: Graded;
  folder: string;
  cwd: string;
}

/** How the command went, or why it could not be started: a program that is missing is for the agent to provide. */
async function run({ command, args, timeout, env }: Settings, place: Place): Promise<CommandResult | string> {
  const { graded, folder, cwd } = place;
  try {
    return await runCommand({
      command,
      ...(args === undefined ? { shell: true } : { args }),
      cwd,
      env: { ...graded.env, ...env },
      timeoutMs: timeout,
      signal: graded.signal,
      folders: [folder],
    });
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
  return ran.code === expected ? null : `it ${endOf(ran)}, expected was ${expected}`;
}

function endOf({ code, signal }: CommandResult): string {
  return code === null ? `was ended by ${signal ?? "a signal"}` : `ended with exit code ${code}`;
}

function printProblems(settings: Settings, { stdout, stderr }: CommandResult): (string | null)[] {
  const { stdout_contains, stdout_matches, stderr_contains } = settings;
  const lacks = (printed: string, wanted: string | undefined) => wanted !== undefined && !printed.includes(wanted);
  const isUnmatched = stdout_matches !== undefined && !occursIn(readPattern(stdout_matches), stdout);
  return [
    lacks(stdout, stdout_contains) ? `stdout does not have ${quoted(stdout_contains ?? "")}` : null,
    isUnmatched ? `stdout does not match ${stdout_matches}` : null,
    lacks(stderr, stderr_contains) ? `stderr does not have ${quoted(stderr_contains ?? "")}` : null,
  ];
}

function printed({ stdout, stderr }: CommandResult): string[] {
  const streams = { stdout, stderr };
  return Object.entries(streams).flatMap(([name, output]) => {
    return output.trim() === "" ? [] : [`${name}: ${lastLines(output)}`];
  });
}
