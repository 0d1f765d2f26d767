import type { Redis } from "ioredis";
import { didYouMean, EXIT, UsageError } from "../core/index.js";
import type { WorkerState } from "../queue/index.js";
import {
  listRuns,
  listWorkers,
  openRedis,
  type QueuedRun,
  removeRun,
  removeSharedFolder,
  stripSecrets,
} from "../queue/index.js";
import { type TableColumn, toOneLine } from "../report/index.js";
import { requireQueueUrl } from "./queue-address.js";
import { createScreenLayout } from "./screen.js";
import { printNote, writeResult } from "./streams.js";

export interface StatusFlags {
  queue?: string;
  output: string;
}

export interface ClearFlags {
  queue?: string;
  abandoned?: boolean;
}

export async function executeQueueStatus({ queue, output }: StatusFlags): Promise<number> {
  if (output !== "table" && output !== "json")
    throw new UsageError(`Unknown output format "${output}".${didYouMean(output, ["table", "json"])}`);
  const url = requireQueueUrl(queue);
  return withRedis(url, async (redis) => {
    const [runs, workers] = await Promise.all([listRuns(redis), listWorkers(redis)]);
    const status: QueueStatus = { schema: "assay.queue-status/1", queue: stripSecrets(url), runs, workers };
    await writeResult(output === "json" ? `${JSON.stringify(status, null, 2)}\n` : describeQueueStatus(status));
    return EXIT.fine;
  });
}

export async function executeQueueClear(run: string | undefined, { queue, abandoned }: ClearFlags): Promise<number> {
  if ((run === undefined) === (abandoned !== true))
    throw new UsageError("Name one run as shown by assay queue status, or pass --abandoned, not both.");
  return withRedis(requireQueueUrl(queue), async (redis) => {
    const runs = await listRuns(redis);
    const chosen = run === undefined ? runs.filter(({ isCoordinated }) => !isCoordinated) : [findQueuedRun(runs, run)];
    if (chosen.length === 0) printNote("All runs have a live coordinator: nothing was removed.");
    for (const { key, systems, sharedDir } of chosen) {
      await removeRun(redis, key, systems);
      if (sharedDir !== null) removeSharedFolder(sharedDir, key);
      printNote(`Removed ${key}`);
    }
    return EXIT.fine;
  });
}

function findQueuedRun(runs: readonly QueuedRun[], name: string): QueuedRun {
  const [found, another] = runs.filter(({ key, runId }) => key === name || runId === name);
  if (found === undefined)
    throw new UsageError(
      `The queue has no run "${name}".${didYouMean(
        name,
        runs.map(({ key }) => key),
      )} See: assay queue status.`,
    );
  if (another !== undefined)
    throw new UsageError(`Several runs have the id "${name}". Use the key: ${found.key}, ${another.key}, ….`);
  if (found.isCoordinated)
    throw new UsageError(`${found.key} is still running. Stop it first, with Ctrl-C where assay run was started.`);
  return found;
}

async function withRedis(url: string, use: (redis: Redis) => Promise<number>): Promise<number> {
  const redis = await openRedis(url);
  try {
    return await use(redis);
  } finally {
    redis.disconnect();
  }
}

interface QueueStatus {
  schema: "assay.queue-status/1";
  /** Without user and password. */
  queue: string;
  runs: readonly QueuedRun[];
  workers: readonly WorkerState[];
}

/** Runs and workers as tables, and what to do about abandoned runs. */
function describeQueueStatus({ queue, runs, workers }: QueueStatus): string {
  const parts = [
    runs.length === 0 ? `There are no runs at ${queue}.` : createScreenLayout().table(RUN_COLUMNS, runs),
    ...runs.filter(({ isCoordinated }) => !isCoordinated).map(describeNextStep),
    workers.length === 0
      ? `There are no workers. Start one with: assay worker --queue ${queue}`
      : createScreenLayout().table(buildWorkerColumns(runs), workers),
  ];
  return `${parts.join("\n\n")}\n`;
}

const RUN_COLUMNS: readonly TableColumn<QueuedRun>[] = [
  { title: "run", cell: ({ key }) => key },
  { title: "title", cell: ({ title }) => title },
  { title: "coordinator", cell: ({ isCoordinated }) => (isCoordinated ? "there" : "gone") },
  { title: "planned", align: "right", cell: ({ planned }) => (planned === null ? "?" : String(planned)) },
  { title: "delivered", align: "right", cell: ({ delivered }) => String(delivered) },
  { title: "waiting", align: "right", cell: ({ waiting }) => String(waiting) },
  { title: "running", align: "right", cell: ({ active }) => String(active) },
];

function describeNextStep({ key, runId, startedBy }: QueuedRun): string {
  const where = startedBy === null ? "its program with `resume`" : `assay ${startedBy.command} --resume ${runId}`;
  const folder = startedBy === null ? "" : ` in ${startedBy.cwd}`;
  return toOneLine(
    `${key} is abandoned: its coordinator is gone. Resume it with ${where}${folder}, or remove it with assay queue clear ${key}.`,
  );
}

function buildWorkerColumns(runs: readonly QueuedRun[]): readonly TableColumn<WorkerState>[] {
  const idOf = new Map(runs.map(({ key, runId }) => [key, runId]));
  return [
    { title: "worker", cell: ({ host, pid }) => `${host}:${pid}` },
    { title: "run", cell: ({ run }) => (run === null ? "none yet" : (idOf.get(run) ?? run)) },
    { title: "at a time", align: "right", cell: ({ concurrency }) => String(concurrency) },
    { title: "running", align: "right", cell: ({ active }) => String(active) },
    { title: "delivered", align: "right", cell: ({ done }) => String(done) },
    { title: "a second", align: "right", cell: ({ perSecond }) => perSecond.toFixed(1) },
    {
      title: "waiting for",
      cell: ({ waiting, refuses }) => (refuses === null ? (waiting ?? "") : `refuses: ${refuses}`),
    },
  ];
}
