import type { TrialKey } from "../../core/index.js";

export const BATCHES_SCHEMA = "assay.batches/1";

/** A request of a batch, and the trial it belongs to. */
export interface LoggedRequest extends Partial<TrialKey> {
  /** Hash of the request. Equal requests of different trials differ. */
  readonly id: string;
}

/** What is recorded about batches. Every entry is on disk before the next step is made. */
export type BatchEntry =
  /** The systems and judges of the run whose requests are sent in batches only. */
  | { readonly kind: "open"; readonly systems: readonly string[]; readonly isJudgeBatched: boolean }
  /** Written before the requests are sent. `batch` is our own name of the batch. */
  | {
      readonly kind: "prepare";
      readonly batch: string;
      readonly api: string;
      /** The system or the judge that sends them. */
      readonly model: string;
      readonly at: string;
      readonly requests: readonly LoggedRequest[];
    }
  | {
      readonly kind: "create";
      readonly batch: string;
      readonly id: string;
      readonly at: string;
      /** True if it is only likely that this is the batch: its results will show it. */
      readonly isGuess?: boolean;
    }
  /** It was never created, or another batch was taken for it. */
  | { readonly kind: "drop"; readonly batch: string; readonly at: string; readonly why: string }
  | { readonly kind: "state"; readonly batch: string; readonly state: string; readonly at: string }
  /** Its time is over: the requests without an answer are sent one by one. */
  | { readonly kind: "cancel"; readonly batch: string; readonly at: string }
  | {
      readonly kind: "end";
      readonly batch: string;
      readonly state: string;
      readonly at: string;
      /** Positions of the requests that failed; they are sent again if their trials are retried. */
      readonly failed: readonly number[];
    }
  /** Requests that are sent one by one, after the time of their batch. */
  | { readonly kind: "live"; readonly at: string; readonly requests: readonly LoggedRequest[] };

/** Where the batches of a run are recorded. */
export interface BatchLog {
  /** Entries of earlier starts of the run. */
  readonly entries: readonly BatchEntry[];
  /** Returns when the entry would survive a kill. */
  append(entry: BatchEntry): void;
}

/** A log in memory, for runs that are not stored. */
export function createMemoryBatchLog(): BatchLog {
  return { entries: [], append: () => {} };
}
