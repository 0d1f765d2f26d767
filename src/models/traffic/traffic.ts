import type { TrialKey } from "../../core/index.js";
import type { WrapTransport } from "../http/transport.js";

/** What is between the model calls of a run and the network: records them, or answers them. */
export interface Traffic {
  /** True if nothing is ever sent, so that no key is needed and nothing is paid. */
  readonly isOffline: boolean;
  /** For the clients of models and judges, and for gateways. */
  readonly wrap: WrapTransport;
  /** Replaces a text that differs each time a trial is run, such as the path of its folder, by a name. */
  addName(trial: TrialKey, text: string, name: TrafficName): void;
  /** Called before each call of a trial's agent to its model: false if a live model is to answer it. */
  startTurn(trial: TrialKey): boolean;
  /** How the calls of a trial were answered, for its notes; null if they went to the network. */
  describeTrial(trial: TrialKey): string | null;
  /** The first call of a trial that has no recorded answer; null if there is none. */
  findMiss(trial: TrialKey): Error | null;
  /** Rejects if something could not be recorded. */
  close(): Promise<void>;
}

export type TrafficName = "folder" | "gateway";

/** A text that stands for one that differs each time. */
export function formatTrafficName(name: TrafficName): string {
  return `{assay:${name}}`;
}

/** First word of the note on a trial whose model calls were answered from a recording. */
export const REPLAYED_NOTE = "replayed";

/** End of that note on a trial of which some calls went to the model. */
export const LIVE_NOTE_END = "sent to the model";

/** Which model calls of a trial were answered from a recording, by the notes on its row: all, some or none. */
export function findReplayedPart(notes: readonly string[]): "all" | "some" | "none" {
  const note = notes.find((each) => each.startsWith(`${REPLAYED_NOTE}: `));
  if (note === undefined) return "none";
  return note.endsWith(LIVE_NOTE_END) ? "some" : "all";
}
