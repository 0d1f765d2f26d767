/** How far the oracle is. */
export interface OracleProgress {
  /** States that were graded, of those known to be graded so far: more come up on the way. */
  readonly done: number;
  readonly planned: number;
  readonly survived: number;
  /** Stimuli that are finished, of all. */
  readonly finished: number;
  readonly stimuli: number;
}

/** Counts what is done, and tells. */
export class Tally {
  readonly #stimuli: number;
  readonly #tell: ((progress: OracleProgress) => void) | undefined;
  #done = 0;
  #planned = 0;
  #survived = 0;
  #finished = 0;

  constructor(stimuli: number, tell: ((progress: OracleProgress) => void) | undefined) {
    this.#stimuli = stimuli;
    this.#tell = tell;
  }

  plan(count: number): void {
    this.#planned += count;
    this.#say();
  }

  tried(isSurvivor: boolean): void {
    this.#done += 1;
    if (isSurvivor) this.#survived += 1;
    this.#say();
  }

  finish(): void {
    this.#finished += 1;
    this.#say();
  }

  #say(): void {
    this.#tell?.({
      done: this.#done,
      planned: this.#planned,
      survived: this.#survived,
      finished: this.#finished,
      stimuli: this.#stimuli,
    });
  }
}
