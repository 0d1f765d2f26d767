import type { Redis } from "ioredis";
import type { EvalRow } from "../core/row.js";
import type { WorkerState } from "./contract.js";
import { KEYS } from "./keys.js";
import type { Signer } from "./signer.js";

export interface DismissalsOptions {
  redis: Redis;
  /** What the run is called in Redis. */
  key: string;
  signer: Signer;
  onNote: (note: string) => void;
}

/** A trial that fails on so many workers is the one to blame. */
const MAX_WORKERS_FAILED = 2;

/**
 * Tells workers to leave that fail where others pass, and knows which of their trials are run again: those that no other
 * worker has failed. Where all fail nobody is told, because then it is not the worker.
 */
export class Dismissals {
  /** Who was told to leave, in words. */
  readonly notes: string[] = [];
  readonly #options: DismissalsOptions;
  readonly #errors = new WorkerErrors();
  /** By trial: the workers on which it has failed. */
  readonly #failedOn = new Map<number, Set<string>>();
  /** By worker: what its last error said. */
  readonly #messages = new Map<string, string>();
  /** By system and worker: why the worker does not call it any more. */
  readonly #stops = new Map<string, Map<string, string>>();
  /** By worker: why it is to leave. */
  readonly #reasons = new Map<string, string>();
  /** Whom Redis holds no mark for yet. */
  readonly #untold = new Set<string>();

  constructor(options: DismissalsOptions) {
    this.#options = options;
  }

  /** Counts a trial that was recorded. Gives back the trials that are to be run again, which may be others. */
  count(index: number, row: EvalRow, worker: string): number[] {
    const isError = row.outcome === "error";
    if (isError) this.#noteError(index, row, worker);
    const found = [...this.#errors.count(worker, row.system, isError), ...(isError ? [] : this.#passed(row, worker))];
    for (const each of found) this.#dismiss(each);
    const again = found.flatMap((each) => this.#failedAlone(each.worker));
    // What it had under way when it was told to leave.
    const isLate = isError && found.length === 0 && this.#reasons.has(worker);
    return isLate && this.#mayPass(index) ? [...again, index] : again;
  }

  /** A worker does not call a system any more: it was refused, or its endpoint is down. */
  noteStop(system: string, worker: string, why: string): void {
    if (this.#reasons.has(worker)) return;
    this.#stops.set(system, (this.#stops.get(system) ?? new Map<string, string>()).set(worker, why));
  }

  /** The systems that no worker calls any more, and why. */
  findStopped(workers: readonly WorkerState[]): { system: string; why: string }[] {
    const taking = workers.filter(({ refuses, isAlone = false }) => refuses === null && !isAlone);
    if (taking.length === 0) return [];
    return Array.from(this.#stops).flatMap(([system, stops]) => {
      const [why = ""] = stops.values();
      return taking.every(({ id }) => stops.has(id)) ? [{ system, why }] : [];
    });
  }

  /** Who has stopped calling a system that answers others. */
  #passed({ system }: EvalRow, worker: string): FailingWorker[] {
    const stops = this.#stops.get(system);
    // It was under way when its worker stopped, or the run has been started again since.
    if (stops === undefined || stops.delete(worker)) return [];
    this.#stops.delete(system);
    return Array.from(stops, ([name, why]) => {
      this.#messages.set(name, why);
      return { worker: name, figures: `it cannot call ${system}` };
    });
  }

  /** True for what a worker says that was told to leave. */
  isReason(why: string): boolean {
    return [...this.#reasons.values()].includes(why);
  }

  /** Leaves marks for workers that have none yet. */
  async tell(): Promise<void> {
    await this.#mark([...this.#untold]);
    this.#untold.clear();
  }

  /** True when no worker takes trials that was told to leave. Marks that Redis has lost are made again. */
  async areGone(workers: readonly WorkerState[]): Promise<boolean> {
    const taking = workers.filter(({ id, refuses }) => refuses === null && this.#reasons.has(id));
    await this.#mark(taking.map(({ id }) => id));
    return taking.length === 0;
  }

  #noteError(index: number, { attempts }: EvalRow, worker: string): void {
    this.#failedOn.set(index, new Set([...(this.#failedOn.get(index) ?? []), worker]));
    this.#messages.set(worker, attempts.at(-1)?.message ?? "");
  }

  #dismiss({ worker, figures }: FailingWorker): void {
    const message = this.#messages.get(worker) ?? "";
    const why = `it fails where others pass: ${figures}${message === "" ? "" : ` (${message})`}`;
    this.#reasons.set(worker, why);
    this.#untold.add(worker);
    const words = `the worker ${worker} was told to leave, because ${why}. Others run what it failed`;
    this.notes.push(words);
    this.#options.onNote(words);
  }

  #failedAlone(worker: string): number[] {
    return Array.from(this.#failedOn).flatMap(([index, workers]) =>
      workers.has(worker) && this.#mayPass(index) ? [index] : [],
    );
  }

