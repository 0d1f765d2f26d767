import type { TrialKey } from "../core/row.js";

// Types of stored files that the page uses too.

/** What a person decides about a trial. */
export interface TrialLabelDraft extends TrialKey {
  /** Null to take the verdict back. */
  verdict: "right" | "wrong" | null;
  note: string;
  tags: string[];
  /** Whether the system and the outcome were hidden. */
  blind: boolean;
}

/** One line of `labels.jsonl`: the last of a trial counts. */
export interface TrialLabel extends TrialLabelDraft {
  /** When it was given, as an ISO date. */
  at: string;
  /** Who gave it; null if not said. */
  labeler: string | null;
}
