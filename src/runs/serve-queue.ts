import { randomBytes } from "node:crypto";
import { statSync } from "node:fs";
import { hostname } from "node:os";
import { resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import type { Redis } from "ioredis";
import { describeValue, getErrorMessage, QueueError, UsageError, VERSION } from "../core/index.js";
import { memoTokenizer } from "../models/index.js";
import type { Announcement, WorkerState } from "../queue/contract.js";
import {
  createSigner,
  KEYS,
  listLiveRuns,
  openRedis,
  type QueueSigner,
  type ServeRunOptions,
  serveRun,
  WorkerHeartbeat,
} from "../queue/index.js";
import { listPlanTerms } from "../runner/index.js";
import { buildPlanIdentity, listPlanDifferences, type PlanIdentity } from "../store/index.js";
import { createBudgets } from "./budgets.js";
import type { EvaluateOptions } from "./options.js";
import { DEFAULT_MAX_WORKERS, type PreparedRun, prepareEvaluators, prepareRun } from "./prepare-run.js";
import type { WorkerOptions } from "./worker.js";

const DEFAULT_LEASE_SECONDS = 15;
/** A worker sends a heartbeat every second: a shorter lease would expire on a short delay. */
const MIN_LEASE_SECONDS = 3;
const POLL_INTERVAL_MS = 500;
const MAX_MEMO_CHARS = 16_000_000;

/**
 * Implements `runWorker`; a separate module, so that importing the library does not load the queue. `part` holds the
 * additional settings of `assay worker`.
 */
export async function serveQueue(options: EvaluateOptions, how: WorkerOptions, part: WorkerRole = {}): Promise<void> {
  checkWorkerOptions(how);
  const signer = createSigner(how.queue, how.secret);
  // A worker is stopped by `drain`, which lets running trials finish. The coordinator knows when a question is decided.
  const { queue: _, signal: __, until: ___, ...own } = options;
  const prepared = await prepareRun(own);
  const redis = await openRedis(how.queue);
  try {
    if (how.run === undefined) await serveAllRuns(redis, { prepared, how, signer, part });
    else await serveRunByKey(redis, how.run, { prepared, how, signer, part });
  } finally {
    await redis.quit().catch(() => {});
  }
}

async function serveRunByKey(redis: Redis, run: string, service: WorkerService): Promise<void> {
  const announcement = await loadAnnouncement(redis, run, service);
  await serveAnnouncedRun(redis, announcement, service);
}

async function loadAnnouncement(redis: Redis, run: string, { signer }: WorkerService): Promise<Announcement> {
  const text = await redis.get(KEYS.run(run));
  if (text === null) throw new QueueError(`The run ${run} is no longer in the queue.`);
  try {
    const announcement = signer.openAnnouncement(run, text);
    if (announcement !== null) return announcement;
  } catch (error) {
    throw new QueueError(`This worker does not join ${run}: ${getErrorMessage(error)}`, { cause: error });
  }
  throw new QueueError(`This worker does not join ${run}: it was announced by another version of Assay`);
}

/** Serves every run with the same plan, one after the other. */
async function serveAllRuns(redis: Redis, service: WorkerService): Promise<void> {
  const { how } = service;
  const { drain = new AbortController().signal } = how;
  const refused = new Set<string>();
  while (!drain.aborted) {
    for (const key of (await listLiveRuns(redis)).filter((each) => !refused.has(each))) {
      try {
        await serveRunByKey(redis, key, service);
      } catch (error) {
        if (!(error instanceof QueueError)) throw error;
        refused.add(key);
        how.onNote?.(error.message);
      }
    }
    await sleep(POLL_INTERVAL_MS, undefined, { signal: drain }).catch(() => {});
  }
}

/** Settings of a worker process of `assay worker`. */
export interface WorkerRole extends Pick<Partial<ServeRunOptions>, "share" | "giveBack" | "refusalMs"> {}

interface WorkerService {
  signer: QueueSigner;
  part: WorkerRole;
  prepared: PreparedRun;
  how: WorkerOptions;
}

async function serveAnnouncedRun(
  redis: Redis,
  announcement: Announcement,
  { prepared, how, signer, part }: WorkerService,
): Promise<void> {
  const { plan, retry: _, cache, signal, tokenizer } = prepared;
  const { leaseSeconds = DEFAULT_LEASE_SECONDS, drain = new AbortController().signal } = how;
  const leaseMs = leaseSeconds * 1000;
  const state = { ...createOwnState(announcement, how), ...(part.share === "suspects" && { isAlone: true }) };
  const sharedDir = announcement.sharedDir === null ? null : resolve(how.sharedDir ?? announcement.sharedDir);
  const why = findPlanMismatch(announcement, prepared) ?? findSharedDirProblem(sharedDir);
  if (why !== null) return refuseRun(why, { redis, state, leaseMs });
  await prepareEvaluators(plan);
  const budgets = createBudgets(announcement.budget, {
    systems: plan.systems,
    spentUsd: 0,
    datasets: listPlanTerms(plan),
  });
  await serveRun({
    redis,
    announcement,
    plan,
    ports: {
      clock: () => performance.now(),
      cache,
      signal,
      budget: budgets.port,
      retry: announcement.retry,
      outage: { giveUpAfterMs: announcement.giveUpAfterMs ?? Number.POSITIVE_INFINITY },
    },
    tokenizer: memoTokenizer(tokenizer, { maxChars: MAX_MEMO_CHARS }),
    state,
    leaseMs,
    sharedDir,
    drain,
    onState: (now) => how.onState?.(now),
    signer,
    share: part.share ?? "all",
    giveBack: part.giveBack ?? new AbortController().signal,
    refusalMs: part.refusalMs,
  });
}

/** Describes why this worker's rows would differ from the run's; null if they would not. */
function findPlanMismatch({ identity, assayVersion }: Announcement, { plan, config }: PreparedRun): string | null {
  const version = assayVersion === VERSION ? [] : [`assay: was ${assayVersion}, is ${VERSION}`];
  const own = buildPlanIdentity(plan, config);
  const changed = [...version, ...listPlanDifferences(identity, own), ...listTermDifferences(identity, own)];
  return changed.length === 0 ? null : `its plan differs from the run's:\n  ${changed.join("\n  ")}`;
}

/**
 * Differences that are allowed on resume but not for a worker: a job is a position in the plan, so the order of systems
 * matters, and all costs of a run are computed from one price list.
 */
function listTermDifferences(theirs: PlanIdentity, own: PlanIdentity): string[] {
  const names = Object.keys(own.systems).filter((name) => Object.hasOwn(theirs.systems, name));
  const limited = names.filter((name) => !isEqualAsJson(theirs.systems[name]?.limits, own.systems[name]?.limits));
  const isReordered =
    names.length === theirs.config.systems.length && !isEqualAsJson(theirs.config.systems, own.config.systems);
  return [
    ...(isReordered ? [`systems: were ${theirs.config.systems.join(", ")}, are ${own.config.systems.join(", ")}`] : []),
    ...limited.map((name) => `system "${name}": its price or limits differ`),
  ];
}

/** Compares values as JSON, which drops undefined properties. */
function isEqualAsJson(one: unknown, other: unknown): boolean {
  return isDeepStrictEqual(toPlainJson(one), toPlainJson(other));
}

function toPlainJson(value: unknown): unknown {
  return value === undefined ? undefined : JSON.parse(JSON.stringify(value));
}

/** A missing folder is not created: other machines would not see it. */
function findSharedDirProblem(sharedDir: string | null): string | null {
  if (sharedDir === null || statSync(sharedDir, { throwIfNoEntry: false })?.isDirectory() === true) return null;
  return `the folder for large outputs, ${sharedDir}, does not exist. Mount it, or pass its path on this machine with --shared-dir`;
}

/** Reports the reason to the coordinator for the duration of a lease. */
async function refuseRun(
  why: string,
  { redis, state, leaseMs }: { redis: Redis; state: WorkerState; leaseMs: number },
): Promise<never> {
  const presence = new WorkerHeartbeat({ redis, state: { ...state, refuses: why }, leaseMs });
  await presence.start();
  presence.pause();
  throw new QueueError(`This worker does not join ${state.run}: ${why}`);
}

function createOwnState({ key }: Announcement, { concurrency = DEFAULT_MAX_WORKERS }: WorkerOptions): WorkerState {
  return {
    id: `${hostname()}-${process.pid}-${randomBytes(4).toString("hex")}`,
    host: hostname(),
    pid: process.pid,
    run: key,
    concurrency,
    startedAt: new Date().toISOString(),
    active: 0,
    done: 0,
    perSecond: 0,
    waiting: null,
    refuses: null,
  };
}

function checkWorkerOptions({ concurrency = 1, leaseSeconds = MIN_LEASE_SECONDS }: WorkerOptions): void {
  if (!(Number.isInteger(concurrency) && concurrency > 0))
    throw new UsageError(`concurrency must be a whole number of 1 or more, but is ${describeValue(concurrency)}.`);
  if (!(Number.isFinite(leaseSeconds) && leaseSeconds >= MIN_LEASE_SECONDS))
    throw new UsageError(`leaseSeconds must be ${MIN_LEASE_SECONDS} or more, but is ${describeValue(leaseSeconds)}.`);
}