  #mayPass(index: number): boolean {
    return (this.#failedOn.get(index)?.size ?? 0) < MAX_WORKERS_FAILED;
  }

  async #mark(workers: readonly string[]): Promise<void> {
    const { redis, key, signer } = this.#options;
    if (workers.length === 0) return;
    const mark = (worker: string) => signer.signLeave(key, worker, this.#reasons.get(worker) ?? "");
    await redis.hset(KEYS.leaving(key), new Map(workers.map((worker) => [worker, mark(worker)])));
  }
}

/** What a worker is judged by: its latest trials of a system, and how many there must be of it and of those who pass. */
const WINDOW = 50;
const MIN_TRIALS = 10;
const MIN_OTHERS = 3;
/** A worker fails when so many of its trials are errors, and passes when fewer are. */
const MIN_SHARE = 0.5;
/** A difference that is less likely than this to be chance is none. */
const MAX_CHANCE = 1e-4;

/** A worker whose trials end as errors where those of others do not, in words. */
export interface FailingWorker {
  readonly worker: string;
  /** As "10 of its last 10 trials of s are errors". */
  readonly figures: string;
}

/** Finds workers that fail where others pass: a missing key or program, a full disk, no network. */
export class WorkerErrors {
  /** By system and worker: whether each of its latest trials was an error. */
  readonly #latest = new Map<string, Map<string, boolean[]>>();
  readonly #found = new Set<string>();

  /** Counts a trial. Says which workers are found to fail by it, once each: also those that were waiting for others to pass. */
  count(worker: string, system: string, isError: boolean): FailingWorker[] {
    if (this.#found.has(worker)) return [];
    const workers = this.#latest.get(system) ?? new Map<string, boolean[]>();
    this.#latest.set(system, workers);
    workers.set(worker, [...(workers.get(worker) ?? []), isError].slice(-WINDOW));
    const failing = Array.from(workers).filter(([, trials]) => trials.length >= MIN_TRIALS && fails(trials));
    if (failing.length === 0) return [];
    const passing = Array.from(workers.values()).flatMap((trials) => (fails(trials) ? [] : trials));
    if (passing.length < MIN_OTHERS) return [];
    return failing.flatMap(([name, trials]) => {
      if (chanceOf(trials, passing) > MAX_CHANCE) return [];
      this.#forget(name);
      const figures = `${errorsIn(trials)} of its last ${trials.length} trials of ${system} are errors`;
      return [{ worker: name, figures }];
    });
  }

  #forget(worker: string): void {
    this.#found.add(worker);
    for (const workers of this.#latest.values()) workers.delete(worker);
  }
}

function errorsIn(trials: readonly boolean[]): number {
  return trials.filter(Boolean).length;
}

function fails(trials: readonly boolean[]): boolean {
  return errorsIn(trials) / trials.length >= MIN_SHARE;
}

/** How likely so many of all errors, or more, fall on the first by chance alone (Fisher's exact test). */
function chanceOf(own: readonly boolean[], others: readonly boolean[]): number {
  const errors = errorsIn(own) + errorsIn(others);
  const total = own.length + others.length;
  const all = logChoices(total, own.length);
  let chance = 0;
  for (let count = errorsIn(own); count <= Math.min(errors, own.length); count++)
    chance += Math.exp(logChoices(errors, count) + logChoices(total - errors, own.length - count) - all);
  return chance;
}

/** The logarithm of how many ways there are to choose some of many. */
function logChoices(many: number, some: number): number {
  if (some > many) return Number.NEGATIVE_INFINITY;
  let log = 0;
  for (let i = 1; i <= some; i++) log += Math.log((many - some + i) / i);
  return log;
}
