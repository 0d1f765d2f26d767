import { resolve } from "node:path";
import { messageOf, RunFolderError, UsageError } from "../core/errors.js";
import { isSecretName } from "../core/secret-name.js";
import { readManifest } from "../store/journal.js";
import { findRun } from "../store/run-folder.js";
import { isComplete } from "../store/summary-file.js";
import { findConfig } from "./config-file.js";
import { DEFAULT_RUNS_DIR } from "./run-config.js";
import type { RunFlags } from "./run-flags.js";
import { say } from "./streams.js";

/** What it takes to start a run again: the folder it was started in, its config file and its flags. */
export interface Invocation {
  command: "run" | "grade" | "memory" | "eval" | "experiment";
  cwd: string;
  configFile: string | null;
  flags: RunFlags;
}

/** How the command was called just now, without the flags that say how to go about it. */
export function invocationOf(flags: RunFlags, command: Invocation["command"]): Invocation {
  const { resume: _, dryRun: __, quiet: ___, verbose: ____, ...rest } = flags;
  const kept = withoutSecrets(rest);
  const configFile = flags.config === undefined ? findConfig(process.cwd()) : resolve(flags.config);
  return { command, cwd: process.cwd(), configFile: configFile ?? null, flags: kept };
}

/** Headers that hold a key are not written down: who resumes the run gives them again. */
function withoutSecrets(flags: RunFlags): RunFlags {
  const { headers, ...others } = flags;
  if (headers === undefined) return flags;
  const open = Object.entries(headers).filter(([name]) => !isSecretName(name));
  const hidden = Object.keys(headers).filter(isSecretName);
  return { ...others, headers: Object.fromEntries(open), ...(hidden.length === 0 ? {} : { secretHeaders: hidden }) };
}

/** The stored run that is to go on, and how it was started. */
export function recall(
  { resume, headers = {}, runsDir = DEFAULT_RUNS_DIR }: RunFlags,
  command: Invocation["command"],
): { dir: string; invocation: Invocation } {
  const name = resume === true ? undefined : resume;
  const dir = resolve(findRun({ runsDir, name, isCandidate: (candidate) => wasStartedBy(command, candidate) }));
  const { invocation } = readManifest(dir);
  if (!isInvocation(invocation, [command])) throw new UsageError(`${dir} ${whoStarted(invocation)}`);
  requireHeaders(invocation.flags.secretHeaders ?? [], headers);
  say(isComplete(dir) ? `${dir} is finished: nothing is run, this is its report` : `Resuming ${dir}`);
  return { dir, invocation };
}

function requireHeaders(names: readonly string[], given: Readonly<Record<string, string>>): void {
  const missing = names.find((name) => !Object.keys(given).some((each) => each.toLowerCase() === name.toLowerCase()));
  if (missing === undefined) return;
  throw new UsageError(
    `The run was started with the header ${missing}, which is not kept because it may hold a key. Give it again: --header "${missing}: …".`,
  );
}

/** Goes to the folder that the paths of a stored run start from. */
export function enterFolder({ cwd }: Invocation): void {
  if (cwd === process.cwd()) return;
  try {
    process.chdir(cwd);
  } catch (cause) {
    throw new RunFolderError(
      `The run was started in ${cwd}, which cannot be entered (${messageOf(cause)}). Its systems and datasets are looked for there: bring the folder back, or start a new run.`,
      { cause },
    );
  }
}

/** A run whose manifest cannot be read counts, so that the user is told what is wrong with it. */
function wasStartedBy(command: string, dir: string): boolean {
  try {
    return isInvocation(readManifest(dir).invocation, [command]);
  } catch {
    return true;
  }
}

/** The library keeps whatever a program gives it: only what this command wrote can be started again here. */
export function isInvocation(value: unknown, commands: readonly string[]): value is Invocation {
  const { command, cwd, configFile, flags } = fieldsOf(value);
  return (
    commands.includes(String(command)) &&
    typeof cwd === "string" &&
    (configFile === null || typeof configFile === "string") &&
    typeof flags === "object" &&
    flags !== null
  );
}

function whoStarted(invocation: unknown): string {
  const { command } = fieldsOf(invocation);
  if (command === "grade") return "was made by `assay grade`. Go on with it there: assay grade PARENT --resume RUN.";
  if (command === "run" || command === "memory" || command === "eval")
    return `was started by \`assay ${command}\`. Go on with it there: assay ${command} --resume RUN.`;
  return command === "demo"
    ? "was started by `assay demo`, which is not resumed: run `assay demo` again."
    : "was started from a program, not from the command line. Resume it there with evaluate({ resume }).";
}

function fieldsOf(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}
