import { readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";

/** Far longer than any file takes to be written. */
const STALE_AFTER_MS = 24 * 3_600_000;

/** Throws away what processes that were killed left half written in a folder. What cannot be is left: it does no harm. */
export async function sweepLeftovers(dir: string, now: number): Promise<void> {
  const names = await readdir(dir).catch(() => []);
  for (const name of names.filter((each) => each.endsWith(".tmp"))) {
    const path = join(dir, name);
    const age = await stat(path).then(
      ({ mtimeMs }) => now - mtimeMs,
      () => 0,
    );
    if (age > STALE_AFTER_MS) await rm(path, { force: true }).catch(() => undefined);
  }
}
