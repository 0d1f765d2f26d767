import type { Redis } from "ioredis";
import type { EvalRow } from "../core/index.js";
import type { WorkerState } from "./contract.js";
import { KEYS } from "./keys.js";
import type { QueueSigner } from "./signer.js";

export interface WorkerDismissalsOptions {
  redis: Redis;
  /** The name of the run in Redis. */
  key: string;
  signer: QueueSigner;
  onNote: (note: string) => void;
}

/** A trial that fails on this many workers is itself the cause. */
const MAX_WORKERS_FAILED = 2;

/**
 * Dismisses workers that fail where others succeed, and selects which of their trials run again: those that failed on no
 * other worker. If all workers fail, none is dismissed, because the cause is elsewhere.
 */
export class WorkerDismissals {
  /** Notes about dismissed workers. */
  readonly notes: string[] = [];
  readonly #options: WorkerDismissalsOptions;
  readonly #errors = new WorkerErrors();
  /** By trial: the workers on which it has failed. */
  readonly #failedOn = new Map<number, Set<string>>();
  /** By worker: its last error message. */
  readonly #messages = new Map<string, string>();
  /** By system and worker: why the worker no longer calls the system. */
  readonly #stops = new Map<string, Map<string, string>>();
  /** By worker: why it is dismissed. */
  readonly #reasons = new Map<string, string>();
  /** Dismissed workers that are not yet marked in Redis. */
  readonly #untold = new Set<string>();

  constructor(options: WorkerDismissalsOptions) {
    this.#options = options;
  }

  /** Counts a recorded trial. Returns the trials to run again, which may be others. */
  count(index: number, row: EvalRow, worker: string): number[] {
    const isError = row.outcome === "error";
    if (isError) this.#recordError(index, row, worker);
    const found = [
      ...this.#errors.count(worker, row.system, isError),
      ...(isError ? [] : this.#findRefusedElsewhere(row, worker)),
    ];
    for (const each of found) this.#dismiss(each);
    const again = found.flatMap((each) => this.#listTrialsToRepeat(each.worker));
    // It was running when its worker was dismissed.
    const isLate = isError && found.length === 0 && this.#reasons.has(worker);
    return isLate && this.#canRepeat(index) ? [...again, index] : again;
  }

  /** Records that a worker no longer calls a system: requests were refused, or the endpoint is down. */
  recordStop(system: string, worker: string, why: string): void {
    if (this.#reasons.has(worker)) return;
    this.#stops.set(system, (this.#stops.get(system) ?? new Map<string, string>()).set(worker, why));
  }

  /** Returns the systems that no worker calls any more, with the reason. */
  findStopped(workers: readonly WorkerState[]): { system: string; why: string }[] {
    const taking = workers.filter(({ refuses, isAlone = false }) => refuses === null && !isAlone);
    if (taking.length === 0) return [];
    return Array.from(this.#stops).flatMap(([system, stops]) => {
      const [why = ""] = stops.values();
      return taking.every(({ id }) => stops.has(id)) ? [{ system, why }] : [];
    });
  }

  /** Finds workers that stopped calling a system which works for others. */
  #findRefusedElsewhere({ system }: EvalRow, worker: string): FailingWorker[] {
    const stops = this.#stops.get(system);
    // The trial was running when its worker stopped, or the run was restarted since.
    if (stops === undefined || stops.delete(worker)) return [];
    this.#stops.delete(system);
    return Array.from(stops, ([name, why]) => {
      this.#messages.set(name, why);
      return { worker: name, figures: `it cannot call ${system}` };
    });
  }

  /** Whether this is the reason given to a dismissed worker. */
  isReason(why: string): boolean {
    return [...this.#reasons.values()].includes(why);
  }

  /** Marks dismissed workers in Redis. */
  async markDismissed(): Promise<void> {
    await this.#mark([...this.#untold]);
    this.#untold.clear();
  }

  /** Returns true once no dismissed worker takes trials. Restores marks that Redis has lost. */
  async areDismissedGone(workers: readonly WorkerState[]): Promise<boolean> {
    const taking = workers.filter(({ id, refuses }) => refuses === null && this.#reasons.has(id));
    await this.#mark(taking.map(({ id }) => id));
    return taking.length === 0;
  }

  #recordError(index: number, { attempts }: EvalRow, worker: string): void {
    this.#failedOn.set(index, new Set([...(this.#failedOn.get(index) ?? []), worker]));
    this.#messages.set(worker, attempts.at(-1)?.message ?? "");
  }

  #dismiss({ worker, figures }: FailingWorker): void {
    const message = this.#messages.get(worker) ?? "";
    const why = `it fails where others succeed: ${figures}${message === "" ? "" : ` (${message})`}`;
    this.#reasons.set(worker, why);
    this.#untold.add(worker);
    const words = `the worker ${worker} was dismissed because ${why}. Others run its failed trials`;
    this.notes.push(words);
    this.#options.onNote(words);
  }

  #listTrialsToRepeat(worker: string): number[] {
    return Array.from(this.#failedOn).flatMap(([index, workers]) =>
      workers.has(worker) && this.#canRepeat(index) ? [index] : [],
    );
  }

