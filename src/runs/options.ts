import type { Dataset } from "../core/dataset.js";
import type { Evaluator } from "../core/evaluator.js";
import type { ExampleSource } from "../core/example.js";
import type { Metric } from "../core/metric.js";
import type { System } from "../core/system.js";
import type { Tokenizer } from "../core/tokenizer.js";
import type { OutagePolicy } from "../runner/gate.js";
import type { Progress } from "../runner/ports.js";
import type { RetryPolicy } from "../runner/retry.js";
import type { BudgetOptions } from "./budgets.js";
import type { QueueOptions } from "./queue-run.js";

/** What is measured, on what, by whom, and within which limits. */
export interface EvaluateOptions {
  /** What is measured: one or more, each with a name of its own. */
  systems: readonly System[];
  /** The examples: any sync or async iterable, or a loaded dataset. */
  dataset?: ExampleSource | Dataset;
  /** Several datasets, each with its own evaluators and primary field. */
  datasets?: readonly (ExampleSource | Dataset)[];
  /** Used for every dataset; left out, each dataset's own are. */
  evaluators?: readonly Evaluator[];
  /**
   * Computed beside the standard ones for this number of systems and datasets; one of the same name takes the place of
   * the standard one. There is no way to leave the standard ones out: read the keys you need.
   */
  metrics?: readonly Metric[];
  /** The field that decides pass or fail; left out, each dataset's primary field. */
  scoreField?: string;
  /** Passing means at least this much; 0.7 unless given. */
  threshold?: number;
  trials?: number;
  seed?: number;
  /** Trials at a time; 8 unless given. */
  maxWorkers?: number;
  /** What the run and each of its trials may cost, in dollars. */
  budget?: BudgetOptions;
  /** How calls that fail before any output are made again; five times within two minutes of waiting unless given. */
  retry?: Partial<RetryPolicy>;
  /** What is done about an endpoint that is down: given up after 60 s (`giveUpAfterMs`) unless given. */
  outage?: Partial<OutagePolicy>;
  /** Where outputs are kept by content, so that running again does the missing work only. */
  cacheDir?: string;
  /** Where run folders go; left out, the run is not kept. */
  runsDir?: string;
  /** A run folder to go on with: only its missing and failed trials are run. */
  resume?: string;
  title?: string;
  /** "cl100k_base" unless given. */
  tokenizer?: string | Tokenizer;
  /** Leave out examples that cannot be run instead of stopping at the first. */
  skipBadRows?: boolean;
  /** Stops the run: what is finished is kept, the rest is skipped. */
  signal?: AbortSignal;
  onProgress?: (progress: Progress) => void;
  /** Told what happened on the way that says nothing about the result, such as a torn line that was dropped on resume. */
  onNote?: (note: string) => void;
  /** Kept in the run's manifest, for whoever wants to start it again. */
  invocation?: unknown;
  /** The address of a Redis: the trials are run by workers, on any number of machines. */
  queue?: string | QueueOptions;
}
