import { dirname, join, resolve } from "node:path";
import { getErrorMessage, getOwn, isNonSecretName, RunFolderError, UsageError } from "../core/index.js";
import { stripSecrets } from "../queue/index.js";
import { findRun, RUN_FILES, readManifest, readSummary } from "../store/index.js";
import { findConfig, loadConfig } from "./config-file.js";
import { resolveDefinedAgents } from "./defined-agents.js";
import { DEFAULT_RUNS_DIR } from "./run-config.js";
import type { RunFlags } from "./run-flags.js";
import { dropQueueFlags } from "./run-flags.js";
import { RUN_SETTINGS, type RunSetting } from "./run-settings.js";
import { printNote } from "./streams.js";
import { requireTrust, type TrustFlags } from "./trust.js";

/** What is needed to start a run again: its folder, config file and flags. */
export interface Invocation {
  command: "run" | "grade" | "memory" | "eval" | "experiment" | "migrate" | "stress";
  cwd: string;
  configFile: string | null;
  flags: RunFlags;
}

/** How the command was called, without flags such as --resume that only say how to run it. */
export function recordInvocation(flags: RunFlags, command: Invocation["command"]): Invocation {
  const configFile = flags.config === undefined ? findConfig(process.cwd()) : resolve(flags.config);
  return { command, cwd: process.cwd(), configFile: configFile ?? null, flags: selectStoredFlags(flags) };
}

/** The run as it is now: its invocation plus flags given on resume. Workers make their plan from it. */
export function applyResumeFlags(invocation: Invocation, flags: RunFlags): Invocation {
  const { headers, secretHeaders = [], ...later } = selectStoredFlags(flags);
  const before = invocation.flags;
  const hidden = [...new Set([...(before.secretHeaders ?? []), ...secretHeaders])];
  return {
    ...invocation,
    flags: {
      ...before,
      ...later,
      ...(headers === undefined ? {} : { headers: { ...before.headers, ...headers } }),
      ...(hidden.length === 0 ? {} : { secretHeaders: hidden }),
      ...mergeEvalSelection(before, later),
    },
  };
}

export function mergeEvalSelection(
  before: Pick<RunFlags, "eval">,
  now: Pick<RunFlags, "eval">,
): Pick<RunFlags, "eval"> {
  return before.eval === undefined && now.eval === undefined ? {} : { eval: { ...before.eval, ...now.eval } };
}

/** The flags to store: without secrets, or flags that are only for the command line. */
function selectStoredFlags({ verbose: _, ...flags }: RunFlags): RunFlags {
  const kept = Object.entries(flags).filter(([name]) => getOwn<RunSetting>(RUN_SETTINGS, name)?.role !== "command");
  const { queue, headers, ...others } = Object.fromEntries(kept) as RunFlags;
  return {
    ...others,
    ...(queue === undefined ? {} : { queue: stripSecrets(queue) }),
    ...(headers === undefined ? {} : splitSecretHeaders(headers)),
  };
}

/** Headers that may hold a key are not stored; they must be given again on resume. */
function splitSecretHeaders(headers: Readonly<Record<string, string>>): Pick<RunFlags, "headers" | "secretHeaders"> {
  const open = Object.entries(headers).filter(([name]) => isNonSecretName(name));
  const hidden = Object.keys(headers).filter((name) => !isNonSecretName(name));
  return { headers: Object.fromEntries(open), ...(hidden.length === 0 ? {} : { secretHeaders: hidden }) };
}

/** The stored run to resume, and how it was started. */
export function recallInvocation(
  { resume, runsDir = DEFAULT_RUNS_DIR, trust, until }: RunFlags,
  command: Invocation["command"],
): { dir: string; invocation: Invocation } {
  const name = resume === true ? undefined : resume;
  const dir = resolve(
    findRun({ runsDir, name, isCandidate: (candidate) => wasStartedBy(command, candidate), onNote: printNote }),
  );
  const { invocation } = readManifest(dir);
  requireTrustedRun(dir, { trust });
  if (!isInvocation(invocation, [command])) throw new UsageError(`${dir} ${describeStarter(invocation)}`);
  printNote(describeResumed(dir, until));
  return { dir, invocation };
}

