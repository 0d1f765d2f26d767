import { join } from "node:path";
import type { Job, Queue, Worker } from "bullmq";
import type { Redis } from "ioredis";
import type { System, Tokenizer } from "../core/index.js";
import { getErrorMessage, QueueError, TrialError } from "../core/index.js";
import type { ChainPorts, Plan } from "../runner/index.js";
import {
  createTrialRunner,
  DEFAULT_OUTAGE,
  EndpointGate,
  findTrial,
  formatEndpointName,
  OutageGate,
  TokenCounter,
  type Trial,
  type TrialGate,
  type TrialRunner,
} from "../runner/index.js";
import { ConcurrencyLimit } from "../utils/index.js";
import type { Announcement, TrialJob, WorkerState } from "./contract.js";
import { deliverResults, readSealedOutput, wasDelivered } from "./deliver.js";
import { BULL_PREFIX, getJobId, getQueueName } from "./keys.js";
import { type OutgoingBatch, ResultOutbox } from "./outbox.js";
import { SharedBudgetGate } from "./redis-budget.js";
import { RedisRefusedError, retryRedis } from "./redis-retry.js";
import { RunWatch, resolveUnlessAborted } from "./run-watch.js";
import { SharedGate } from "./shared-gate.js";
import type { QueueSigner } from "./signer.js";
import { openSealedOutput, type SealingContext, sealOutput } from "./stored-output.js";
import { WorkerHeartbeat } from "./worker-heartbeat.js";

const WINDOW_MS = 10_000;

/** Computes a rate per second from a count that is sampled now and then. */
export class RateMeter {
  #seen: { at: number; count: number }[] = [];

  /** The rate over the last ten seconds, given the current count. */
  measure(now: number, count: number): number {
    this.#seen = [...this.#seen.filter(({ at }) => now - at <= WINDOW_MS), { at: now, count }];
    const [first] = this.#seen;
    if (first === undefined || now === first.at) return 0;
    return Math.round(((count - first.count) / (now - first.at)) * 10_000) / 10;
  }
}

export interface ServeRunOptions {
  redis: Redis;
  announcement: Announcement;
  plan: Plan;
  ports: ChainPorts;
  tokenizer: Tokenizer;
  /** The state that the worker publishes. */
  state: WorkerState;
  leaseMs: number;
  /** This worker's path to the folder for large outputs; null if they are sent. */
  sharedDir: string | null;
  /** Aborted when the worker should finish its trials and take no more. */
  drain: AbortSignal;
  onState: (state: WorkerState) => void;
  signer: QueueSigner;
  share: TrialShare;
  /** Aborted when running trials are returned to the queue for others. */
  giveBack: AbortSignal;
  /** How long Redis may refuse. Default: 60,000. */
  refusalMs?: number | undefined;
}

/**
 * Which trials of a run a process takes: the usual ones, the suspects (trials that were lost with their worker and may have
 * crashed it), which run one at a time, or both.
 */
export type TrialShare = "usual" | "suspects" | "all";

/** A suspect that was lost this often while running alone crashes its process. */
const MAX_LOSSES_ALONE = 3;

/**
 * Runs trials of one run until it is over or the worker stops. Each trial goes through the same steps as on one machine;
 * only budget, slots and records are kept elsewhere.
 */
export async function serveRun(options: ServeRunOptions): Promise<void> {
  const { announcement, drain } = options;
  const watch = new RunWatch({ ...options, worker: options.state.id });
  const bench = new TrialWorker(options);
  const presence = new WorkerHeartbeat({ ...options, look: () => bench.readState() });
  await retryRedis(() => presence.start(), { limitMs: options.refusalMs });
  const pools = await bench.open();
  const tell = setInterval(() => options.onState(presence.state), 1000);
  const closed = new AbortController();
  try {
    const leaving = await watch.waitUntilLeft({
      stop: AbortSignal.any([drain, bench.fault]),
      onSilent: () => Promise.all(pools.map((pool) => pool.pause(true))),
      onBack: () => bench.resume(),
    });
    if (leaving === "over") void dropTrials(bench, watch, closed.signal);
    if (leaving === "dismissed") {
      await Promise.all(pools.map((pool) => pool.pause(true)));
      // From now on, others may run what failed here.
      presence.update({ refuses: watch.dismissal });
    }
  } catch (error) {
    if (!(error instanceof RedisRefusedError)) throw error;
    bench.giveUp(error);
  } finally {
    clearInterval(tell);
    // Waits for the running trials.
    await Promise.allSettled([...pools.map((pool) => pool.close()), bench.close()]);
    closed.abort();
    await presence.stop().catch(() => {});
    options.onState({ ...presence.state, ...bench.readState() });
  }
  bench.fault.throwIfAborted();
  if (watch.dismissal !== null) throw new WorkerDismissedError(announcement.key, watch.dismissal);
}

