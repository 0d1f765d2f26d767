import { CommanderError } from "commander";
import { thrownErrors } from "../core/error-place.js";
import { AssayError, EXIT, messageOf, StalledError } from "../core/errors.js";
import { buildProgram } from "./program.js";
import { say } from "./streams.js";

/** Runs the command line and ends the process with its exit code. */
export async function main(argv: readonly string[]): Promise<void> {
  // A reader that has seen enough (`assay … | head`) is not an error.
  process.stdout.on("error", (error: NodeJS.ErrnoException) =>
    process.exit(error.code === "EPIPE" ? 0 : EXIT.infrastructure),
  );
  // A reader of the notes that has gone must not end the run.
  process.stderr.on("error", () => {});
  const verbose = argv.includes("--verbose");
  if (verbose) printTraces();
  // Thrown outside of any call, by a timer of a user's system for instance. What is recorded stays and can be resumed.
  onlyListener("uncaughtException", (error) => process.exit(report(error, verbose)));
  onlyListener("beforeExit", () => process.exit(report(new StalledError(), verbose)));
  let exitCode: number;
  try {
    exitCode = await buildProgram(argv).run();
  } catch (error) {
    exitCode = report(error, verbose);
  }
  await drained(process.stdout);
  await drained(process.stderr);
  process.exit(exitCode);
}

/** Prints the stack trace of each error that users' code throws, once: every trial may throw the same. */
function printTraces(): void {
  const printed = new Set<string>();
  thrownErrors.subscribe((thrown) => {
    const trace = thrown instanceof Error && !(thrown instanceof AssayError) ? thrown.stack : undefined;
    if (trace === undefined || printed.has(trace)) return;
    printed.add(trace);
    say(trace);
  });
}

/** Listens for what nobody else does: a run that is going on knows better what to do about it. */
function onlyListener(event: "uncaughtException" | "beforeExit", listener: (error: unknown) => void): void {
  process.on(event, (error: unknown) => {
    if (process.listenerCount(event) === 1) listener(error);
  });
}

/** Says what went wrong without a stack trace, unless one was asked for or the fault is ours. */
function report(error: unknown, verbose: boolean): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.fine : EXIT.usage;
  const expected = error instanceof AssayError;
  say(`assay: ${messageOf(error)}`);
  if (verbose && error instanceof Error) say(`${error.stack}\n${causes(error)}`.trimEnd());
  else if (!expected) say("This was not expected. Run again with --verbose for the details.");
  return expected ? error.exitCode : EXIT.infrastructure;
}

function causes(error: Error): string {
  if (!(error.cause instanceof Error)) return "";
  return `Caused by: ${error.cause.stack}\n${causes(error.cause)}`;
}

/** Waits until everything written so far has left the process: exit would cut off a pipe's last part. */
function drained(stream: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => stream.write("", () => resolve()));
}
