import type { Command } from "commander";
import type { RunFlags } from "./run-flags.js";

/** The flags of commands whose trials workers can run. */
export function addQueueFlags(command: Command): Command {
  return command
    .option("--queue <url>", "let workers run the trials, by way of this Redis: redis://HOST:6379 (see: assay worker)")
    .option("--no-queue", "run them here, whatever a config file or the run that goes on says of a queue")
    .option("--shared-dir <dir>", "with --queue: a folder that all machines see, for large outputs");
}

/** As Commander reads them: false for --no-queue. */
export interface QueueFlags {
  queue?: string | false;
}

/** What --queue and --no-queue say of a run. */
export function describeQueue(queue: QueueFlags["queue"] | undefined): Pick<RunFlags, "queue" | "withoutQueue"> {
  if (queue === undefined) return {};
  return queue === false ? { withoutQueue: true } : { queue };
}
