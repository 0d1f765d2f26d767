import { writeSync } from "node:fs";
import { EXIT, getErrorMessage } from "../core/index.js";
import { isStopCode } from "./interrupt.js";
import { printNote } from "./streams.js";

/**
 * Protects a run from accidents in user code: its stdout output goes to stderr, so that stdout contains only the report;
 * errors thrown outside any call are reported; and if it exits the process, the run does not look successful.
 */
export async function isolateUserCode<T>(work: () => Promise<T>): Promise<T> {
  const unguard = [divertOutput(), reportStrayErrors(), reportEarlyExit()];
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

/** A throwing timer or an unhandled rejection cannot be attributed to a trial. */
function reportStrayErrors(): () => void {
  const onError = (error: unknown) => {
    printNote(
      `Error outside any call, from a timer or an unhandled promise: ${getErrorMessage(error)}. The run continues.`,
    );
  };
  process.on("uncaughtException", onError);
  return () => process.off("uncaughtException", onError);
}

function reportEarlyExit(): () => void {
  const onExit = (code: number) => {
    if (isStopCode(code)) return;
    writeSync(
      2,
      "assay: a system, an evaluator or a plugin exited the process. Recorded results are kept; continue with --resume.\n",
    );
    if (code === EXIT.fine) process.exitCode = EXIT.infrastructure;
  };
  process.on("exit", onExit);
  return () => process.off("exit", onExit);
}
