import { statSync } from "node:fs";
import { resolve } from "node:path";
import { isNonSecretName, UsageError } from "../core/index.js";
import { createSigner, openRedis, stripSecrets } from "../queue/index.js";
import { formatPlural } from "../report/index.js";
import { onStopSignal } from "./interrupt.js";
import { requireQueueUrl, requireSharedFolder } from "./queue-address.js";
import { DEFAULT_KINDS, parseKinds, parseVariables } from "./worker-allow.js";
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
export async function executeWorker(flags: WorkerFlags): Promise<number> {
  const settings = resolveWorkerSettings(flags);
  const redis = await openRedis(settings.queue);
  const progress = new WorkerProgress(process.stderr);
  const { once: isOnce = false } = flags;
  progress.note(`Waiting for ${isOnce ? "a run" : "runs"} at ${stripSecrets(settings.queue)}. Stop with Ctrl-C.`);
  const supervisor = new Supervisor({
    redis,
    launcher: findLauncher(),
    settings,
    isOnce,
    progress,
    drainMs: flags.drainTimeout * 1000,
  });
  const release = handleStopSignals(supervisor, progress);
  try {
    return await supervisor.run();
  } finally {
    release();
    progress.clear();
    redis.disconnect();
  }
}

function resolveWorkerSettings(flags: WorkerFlags): SupervisorOptions["settings"] {
  const { concurrency, lease: leaseSeconds, header: headers = {}, project, sharedDir } = flags;
  requireSecretHeaders(headers);
  const queue = requireQueueUrl(flags.queue);
  // Checked here once, not in each process.
  createSigner(queue);
  return {
    queue,
    concurrency,
    leaseSeconds,
    headers,
    project: project === undefined ? null : resolveProjectFolder(project),
    sharedDir: sharedDir === undefined ? null : requireSharedFolder(sharedDir),
    allowed: {
      kinds: flags.allow === undefined ? DEFAULT_KINDS : parseKinds(flags.allow),
      env: parseVariables(flags.allowEnv ?? []),
    },
  };
}

/** Other headers are part of what is measured, and belong to the run. */
function requireSecretHeaders(headers: Readonly<Record<string, string>>): void {
  const open = Object.keys(headers).find(isNonSecretName);
  if (open === undefined) return;
  throw new UsageError(
    `--header of assay worker is only for headers that hold a key, such as Authorization. Pass ${open} to assay run, which sends it to workers.`,
  );
}

function resolveProjectFolder(project: string): string {
  const folder = resolve(project);
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true) return folder;
  throw new UsageError(`--project ${folder} is not a folder. Pass the folder that holds a copy of the run's files.`);
}

function findLauncher(): string {
  const [, program] = process.argv;
  if (program === undefined) throw new UsageError("assay worker must be started as its own process.");
  return program;
}

/** The first Ctrl-C (or SIGTERM, SIGHUP) finishes running trials; the second exits at once. */
function handleStopSignals(supervisor: Supervisor, progress: WorkerProgress): () => void {
  return onStopSignal(({ again, exitCode }) => {
    if (again) return void supervisor.quit().finally(() => process.exit(exitCode));
    progress.note(`Finishing ${formatPlural(supervisor.active, "trial")}; press Ctrl-C again to quit at once.`);
    supervisor.drain();
  });
}
