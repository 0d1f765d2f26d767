import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Commands that tests start keep what they cache in a folder that goes with the tests. */
export function setup(): () => void {
  const folder = mkdtempSync(join(tmpdir(), "assay-test-caches-"));
  process.env.XDG_CACHE_HOME = folder;
  return () => rmSync(folder, { recursive: true, force: true });
}
