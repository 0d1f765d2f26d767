import { join } from "node:path";
import type { Job, Queue, Worker } from "bullmq";
import type { Redis } from "ioredis";
import { messageOf, QueueError, TrialError } from "../core/errors.js";
import type { System } from "../core/system.js";
import type { Tokenizer } from "../core/tokenizer.js";
import { type Trial, trialAt } from "../runner/admit.js";
import { DEFAULT_OUTAGE, Gate, OutageGate, type TrialGate } from "../runner/gate.js";

import type { Plan } from "../runner/plan.js";
import type { ChainPorts } from "../runner/ports.js";
import { TokenCounter } from "../runner/record.js";
import { type TrialChain, trialChain } from "../runner/trial.js";
import { Limit } from "../utils/limit.js";
import type { Announcement, TrialJob, WorkerState } from "./contract.js";
import { deliver, readStored, wasDelivered } from "./deliver.js";
import { insist, RefusalError } from "./insist.js";
import { BULL_PREFIX, jobName, laneName } from "./keys.js";
import { Outbox, type OutgoingParcel } from "./outbox.js";
import { Presence } from "./presence.js";
import { Rate } from "./rate.js";
import { RunWatch, unlessAborted } from "./run-watch.js";
import { SharedGate } from "./shared-gate.js";
import { SharedPurse } from "./shared-purse.js";
import type { Signer } from "./signer.js";
import { type OutputPlace, openStored, sealStored } from "./stored-output.js";

export interface ServeOptions {
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
  signer: Signer;
  share: Share;
  /** Aborted when running trials are returned to the queue for others. */
  giveBack: AbortSignal;
  /** How long Redis may refuse. Default: 60,000. */
  refusalMs?: number | undefined;
}

/**
 * Which trials of a run a process takes: the usual ones, the suspects (trials that were lost with their worker and may have
 * crashed it), which run one at a time, or both.
 */
export type Share = "usual" | "suspects" | "all";

/** A suspect that was lost this often while running alone crashes its process. */
const MAX_LOSSES_ALONE = 3;

/**
 * Runs trials of one run until it is over or the worker stops. Each trial goes through the same steps as on one machine;
 * only budget, slots and records are kept elsewhere.
 */
export async function serveRun(options: ServeOptions): Promise<void> {
  const { announcement, drain } = options;
  const watch = new RunWatch({ ...options, worker: options.state.id });
  const bench = new Bench(options);
  const presence = new Presence({ ...options, look: () => bench.look() });
  await insist(() => presence.start(), { limitMs: options.refusalMs });
  const lanes = await bench.open();
  const tell = setInterval(() => options.onState(presence.state), 1000);
  const closed = new AbortController();
  try {
    const leaving = await watch.untilLeft({
      stop: AbortSignal.any([drain, bench.fault]),
      onSilent: () => Promise.all(lanes.map((lane) => lane.pause(true))),
      onBack: () => bench.resume(),
    });
    if (leaving === "over") void dropTrials(bench, watch, closed.signal);
    if (leaving === "dismissed") {
      await Promise.all(lanes.map((lane) => lane.pause(true)));
      // From now on, others may run what failed here.
      presence.update({ refuses: watch.dismissal });
    }
  } catch (error) {
    if (!(error instanceof RefusalError)) throw error;
    bench.giveUp(error);
  } finally {
    clearInterval(tell);
    // Waits for the running trials.
    await Promise.allSettled([...lanes.map((lane) => lane.close()), bench.close()]);
    closed.abort();
    await presence.stop().catch(() => {});
    options.onState({ ...presence.state, ...bench.look() });
  }
  bench.fault.throwIfAborted();
  if (watch.dismissal !== null) throw new DismissedError(announcement.key, watch.dismissal);
}

/** The run continues without this worker. */
export class DismissedError extends QueueError {
  constructor(key: string, why: string) {
    super(`This worker does not join ${key}: ${why}`);
  }
}

/** Ends the trials of a finished run soon: their results are not recorded. */
async function dropTrials(bench: Bench, watch: RunWatch, closed: AbortSignal): Promise<void> {
  if (await watch.isOverForGood(closed).catch(() => true)) bench.drop();
}

/** The steps of a trial and the gates of the endpoints. */
interface Steps {
  /** By system. */
  readonly gates: readonly (TrialGate | null)[];
  readonly chain: TrialChain;
}

/** Runs the trials of one plan for a worker. */
class Bench {
  readonly #faulted = new AbortController();
  /** Aborted when the running trials are no longer needed. */
  readonly #dropped = new AbortController();
  readonly #options: ServeOptions;
  readonly #place: OutputPlace;
  readonly #outbox: Outbox;
  readonly #purse: SharedPurse;
  readonly #makeSteps: () => Steps;
  #steps: Steps;
  readonly #limits: readonly (Limit | null)[];
  readonly #rate = new Rate();
  #active = 0;
  /** By system: the worker of its queue. */
  #lanes: readonly Worker<TrialJob>[] = [];
  /** Systems that are no longer called. */
  readonly #stopped = new Set<number>();
  /** Why Redis is no longer used; null while it is. */
  #gaveUp: RefusalError | null = null;
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

