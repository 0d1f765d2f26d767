import { type Command, InvalidArgumentError, Option } from "commander";
import { EXAMPLE_MODELS } from "../../core/index.js";
import { collectHeader, parseCountFlag, parseIntegerFlag, parseListFlag } from "../flag-values.js";
import type { SetExitCode } from "../program.js";
import type { WorkerFlags } from "../worker.js";

const KINDS = "systems, models, agents, commands, agent-home, unsafe-local-exec, outside-files";

const EXAMPLES = `
A worker makes the same plan as the run it joins, from the same files: give every machine a copy of the project and the
keys. If code, config or data differ, it refuses and says what differs. On Ctrl-C or SIGTERM it finishes the trials that
are running and takes no more; trials not done after --drain-timeout are left to other workers. If Redis rejects requests
for a minute (out of memory, password required), it exits with 3.

Examples:
  assay worker --queue redis://queue:6379
  assay worker --queue redis://queue:6379 --concurrency 32 --project ~/evals
  ASSAY_QUEUE=rediss://queue:6379 ASSAY_QUEUE_PASSWORD=… assay worker
  assay worker --queue redis://queue:6379 --drain-timeout 600    for machines that are stopped with long notice
  assay worker --queue redis://queue:6379 --shared-dir /mnt/outputs
  assay worker --queue redis://queue:6379 --once             join the first announced run, then exit
  assay worker --queue redis://queue:6379 --allow systems,models,commands --allow-env MY_KEY

A worker joins a run only if it is signed with the worker's own ASSAY_QUEUE_SECRET. Only a Redis on this machine needs
none. Create one with: openssl rand -hex 32

The run itself:
  assay run --queue redis://queue:6379 --model ${EXAMPLE_MODELS.openai} --dataset gsm8k
  assay queue status --queue redis://queue:6379`;

/** Workers send a heartbeat every second; a shorter lease would expire after one missed heartbeat. */
const MIN_LEASE_SECONDS = 3;

export function addWorkerCommand(program: Command, done: SetExitCode): void {
  program
    .command("worker")
    .description("run trials of runs announced on a queue (assay run --queue), until Ctrl-C")
    .option("--queue <url>", "the Redis: redis://HOST:6379 (default: ASSAY_QUEUE)")
    .option("--concurrency <count>", "run this many trials of each system at a time", parseCountFlag, 8)
    .option("--lease <seconds>", "let others take over this worker's trials after this much silence", parseLease, 15)
    .option("--shared-dir <dir>", "path of the folder for large outputs on this machine (default: set by the run)")
    .option("--header <name: value>", "for models: send a header that holds a key; repeatable", collectHeader)
    .option("--project <dir>", "the project folder on this machine (default: the path where the run was started)")
    .addOption(
      new Option("--allow <kind,…>", `allow runs to use, besides the project's own files: ${KINDS}`)
        .argParser(parseListFlag)
        .default(["systems", "models"], "systems,models"),
    )
    .option(
      "--allow-env <name,…>",
      "allow runs to name these variables and send them to endpoints they name",
      parseListFlag,
    )
    .option(
      "--drain-timeout <seconds>",
      "let running trials go on this long after Ctrl-C or SIGTERM, then leave them to others",
      parseCountFlag,
      60,
    )
    .option("--once", "join the first announced run, then exit")
    // Used by a worker to start its process for one run.
    .addOption(new Option("--serve").hideHelp())
    .allowExcessArguments(false)
    .addHelpText("after", EXAMPLES)
    .action(async ({ serve, ...flags }: WorkerFlags & { serve?: true }) => {
      if (serve === true) done(await (await import("../worker-child.js")).serveOneRun());
      else done(await (await import("../worker.js")).executeWorker(flags));
    });
}

function parseLease(value: string): number {
  const seconds = parseIntegerFlag(value);
  if (seconds < MIN_LEASE_SECONDS) throw new InvalidArgumentError(`It must be at least ${MIN_LEASE_SECONDS} seconds.`);
  return seconds;
}
