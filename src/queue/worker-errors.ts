/** What a worker is judged by: its latest trials, and how many there must be of it and of all others. */
const WINDOW = 50;
const MIN_TRIALS = 10;
/** A worker fails where others pass when so many of its trials are errors, and so many more than of theirs. */
const MIN_SHARE = 0.5;
const MIN_ABOVE_OTHERS = 0.3;

/** Finds workers whose trials end as errors where those of others do not: a missing key, a full disk, no network. */
export class WorkerErrors {
  /** By worker: whether each of its latest trials was an error. */
  readonly #latest = new Map<string, boolean[]>();
  readonly #named = new Set<string>();

  /** What is to be said of the worker that has delivered a trial just now; null when there is nothing, or it was said. */
  count(worker: string, isError: boolean): string | null {
    const latest = [...(this.#latest.get(worker) ?? []), isError].slice(-WINDOW);
    this.#latest.set(worker, latest);
    if (!isError || this.#named.has(worker) || !this.#failsAlone(worker, latest)) return null;
    this.#named.add(worker);
    return `the worker ${worker} fails where others pass: ${errorsIn(latest)} of its last ${latest.length} trials are errors. Stop it and see what it lacks; --resume runs its errors again`;
  }

  #failsAlone(worker: string, latest: readonly boolean[]): boolean {
    const others = Array.from(this.#latest).flatMap(([name, trials]) => (name === worker ? [] : trials));
    if (Math.min(latest.length, others.length) < MIN_TRIALS) return false;
    const share = errorsIn(latest) / latest.length;
    return share >= MIN_SHARE && share - errorsIn(others) / others.length >= MIN_ABOVE_OTHERS;
  }
}

function errorsIn(trials: readonly boolean[]): number {
  return trials.filter(Boolean).length;
}
