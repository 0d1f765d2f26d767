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
