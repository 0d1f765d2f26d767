import { UsageError } from "../core/errors.js";
import { printable } from "../report/printable.js";

/** Tells the user something. Results go to stdout, everything else here, to stderr. */
export function say(message: string): void {
  process.stderr.write(`${printable(message)}\n`);
}

/** Refuses a page where stdout is a terminal, before anything is run for it: nobody can read it there. */
export function checkOutput(output: string | undefined, isTerminal = process.stdout.isTTY): void {
  if (output !== "html" || !isTerminal) return;
  throw new UsageError(
    "--output html writes a page for a browser, and stdout is a terminal. Send it to a file: … --output html > report.html (of a run that is over: assay report latest --output html > report.html).",
  );
}

/** Writes a report to stdout piece by piece, never faster than the reader takes it. */
export async function writeResult(report: string | Iterable<string>): Promise<void> {
  let pending = "";
  for (const piece of typeof report === "string" ? [report] : report) {
    pending += piece;
    if (pending.length < 1 << 16) continue;
    await write(pending);
    pending = "";
  }
  await write(pending);
}

function write(text: string): Promise<void> {
  return new Promise((resolve) => {
    if (process.stdout.write(text)) resolve();
    else process.stdout.once("drain", resolve);
  });
}
