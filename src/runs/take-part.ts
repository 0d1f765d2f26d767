import { randomBytes } from "node:crypto";
import { statSync } from "node:fs";
import { hostname } from "node:os";
import { resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import type { Redis } from "ioredis";
import { messageOf, QueueError, UsageError } from "../core/errors.js";
import { describe } from "../core/shape.js";
import { VERSION } from "../core/version.js";
import { memoTokenizer } from "../models/tokens/index.js";
import { openRedis } from "../queue/connection.js";
import type { Announcement, WorkerState } from "../queue/contract.js";
import { liveRuns } from "../queue/directory.js";
import { KEYS } from "../queue/keys.js";
import { Presence } from "../queue/presence.js";
import { type ServeOptions, serveRun } from "../queue/serve-run.js";
import { type Signer, signerFor } from "../queue/signer.js";
import { differences, type PlanIdentity } from "../store/manifest.js";
import { identityOf } from "../store/open-run.js";
import { budgetsOf } from "./budgets.js";
import type { EvaluateOptions } from "./options.js";
import { DEFAULT_WORKERS, type PreparedRun, prepareEvaluators, prepareRun, termsOf } from "./prepared-run.js";
import type { WorkOptions } from "./work.js";

const DEFAULT_LEASE_SECONDS = 15;
/** A worker sends a heartbeat every second: a shorter lease would expire on a short delay. */
const SHORTEST_LEASE_SECONDS = 3;
const LOOK_MS = 500;
const MEMO_CHARS = 16_000_000;

/**
 * Implements `runWorker`; a separate module, so that importing the library does not load the queue. `part` holds the
 * additional settings of `assay worker`.
 */
export async function takePart(options: EvaluateOptions, how: WorkOptions, part: Part = {}): Promise<void> {
  checkWork(how);
  const signer = signerFor(how.queue, how.secret);
  // A worker is stopped by `drain`, which lets running trials finish.
  const { queue: _, signal: __, ...own } = options;
  const prepared = await prepareRun(own);
  const redis = await openRedis(how.queue);
  try {
    if (how.run === undefined) await serveAll(redis, { prepared, how, signer, part });
    else await serveNamed(redis, how.run, { prepared, how, signer, part });
  } finally {
    await redis.quit().catch(() => {});
  }
}

async function serveNamed(redis: Redis, run: string, service: Service): Promise<void> {
  const announcement = await announcementOf(redis, run, service);
  await serve(redis, announcement, service);
}

async function announcementOf(redis: Redis, run: string, { signer }: Service): Promise<Announcement> {
  const text = await redis.get(KEYS.run(run));
  if (text === null) throw new QueueError(`The run ${run} is no longer in the queue.`);
  try {
    const announcement = signer.openAnnouncement(run, text);
    if (announcement !== null) return announcement;
  } catch (error) {
    throw new QueueError(`This worker does not join ${run}: ${messageOf(error)}`, { cause: error });
  }
  throw new QueueError(`This worker does not join ${run}: it was announced by another version of Assay`);
}

/** Serves every run with the same plan, one after the other. */
async function serveAll(redis: Redis, service: Service): Promise<void> {
  const { how } = service;
  const { drain = new AbortController().signal } = how;
  const refused = new Set<string>();
  while (!drain.aborted) {
    for (const key of (await liveRuns(redis)).filter((each) => !refused.has(each))) {
      try {
        await serveNamed(redis, key, service);
      } catch (error) {
        if (!(error instanceof QueueError)) throw error;
        refused.add(key);
        how.onNote?.(error.message);
      }
    }
    await sleep(LOOK_MS, undefined, { signal: drain }).catch(() => {});
  }
}

/** Settings of a worker process of `assay worker`. */
export interface Part extends Pick<Partial<ServeOptions>, "share" | "giveBack" | "refusalMs"> {}

interface Service {
  signer: Signer;
  part: Part;
  prepared: PreparedRun;
  how: WorkOptions;
}

async function serve(
  redis: Redis,
  announcement: Announcement,
  { prepared, how, signer, part }: Service,
): Promise<void> {
  const { plan, retry: _, cache, signal, tokenizer } = prepared;
  const { leaseSeconds = DEFAULT_LEASE_SECONDS, drain = new AbortController().signal } = how;
  const leaseMs = leaseSeconds * 1000;
  const state = { ...stateOf(announcement, how), ...(part.share === "suspects" && { isAlone: true }) };
  const sharedDir = announcement.sharedDir === null ? null : resolve(how.sharedDir ?? announcement.sharedDir);
  const why = whyNot(announcement, prepared) ?? whyNotShared(sharedDir);
  if (why !== null) return refuse(why, { redis, state, leaseMs });
  await prepareEvaluators(plan);
  const budgets = budgetsOf(announcement.budget, { systems: plan.systems, spentUsd: 0, terms: termsOf(plan) });
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
    tokenizer: memoTokenizer(tokenizer, { maxChars: MEMO_CHARS }),
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
function whyNot({ identity, assayVersion }: Announcement, { plan, config }: PreparedRun): string | null {
  const version = assayVersion === VERSION ? [] : [`assay: was ${assayVersion}, is ${VERSION}`];
  const own = identityOf(plan, config);
  const changed = [...version, ...differences(identity, own), ...differentTerms(identity, own)];
  return changed.length === 0 ? null : `its plan differs from the run's:\n  ${changed.join("\n  ")}`;
}

/**
 * Differences that are allowed on resume but not for a worker: a job is a position in the plan, so the order of systems
 * matters, and all costs of a run are computed from one price list.
 */
function differentTerms(theirs: PlanIdentity, own: PlanIdentity): string[] {
  const names = Object.keys(own.systems).filter((name) => Object.hasOwn(theirs.systems, name));
  const limited = names.filter((name) => !isSame(theirs.systems[name]?.limits, own.systems[name]?.limits));
  const isReordered =
    names.length === theirs.config.systems.length && !isSame(theirs.config.systems, own.config.systems);
  return [
    ...(isReordered ? [`systems: were ${theirs.config.systems.join(", ")}, are ${own.config.systems.join(", ")}`] : []),
    ...limited.map((name) => `system "${name}": its price or limits differ`),
  ];
}

/** Compares values as JSON, which drops undefined properties. */
function isSame(one: unknown, other: unknown): boolean {
  return isDeepStrictEqual(plain(one), plain(other));
}

function plain(value: unknown): unknown {
  return value === undefined ? undefined : JSON.parse(JSON.stringify(value));
}

/** A missing folder is not created: other machines would not see it. */
function whyNotShared(sharedDir: string | null): string | null {
  if (sharedDir === null || statSync(sharedDir, { throwIfNoEntry: false })?.isDirectory() === true) return null;
  return `the folder for large outputs, ${sharedDir}, does not exist. Mount it, or pass its path on this machine with --shared-dir`;
}

/** Reports the reason to the coordinator for the duration of a lease. */
async function refuse(
  why: string,
  { redis, state, leaseMs }: { redis: Redis; state: WorkerState; leaseMs: number },
): Promise<never> {
  const presence = new Presence({ redis, state: { ...state, refuses: why }, leaseMs });
  await presence.start();
  presence.leave();
  throw new QueueError(`This worker does not join ${state.run}: ${why}`);
}

function stateOf({ key }: Announcement, { concurrency = DEFAULT_WORKERS }: WorkOptions): WorkerState {
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

function checkWork({ concurrency = 1, leaseSeconds = SHORTEST_LEASE_SECONDS }: WorkOptions): void {
  if (!(Number.isInteger(concurrency) && concurrency > 0))
    throw new UsageError(`concurrency must be a whole number of 1 or more, but is ${describe(concurrency)}.`);
  if (!(Number.isFinite(leaseSeconds) && leaseSeconds >= SHORTEST_LEASE_SECONDS))
    throw new UsageError(`leaseSeconds must be ${SHORTEST_LEASE_SECONDS} or more, but is ${describe(leaseSeconds)}.`);
}
