import { statSync } from "node:fs";
import { resolve } from "node:path";
import { UsageError } from "../core/errors.js";
import { isHarmlessName } from "../core/harmless-name.js";
import { openRedis, withoutSecrets } from "../queue/connection.js";
import { signerFor } from "../queue/signer.js";
import { plural } from "../report/format.js";
import { onStop } from "./interrupt.js";
import { queueOf, sharedFolder } from "./queue-address.js";
import { DEFAULT_KINDS, kindsIn, variablesIn } from "./worker-allow.js";
import { WorkerProgress } from "./worker-progress.js";
import { Supervisor, type SupervisorOptions } from "./worker-supervisor.js";

export interface WorkerFlags {
  queue?: string;
  concurrency: number;
  lease: number;
  sharedDir?: string;
  header?: Readonly<Record<string, string>>;
  project?: string;
  once?: boolean;
  drainTimeout: number;
  allow?: readonly string[];
  allowEnv?: readonly string[];
}

/** `assay worker`: joins runs until Ctrl-C. */
export async function workerCommand(flags: WorkerFlags): Promise<number> {
  const settings = settingsOf(flags);
  const redis = await openRedis(settings.queue);
  const progress = new WorkerProgress(process.stderr);
  const { once: isOnce = false } = flags;
  progress.say(`Waiting for ${isOnce ? "a run" : "runs"} at ${withoutSecrets(settings.queue)}. Stop with Ctrl-C.`);
  const supervisor = new Supervisor({
    redis,
    launcher: launcher(),
    settings,
    isOnce,
    progress,
    drainMs: flags.drainTimeout * 1000,
  });
  const release = obeySignals(supervisor, progress);
  try {
    return await supervisor.run();
  } finally {
    release();
    progress.clear();
    redis.disconnect();
  }
}

function settingsOf(flags: WorkerFlags): SupervisorOptions["settings"] {
  const { concurrency, lease: leaseSeconds, header: headers = {}, project, sharedDir } = flags;
  requireSecret(headers);
  const queue = queueOf(flags.queue);
  // Checked here once, not in each process.
  signerFor(queue);
  return {
    queue,
    concurrency,
    leaseSeconds,
    headers,
    project: project === undefined ? null : projectFolder(project),
    sharedDir: sharedDir === undefined ? null : sharedFolder(sharedDir),
    allowed: {
      kinds: flags.allow === undefined ? DEFAULT_KINDS : kindsIn(flags.allow),
      env: variablesIn(flags.allowEnv ?? []),
    },
  };
}

/** Other headers are part of what is measured, and belong to the run. */
function requireSecret(headers: Readonly<Record<string, string>>): void {
  const open = Object.keys(headers).find(isHarmlessName);
  if (open === undefined) return;
  throw new UsageError(
    `--header of assay worker is only for headers that hold a key, such as Authorization. Pass ${open} to assay run, which sends it to workers.`,
  );
}

function projectFolder(project: string): string {
  const folder = resolve(project);
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true) return folder;
  throw new UsageError(`--project ${folder} is not a folder. Pass the folder that holds a copy of the run's files.`);
}

function launcher(): string {
  const [, program] = process.argv;
  if (program === undefined) throw new UsageError("assay worker must be started as its own process.");
  return program;
}

/** The first Ctrl-C (or SIGTERM, SIGHUP) finishes running trials; the second exits at once. */
function obeySignals(supervisor: Supervisor, progress: WorkerProgress): () => void {
  return onStop(({ again, exitCode }) => {
    if (again) return void supervisor.quit().finally(() => process.exit(exitCode));
    progress.say(`Finishing ${plural(supervisor.active, "trial")}; press Ctrl-C again to quit at once.`);
    supervisor.drain();
  });
}
