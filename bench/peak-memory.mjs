// Loaded into every measured process: tells its peak resident memory (KiB) on descriptor 3 as it ends.
import { writeSync } from "node:fs";

process.on("exit", () => {
  try {
    writeSync(3, String(process.resourceUsage().maxRSS));
  } catch {
    // Not started by the bench.
  }
});
