import { type Command, InvalidArgumentError, Option } from "commander";
import { count, header, integer, list } from "../flag-values.js";
import type { Done } from "../program.js";
import type { WorkerFlags } from "../worker.js";

const KINDS = "systems, models, agents, commands, agent-home, unsafe-local-exec, outside-files";

const EXAMPLES = `
A worker makes the same plan as the run it takes part in, from the same files: give every machine a copy of the project,
and the keys. Where code, config or data differ it refuses, and says what does. Ctrl-C or SIGTERM: it finishes the trials
under way and takes no more; what is not done after --drain-timeout is left to others. When Redis refuses for a minute
(its memory is full, it asks for a password), it ends with 3.

Examples:
  assay worker --queue redis://queue:6379
  assay worker --queue redis://queue:6379 --concurrency 32 --project ~/evals
  ASSAY_QUEUE=rediss://queue:6379 ASSAY_QUEUE_PASSWORD=… assay worker
  assay worker --queue redis://queue:6379 --drain-timeout 600    on machines that are stopped with long notice
  assay worker --queue redis://queue:6379 --shared-dir /mnt/outputs
  assay worker --queue redis://queue:6379 --once             take part in the first run that is announced, then end
  assay worker --queue redis://queue:6379 --allow systems,models,commands --allow-env MY_KEY

A run is taken part in only when it is signed with the ASSAY_QUEUE_SECRET that this worker has too; only for a Redis on
this machine is it not needed. Make one with: openssl rand -hex 32

The run itself:
  assay run --queue redis://queue:6379 --model openai/gpt-5 --dataset gsm8k
  assay queue status --queue redis://queue:6379`;

/** A worker shows that it is there once a second: with less patience than this, a moment's silence would be its death. */
const SHORTEST_LEASE = 3;

/** `assay worker`. */
export function addWorker(program: Command, done: Done): void {
  program
    .command("worker")
    .description("run trials of the runs that are announced at a queue (assay run --queue), until Ctrl-C")
    .option("--queue <url>", "the Redis: redis://HOST:6379 (default: ASSAY_QUEUE)")
    .option("--concurrency <count>", "trials of each system at a time", count, 8)
    .option("--lease <seconds>", "when silent for so long, others take over its trials", lease, 15)
    .option("--shared-dir <dir>", "where the folder for large outputs is here (default: where the run says)")
    .option("--header <name: value>", "for models: a header that holds a key; repeatable", header)
    .option("--project <dir>", "the folder of the run here (default: the same path as where it was started)")
    .option("--allow <kind,…>", `what runs may ask for besides what the project's own files say: ${KINDS}`, list, [
      "systems",
      "models",
    ])
    .option("--allow-env <name,…>", "variables that runs may name, and that may go to endpoints they name", list)
    .option(
      "--drain-timeout <seconds>",
      "how long trials may go on after Ctrl-C or SIGTERM, then others run them",
      count,
      60,
    )
    .option("--once", "take part in the first run that is announced, then end")
    // How a worker starts a process for one run.
    .addOption(new Option("--serve").hideHelp())
    .allowExcessArguments(false)
    .addHelpText("after", EXAMPLES)
    .action(async ({ serve, ...flags }: WorkerFlags & { serve?: true }) => {
      if (serve === true) done(await (await import("../worker-child.js")).serveOneRun());
      else done(await (await import("../worker.js")).workerCommand(flags));
    });
}

function lease(value: string): number {
  const seconds = integer(value);
  if (seconds < SHORTEST_LEASE) throw new InvalidArgumentError(`It must be at least ${SHORTEST_LEASE} seconds.`);
  return seconds;
}
