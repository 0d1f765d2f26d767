import type { Command } from "commander";
import type { SetExitCode } from "../program.js";
import type { ClearFlags, StatusFlags } from "../queue.js";

const EXAMPLES = `
Examples:
  assay queue status --queue redis://queue:6379
  ASSAY_QUEUE=redis://queue:6379 assay queue status --output json
  assay queue clear 20261115-213334-gsm8k-1f0c9a2b --queue redis://queue:6379
  assay queue clear --abandoned --queue redis://queue:6379`;

const STATUS_EXAMPLES = `
Examples:
  assay queue status --queue redis://queue:6379
  assay queue status --queue redis://queue:6379 --output json`;

const CLEAR_EXAMPLES = `
Results recorded in the run folder are kept. A run with a live coordinator is not cleared: stop it with Ctrl-C.

Examples:
  assay queue clear 20261115-213334-gsm8k-1f0c9a2b --queue redis://queue:6379
  assay queue clear --abandoned --queue redis://queue:6379      all runs without a live coordinator`;

export function addQueueCommand(program: Command, done: SetExitCode): void {
  const queue = program
    .command("queue")
    .description("inspect the runs and workers of a queue, and remove what a run left there")
    .addHelpText("after", EXAMPLES);
  addQueueStatus(queue, done);
  addQueueClear(queue, done);
}

function addQueueStatus(queue: Command, done: SetExitCode): void {
  addQueueOption(queue.command("status"))
    .description("list the runs and workers of a queue")
    .option("--output <name>", "print table or json", "table")
    .addHelpText("after", STATUS_EXAMPLES)
    .action(async (options: StatusFlags) => {
      const { executeQueueStatus } = await import("../queue.js");
      done(await executeQueueStatus(options));
    });
}

function addQueueClear(queue: Command, done: SetExitCode): void {
  addQueueOption(queue.command("clear"))
    .description("remove what a run left in a queue")
    .argument("[run]", "its key or id, as shown by assay queue status")
    .option("--abandoned", "clear all runs without a live coordinator")
    .addHelpText("after", CLEAR_EXAMPLES)
    .action(async (run: string | undefined, options: ClearFlags) => {
      const { executeQueueClear } = await import("../queue.js");
      done(await executeQueueClear(run, options));
    });
}

function addQueueOption(command: Command): Command {
  return command
    .option("--queue <url>", "the Redis: redis://HOST:6379 (default: ASSAY_QUEUE)")
    .option("--verbose", "print stack traces with errors")
    .allowExcessArguments(false);
}
