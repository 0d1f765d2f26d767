import type { Evaluator } from "./evaluator.js";
import type { Example, ExampleSource } from "./example.js";
import type { Facets } from "./row.js";

/** Examples with a name, and what belongs to them: their evaluators and the field that decides pass or fail. */
export interface Dataset extends Iterable<Example> {
  readonly name: string;
  /** What a run reads; iterating over the dataset itself gives the same. */
  readonly examples: readonly Example[];
  /** What identifies these very examples, when the loader knows it better than by hashing each. */
  readonly fingerprint?: { readonly of: readonly Example[]; readonly sha256: string };
  readonly evaluators?: readonly Evaluator[];
  readonly primaryField?: string;
  /** Things to tell the user, such as rows that were left out. */
  readonly notes?: readonly string[];
  /** Where the examples come from, down to the revision: kept with the run. */
  readonly origin?: DatasetOrigin;
  /** Fields of the examples by which results are broken down, such as `subject`, or `depth` and `length`. */
  readonly facets?: readonly string[];
  /**
   * What results are broken down by that stands in no field of the examples, by their ids: no system sees it, and changing
   * it changes nothing of what is asked.
   */
  readonly labels?: ReadonlyMap<string | number, Facets>;
  /**
   * The field of which examples share a value that makes them alike, such as `conversation`: they stand together in the
   * order of a run, and intervals take each such group, not each example, as one independent observation.
   */
  readonly groupBy?: string;
  /** How a judge goes about it where the run does not say. */
  readonly judge?: DatasetJudging;
  /** How its examples are run where that differs from the rest of the run. */
  readonly terms?: RunTerms;
  /** The skill of agents that it is about. */
  readonly skill?: string;
  /** What its trials are held to, each system by itself. */
  readonly gates?: readonly DatasetGate[];
}

/** A figure of the summary, held against a value. */
export interface DatasetGate {
  readonly metric: string;
  readonly op: ">=" | "<=" | ">" | "<" | "==";
  readonly value: number;
}

/** On what terms the examples of one dataset are run. */
export interface RunTerms {
  /** Names of the systems that are asked; all of the run unless told. */
  readonly systems?: readonly string[];
  /** Trials of each example; those of the run unless told. */
  readonly trials?: number;
  /** The most that one trial may cost, in dollars; what the system says unless told. */
  readonly maxCostUsd?: number;
  /** A trial is stopped after this long; what the system says unless told. */
  readonly hardTimeoutMs?: number;
}

/** A place on a hub of datasets, pinned. */
export interface DatasetOrigin {
  readonly repo: string;
  /** The commit that was read. */
  readonly revision: string;
  readonly files: readonly string[];
}

/** What a dataset is judged by unless a run says otherwise. */
export interface DatasetJudging {
  /** Compared with the example's `baseline`, in both orders. */
  readonly pairwise?: boolean;
  /** Each turn is judged, and the score is their mean. */
  readonly perTurn?: boolean;
}

/** What a dataset is loaded with. */
export interface LoadOptions {
  /** At most this many examples: a seeded random sample, or the first ones with `head`. */
  maxExamples?: number;
  head?: boolean;
  seed?: number;
  /** The seed of the sample alone; `seed` unless given. */
  shuffleSeed?: number;
  /** Target field → column of the file, e.g. `{ question: "prompt" }`. */
  map?: Readonly<Record<string, string>>;
  /** Keep rows whose column equals the value, e.g. `{ subject: "anatomy" }`. */
  filter?: Readonly<Record<string, string>>;
  /** Count rows that cannot be read instead of stopping at the first. */
  skipBadRows?: boolean;
  /** What follows the colon in `name:config`. */
  config?: string;
  /** What follows the at sign in `name@revision`: a branch, a tag or a commit of the hub's repository. */
  revision?: string;
  /** Local files to read instead of the hub's, for datasets that have a template. */
  files?: readonly string[];
  /** Told how far a download is. */
  onDownload?: (progress: DownloadProgress) => void;
  signal?: AbortSignal;
}

/** How far the download of a dataset is. */
export interface DownloadProgress {
  /** The file being read, as messages name it. */
  file: string;
  /** Bytes that have come over the network so far, of all files. */
  received: number;
  /** Bytes that will have come, as far as is known. */
  expected: number | null;
  /** What is being waited for, such as another process; null while bytes come. */
  waitingFor: string | null;
}

/** A dataset that can be loaded by name. */
export interface DatasetDefinition {
  readonly description?: string;
  /** Those that score it, by name or as they are; a name is made into an evaluator when the dataset is loaded. */
  readonly evaluators?: readonly (Evaluator | string)[];
  readonly primaryField?: string;
  /** True when it has revisions, and reads local files as it does its own: `NAME@REVISION`, `NAME=FILE`. */
  readonly hasTemplate?: boolean;
  load(options: LoadOptions): ExampleSource | LoadedExamples | Promise<ExampleSource | LoadedExamples>;
}

/** Examples, and what only became known on loading them. */
export interface LoadedExamples extends Partial<Omit<Dataset, "examples" | "evaluators" | typeof Symbol.iterator>> {
  readonly examples: readonly Example[];
  readonly evaluators?: readonly (Evaluator | string)[];
  /** True when filter and sample were seen to on loading; otherwise they are seen to now. */
  readonly isChosen?: boolean;
}

/**
 * A dataset from its parts.
 * @example
 * const half = makeDataset({ ...dataset, examples: dataset.examples.slice(0, 50) });
 */
export function makeDataset(parts: Omit<Dataset, typeof Symbol.iterator>): Dataset {
  return {
    ...parts,
    [Symbol.iterator]() {
      return this.examples[Symbol.iterator]();
    },
  };
}
