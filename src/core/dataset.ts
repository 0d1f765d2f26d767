import type { Evaluator } from "./evaluator.js";
import type { Example, ExampleSource } from "./example.js";
import type { ExampleOverrides } from "./example-limits.js";
import type { Facets, FacetValue } from "./row.js";

/** A named list of examples with its evaluators and the field that decides pass or fail. */
export interface Dataset extends Iterable<Example> {
  readonly name: string;
  /** The examples; iterating over the dataset yields the same. */
  readonly examples: readonly Example[];
  /** Identifies exactly these examples, if the loader knows a cheaper way than hashing each one. */
  readonly fingerprint?: { readonly of: readonly Example[]; readonly sha256: string };
  readonly evaluators?: readonly Evaluator[];
  readonly primaryField?: string;
  /** Messages for the user, such as rows that were skipped. */
  readonly notes?: readonly string[];
  /** Where the examples come from, including the revision; stored with the run. */
  readonly origin?: DatasetOrigin;
  /** Example fields to break results down by, such as `subject`, or `depth` and `length`. */
  readonly facets?: readonly string[];
  /**
   * Further facets by example id that are not fields of the examples: systems never see them, and they are not part of
   * the fingerprint.
   */
  readonly labels?: ReadonlyMap<string | number, Facets>;
  /**
   * A field whose value groups related examples, such as `conversation`: they run next to each other, and confidence
   * intervals count each group, not each example, as one independent observation.
   */
  readonly groupBy?: string;
  /**
   * Examples with the same id in datasets with the same name here are one task, such as a test case in all variants of an
   * experiment: they run next to each other, and a run that may stop early compares them.
   */
  readonly pairedAs?: string;
  /** What a human expert charges for one example, in dollars: part of the frontier cost of a pass. */
  readonly expertCostUsd?: number;
  /** Judge settings that apply unless the run sets its own. */
  readonly judge?: DatasetJudging;
  /** Settings of the run that this dataset overrides. */
  readonly terms?: DatasetOverrides;
  /**
   * Settings that single examples override, by example id. Unlike the `limits` of an example itself, they are not part of
   * it: systems never see them, and they are not part of the fingerprint.
   */
  readonly limits?: ReadonlyMap<string | number, ExampleOverrides>;
  /** The agent skill under test. */
  readonly skill?: string;
  /** Gates on this dataset's results, checked for each system. */
  readonly gates?: readonly DatasetGate[];
}

/** A summary metric compared with a threshold. */
export interface DatasetGate {
  readonly metric: string;
  readonly op: ">=" | "<=" | ">" | "<" | "==";
  readonly value: number;
}

/** Run settings that one dataset overrides. */
export interface DatasetOverrides {
  /** Names of the systems to run. Default: all systems of the run. */
  readonly systems?: readonly string[];
  /** Trials per example. Default: that of the run. */
  readonly trials?: number;
  /** Maximum cost of one trial in dollars. Default: that of the system. */
  readonly maxCostUsd?: number;
  /** Time limit of one trial. Default: that of the system. */
  readonly hardTimeoutMs?: number;
}

/** A dataset repository, pinned to a commit. */
export interface DatasetOrigin {
  readonly repo: string;
  /** The commit that was read. */
  readonly revision: string;
  readonly files: readonly string[];
}

/** Judge settings of a dataset, used unless the run sets its own. */
export interface DatasetJudging {
  /** Compares with the example's `baseline`, in both orders. */
  readonly pairwise?: boolean;
  /** Judges each turn; the score is the mean. */
  readonly perTurn?: boolean;
}

/** Options for loading a dataset. */
export interface LoadOptions {
  /** At most this many examples: a seeded random sample, or the first ones with `head`. */
  maxExamples?: number;
  head?: boolean;
  seed?: number;
  /** Seed of the sample. Default: `seed`. */
  shuffleSeed?: number;
  /** Target field → column of the file, e.g. `{ question: "prompt" }`. */
  map?: Readonly<Record<string, string>>;
  /** Keep rows whose column equals the value, e.g. `{ subject: "anatomy" }`. */
  filter?: Readonly<Record<string, string>>;
  /** For files: accept rows with neither a context nor a question, for systems that read other columns. */
  anyColumns?: boolean;
  /** Count unreadable rows instead of stopping at the first. */
  skipBadRows?: boolean;
  /** The part after the colon in `name:config`. */
  config?: string;
  /** The part after the at sign in `name@revision`: a branch, tag or commit of the repository. */
  revision?: string;
  /** Local files to read instead of downloading, for datasets that have a template. */
  files?: readonly string[];
  /** Called with the progress of a download. */
  onDownload?: (progress: DownloadProgress) => void;
  signal?: AbortSignal;
}

/** Progress of a dataset download. */
export interface DownloadProgress {
  /** The file being read, as shown in messages. */
  file: string;
  /** Bytes received so far, over all files. */
  received: number;
  /** Total bytes to receive, if known. */
  expected: number | null;
  /** What the download waits for, such as another process; null while data arrives. */
  waitingFor: string | null;
}

/** A dataset that can be loaded by name. */
export interface DatasetDefinition {
  readonly description?: string;
  /** Evaluators that score it, as objects or registered names. */
  readonly evaluators?: readonly (Evaluator | string)[];
  readonly primaryField?: string;
  /** True if it accepts revisions and local files: `NAME@REVISION`, `NAME=FILE`. */
  readonly hasTemplate?: boolean;
  load(options: LoadOptions): ExampleSource | LoadedExamples | Promise<ExampleSource | LoadedExamples>;
}

/** Examples, and dataset fields that are known only after loading. */
export interface LoadedExamples extends Partial<Omit<Dataset, "examples" | "evaluators" | typeof Symbol.iterator>> {
  readonly examples: readonly Example[];
  readonly evaluators?: readonly (Evaluator | string)[];
  /** True if filter and sampling were applied while loading; otherwise they are applied afterwards. */
  readonly isChosen?: boolean;
}

/**
 * Creates a dataset from its parts.
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

/**
 * Reads the facets of an example, skipping fields that it lacks. Null if it has none.
 * @example
 * readFacets({ id: 1, question: "…", subject: "anatomy" }, ["subject", "year"]); // { subject: "anatomy" }
 */
export function readFacets(example: Example, fields: readonly string[]): Facets | null {
  const known: [string, FacetValue][] = [];
  for (const field of fields) {
    const value = readFacetValue(example, field);
    if (value !== null) known.push([field, value]);
  }
  return known.length === 0 ? null : Object.fromEntries(known);
}

/** The facets of an example: the labels of its dataset and its own fields. */
export function collectFacets(
  example: Example,
  { facets = [], labels }: Pick<Dataset, "facets" | "labels">,
): Facets | null {
  const own = labels?.get(example.id);
  const read = readFacets(example, facets);
  return own === undefined ? read : { ...own, ...read };
}

/** A non-empty string, a boolean or a finite number; null for anything else. */
export function readFacetValue(example: Example, field: string): FacetValue | null {
  if (!Object.hasOwn(example, field)) return null;
  const value = example[field];
  if (typeof value === "string") return value.trim() === "" ? null : value;
  if (typeof value === "boolean") return value;
  return typeof value === "number" && Number.isFinite(value) ? value : null;
}
