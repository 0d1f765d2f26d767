import { SandboxError } from "../../core/index.js";
import type { SandboxedProcess, SandboxedProcessEnd, SandboxLimits } from "../../exec/index.js";
import { parseLineList } from "../../exec/index.js";
import type { CodeTask } from "./task.js";
import type { ProgramVariant } from "./variants.js";

/**
 * The result of the tests. `broken`: the tests are not a valid program. `unused`: the tests ran to their end without using
 * the program.
 */
export interface TestVerdict {
  outcome: "passed" | "failed" | "broken" | "unused";
  /** Why it did not pass. */
  detail: string;
}

export interface CodeTrial {
  task: CodeTask;
  variants: readonly ProgramVariant[];
  timeoutSecs: number;
  signal?: AbortSignal;
}

export interface CodeJudge {
  judge(trial: CodeTrial): Promise<TestVerdict>;
  close(): Promise<void>;
}

/** Starting an interpreter on a busy machine does not count as program time. */
const START_TIMEOUT_MS = 20_000;

export function createTrialLimits(timeoutSecs: number): Partial<SandboxLimits> {
  return { wallMs: timeoutSecs * 1000 + START_TIMEOUT_MS, cpuSecs: timeoutSecs + 1 };
}

/** For a box in which not even the harness started. */
export async function createStartError(box: SandboxedProcess): Promise<SandboxError> {
  box.stop("done");
  const { stderr, exitCode } = await box.ended;
  const reason = stderr.trim().split("\n").at(-1) || `it exited with ${exitCode}`;
  return new SandboxError(`The sandbox failed: ${reason}. Run "assay doctor".`);
}

/** For a box that ended before the tests did. */
export function explainEarlyEnd({ stopped, signal }: SandboxedProcessEnd, timeoutSecs: number): TestVerdict {
  return { outcome: "failed", detail: describeEarlyStop(stopped, signal, timeoutSecs) };
}

function describeEarlyStop(
  stopped: SandboxedProcessEnd["stopped"],
  signal: string | null,
  timeoutSecs: number,
): string {
  if (stopped === "wall_time" || signal === "SIGXCPU") return `took longer than ${timeoutSecs} s`;
  if (stopped === "memory") return "used more memory than allowed";
  if (stopped === "output") return "printed more than allowed";
  return "the tests did not run to their end";
}

/** Only the tests' side knows the nonce, so a line without it is not a verdict. */
export function parseTestVerdict(line: string, nonce: string): TestVerdict {
  const [said, outcome, detail] = parseLineList(line);
  if (said !== nonce || !isTestOutcome(outcome)) {
    return { outcome: "failed", detail: "the tests did not run to their end" };
  }
  return { outcome, detail: typeof detail === "string" ? detail : "" };
}

function isTestOutcome(value: unknown): value is TestVerdict["outcome"] {
  return value === "passed" || value === "failed" || value === "broken" || value === "unused";
}
