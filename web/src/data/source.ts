import type { TrialKey } from "../../../src/core/row.js";
import type {
  CompareView,
  LiveProgress,
  QueueView,
  RowChunk,
  RowsHead,
  RunCard,
  RunListQuery,
  RunPage,
  RunView,
  TrialView,
} from "../../../src/report/dashboard/contract.js";

export type { TrialKey };

/** What a page is drawn from: a server, or the file that the page is in. */
export interface DataSource {
  /** `file` holds one run, never changes and cannot be asked for more. */
  readonly kind: "served" | "file";
  /** The one run that a file holds; null for a server, which may have any number. */
  readonly singleRun: SingleRun | null;
  /** A page of the list of runs; of the runs read so far, where there are very many. */
  listRuns(query: RunListQuery): Promise<RunPage>;
  /** Runs by their ids; ids of no run are left out. */
  listCards(ids: readonly string[]): Promise<readonly RunCard[]>;
  getRun(id: string): Promise<RunView>;
  /** Calls back for each piece as it arrives, the head first. */
  readRows(id: string, receive: RowReceiver, signal: AbortSignal): Promise<void>;
  getTrial(id: string, key: TrialKey): Promise<TrialView>;
  /** The whole of a text that a trial shows the beginning of; fails when no more than that is kept. */
  getText(id: string, key: TrialKey, field: TextReference): Promise<string>;
  /** Trials whose question or answer contains a text, whatever its case. */
  searchTrials(id: string, text: string, signal: AbortSignal): Promise<TrialMatches>;
  compareRuns(wanted: ComparisonQuery): Promise<CompareView>;
  /** Tells how a run goes, and how its workers do, until it ends or the returned function is called. */
  watchRun(id: string, listeners: RunListeners): () => void;
  /** Tells when the list of runs has changed. */
  watchRuns(listen: () => void): () => void;
  /** Tells when the server is gone, and when it is back. */
  watchServer(listen: (isThere: boolean) => void): () => void;
}

interface RunListeners {
  progress(progress: LiveProgress): void;
  /** Of a run over a queue: called whenever something about its workers has changed. */
  queue(queue: QueueView | null): void;
}

export interface SingleRun {
  readonly id: string;
  /** How many systems it has. */
  readonly systems: number;
}

export interface TrialMatches {
  readonly matches: readonly TrialKey[];
  /** True when there are more, which are left out. */
  readonly isCut: boolean;
}

export interface RowReceiver {
  head(head: RowsHead): void;
  chunk(chunk: RowChunk): void;
}

/** Such as `{ of: "output", name: "response" }`. */
interface TextReference {
  of: "example" | "output";
  name: string;
}

export interface ComparisonQuery {
  a: string;
  b: string;
  systemA?: string;
  systemB?: string;
}

/** What went wrong, in words for the reader of the page. */
export class SourceError extends Error {
  readonly code = "SOURCE";
}
