import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Commands started by tests cache in a folder that is removed after the tests. */
export function setup(): () => void {
  const folder = mkdtempSync(join(tmpdir(), "assay-test-caches-"));
  process.env.XDG_CACHE_HOME = folder;
  return () => rmSync(folder, { recursive: true, force: true });
}