function describeResumed(dir: string, until: string | undefined): string {
  const { complete = false, sequential } = readSummary(dir) ?? {};
  const notRun = sequential?.arms.reduce((sum, arm) => sum + arm.notRun, 0) ?? 0;
  if (!complete || (notRun > 0 && until === "none")) return `Resuming ${dir}`;
  if (sequential?.isDecided === true && notRun > 0)
    return `${dir} is decided: nothing is run, this is its report. Run its other ${notRun} trials with --until none`;
  return `${dir} is already finished: nothing is run, this is its report`;
}

/** Rejects a run folder of another project, because what its manifest names is run. */
export function requireTrustedRun(dir: string, trust: TrustFlags): void {
  requireTrust(join(dir, RUN_FILES.manifest), "the systems, plugins and commands that it names would be run", trust);
}

/** Requires headers of the run that were not stored. */
export function requireHeaders(
  { flags: { secretHeaders = [] } }: Invocation,
  given: Readonly<Record<string, string>> = {},
): void {
  const missing = secretHeaders.find(
    (name) => !Object.keys(given).some((each) => each.toLowerCase() === name.toLowerCase()),
  );
  if (missing === undefined) return;
  throw new UsageError(
    `The run was started with the header ${missing}, which is not stored because it may hold a key. Pass it again: --header "${missing}: …".`,
  );
}

/** Changes to the folder that the paths of a stored run are relative to. */
export function enterFolder({ cwd }: Invocation): void {
  if (cwd === process.cwd()) return;
  try {
    process.chdir(cwd);
  } catch (cause) {
    throw new RunFolderError(
      `The run was started in ${cwd}, which cannot be opened (${getErrorMessage(cause)}). Its systems and datasets are there: restore the folder, or start a new run.`,
      { cause },
    );
  }
}

/** True for an unreadable manifest, so that the user learns what is wrong with it. */
function wasStartedBy(command: string, dir: string): boolean {
  try {
    return isInvocation(readManifest(dir).invocation, [command]);
  } catch {
    return true;
  }
}

/** Programs that use the library may store anything as invocation; only those of the command line can be resumed here. */
export function isInvocation(value: unknown, commands: readonly string[]): value is Invocation {
  const { command, cwd, configFile, flags } = toFields(value);
  return (
    commands.includes(String(command)) &&
    typeof cwd === "string" &&
    (configFile === null || typeof configFile === "string") &&
    typeof flags === "object" &&
    flags !== null
  );
}

function describeStarter(invocation: unknown): string {
  const { command } = toFields(invocation);
  if (command === "grade") return "was created by `assay grade`. Resume it with: assay grade --resume RUN.";
  if (typeof command === "string" && ["run", "memory", "eval", "migrate", "stress"].includes(command))
    return `was started by \`assay ${command}\`. Resume it with: assay ${command} --resume RUN.`;
  return command === "demo"
    ? "was started by `assay demo`, which cannot be resumed: run `assay demo` again."
    : "was started from a program, not from the command line. Resume it there with evaluate({ resume }).";
}

function toFields(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}

/**
 * The complete description of a run, relative to its folder, which becomes the working folder. Later flags override those
 * the run was started with, which override the config file.
 */
export async function resolveRunFlags(invocation: Invocation, flags: RunFlags): Promise<RunFlags> {
  enterFolder(invocation);
  const { configFile } = invocation;
  // A resumed run was trusted when it was started.
  const trust = flags.resume !== undefined || flags.trust;
  const config = configFile === null ? {} : await loadConfig(configFile, { trust });
  const place = configFile === null ? {} : { configDir: dirname(configFile) };
  const own = { ...config, ...place, ...invocation.flags, ...flags, ...selectHeaders(invocation, flags) };
  if (own.agents !== undefined) own.agents = resolveDefinedAgents(own.agents, config.agents ?? []);
  const run = { ...own, ...mergeEvalSelection(invocation.flags, flags) };
  return run.withoutQueue === true && flags.queue === undefined ? dropQueueFlags(run) : run;
}

/** Secret headers must be given again on resume; the others are stored. */
function selectHeaders(invocation: Invocation, { resume, headers }: RunFlags): Pick<RunFlags, "headers"> {
  if (resume === undefined || headers === undefined) return {};
  return { headers: { ...invocation.flags.headers, ...headers } };
}
