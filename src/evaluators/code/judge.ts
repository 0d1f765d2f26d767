import { SandboxError } from "../../core/errors.js";
import type { BoxedProcess, Ended } from "../../exec/sandbox/boxed-process.js";
import type { SandboxLimits } from "../../exec/sandbox/limits.js";
import { listIn } from "../../exec/sandbox/line-channel.js";
import type { CodeTask } from "./task.js";
import type { Variant } from "./variants.js";

/**
 * What came of the tests. `broken` are tests that are no program themselves, `unused` are tests that ran to their end
 * and never used the program.
 */
export interface Verdict {
  outcome: "passed" | "failed" | "broken" | "unused";
  /** Why it did not pass. */
  detail: string;
}

/** One program with its tests. */
export interface Trial {
  task: CodeTask;
  variants: readonly Variant[];
  timeoutSecs: number;
  signal?: AbortSignal;
}

/** Runs the tests of one language. */
export interface Judge {
  judge(trial: Trial): Promise<Verdict>;
  close(): Promise<void>;
}

/** Starting an interpreter on a busy machine does not count as time of the program. */
const START_MS = 20_000;

export function trialLimits(timeoutSecs: number): Partial<SandboxLimits> {
  return { wallMs: timeoutSecs * 1000 + START_MS, cpuSecs: timeoutSecs + 1 };
}

/** The error of a box in which not even the harness came up. */
export async function failedStart(box: BoxedProcess): Promise<SandboxError> {
  box.stop("done");
  const { stderr, exitCode } = await box.ended;
  const reason = stderr.trim().split("\n").at(-1) || `it ended with ${exitCode}`;
  return new SandboxError(`The sandbox failed: ${reason}. Run "assay doctor".`);
}

/** What it means that a box ended before the tests did. */
export function cutShort({ stopped, signal }: Ended, timeoutSecs: number): Verdict {
  return { outcome: "failed", detail: reasonOf(stopped, signal, timeoutSecs) };
}

function reasonOf(stopped: Ended["stopped"], signal: string | null, timeoutSecs: number): string {
  if (stopped === "wall_time" || signal === "SIGXCPU") return `took longer than ${timeoutSecs} s`;
  if (stopped === "memory") return "used more memory than allowed";
  if (stopped === "output") return "printed more than allowed";
  return "the tests did not run to their end";
}

/** The verdict in a line, when it holds the nonce that only the tests' side was told. */
export function verdictIn(line: string, nonce: string): Verdict {
  const [said, outcome, detail] = listIn(line);
  if (said !== nonce || !isOutcome(outcome)) {
    return { outcome: "failed", detail: "the tests did not run to their end" };
  }
  return { outcome, detail: typeof detail === "string" ? detail : "" };
}

function isOutcome(value: unknown): value is Verdict["outcome"] {
  return value === "passed" || value === "failed" || value === "broken" || value === "unused";
}
