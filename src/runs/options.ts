import type {
  Dataset,
  Evaluator,
  ExampleSource,
  ExpertCosts,
  Metric,
  MetricChoice,
  RetryPolicy,
  System,
  Tokenizer,
} from "../core/index.js";
import { didYouMean, UsageError } from "../core/index.js";
import type { UntilOptions } from "../metrics/index.js";
import type { Batches } from "../models/index.js";
import type { OutagePolicy, Progress } from "../runner/index.js";
import { checkTag } from "../store/index.js";
import type { BudgetOptions } from "./budgets.js";
import type { QueueOptions } from "./queue-run.js";

/** Options of `evaluate`. */
export interface EvaluateOptions<SystemName extends string = string, MetricKey extends string = string> {
  /** Systems to measure, each with a unique name. */
  systems: readonly System<SystemName>[];
  /** The examples: any sync or async iterable, or a loaded dataset. */
  dataset?: ExampleSource | Dataset;
  /** Several datasets, each with its own evaluators and primary field. */
  datasets?: readonly (ExampleSource | Dataset)[];
  /** Used for every dataset. Default: each dataset's own. */
  evaluators?: readonly Evaluator[];
  /**
   * A list is computed in addition to the standard metrics, and replaces those of the same name. `{ only: [...] }`
   * replaces them all; counts, coverage, costs, facets and measures are in every summary.
   */
  metrics?: MetricChoice<Metric<MetricKey>>;
  /** Field that decides pass or fail. Default: each dataset's primary field. */
  scoreField?: string;
  /** Minimum score to pass. Default: 0.7. */
  threshold?: number;
  trials?: number;
  /**
   * What a human expert charges for one example, in dollars, or for each dataset by name: part of the frontier cost of a
   * pass. Default: that of each dataset.
   */
  expertCostUsd?: ExpertCosts;
  seed?: number;
  /** Trials run at once. Default: 8. */
  maxWorkers?: number;
  /** Cost limits for the run and for each trial, in dollars. */
  budget?: BudgetOptions;
  /** Retries of calls that fail before any output. Default: five within two minutes of waiting. */
  retry?: Partial<RetryPolicy>;
  /** What to do if an endpoint is down. Default: give up after 60 s (`giveUpAfterMs`). */
  outage?: Partial<OutagePolicy>;
  /** Where outputs are cached by content, so that a second run does only the missing work. */
  cacheDir?: string;
  /** Where to store run folders. Without it, the run is not stored. */
  runsDir?: string;
  /** A run folder to resume: only its missing and failed trials are run. */
  resume?: string;
  /**
   * Stops the run when a question is decided: "decided", "best", "pass_rate>=0.9", "precision<=0.03", or a question with
   * details. "none" resumes a run that was stopped and runs all its tasks.
   */
  until?: string | UntilOptions;
  title?: string;
  /** Tags of the stored run, by which it can be named. A resumed run keeps its own. */
  tags?: readonly string[];
  /** A registered name, or a tokenizer. Default: "cl100k_base". */
  tokenizer?: string | Tokenizer;
  /** Skip examples that cannot be run instead of stopping at the first. */
  skipBadRows?: boolean;
  /** Stops the run: finished trials are kept, the rest are skipped. */
  signal?: AbortSignal;
  onProgress?: (progress: Progress) => void;
  /** Receives notes that do not affect the result, such as an incomplete line dropped on resume. */
  onNote?: (note: string) => void;
  /** Stored in the run's manifest, so that the run can be started again. */
  invocation?: unknown;
  /** The batches that models of this run send their requests in; see `ModelOptions.batches`. */
  batches?: Batches;
  /** Address of a Redis server: trials are run by workers, on any number of machines. */
  queue?: string | QueueOptions;
}

const KNOWN_OPTIONS: Readonly<Record<keyof EvaluateOptions, true>> = {
  systems: true,
  dataset: true,
  datasets: true,
  evaluators: true,
  metrics: true,
  scoreField: true,
  threshold: true,
  trials: true,
  expertCostUsd: true,
  seed: true,
  maxWorkers: true,
  budget: true,
  retry: true,
  outage: true,
  cacheDir: true,
  runsDir: true,
  resume: true,
  until: true,
  title: true,
  tags: true,
  tokenizer: true,
  skipBadRows: true,
  signal: true,
  onProgress: true,
  onNote: true,
  invocation: true,
  batches: true,
  queue: true,
};

/** An unknown option would be silently ignored. */
export function checkEvaluateOptions(options: EvaluateOptions): void {
  const unknown = Object.keys(options).find((key) => !Object.hasOwn(KNOWN_OPTIONS, key));
  if (unknown !== undefined) {
    throw new UsageError(`evaluate() has no option "${unknown}".${didYouMean(unknown, Object.keys(KNOWN_OPTIONS))}`);
  }
  for (const tag of options.tags ?? []) checkTag(tag);
}
