import { randomBytes } from "node:crypto";
import { join } from "node:path";

/** A unique path in the scratch folder: names of run folders may contain characters that file names cannot. */
export function createScratchPath(scratchDir: string): string {
  return join(scratchDir, `${randomBytes(8).toString("hex")}.jsonl`);
}
