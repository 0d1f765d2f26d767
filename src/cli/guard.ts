import { writeSync } from "node:fs";
import { EXIT, messageOf } from "../core/errors.js";
import { isStopCode } from "./interrupt.js";
import { say } from "./streams.js";

/**
 * Does work that runs the user's code, and keeps that from ending or garbling a run by accident: what it prints goes to
 * stderr, so that stdout holds the report alone; what it throws outside of any call costs a message; and a process that
 * it ends does not pass for a run that succeeded.
 */
export async function guarded<T>(work: () => Promise<T>): Promise<T> {
  const unguard = [divertOutput(), surviveStrayErrors(), noticeExit()];
  try {
    return await work();
  } finally {
    for (const each of unguard) each();
  }
}

function divertOutput(): () => void {
  const write = process.stdout.write.bind(process.stdout);
  process.stdout.write = process.stderr.write.bind(process.stderr);
  return () => {
    process.stdout.write = write;
  };
}

/** A timer that throws, a promise that nobody waited for: which trial they belong to cannot be known. */
function surviveStrayErrors(): () => void {
  const onError = (error: unknown) => {
    say(
      `Thrown outside of any call, by a timer or a promise that nobody waited for: ${messageOf(error)}. The run goes on.`,
    );
  };
  process.on("uncaughtException", onError);
  return () => process.off("uncaughtException", onError);
}

function noticeExit(): () => void {
  const onExit = (code: number) => {
    if (isStopCode(code)) return;
    writeSync(
      2,
      "assay: a system, an evaluator or a plugin ended the process. What is recorded is kept: go on with --resume.\n",
    );
    if (code === EXIT.fine) process.exitCode = EXIT.infrastructure;
  };
  process.on("exit", onExit);
  return () => process.off("exit", onExit);
}
