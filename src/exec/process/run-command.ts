import { once } from "node:events";
import { setTimeout as wait } from "node:timers/promises";
import { KeptOutput } from "./kept-output.js";
import { type Program, type ProgramEnd, type ProgramOptions, startProgram } from "./program.js";

const MAX_OUTPUT_BYTES = 1 << 20;

/** Timers with a longer delay fire immediately. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

export interface CommandOptions extends Omit<ProgramOptions, "cwd"> {
  readonly cwd: string;
  /** True: `command` is a shell command line, and `args` are its `$1`, `$2` and so on. */
  readonly shell?: boolean;
  /** Default: no limit. */
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
  /** Limit for each of stdout and stderr; the beginning and the end are kept. Default: 1 MiB. */
  readonly maxOutputBytes?: number;
  /** Time to terminate before processes are killed. Default: 2 s. */
  readonly graceMs?: number;
}

export interface CommandResult extends ProgramEnd {
  readonly stdout: string;
  readonly stderr: string;
  readonly timedOut: boolean;
  readonly durationMs: number;
  /** True when part of the output was dropped. */
  readonly isCut: boolean;
}

/**
 * Runs a command and returns its output. Afterwards none of its processes are running, whether it ended, timed out or was
 * aborted; on abort, the reason is thrown after that.
 * @example
 * const { code, stdout } = await runCommand({ command: "npm test", shell: true, cwd: folder, env: { PATH }, timeoutMs: 30_000 });
 */
export async function runCommand(options: CommandOptions): Promise<CommandResult> {
  const { signal, graceMs, maxOutputBytes = MAX_OUTPUT_BYTES } = options;
  signal?.throwIfAborted();
  const startedAt = performance.now();
  const program = await startProgram(programOf(options));
  const stdout = new KeptOutput(program.stdout, maxOutputBytes);
  const stderr = new KeptOutput(program.stderr, maxOutputBytes);
  const first = await firstOf(program, options);
  const durationMs = performance.now() - startedAt;
  await program.stop(graceMs);
  const end = await endOf(program);
  if (end !== null) await program.closed;
  signal?.throwIfAborted();
  return {
    ...(end ?? { code: null, signal: null }),
    stdout: stdout.text(),
    stderr: stderr.text(),
    timedOut: first === "timeout",
    durationMs,
    isCut: stdout.isCut || stderr.isCut,
  };
}

function programOf({ command, args = [], shell = false, ...options }: CommandOptions): ProgramOptions {
  const { cwd, env, folders = [], input } = options;
  const how = shell ? { command: "/bin/sh", args: ["-c", command, "sh", ...args] } : { command, args };
  return { ...how, cwd, env, folders, ...(input === undefined ? {} : { input }) };
}

type First = "ended" | "timeout" | "aborted";

async function firstOf(program: Program, { timeoutMs, signal }: CommandOptions): Promise<First> {
  const decided = new AbortController();
  const until = { signal: decided.signal };
  const events: Promise<First>[] = [program.ended.then(() => "ended")];
  if (timeoutMs !== undefined) events.push(wait(Math.min(timeoutMs, LONGEST_TIMER_MS), "timeout", until));
  if (signal !== undefined) events.push(aborted(signal, until));
  try {
    return await Promise.race(events);
  } finally {
    decided.abort();
  }
}

async function aborted(signal: AbortSignal, until: { signal: AbortSignal }): Promise<First> {
  if (!signal.aborted) await once(signal, "abort", until);
  return "aborted";
}

/** Null when it could not be stopped, so there is no end to wait for. */
function endOf(program: Program): Promise<ProgramEnd | null> {
  return Promise.race([program.ended, Promise.resolve(null)]);
}
