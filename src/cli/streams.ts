import { printable } from "../report/printable.js";

/** Tells the user something. Results go to stdout, everything else here, to stderr. */
export function say(message: string): void {
  process.stderr.write(`${printable(message)}\n`);
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