/** The run continues without this worker. */
export class WorkerDismissedError extends QueueError {
  constructor(key: string, why: string) {
    super(`This worker does not join ${key}: ${why}`);
  }
}

/** Ends the trials of a finished run soon: their results are not recorded. */
async function dropTrials(bench: TrialWorker, watch: RunWatch, closed: AbortSignal): Promise<void> {
  if (await watch.isOverForGood(closed).catch(() => true)) bench.drop();
}

/** The steps of a trial and the gates of the endpoints. */
interface TrialPipeline {
  /** By system. */
  readonly gates: readonly (TrialGate | null)[];
  readonly chain: TrialRunner;
}

/** Runs the trials of one plan for a worker. */
class TrialWorker {
  readonly #faulted = new AbortController();
  /** Aborted when the running trials are no longer needed. */
  readonly #dropped = new AbortController();
  readonly #options: ServeRunOptions;
  readonly #place: SealingContext;
  readonly #outbox: ResultOutbox;
  readonly #budgetGate: SharedBudgetGate;
  readonly #makeSteps: () => TrialPipeline;
  #steps: TrialPipeline;
  readonly #limits: readonly (ConcurrencyLimit | null)[];
  readonly #rate = new RateMeter();
  #active = 0;
  /** By system: the worker of its queue. */
  #pools: readonly Worker<TrialJob>[] = [];
  /** Systems that are no longer called. */
  readonly #stopped = new Set<number>();
  /** Why Redis is no longer used; null while it is. */
  #gaveUp: RedisRefusedError | null = null;
  /** The worker of the suspects; null if another process runs them. */
  #alone: Worker<TrialJob> | null = null;
  /** The queue of the suspects. */
  #suspects: Queue<TrialJob> | null = null;
  /** Detects lost suspects if another process runs them. */
  #checker: Worker<TrialJob> | null = null;
  /** Jobs that the run did not sign. */
  #forged = 0;
  /** Why Redis rejects results; null if it accepts them. */
  #refusal: string | null = null;

