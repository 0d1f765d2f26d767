import type { Redis } from "ioredis";
import type { Announcement, WorkerState } from "./contract.js";
import { BULL_PREFIX, getQueueName, KEYS } from "./keys.js";
import { parseAnnouncement, parseSignedAnnouncement } from "./signer.js";
import { readRedisTime } from "./worker-heartbeat.js";

/** A run in Redis. */
export interface QueuedRun {
  key: string;
  /** Equals the key if the announcement cannot be read. */
  runId: string;
  title: string;
  /** True while its coordinator is alive. */
  isCoordinated: boolean;
  /** Trials of the whole run; null if the announcement cannot be read. */
  planned: number | null;
  /** Trials delivered by workers since the run joined this queue. */
  delivered: number;
  /** Trials waiting for a worker. */
  waiting: number;
  /** Running trials. */
  active: number;
  /** Number of systems; each has its own queue. */
  systems: number;
  /** Folder for large outputs; null if they are sent through Redis. */
  sharedDir: string | null;
  /** The command that started it and its folder; null if a program started it. */
  startedBy: { command: string; cwd: string } | null;
}

/** Keys to scan per request. */
const SCAN_COUNT = 1000;

/**
 * Lists the runs in Redis, those with a live coordinator first.
 * @example
 * const [run] = await listRuns(redis);
 */
export async function listRuns(redis: Redis): Promise<QueuedRun[]> {
  const [now, scores] = await Promise.all([readRedisTime(redis), redis.zrange(KEYS.runs, "0", "-1", "WITHSCORES")]);
  const runs: QueuedRun[] = [];
  for (let at = 0; at + 1 < scores.length; at += 2)
    runs.push(await describeQueuedRun(redis, scores[at] ?? "", Number(scores[at + 1]) > now));
  return runs.sort((a, b) => Number(b.isCoordinated) - Number(a.isCoordinated) || (a.runId < b.runId ? -1 : 1));
}

/** Lists the keys of the runs whose coordinators are alive. */
export async function listLiveRuns(redis: Redis): Promise<string[]> {
  return redis.zrangebyscore(KEYS.runs, `(${await readRedisTime(redis)}`, "+inf");
}

async function describeQueuedRun(redis: Redis, key: string, isCoordinated: boolean): Promise<QueuedRun> {
  const announcement = await readAnnouncement(redis, key);
  const systems =
    announcement === null ? await countSystemQueues(redis, key) : Object.keys(announcement.identity.systems).length;
  const [delivered, counts] = await Promise.all([redis.bitcount(KEYS.delivered(key)), countJobs(redis, key, systems)]);
  return {
    key,
    runId: announcement?.runId ?? key,
    title: announcement?.title ?? "",
    isCoordinated,
    planned: announcement?.identity.planned ?? null,
    delivered,
    ...counts,
    systems,
    sharedDir: typeof announcement?.sharedDir === "string" ? announcement.sharedDir : null,
    startedBy: readStartCommand(announcement),
  };
}

function readStartCommand(announcement: Announcement | null): QueuedRun["startedBy"] {
  if (announcement?.source?.kind !== "command") return null;
  const { command, cwd } = Object(announcement.source.invocation) as { command?: unknown; cwd?: unknown };
  return typeof command === "string" && typeof cwd === "string" ? { command, cwd } : null;
}

/** For runs of other versions, whose announcement does not say how many systems they have. */
async function countSystemQueues(redis: Redis, key: string): Promise<number> {
  const start = `${BULL_PREFIX}:${key}.`;
  let most = 0;
  for await (const names of scanKeys(redis, [start]))
    for (const name of names) most = Math.max(most, 1 + Number(/^(\d+):/.exec(name.slice(start.length))?.[1] ?? -1));
  return most;
}

async function countJobs(redis: Redis, key: string, systems: number): Promise<{ waiting: number; active: number }> {
  const { Queue } = await import("bullmq");
  const total = { waiting: 0, active: 0 };
  for (const name of listQueueNames(key, systems)) {
    const pool = new Queue(name, { connection: redis, prefix: BULL_PREFIX, skipMetasUpdate: true });
    pool.on("error", () => {});
    const { active = 0, ...others } = await pool.getJobCounts("active", "wait", "prioritized", "delayed");
    total.active += active;
    total.waiting += Object.values(others).reduce((sum, count) => sum + count, 0);
    await pool.close();
  }
  return total;
}

/**
 * Lists the live workers by host and process.
 * @example
 * const busy = (await listWorkers(redis)).filter(({ run }) => run !== null);
 */
export async function listWorkers(redis: Redis): Promise<WorkerState[]> {
  const ids = await redis.zrangebyscore(KEYS.workers, `(${await readRedisTime(redis)}`, "+inf");
  const texts = ids.length === 0 ? [] : await redis.mget(ids.map((id) => KEYS.worker(id)));
  const states = texts.flatMap((text) => parseJsonOrNull<WorkerState>(text) ?? []);
  return states.sort((a, b) => (a.host === b.host ? a.pid - b.pid : a.host < b.host ? -1 : 1));
}

/** The unverified announcement of a run, for display only. Null if it is missing or of another version. */
async function readAnnouncement(redis: Redis, key: string): Promise<Announcement | null> {
  const signed = parseSignedAnnouncement((await redis.get(KEYS.run(key))) ?? "");
  return signed === null ? null : parseAnnouncement(signed.body);
}

/** Unreadable entries were not written by Assay and are ignored. */
function parseJsonOrNull<T extends object>(text: string | null): T | null {
  try {
    return text === null ? null : (JSON.parse(text) as T | null);
  } catch {
    return null;
  }
}

/** Removes all data of a run from Redis; its workers notice that it is over. */
export async function removeRun(redis: Redis, key: string, systems: number): Promise<void> {
  await redis.multi().zrem(KEYS.runs, key).del(KEYS.run(key)).publish(KEYS.news, key).exec();
  const pools = listQueueNames(key, systems).map((name) => `${BULL_PREFIX}:${name}:`);
  // Run names may share a prefix: only keys that follow the whole name belong to this one.
  const own = [`${KEYS.run(key)}:`, ...pools];
  for await (const names of scanKeys(redis, own)) await redis.unlink(...names);
}

function listQueueNames(key: string, systems: number): string[] {
  return [...Array.from({ length: systems }, (_, index) => getQueueName(key, index)), getQueueName(key, "suspects")];
}

/** Removes the remaining budget data of a run. */
export async function removeBudget(redis: Redis, key: string): Promise<void> {
  await redis.unlink(KEYS.budget(key));
  for await (const names of scanKeys(redis, [`${KEYS.budget(key)}:`])) await redis.unlink(...names);
}

/** Whether a missing worker left by itself or was lost. Null if it is still alive. */
export async function checkWorkerGone(redis: Redis, id: string): Promise<"left" | "lost" | null> {
  const [lease, now] = await Promise.all([redis.zscore(KEYS.workers, id), readRedisTime(redis)]);
  if (lease === null) return "left";
  return Number(lease) > now ? null : "lost";
}

/** Scans the keys with these prefixes, in pages. */
async function* scanKeys(redis: Redis, starts: readonly string[]): AsyncGenerator<string[]> {
  for await (const found of redis.scanStream({ match: "assay:*", count: SCAN_COUNT })) {
    const own = (found as string[]).filter((name) => starts.some((start) => name.startsWith(start)));
    if (own.length > 0) yield own;
  }
}
