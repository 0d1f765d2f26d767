import { randomBytes } from "node:crypto";
import { existsSync, realpathSync } from "node:fs";
import { hostname } from "node:os";
import { basename, join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Redis } from "ioredis";
import type { EvalRow } from "../core/index.js";
import { didYouMean, digest, UsageError, VERSION } from "../core/index.js";
import type { Announcement, PlanSource, QueueBudget, QueueState } from "../queue/contract.js";
import {
  coordinateRun,
  createSigner,
  openRedis,
  QUEUE_SCHEMA,
  QUEUE_STATE_FILE,
  type QueueSigner,
} from "../queue/index.js";
import type { RunPorts } from "../runner/index.js";
import { buildPlanIdentity, type OpenRun, readManifest, readRunFile } from "../store/index.js";
import { writeAtomically } from "../utils/index.js";
import type { EvaluateOptions } from "./options.js";
import type { PreparedRun } from "./prepare-run.js";

/** How to reach the queue, and how workers recreate the run. */
export interface QueueOptions {
  /** Address of a Redis server, such as redis://HOST:6379. */
  url: string;
  /**
   * What `assay worker` recreates the run from: for a program, a module whose default export is the options of
   * `evaluate`. Without it, only programs that call `runWorker` with the same options can join.
   */
  source?: PlanSource;
  /** A folder shared by coordinator and workers, for large outputs. Without it, they are sent through Redis. */
  sharedDir?: string;
  /** Secret shared with the workers. Default: ASSAY_QUEUE_SECRET. Optional only if Redis runs on this machine. */
  secret?: string;
}

interface QueueRunInput {
  prepared: PreparedRun;
  ports: RunPorts;
  store: OpenRun;
  options: EvaluateOptions;
}

const DISCONNECT_TIMEOUT_MS = 1000;
const QUEUE_OPTIONS = ["url", "source", "sharedDir", "secret"];

/** Runs the trials of `evaluate` on workers. */
export class QueueRun {
  /** Includes spending on outputs that are stored but not graded. */
  budget: (QueueBudget & { ungradedUsd: number }) | null = null;
  notes: readonly string[] = [];
  cachedTrials = 0;
  /** Spending on trials that were repeated since. */
  repeatedUsd = 0;
  readonly #redis: Redis;
  readonly #signer: QueueSigner;
  readonly #options: QueueOptions;

  private constructor(redis: Redis, signer: QueueSigner, options: QueueOptions) {
    this.#redis = redis;
    this.#signer = signer;
    this.#options = options;
  }

  /** Connects before anything is stored. */
  static async open(options: QueueOptions): Promise<QueueRun> {
    const unknown = Object.keys(options).find((part) => !QUEUE_OPTIONS.includes(part));
    if (unknown !== undefined)
      throw new UsageError(`\`queue\` has no key "${unknown}".${didYouMean(unknown, QUEUE_OPTIONS)}`);
    const signer = createSigner(options.url, options.secret);
    return new QueueRun(await openRedis(options.url), signer, options);
  }

  async run({ prepared, ports, store, options }: QueueRunInput): Promise<EvalRow[]> {
    const dir = store.journal?.dir ?? null;
    const { rows, budget, repeatedUsd, ungradedUsd, notes } = await coordinateRun({
      redis: this.#redis,
      url: this.#options.url,
      announcement: this.#createAnnouncement(prepared, options, dir),
      signer: this.#signer,
      plan: prepared.plan,
      ports,
      earlier: store.earlier,
      owner: describeOwner(dir),
      lastBudget: readLastBudget(dir),
      onNote: (note) => options.onNote?.(note),
      onState: (state) => storeQueueState(dir, state),
    });
    this.budget = budget === null ? null : { ...budget, ungradedUsd };
    this.repeatedUsd = repeatedUsd;
    this.notes = [...notes, ...formatMissingNotes(store.journal?.missingOutputs ?? 0)];
    this.cachedTrials = rows.filter(({ cached }) => cached).length;
    return rows;
  }

  /** Does not wait for a lost connection. */
  async close(): Promise<void> {
    await Promise.race([this.#redis.quit().catch(() => {}), sleep(DISCONNECT_TIMEOUT_MS, undefined, { ref: false })]);
    this.#redis.disconnect();
  }

  #createAnnouncement(
    { plan, config, retry, outage }: PreparedRun,
    options: EvaluateOptions,
    dir: string | null,
  ): Announcement {
    const { source = null, sharedDir } = this.#options;
    return {
      schema: QUEUE_SCHEMA,
      key: createRunKey(dir),
      runId: dir === null ? config.title : basename(dir),
      title: config.title,
      assayVersion: VERSION,
      identity: buildPlanIdentity(plan, config),
      source,
      budget: options.budget ?? {},
      retry,
      giveUpAfterMs: Number.isFinite(outage.giveUpAfterMs) ? outage.giveUpAfterMs : null,
      maxWorkers: options.maxWorkers ?? null,
      sharedDir: sharedDir === undefined ? null : resolve(sharedDir),
    };
  }
}

/** Stable across starts of the run and unique: two machines may start runs of the same title in the same second. */
function createRunKey(dir: string | null): string {
  if (dir === null) return `unkept-${randomBytes(8).toString("hex")}`;
  const { runId, createdAt, systems } = readManifest(dir);
  return `${runId}-${digest([runId, createdAt, systems]).slice(0, 8)}`;
}

/** A copied run folder has the same key but is a different run. */
function describeOwner(dir: string | null): string {
  return dir === null ? `${hostname()} (process ${process.pid})` : `${hostname()}:${realpathSync(dir)}`;
}

/** Reads what an earlier start of the run spent and lost from its last state. */
function readLastBudget(dir: string | null): QueueBudget | null {
  if (dir === null || !existsSync(join(dir, QUEUE_STATE_FILE))) return null;
  try {
    const { budget } = JSON.parse(readRunFile(dir, QUEUE_STATE_FILE)) as Partial<QueueState>;
    return isQueueBudget(budget) ? budget : null;
  } catch {
    return null;
  }
}

function isQueueBudget(budget: QueueBudget | null | undefined): budget is QueueBudget {
  const amounts = [budget?.spentUsd, budget?.reservedUsd, budget?.lostTrials, budget?.lostUsd];
  return amounts.every((amount) => typeof amount === "number" && Number.isFinite(amount) && amount >= 0);
}

function formatMissingNotes(count: number): string[] {
  if (count === 0) return [];
  const outputs = count === 1 ? "the output of 1 trial is" : `the outputs of ${count} trials are`;
  return [`${outputs} missing: no file of it was in the shared folder. Rows and scores are complete`];
}

/** A failed write must not fail the run: the dashboard is only out of date. */
function storeQueueState(dir: string | null, state: QueueState): void {
  if (dir === null) return;
  try {
    writeAtomically(join(dir, QUEUE_STATE_FILE), `${JSON.stringify(state, null, 2)}\n`);
  } catch {
    // The next state is written a second later.
  }
}
