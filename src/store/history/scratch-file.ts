import { randomBytes } from "node:crypto";
import { join } from "node:path";

/** A path in the scratch folder that nobody has: names of run folders may differ in what a file name cannot hold. */
export function scratchFile(scratchDir: string): string {
  return join(scratchDir, `${randomBytes(8).toString("hex")}.jsonl`);
}
