import type { Redis } from "ioredis";
import { EXIT, UsageError } from "../core/errors.js";
import { didYouMean } from "../core/suggest.js";
import { openRedis, withoutSecrets } from "../queue/connection.js";
import { clearRun, listRuns, listWorkers, type QueuedRun } from "../queue/directory.js";
import { removeSharedFolder } from "../queue/output-folder.js";
import { queueOf } from "./queue-address.js";
import { describeQueueStatus, type QueueStatus } from "./queue-status.js";
import { say, writeResult } from "./streams.js";

/** What the flags of `assay queue status` parse to. */
export interface StatusFlags {
  queue?: string;
  output: string;
}

/** What the flags of `assay queue clear` parse to. */
export interface ClearFlags {
  queue?: string;
  abandoned?: boolean;
}

/** `assay queue status`. */
export async function statusCommand({ queue, output }: StatusFlags): Promise<number> {
  if (output !== "table" && output !== "json")
    throw new UsageError(`There is no --output "${output}".${didYouMean(output, ["table", "json"])}`);
  const url = queueOf(queue);
  return withRedis(url, async (redis) => {
    const [runs, workers] = await Promise.all([listRuns(redis), listWorkers(redis)]);
    const status: QueueStatus = { schema: "assay.queue-status/1", queue: withoutSecrets(url), runs, workers };
    await writeResult(output === "json" ? `${JSON.stringify(status, null, 2)}\n` : describeQueueStatus(status));
    return EXIT.fine;
  });
}

/** `assay queue clear`. */
export async function clearCommand(run: string | undefined, { queue, abandoned }: ClearFlags): Promise<number> {
  if ((run === undefined) === (abandoned !== true))
    throw new UsageError("Which run? Name one as assay queue status shows it, or write --abandoned, not both.");
  return withRedis(queueOf(queue), async (redis) => {
    const runs = await listRuns(redis);
    const chosen = run === undefined ? runs.filter(({ isCoordinated }) => !isCoordinated) : [oneOf(runs, run)];
    if (chosen.length === 0) say("There is no run whose coordinator is gone: nothing was removed.");
    for (const { key, systems, sharedDir } of chosen) {
      await clearRun(redis, key, systems);
      if (sharedDir !== null) removeSharedFolder(sharedDir, key);
      say(`Removed ${key}`);
    }
    return EXIT.fine;
  });
}

function oneOf(runs: readonly QueuedRun[], name: string): QueuedRun {
  const [found, another] = runs.filter(({ key, runId }) => key === name || runId === name);
  if (found === undefined)
    throw new UsageError(
      `The queue has no run "${name}".${didYouMean(
        name,
        runs.map(({ key }) => key),
      )} See: assay queue status.`,
    );
  if (another !== undefined)
    throw new UsageError(`Several runs have the id "${name}". Name one by its key: ${found.key}, ${another.key}, ….`);
  if (found.isCoordinated)
    throw new UsageError(
      `${found.key} is going on: its coordinator is there. Stop that first, with Ctrl-C where assay run was started.`,
    );
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
