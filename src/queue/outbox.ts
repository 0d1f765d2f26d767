import { existsSync, mkdirSync } from "node:fs";
import type { Attempt } from "../core/row.js";
import type { Trial } from "../runner/admit.js";
import { readNotRun } from "../runner/gate.js";
import type { EncodedTrial, FinishedTrial } from "../runner/ports.js";
import type { TokenCounter } from "../runner/record.js";
import type { TrialBook } from "../runner/trial.js";
import { encodeTrial, LARGE_OUTPUT } from "../store/row-codec.js";
import { writeByContent } from "../utils/files/atomic.js";
import { pack, type TrialNews } from "./parcel.js";
import type { Settlement } from "./shared-purse.js";

/** What is handed to Redis at one moment. */
export interface OutgoingParcel {
  data: Buffer;
  trials: readonly number[];
  settlements: readonly Settlement[];
}

export interface OutboxOptions {
  worker: string;
  tokens: TokenCounter;
  /** What is to be settled together with the delivery of a trial. */
  take: (index: number) => Settlement | null;
  /** Rejects when nothing can be sent any more. */
  send: (parcel: OutgoingParcel) => Promise<void>;
  /** Called before it is said that a trial was not run: no other of its system is to be taken. */
  onStopped: (index: number) => void;
  /** Where large outputs go, in place of the parcel; null when they are sent. */
  sharedDir: string | null;
}

const NO_ATTEMPTS: readonly Attempt[] = Object.freeze([]);

/**
 * Where a worker leaves finished trials: what is recorded in one turn of the event loop, and while a parcel is on its way,
 * goes together in the next. The coordinator adds what it knows of earlier attempts.
 */
export class Outbox implements TrialBook {
  readonly tokens: TokenCounter;
  /** Trials delivered so far. */
  delivered = 0;
  warning: string | null = null;
  readonly #options: OutboxOptions;
  #waiting: TrialNews[] = [];
  /** Of trials whose parcel could not be sent. */
  #unsettled: readonly Settlement[] = [];
  /** The last delivery, which follows all others. */
  #last: Promise<void> = Promise.resolve();
  /** True when what is waiting has a delivery to go with. */
  #isScheduled = false;

  constructor(options: OutboxOptions) {
    this.#options = options;
    this.tokens = options.tokens;
  }

  attemptsOf(): readonly Attempt[] {
    return NO_ATTEMPTS;
  }

  storedOutput(): null {
    return null;
  }

  /** Nothing is sent before it is graded. */
  keepOutput(): boolean {
    return false;
  }

  /** Its settlement goes with the next parcel. */
  release(): void {}

  record({ index }: Trial, finished: FinishedTrial): void {
    const whyNotRun = readNotRun(finished.row);
    if (whyNotRun !== null) this.#stop(index, whyNotRun);
    // It was given back, or nobody wants it: it is not over.
    if (finished.row.outcome === "skipped") return;
    const lines = this.#besideIfLarge(encodeTrial(finished));
    this.#add({ kind: "finished", index, lines });
  }

  /** Says that the budget of the run does not cover a trial. */
  refuse(index: number): void {
    this.#add({ kind: "refused", index });
  }

  /** Says that no worker could go on with the run. */
  fault(index: number, message: string): void {
    this.#add({ kind: "fault", index, message });
  }

  written(): Promise<void> {
    return this.#last;
  }

  warn(warning: string | null): void {
    this.warning = warning;
  }

  #stop(index: number, message: string): void {
    this.#options.onStopped(index);
    this.#add({ kind: "stopped", index, message });
  }

  #add(news: TrialNews): void {
    this.#waiting.push(news);
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    this.#last = this.#deliverAfter(this.#last);
    // Whoever waits for it is told; nobody has to.
    this.#last.catch(() => {});
  }

  async #deliverAfter(earlier: Promise<void>): Promise<void> {
    // What an earlier one could not send goes with this one.
    await Promise.allSettled([earlier, new Promise((resolve) => setImmediate(resolve))]);
    this.#isScheduled = false;
    await this.#sendParcel();
  }

  async #sendParcel(): Promise<void> {
    const news = this.#waiting;
    this.#waiting = [];
    const data = await pack({ worker: this.#options.worker, news });
    const trials = news.flatMap(({ kind, index }) => (kind === "finished" ? index : []));
    const settled = news.filter(({ kind }) => kind === "finished" || kind === "stopped");
    const settlements = [...this.#unsettled, ...settled.flatMap(({ index }) => this.#options.take(index) ?? [])];
    this.#unsettled = [];
    try {
      await this.#options.send({ data, trials, settlements });
    } catch (error) {
      this.#waiting = [...news, ...this.#waiting];
      this.#unsettled = settlements;
      throw error;
    }
    this.delivered += trials.length;
  }

  #besideIfLarge(lines: EncodedTrial): EncodedTrial {
    const { sharedDir } = this.#options;
    if (sharedDir === null || lines.output === null || lines.output.length <= LARGE_OUTPUT) return lines;
    try {
      // Not its parents: where they lack, nothing is mounted, and nobody else would see it.
      if (!existsSync(sharedDir)) mkdirSync(sharedDir);
      return { ...lines, output: null, outputFile: writeByContent(sharedDir, [lines.output]) };
    } catch {
      return lines;
    }
  }
}