  constructor(options: ServeOptions) {
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
    this.#purse = new SharedPurse({ redis, key, worker: state.id, hasBudget, signal, tokens, isStored });
    this.#outbox = new Outbox({
      worker: state.id,
      tokens,
      take: (index) => this.#purse.take(index),
      payFor: (index, returned) => this.#purse.payFor(index, returned),
      send: (parcel) => this.#send(parcel),
      onStopped: (index) => this.#stop(Math.floor(index / (plan.examples.length * plan.trials))),
      sharedDir: folder,
    });
    this.#limits = limitsFor(plan.systems);
    this.#makeSteps = () => {
      const gates = gatesOf(options);
      return { gates, chain: trialChain({ plan, ports, book: this.#outbox, gates, purse: this.#purse }) };
    };
    this.#steps = this.#makeSteps();
  }

  /** Aborted with the reason when the worker cannot continue. */
  get fault(): AbortSignal {
    return this.#faulted.signal;
  }

  /** Ends everything: Redis accepts no results. */
  giveUp(error: RefusalError): void {
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
    for (const lane of [...this.#lanes, this.#alone]) void lane?.resume();
  }

  #stop(systemIndex: number): void {
    this.#stopped.add(systemIndex);
    void this.#lanes[systemIndex]?.pause(true);
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
      const take = (job: Job<TrialJob>, token?: string) => this.#takeOrGiveBack(job, { token, isAlone: false });
      return () => new Worker<TrialJob>(laneName(key, systemIndex), take, { ...settings, concurrency });
    });
    const takeAlone = (job: Job<TrialJob>, token?: string) => this.#takeOrGiveBack(job, { token, isAlone: true });
    if (share !== "suspects") this.#lanes = usual.map((make) => make());
    if (share !== "usual") this.#alone = new Worker<TrialJob>(laneName(key, "suspects"), takeAlone, settings);
    const lanes = [...this.#lanes, ...(this.#alone === null ? [] : [this.#alone])];
    this.#suspects = new Queue(laneName(key, "suspects"), { connection: redis, prefix: BULL_PREFIX });
    if (share === "usual") {
      this.#checker = new Worker<TrialJob>(laneName(key, "suspects"), null, settings);
      void this.#checker.startStalledCheckTimer().catch(() => {});
    }
    // Lost connections are restored; a lost lock means that another worker has the trial too.
    for (const each of [...lanes, this.#checker]) each?.on("error", () => {});
    this.#suspects.on("error", () => {});
    return lanes;
  }

  async close(): Promise<void> {
    await Promise.allSettled([this.#suspects?.close(), this.#checker?.close()]);
  }

  look(): Partial<WorkerState> {
    const { gates, chain } = this.#steps;
    const reasons = [...new Set(gates), this.#purse, chain].flatMap((place) => place?.waiting() ?? []);
    if (this.#refusal !== null) reasons.push(`the queue does not accept results: ${this.#refusal}`);
    if (this.#forged > 0) reasons.push(`jobs skipped because the run did not sign them: ${this.#forged}`);
    const done = this.#outbox.delivered;
    return {
      active: this.#active,
      done,
      perSecond: this.#rate.at(performance.now(), done),
      waiting: reasons.length === 0 ? null : reasons.join("; "),
    };
  }

  /** A returned trial may ignore the signal: its result is no longer awaited. */
  async #takeOrGiveBack(job: Job<TrialJob>, { token, isAlone }: { token: string | undefined; isAlone: boolean }) {
    const { giveBack, signer, announcement } = this.#options;
    const done = await unlessAborted(
      giveBack,
      this.#take(job, isAlone).then(() => true),
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

  async #take(job: Job<TrialJob>, isAlone: boolean): Promise<void> {
    const { signer, announcement } = this.#options;
    // A forger could also have removed the real job; that is found missing and dispatched again.
    if (job.id !== jobName(job.data.index) || !signer.isJobSigned(announcement.key, job.data)) {
      this.#forged += 1;
      return;
    }
    this.#active += 1;
    const { index, again = false } = job.data;
    try {
      if (job.stalledCounter > 0 && !isAlone) await this.#setApart(job);
      else await this.#run(index, { lossesAlone: job.stalledCounter, mayBeDone: again || isAlone });
    } catch (error) {
      if (error instanceof RefusalError) {
        this.giveUp(error);
        throw error;
      }
      // Not an error of a trial: the run itself cannot continue on any worker.
      this.#faulted.abort(error);
      this.#outbox.fault(index, messageOf(error));
      // If the fault cannot be reported, the job is not done and is left to others.
      await this.#outbox.written();
    } finally {
      this.#active -= 1;
    }
  }

  /** It was lost with its worker and may have crashed it, so it must not affect other trials again. */
  async #setApart({ data }: Job<TrialJob>): Promise<void> {
    const opts = { jobId: jobName(data.index), removeOnComplete: true, removeOnFail: true };
    await this.#insist(async () => this.#suspects?.add("trial", data, opts));
  }

  async #run(index: number, { lossesAlone, mayBeDone }: { lossesAlone: number; mayBeDone: boolean }): Promise<void> {
    const { redis, announcement, plan } = this.#options;
    const trial = trialAt(plan, index);
    if (trial === null) throw new RangeError(`the plan has no trial ${index}`);
    if (mayBeDone) {
      if (await this.#insist(() => wasDelivered(redis, announcement.key, index))) return;
      await this.#takeOver(trial);
    }
    try {
      if (lossesAlone >= MAX_LOSSES_ALONE) this.#lose(trial, lossesAlone);
      else await this.#slotted(trial);
    } finally {
      this.#outbox.forget(index);
    }
    await this.#outbox.written();
  }

  /** A trial whose output was delivered is only graded. */
  async #takeOver({ index, system, example, trial }: Trial): Promise<void> {
    const { redis, announcement } = this.#options;
    const sealed = await this.#insist(() => readStored(redis, announcement.key, index));
    if (sealed === null) return;
    const key = { system: system.name, dataset: example.dataset ?? "", exampleId: example.id, trial };
    const stored = openStored(sealed, { index, trial: key }, this.#place);
    if (stored !== null) this.#outbox.restore(index, stored);
  }

  async #send(parcel: OutgoingParcel): Promise<void> {
    const { redis, announcement, signer } = this.#options;
    const { trials, settlements } = parcel;
    const outputs = await Promise.all(
      parcel.outputs.map(async ({ index, line }) => ({ index, sealed: await sealStored(index, line, this.#place) })),
    );
    const signed = { data: signer.signResults(announcement.key, parcel.data), trials, settlements, outputs };
    await this.#insist(() => deliver(redis, announcement.key, signed));
    this.#refusal = null;
  }

  /** After one timeout, later requests fail at once instead of waiting again. */
  #insist<T>(act: () => Promise<T>): Promise<T> {
    if (this.#gaveUp !== null) return Promise.reject(this.#gaveUp);
    const onRefused = (answer: string) => {
      this.#refusal = answer;
    };
    return insist(act, { limitMs: this.#options.refusalMs, onRefused });
  }

  async #slotted(trial: Trial): Promise<void> {
    const run = async () => {
      const { chain } = this.#steps;
      const admission = await this.#purse.admits(trial, chain.limitsOf(trial));
      if (admission === "held") await chain.run(trial);
      if (admission === "refused") this.#outbox.refuse(trial.index);
    };
    const limit = this.#limits[trial.systemIndex] ?? null;
    await (limit === null ? run() : limit.run(run));
  }

  #lose(trial: Trial, losses: number): void {
    const message = `its process crashed ${losses} times while it ran alone, so the trial is the cause`;
    this.#steps.chain.fail(trial, new TrialError("system_error", message));
  }
}

/** By system: the gate of its endpoint, shared by systems with the same endpoint. */
function gatesOf({ redis, announcement, plan, state, ports }: ServeOptions): (TrialGate | null)[] {
  const gates = new Map<string, TrialGate>();
  const bounds = boundsOf(plan.systems);
  const clock = () => ports.clock();
  const { outage: policy = DEFAULT_OUTAGE } = ports;
  const make = (endpoint: string): TrialGate => {
    // The part after the space distinguishes accounts and is not shown.
    const name = endpoint.split(" ", 1)[0] ?? "";
    const bound = bounds.get(endpoint);
    // The load of this machine does not concern other workers.
    if (bound !== undefined) return new Gate({ name, max: bound, clock, outage: policy });
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
function limitsFor(systems: readonly System[]): (Limit | null)[] {
  const limits = new Map(Array.from(boundsOf(systems), ([place, most]) => [place, new Limit(most)]));
  return systems.map(({ endpoint, name }) => limits.get(endpoint ?? name) ?? null);
}

/** By endpoint, or by system without one: the maximum of concurrent trials per machine, if limited. */
function boundsOf(systems: readonly System[]): ReadonlyMap<string, number> {
  const bounds = new Map<string, number>();
  for (const { endpoint, name, maxParallel } of systems)
    if (maxParallel !== undefined)
      bounds.set(endpoint ?? name, Math.min(maxParallel, bounds.get(endpoint ?? name) ?? maxParallel));
  return bounds;
}
