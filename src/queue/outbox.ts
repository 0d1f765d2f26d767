import type { Attempt } from "../core/row.js";
import type { Trial } from "../runner/admit.js";
import { type Returned, storedCall, type UngradedOutput } from "../runner/call.js";
import { readNotRun } from "../runner/gate.js";
import type { EncodedTrial, FinishedTrial } from "../runner/ports.js";
import type { TokenCounter } from "../runner/record.js";
import type { TrialBook } from "../runner/trial.js";
import { encodeTrial, LARGE_OUTPUT } from "../store/row-codec.js";
import { pack, type TrialNews } from "./parcel.js";
import type { Settlement } from "./shared-purse.js";
import { encodeStored, writeToShared } from "./stored-output.js";

/** What is handed to Redis at one moment. */
export interface OutgoingParcel {
  data: Buffer;
  trials: readonly number[];
  settlements: readonly Settlement[];
  /** Outputs of trials that are being graded, for whoever has to take one over. */
  outputs: readonly UngradedNews[];
}

type UngradedNews = Extract<TrialNews, { kind: "output" }>;

export interface OutboxOptions {
  worker: string;
  tokens: TokenCounter;
  /** What is to be settled together with the delivery of a trial. */
  take: (index: number) => Settlement | null;
  /** What the system of a trial is to be paid when its output is delivered. */
  payFor: (index: number, returned: Returned) => Settlement | null;
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
  /** Outputs that came since the last parcel. */
  #ungraded: { trial: Trial; returned: Returned }[] = [];
  /** Outputs of trials that were taken over, which are only graded. */
  readonly #stored = new Map<number, UngradedOutput>();
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

  /** Has a trial graded whose output another worker, or an earlier start of the run, has stored. */
  restore(index: number, ungraded: UngradedOutput): void {
    this.#stored.set(index, ungraded);
  }

  /** Call when nothing more is done with a trial here. */
  forget(index: number): void {
    this.#stored.delete(index);
  }

  isStored({ index }: Pick<Trial, "index">): boolean {
    return this.#stored.has(index);
  }

  storedOutput({ index }: Trial): UngradedOutput | null {
    return this.#stored.get(index) ?? null;
  }

  /** Sent unless it is graded by the next parcel. What nobody could grade elsewhere, and what is at hand anyway, is not. */
  keepOutput(trial: Trial, returned: Returned): boolean {
    if (returned.call.wasPaid || returned.output.workspace?.incomplete !== undefined) return false;
    this.#ungraded.push({ trial, returned });
    this.#sendSoon();
    return true;
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
    this.#sendSoon();
  }

  #sendSoon(): void {
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
    const trials = this.#waiting.flatMap(({ kind, index }) => (kind === "finished" ? index : []));
    const paid = this.#takeUngraded(new Set(trials));
    const news = this.#waiting.filter(({ kind, index }) => kind !== "output" || !trials.includes(index));
    this.#waiting = [];
    if (news.length === 0) return;
    const settled = news.filter(({ kind }) => kind === "finished" || kind === "stopped");
    const over = settled.flatMap(({ index }) => this.#options.take(index) ?? []);
    const settlements = [...this.#unsettled, ...paid, ...over];
    this.#unsettled = [];
    try {
      const data = await pack({ worker: this.#options.worker, news });
      const outputs = news.filter((each) => each.kind === "output");
      await this.#options.send({ data, trials, settlements, outputs });
    } catch (error) {
      this.#waiting = [...news, ...this.#waiting];
      this.#unsettled = settlements;
      throw error;
    }
    this.delivered += trials.length;
  }

  /** Has outputs sent that are not graded yet, and says what their systems are to be paid. */
  #takeUngraded(graded: ReadonlySet<number>): Settlement[] {
    const { payFor, take, sharedDir } = this.#options;
    const ungraded = this.#ungraded.filter(({ trial }) => !graded.has(trial.index));
    this.#ungraded = [];
    return ungraded.flatMap(({ trial, returned }) => {
      const { index, system, example } = trial;
      const key = { system: system.name, dataset: example.dataset ?? "", exampleId: example.id, trial: trial.trial };
      const line = encodeStored({ ...key, output: returned.output, call: storedCall(returned) }, sharedDir);
      if (line === null) return [];
      this.#waiting.push({ kind: "output", index, line });
      // Nothing is held any more for one that was interrupted meanwhile.
      return payFor(index, returned) ?? take(index) ?? [];
    });
  }

  #besideIfLarge(lines: EncodedTrial): EncodedTrial {
    const { sharedDir } = this.#options;
    if (sharedDir === null || lines.output === null || lines.output.length <= LARGE_OUTPUT) return lines;
    try {
      return { ...lines, output: null, outputFile: writeToShared(sharedDir, [lines.output]) };
    } catch {
      return lines;
    }
  }
}
