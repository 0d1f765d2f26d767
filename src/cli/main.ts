import { CommanderError } from "commander";
import { thrownErrors } from "../core/error-place.js";
import { AssayError, EXIT, messageOf, StalledError } from "../core/errors.js";
import { buildProgram } from "./program.js";
import { say } from "./streams.js";

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

/** Prints the stack trace of each error in user code once, as every trial may throw the same. */
function printTraces(): void {
  const printed = new Set<string>();
  thrownErrors.subscribe((thrown) => {
    const trace = thrown instanceof Error && !(thrown instanceof AssayError) ? thrown.stack : undefined;
    if (trace === undefined || printed.has(trace)) return;
    printed.add(trace);
    say(trace);
  });
}

/** Acts only if there is no other listener: a running command handles the event itself. */
function onlyListener(event: "uncaughtException" | "beforeExit", listener: (error: unknown) => void): void {
  process.on(event, (error: unknown) => {
    if (process.listenerCount(event) === 1) listener(error);
  });
}

/** Prints no stack trace, unless --verbose is set or the error is a bug of Assay. */
function report(error: unknown, verbose: boolean): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.fine : EXIT.usage;
  const expected = error instanceof AssayError;
  say(`assay: ${messageOf(error)}`);
  if (verbose && error instanceof Error) say(`${error.stack}\n${causes(error)}`.trimEnd());
  else if (!expected) say("This error is unexpected. Run again with --verbose for details.");
  return expected ? error.exitCode : EXIT.infrastructure;
}

function causes(error: Error): string {
  if (!(error.cause instanceof Error)) return "";
  return `Caused by: ${error.cause.stack}\n${causes(error.cause)}`;
}

/** Waits until everything written so far is flushed: exiting would truncate a pipe. */
function drained(stream: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => stream.write("", () => resolve()));
}
