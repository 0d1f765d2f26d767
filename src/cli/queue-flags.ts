import type { Command } from "commander";
import type { RunFlags } from "./run-flags.js";

export function addQueueFlags(command: Command): Command {
  return command
    .option("--queue <url>", "run the trials on workers connected to this Redis: redis://HOST:6379 (see: assay worker)")
    .option("--no-queue", "run the trials here, even if the config file or the resumed run has a queue")
    .option("--shared-dir <dir>", "with --queue: store large outputs in this folder, shared by all machines");
}

/** As parsed by commander: false for --no-queue. */
export interface QueueFlags {
  queue?: string | false;
}

export function describeQueue(queue: QueueFlags["queue"] | undefined): Pick<RunFlags, "queue" | "withoutQueue"> {
  if (queue === undefined) return {};
  return queue === false ? { withoutQueue: true } : { queue };
}
