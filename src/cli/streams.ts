import { UsageError } from "../core/index.js";
import { replaceControlCharacters } from "../report/index.js";

/** Results go to stdout, everything else goes to stderr with this function. */
export function printNote(message: string): void {
  process.stderr.write(`${replaceControlCharacters(message)}\n`);
}

/** Fails before the run, since HTML is of no use on a terminal. */
export function checkOutput(output: string | undefined, isTerminal = process.stdout.isTTY): void {
  if (output !== "html" || !isTerminal) return;
  throw new UsageError(
    "--output html writes a web page, but stdout is a terminal. Redirect it to a file: … --output html > report.html (for a finished run: assay report latest --output html > report.html).",
  );
}

/** Waits for slow readers between chunks. */
export async function writeResult(report: string | Iterable<string>): Promise<void> {
  let pending = "";
  for (const piece of typeof report === "string" ? [report] : report) {
    pending += piece;
    if (pending.length < 1 << 16) continue;
    await writeStdout(pending);
    pending = "";
  }
  await writeStdout(pending);
}

function writeStdout(text: string): Promise<void> {
  return new Promise((resolve) => {
    if (process.stdout.write(text)) resolve();
    else process.stdout.once("drain", resolve);
  });
}
