import { CommanderError } from "commander";
import { AssayError, EXIT, getErrorMessage, StalledError, userErrorChannel } from "../core/index.js";
import { buildProgram } from "./program.js";
import { printNote } from "./streams.js";

/** Runs the command line and exits with its code. */
export async function main(argv: readonly string[]): Promise<void> {
  // A closed pipe (`assay … | head`) is not an error.
  process.stdout.on("error", (error: NodeJS.ErrnoException) =>
    process.exit(error.code === "EPIPE" ? 0 : EXIT.infrastructure),
  );
  // A closed stderr must not end the run.
  process.stderr.on("error", () => {});
  const verbose = argv.includes("--verbose");
  if (verbose) printTraces();
  // For example an error in a timer of a user's system. Recorded results stay and can be resumed.
  setOnlyListener("uncaughtException", (error) => process.exit(reportError(error, verbose)));
  setOnlyListener("beforeExit", () => process.exit(reportError(new StalledError(), verbose)));
  let exitCode: number;
  try {
    exitCode = await buildProgram(argv).run();
  } catch (error) {
    exitCode = reportError(error, verbose);
  }
  await waitForDrain(process.stdout);
  await waitForDrain(process.stderr);
  process.exit(exitCode);
}

/** Prints the stack trace of each error in user code once, as every trial may throw the same. */
function printTraces(): void {
  const printed = new Set<string>();
  userErrorChannel.subscribe((thrown) => {
    const trace = thrown instanceof Error && !(thrown instanceof AssayError) ? thrown.stack : undefined;
    if (trace === undefined || printed.has(trace)) return;
    printed.add(trace);
    printNote(trace);
  });
}

/** Acts only if there is no other listener: a running command handles the event itself. */
function setOnlyListener(event: "uncaughtException" | "beforeExit", listener: (error: unknown) => void): void {
  process.on(event, (error: unknown) => {
    if (process.listenerCount(event) === 1) listener(error);
  });
}

/** Prints no stack trace, unless --verbose is set or the error is a bug of Assay. */
function reportError(error: unknown, verbose: boolean): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.fine : EXIT.usage;
  const expected = error instanceof AssayError;
  printNote(`assay: ${getErrorMessage(error)}`);
  if (verbose && error instanceof Error) printNote(`${error.stack}\n${formatCauses(error)}`.trimEnd());
  else if (!expected) printNote("This error is unexpected. Run again with --verbose for details.");
  return expected ? error.exitCode : EXIT.infrastructure;
}

function formatCauses(error: Error): string {
  if (!(error.cause instanceof Error)) return "";
  return `Caused by: ${error.cause.stack}\n${formatCauses(error.cause)}`;
}

/** Waits until everything written so far is flushed: exiting would truncate a pipe. */
function waitForDrain(stream: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => stream.write("", () => resolve()));
}