  #canRepeat(index: number): boolean {
    return (this.#failedOn.get(index)?.size ?? 0) < MAX_WORKERS_FAILED;
  }

  async #mark(workers: readonly string[]): Promise<void> {
    const { redis, key, signer } = this.#options;
    if (workers.length === 0) return;
    const mark = (worker: string) => signer.signLeave(key, worker, this.#reasons.get(worker) ?? "");
    await redis.hset(KEYS.leaving(key), new Map(workers.map((worker) => [worker, mark(worker)])));
  }
}

/** A worker is judged by its latest trials of a system; minimum numbers of its own trials and of successful workers' trials. */
const WINDOW_TRIALS = 50;
const MIN_TRIALS = 10;
const MIN_PASSING_TRIALS = 3;
/** A worker is failing if at least this share of its trials are errors. */
const MIN_ERROR_SHARE = 0.5;
/** Significance level: larger p-values may be chance. */
const MAX_P_VALUE = 1e-4;

/** A worker whose trials end as errors where those of others do not. */
export interface FailingWorker {
  readonly worker: string;
  /** Such as "10 of its last 10 trials of s are errors". */
  readonly figures: string;
}

/** Finds workers that fail where others succeed: missing key or program, full disk, no network. */
export class WorkerErrors {
  /** By system and worker: whether each of its latest trials was an error. */
  readonly #latest = new Map<string, Map<string, boolean[]>>();
  readonly #found = new Set<string>();

  /** Counts a trial. Returns workers now found to be failing, once each, including those that lacked a comparison before. */
  count(worker: string, system: string, isError: boolean): FailingWorker[] {
    if (this.#found.has(worker)) return [];
    const workers = this.#latest.get(system) ?? new Map<string, boolean[]>();
    this.#latest.set(system, workers);
    workers.set(worker, [...(workers.get(worker) ?? []), isError].slice(-WINDOW_TRIALS));
    const failing = Array.from(workers).filter(([, trials]) => trials.length >= MIN_TRIALS && isFailing(trials));
    if (failing.length === 0) return [];
    const passing = Array.from(workers.values()).flatMap((trials) => (isFailing(trials) ? [] : trials));
    if (passing.length < MIN_PASSING_TRIALS) return [];
    return failing.flatMap(([name, trials]) => {
      if (computeFisherP(trials, passing) > MAX_P_VALUE) return [];
      this.#forget(name);
      const figures = `${countErrors(trials)} of its last ${trials.length} trials of ${system} are errors`;
      return [{ worker: name, figures }];
    });
  }

  #forget(worker: string): void {
    this.#found.add(worker);
    for (const workers of this.#latest.values()) workers.delete(worker);
  }
}

function countErrors(trials: readonly boolean[]): number {
  return trials.filter(Boolean).length;
}

function isFailing(trials: readonly boolean[]): boolean {
  return countErrors(trials) / trials.length >= MIN_ERROR_SHARE;
}

/** One-sided p-value of Fisher's exact test: the worker has at least this many of all errors by chance. */
function computeFisherP(own: readonly boolean[], others: readonly boolean[]): number {
  const errors = countErrors(own) + countErrors(others);
  const total = own.length + others.length;
  const all = computeLogChoose(total, own.length);
  let chance = 0;
  for (let count = countErrors(own); count <= Math.min(errors, own.length); count++)
    chance += Math.exp(computeLogChoose(errors, count) + computeLogChoose(total - errors, own.length - count) - all);
  return chance;
}

/** Natural logarithm of the binomial coefficient. */
function computeLogChoose(many: number, some: number): number {
  if (some > many) return Number.NEGATIVE_INFINITY;
  let log = 0;
  for (let i = 1; i <= some; i++) log += Math.log((many - some + i) / i);
  return log;
}
