import type { TrialKey } from "../../../src/core/row.js";
import type {
  CompareView,
  ExampleExcerpts,
  LabelView,
  LiveProgress,
  QueueView,
  RowChunk,
  RowsHead,
  RunCard,
  RunListQuery,
  RunPage,
  RunView,
  TrialExcerpts,
  TrialLabelDraft,
  TrialView,
} from "../../../src/report/dashboard/contract.js";

export type { TrialKey };

/** Where the pages get their data: a server, or the file that the page is in. */
export interface DataSource {
  /** A `file` holds one run and never changes. */
  readonly kind: "served" | "file";
  /** The run of a file; null for a server. */
  readonly singleRun: SingleRun | null;
  /** A page of the list of runs that were read so far. */
  listRuns(query: RunListQuery): Promise<RunPage>;
  /** Runs by id; unknown ids are left out. */
  listCards(ids: readonly string[]): Promise<readonly RunCard[]>;
  getRun(id: string): Promise<RunView>;
  /** Calls back for each chunk as it arrives, the head first. */
  readRows(id: string, receive: RowReceiver, signal: AbortSignal): Promise<void>;
  getTrial(id: string, key: TrialKey): Promise<TrialView>;
  /** All of a text of which a trial has the beginning; fails when the rest was not kept. */
  getText(id: string, key: TrialKey, field: TextReference): Promise<string>;
  /** The beginnings of the texts of at most fifty examples of a dataset; examples without texts are left out. */
  getExcerpts(id: string, dataset: string, ids: readonly (string | number)[]): Promise<readonly ExampleExcerpts[]>;
  /** The beginnings of the texts of at most `MAX_EXCERPT_TRIALS` trials, in their order. */
  getTrialExcerpts(id: string, keys: readonly TrialKey[]): Promise<readonly TrialExcerpts[]>;
  /** Trials whose question or answer contains a text, ignoring case. */
  searchTrials(id: string, text: string, signal: AbortSignal): Promise<TrialMatches>;
  /** What people said about the trials of a run. */
  getLabels(id: string): Promise<LabelView>;
  /** Whether labels can be written. */
  canLabel(): Promise<boolean>;
  /** Returns the labels with the new one. */
  saveLabel(id: string, label: TrialLabelDraft): Promise<LabelView>;
  compareRuns(wanted: ComparisonQuery): Promise<CompareView>;
  /** Reports the progress of a run and its workers, until it ends or the returned function is called. */
  watchRun(id: string, listeners: RunListeners): () => void;
  /** Reports changes of the list of runs. */
  watchRuns(listen: () => void): () => void;
  /** Reports when the server is gone, and when it is back. */
  watchServer(listen: (isThere: boolean) => void): () => void;
}

interface RunListeners {
  progress(progress: LiveProgress): void;
  /** For a run over a queue: called when its workers change. */
  queue(queue: QueueView | null): void;
}

export interface SingleRun {
  readonly id: string;
  readonly systems: number;
}

export interface TrialMatches {
  readonly matches: readonly TrialKey[];
  /** True when there are more matches than these. */
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

/** An error whose message is shown on the page. */
export class SourceError extends Error {
  readonly code = "SOURCE";
}
