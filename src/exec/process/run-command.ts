import { once } from "node:events";
import { setTimeout as wait } from "node:timers/promises";
import { OutputBuffer } from "./kept-output.js";
import { type PipedProgram, type ProgramEnd, type ProgramOptions, startProgram } from "./program.js";

const MAX_OUTPUT_BYTES = 1 << 20;

/** Timers with a longer delay fire immediately. */
const MAX_TIMER_MS = 2 ** 31 - 1;

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
  const program = await startProgram(toProgramOptions(options));
  const stdout = new OutputBuffer(program.stdout, maxOutputBytes);
  const stderr = new OutputBuffer(program.stderr, maxOutputBytes);
  const first = await waitForFirst(program, options);
  const durationMs = performance.now() - startedAt;
  await program.stop(graceMs);
  const end = await waitForProgramEnd(program);
  if (end !== null) await program.closed;
  signal?.throwIfAborted();
  return {
    ...(end ?? { code: null, signal: null }),
    stdout: stdout.text(),
    stderr: stderr.text(),
    timedOut: first === "timeout",
    durationMs,
    isCut: stdout.isTruncated || stderr.isTruncated,
  };
}

function toProgramOptions({ command, args = [], shell = false, ...options }: CommandOptions): ProgramOptions {
  const { cwd, env, folders = [], input } = options;
  const how = shell ? { command: "/bin/sh", args: ["-c", command, "sh", ...args] } : { command, args };
  return { ...how, cwd, env, folders, ...(input === undefined ? {} : { input }) };
}

type FirstEvent = "ended" | "timeout" | "aborted";

async function waitForFirst(program: PipedProgram, { timeoutMs, signal }: CommandOptions): Promise<FirstEvent> {
  const decided = new AbortController();
  const until = { signal: decided.signal };
  const events: Promise<FirstEvent>[] = [program.ended.then(() => "ended")];
  if (timeoutMs !== undefined) events.push(wait(Math.min(timeoutMs, MAX_TIMER_MS), "timeout", until));
  if (signal !== undefined) events.push(waitForCommandAbort(signal, until));
  try {
    return await Promise.race(events);
  } finally {
    decided.abort();
  }
}

async function waitForCommandAbort(signal: AbortSignal, until: { signal: AbortSignal }): Promise<FirstEvent> {
  if (!signal.aborted) await once(signal, "abort", until);
  return "aborted";
}

/** Null when it could not be stopped, so there is no end to wait for. */
function waitForProgramEnd(program: PipedProgram): Promise<ProgramEnd | null> {
  return Promise.race([program.ended, Promise.resolve(null)]);
}
