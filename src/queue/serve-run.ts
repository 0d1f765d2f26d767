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
  /** How the worker presents itself. */
  state: WorkerState;
  leaseMs: number;
  /** This worker's path to the folder for large outputs; null when they are sent. */
  sharedDir: string | null;
  /** Aborted when the worker is to finish what it has and take nothing more. */
  drain: AbortSignal;
  onState: (state: WorkerState) => void;
  signer: Signer;
  share: Share;
  /** Aborted when trials under way are given back: others run them. */
  giveBack: AbortSignal;
  /** How long Redis may refuse; a minute unless given. */
  refusalMs?: number | undefined;
}

/**
 * What of a run a process takes: the usual trials, suspects (trials that were lost with their worker, and may be what ended
 * it), which are run one at a time, or both.
 */
export type Share = "usual" | "suspects" | "all";

/** A suspect that was lost this often while it was the only one is what ends its process. */
const MAX_LOSSES_ALONE = 3;

/**
 * Takes trials of one run until it is over or the worker is to stop. Each is taken through the same steps as in a run on
 * one machine; what differs is where money, places and records are kept.
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
    // Waits for the trials under way.
    await Promise.allSettled([...lanes.map((lane) => lane.close()), bench.close()]);
    closed.abort();
    await presence.stop().catch(() => {});
    options.onState({ ...presence.state, ...bench.look() });
  }
  bench.fault.throwIfAborted();
  if (watch.dismissal !== null) throw new DismissedError(announcement.key, watch.dismissal);
}

/** The run goes on without this worker. */
export class DismissedError extends QueueError {
  constructor(key: string, why: string) {
    super(`This worker does not take part in ${key}: ${why}`);
  }
}

/** Has trials of a run that is over end soon: nobody records what they come to. */
async function dropTrials(bench: Bench, watch: RunWatch, closed: AbortSignal): Promise<void> {
  if (await watch.isOverForGood(closed).catch(() => true)) bench.drop();
}

/** What trials go through, with what is known of their endpoints. */
interface Steps {
  /** By system. */
  readonly gates: readonly (TrialGate | null)[];
  readonly chain: TrialChain;
}

/** What a worker needs to run trials of one plan. */
class Bench {
  readonly #faulted = new AbortController();
  /** Aborted when nobody wants the trials under way any more. */
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
  /** By system: where its usual trials come from. */
  #lanes: readonly Worker<TrialJob>[] = [];
  /** Systems that are not called any more. */
  readonly #stopped = new Set<number>();
  /** Why Redis is asked nothing more; null while it is. */
  #gaveUp: RefusalError | null = null;
  /** Where trials come from that are run alone; null where another process runs them. */
  #alone: Worker<TrialJob> | null = null;
  /** Where trials go that were lost with their worker. */
  #suspects: Queue<TrialJob> | null = null;
  /** Finds suspects that were lost, where another process runs them. */
  #checker: Worker<TrialJob> | null = null;
  /** Jobs that the run did not hand out. */
  #forged = 0;
  /** Why Redis does not take what is to be delivered; null when it does. */
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

  /** Aborted when the worker cannot go on, with the reason. */
  get fault(): AbortSignal {
    return this.#faulted.signal;
  }

  /** Ends all: Redis takes nothing that trials under way come to. */
  giveUp(error: RefusalError): void {
    this.#gaveUp ??= error;
    this.#faulted.abort(error);
    this.drop();
  }

  /** Ends the trials under way. */
  drop(): void {
    this.#dropped.abort();
  }

  /** Takes trials of the next start of the run: what was in the way of a system may have been mended. */
  resume(): void {
    if (this.#stopped.size > 0) this.#steps = this.#makeSteps();
    this.#stopped.clear();
    for (const lane of [...this.#lanes, this.#alone]) void lane?.resume();
  }

  #stop(systemIndex: number): void {
    this.#stopped.add(systemIndex);
    void this.#lanes[systemIndex]?.pause(true);
  }

  /** One lane for each system: a slow one keeps its own slots busy, and nobody else's. */
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
    // Lost connections are made again, and a lost lock means that another worker has the trial too.
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
    if (this.#refusal !== null) reasons.push(`the queue takes no results: ${this.#refusal}`);
    if (this.#forged > 0) reasons.push(`jobs that are not signed by the run, and not run: ${this.#forged}`);
    const done = this.#outbox.delivered;
    return {
      active: this.#active,
      done,
      perSecond: this.#rate.at(performance.now(), done),
      waiting: reasons.length === 0 ? null : reasons.join("; "),
    };
  }

  /** A trial that is given back need not heed it: nobody waits for it any more. */
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
    // It may have been delivered just now.
    await job.updateData({ index, again: true, signature: signer.signJob(announcement.key, index, true) });
    await job.moveToWait(token);
    throw new WaitingError();
  }

  async #take(job: Job<TrialJob>, isAlone: boolean): Promise<void> {
    const { signer, announcement } = this.#options;
    // Whoever put it there can take away the right one too, which is missed and handed out again.
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
      // No fault of a trial comes here: the run itself cannot go on, on any worker.
      this.#faulted.abort(error);
      this.#outbox.fault(index, messageOf(error));
      // Where nobody can be told, the job is not done: it is left to others.
      await this.#outbox.written();
    } finally {
      this.#active -= 1;
    }
  }

  /** It was lost with its worker, and may be what ended it: its neighbors are not to pay for it again. */
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

  /** What was refused for too long once is not asked for as long again. */
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
    const message = `its process ended ${losses} times while it ran alone: it is what ends it`;
    this.#steps.chain.fail(trial, new TrialError("system_error", message));
  }
}

/** By system: the gate of its endpoint, which systems of one endpoint share. */
function gatesOf({ redis, announcement, plan, state, ports }: ServeOptions): (TrialGate | null)[] {
  const gates = new Map<string, TrialGate>();
  const bounds = boundsOf(plan.systems);
  const clock = () => ports.clock();
  const { outage: policy = DEFAULT_OUTAGE } = ports;
  const make = (endpoint: string): TrialGate => {
    // What follows a blank tells accounts apart, and is not for people.
    const name = endpoint.split(" ", 1)[0] ?? "";
    const bound = bounds.get(endpoint);
    // What loads the machine is no matter of others.
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

/** By system: what the machine itself takes at a time, which systems of one endpoint share. */
function limitsFor(systems: readonly System[]): (Limit | null)[] {
  const limits = new Map(Array.from(boundsOf(systems), ([place, most]) => [place, new Limit(most)]));
  return systems.map(({ endpoint, name }) => limits.get(endpoint ?? name) ?? null);
}

/** By endpoint, or by system where there is none: how many trials a machine takes at a time, where that is bounded. */
function boundsOf(systems: readonly System[]): ReadonlyMap<string, number> {
  const bounds = new Map<string, number>();
  for (const { endpoint, name, maxParallel } of systems)
    if (maxParallel !== undefined)
      bounds.set(endpoint ?? name, Math.min(maxParallel, bounds.get(endpoint ?? name) ?? maxParallel));
  return bounds;
}