  constructor(options: ServeRunOptions) {
    const { redis, announcement, plan, tokenizer, state, sharedDir, signer } = options;
    const { key } = announcement;
    const folder = sharedDir === null ? null : join(sharedDir, key);
    this.#place = { key, signer, folder };
    this.#options = options;
    const signal = AbortSignal.any([options.ports.signal, this.#dropped.signal]);
    const ports = { ...options.ports, signal };
    const hasBudget = announcement.budget.run !== undefined;
    const tokens = new TokenCounter(tokenizer, plan.examples.length);
    const isStored = (trial: Trial) => this.#outbox.isStored(trial);
    this.#budgetGate = new SharedBudgetGate({ redis, key, worker: state.id, hasBudget, signal, tokens, isStored });
    this.#outbox = new ResultOutbox({
      worker: state.id,
      tokens,
      take: (index) => this.#budgetGate.takeSettlement(index),
      payFor: (index, returned) => this.#budgetGate.createOutputSettlement(index, returned),
      send: (batch) => this.#send(batch),
      onStopped: (index) => this.#stop(Math.floor(index / (plan.examples.length * plan.trials))),
      sharedDir: folder,
    });
    this.#limits = createLimits(plan.systems);
    this.#makeSteps = () => {
      const gates = createGates(options);
      return {
        gates,
        chain: createTrialRunner({ plan, ports, book: this.#outbox, gates, budgetGate: this.#budgetGate }),
      };
    };
    this.#steps = this.#makeSteps();
  }

  /** Aborted with the reason when the worker cannot continue. */
  get fault(): AbortSignal {
    return this.#faulted.signal;
  }

  /** Ends everything: Redis accepts no results. */
  giveUp(error: RedisRefusedError): void {
    this.#gaveUp ??= error;
    this.#faulted.abort(error);
    this.drop();
  }

  /** Ends the running trials. */
  drop(): void {
    this.#dropped.abort();
  }

  /** Takes trials of the next start of the run: the problem of a system may have been fixed. */
  resume(): void {
    if (this.#stopped.size > 0) this.#steps = this.#makeSteps();
    this.#stopped.clear();
    for (const pool of [...this.#pools, this.#alone]) void pool?.resume();
  }

  #stop(systemIndex: number): void {
    this.#stopped.add(systemIndex);
    void this.#pools[systemIndex]?.pause(true);
  }

  /** One BullMQ worker per system: a slow system only occupies its own slots. */
  async open(): Promise<Worker<TrialJob>[]> {
    const { Queue, Worker } = await import("bullmq");
    const { plan, redis, announcement, state, leaseMs, share } = this.#options;
    const { key } = announcement;
    const settings = {
      connection: redis,
      prefix: BULL_PREFIX,
      lockDuration: leaseMs,
      stalledInterval: Math.ceil(leaseMs / 2),
      maxStalledCount: Number.MAX_SAFE_INTEGER,
      removeOnComplete: { count: 0 },
      removeOnFail: { count: 0 },
    };
    const usual = plan.systems.map(({ maxParallel = Number.POSITIVE_INFINITY }, systemIndex) => {
      const concurrency = Math.min(state.concurrency, maxParallel);
      const take = (job: Job<TrialJob>, token?: string) => this.#runOrReturnJob(job, { token, isAlone: false });
      return () => new Worker<TrialJob>(getQueueName(key, systemIndex), take, { ...settings, concurrency });
    });
    const takeAlone = (job: Job<TrialJob>, token?: string) => this.#runOrReturnJob(job, { token, isAlone: true });
    if (share !== "suspects") this.#pools = usual.map((make) => make());
    if (share !== "usual") this.#alone = new Worker<TrialJob>(getQueueName(key, "suspects"), takeAlone, settings);
    const pools = [...this.#pools, ...(this.#alone === null ? [] : [this.#alone])];
    this.#suspects = new Queue(getQueueName(key, "suspects"), { connection: redis, prefix: BULL_PREFIX });
    if (share === "usual") {
      this.#checker = new Worker<TrialJob>(getQueueName(key, "suspects"), null, settings);
      void this.#checker.startStalledCheckTimer().catch(() => {});
    }
    // Lost connections are restored; a lost lock means that another worker has the trial too.
    for (const each of [...pools, this.#checker]) each?.on("error", () => {});
    this.#suspects.on("error", () => {});
    return pools;
  }

  async close(): Promise<void> {
    await Promise.allSettled([this.#suspects?.close(), this.#checker?.close()]);
  }

  readState(): Partial<WorkerState> {
    const { gates, chain } = this.#steps;
    const reasons = [...new Set(gates), this.#budgetGate, chain].flatMap((place) => place?.waiting() ?? []);
    if (this.#refusal !== null) reasons.push(`the queue does not accept results: ${this.#refusal}`);
    if (this.#forged > 0) reasons.push(`jobs skipped because the run did not sign them: ${this.#forged}`);
    const done = this.#outbox.delivered;
    return {
      active: this.#active,
      done,
      perSecond: this.#rate.measure(performance.now(), done),
      waiting: reasons.length === 0 ? null : reasons.join("; "),
    };
  }

  /** A returned trial may ignore the signal: its result is no longer awaited. */
  async #runOrReturnJob(job: Job<TrialJob>, { token, isAlone }: { token: string | undefined; isAlone: boolean }) {
    const { giveBack, signer, announcement } = this.#options;
    const done = await resolveUnlessAborted(
      giveBack,
      this.#runJob(job, isAlone).then(() => true),
    );
    if (done === true) return;
    this.drop();
    const { WaitingError } = await import("bullmq");
    const { index } = job.data;
    // It may just have been delivered.
    await job.updateData({ index, again: true, signature: signer.signJob(announcement.key, index, true) });
    await job.moveToWait(token);
    throw new WaitingError();
  }

  async #runJob(job: Job<TrialJob>, isAlone: boolean): Promise<void> {
    const { signer, announcement } = this.#options;
    // A forger could also have removed the real job; that is found missing and dispatched again.
    if (job.id !== getJobId(job.data.index) || !signer.isJobSigned(announcement.key, job.data)) {
      this.#forged += 1;
      return;
    }
    this.#active += 1;
    const { index, again = false } = job.data;
    try {
      if (job.stalledCounter > 0 && !isAlone) await this.#addToSuspects(job);
      else await this.#run(index, { lossesAlone: job.stalledCounter, mayBeDone: again || isAlone });
    } catch (error) {
      if (error instanceof RedisRefusedError) {
        this.giveUp(error);
        throw error;
      }
      // Not an error of a trial: the run itself cannot continue on any worker.
      this.#faulted.abort(error);
      this.#outbox.reportFault(index, getErrorMessage(error));
      // If the fault cannot be reported, the job is not done and is left to others.
      await this.#outbox.waitForDelivery();
    } finally {
      this.#active -= 1;
    }
  }

  /** It was lost with its worker and may have crashed it, so it must not affect other trials again. */
  async #addToSuspects({ data }: Job<TrialJob>): Promise<void> {
    const opts = { jobId: getJobId(data.index), removeOnComplete: true, removeOnFail: true };
    await this.#retryRedis(async () => this.#suspects?.add("trial", data, opts));
  }

  async #run(index: number, { lossesAlone, mayBeDone }: { lossesAlone: number; mayBeDone: boolean }): Promise<void> {
    const { redis, announcement, plan } = this.#options;
    const trial = findTrial(plan, index);
    if (trial === null) throw new RangeError(`the plan has no trial ${index}`);
    if (mayBeDone) {
      if (await this.#retryRedis(() => wasDelivered(redis, announcement.key, index))) return;
      await this.#restoreOutput(trial);
    }
    try {
      if (lossesAlone >= MAX_LOSSES_ALONE) this.#failLostTrial(trial, lossesAlone);
      else await this.#runInSlot(trial);
    } finally {
      this.#outbox.forget(index);
    }
    await this.#outbox.waitForDelivery();
  }

  /** A trial whose output was delivered is only graded. */
  async #restoreOutput({ index, system, example, trial }: Trial): Promise<void> {
    const { redis, announcement } = this.#options;
    const sealed = await this.#retryRedis(() => readSealedOutput(redis, announcement.key, index));
    if (sealed === null) return;
    const key = { system: system.name, dataset: example.dataset ?? "", exampleId: example.id, trial };
    const stored = openSealedOutput(sealed, { index, trial: key }, this.#place);
    if (stored !== null) this.#outbox.restore(index, stored);
  }

  async #send(batch: OutgoingBatch): Promise<void> {
    const { redis, announcement, signer } = this.#options;
    const { trials, settlements } = batch;
    const outputs = await Promise.all(
      batch.outputs.map(async ({ index, line }) => ({ index, sealed: await sealOutput(index, line, this.#place) })),
    );
    const signed = { data: signer.signResults(announcement.key, batch.data), trials, settlements, outputs };
    await this.#retryRedis(() => deliverResults(redis, announcement.key, signed));
    this.#refusal = null;
  }

  /** After one timeout, later requests fail at once instead of waiting again. */
  #retryRedis<T>(act: () => Promise<T>): Promise<T> {
    if (this.#gaveUp !== null) return Promise.reject(this.#gaveUp);
    const onRefused = (answer: string) => {
      this.#refusal = answer;
    };
    return retryRedis(act, { limitMs: this.#options.refusalMs, onRefused });
  }

  async #runInSlot(trial: Trial): Promise<void> {
    const run = async () => {
      const { chain } = this.#steps;
      const admission = await this.#budgetGate.admit(trial, chain.limitsOf(trial));
      if (admission === "held") await chain.run(trial);
      if (admission === "refused") this.#outbox.reportRefused(trial.index);
    };
    const limit = this.#limits[trial.systemIndex] ?? null;
    await (limit === null ? run() : limit.run(run));
  }

  #failLostTrial(trial: Trial, losses: number): void {
    const message = `its process crashed ${losses} times while it ran alone, so the trial is the cause`;
    this.#steps.chain.fail(trial, new TrialError("system_error", message));
  }
}

/** By system: the gate of its endpoint, shared by systems with the same endpoint. */
function createGates({ redis, announcement, plan, state, ports }: ServeRunOptions): (TrialGate | null)[] {
  const gates = new Map<string, TrialGate>();
  const bounds = collectBounds(plan.systems);
  const clock = () => ports.clock();
  const { outage: policy = DEFAULT_OUTAGE } = ports;
  const make = (endpoint: string): TrialGate => {
    const name = formatEndpointName(plan.systems.filter((system) => system.endpoint === endpoint));
    const bound = bounds.get(endpoint);
    // The load of this machine does not concern other workers.
    if (bound !== undefined) return new EndpointGate({ name, max: bound, clock, outage: policy });
    const max = announcement.maxWorkers ?? Number.POSITIVE_INFINITY;
    const shared = new SharedGate({ redis, endpoint, worker: state.id, max, run: announcement.key });
    return new OutageGate(shared, { name, clock, policy });
  };
  return plan.systems.map(({ endpoint }) => {
    if (typeof endpoint !== "string" || endpoint === "") return null;
    const gate = gates.get(endpoint) ?? make(endpoint);
    gates.set(endpoint, gate);
    return gate;
  });
}

/** By system: the limit of this machine, shared by systems with the same endpoint. */
function createLimits(systems: readonly System[]): (ConcurrencyLimit | null)[] {
  const limits = new Map(Array.from(collectBounds(systems), ([place, most]) => [place, new ConcurrencyLimit(most)]));
  return systems.map(({ endpoint, name }) => limits.get(endpoint ?? name) ?? null);
}

/** By endpoint, or by system without one: the maximum of concurrent trials per machine, if limited. */
function collectBounds(systems: readonly System[]): ReadonlyMap<string, number> {
  const bounds = new Map<string, number>();
  for (const { endpoint, name, maxParallel } of systems)
    if (maxParallel !== undefined)
      bounds.set(endpoint ?? name, Math.min(maxParallel, bounds.get(endpoint ?? name) ?? maxParallel));
  return bounds;
}
