import type { Dataset } from "../core/dataset.js";
import type { Evaluator } from "../core/evaluator.js";
import type { ExampleSource } from "../core/example.js";
import type { Metric } from "../core/metric.js";
import type { System } from "../core/system.js";

/**
 * A run, described: what `assay.config.*` holds and what flags override. Things are named by a spec
 * (`truncate:0.5`, `./my-system.ts`) or, in a module, given as they are.
 */
export interface RunConfig {
  title?: string;
  systems?: readonly (string | System)[];
  /** Files of recorded outputs, each measured as a system. */
  replay?: readonly string[];
  datasets?: readonly (string | Dataset | ExampleSource)[];
  evaluators?: readonly (string | Evaluator)[];
  metrics?: readonly (string | Metric)[];
  plugins?: readonly string[];
  scoreField?: string;
  threshold?: number;
  trials?: number;
  seed?: number;
  maxWorkers?: number;
  maxExamples?: number;
  head?: boolean;
  map?: Readonly<Record<string, string>>;
  filter?: Readonly<Record<string, string>>;
  skipBadRows?: boolean;
  cacheDir?: string;
  runsDir?: string;
  tokenizer?: string;
  output?: string;
  columns?: readonly string[];
  minCoverage?: number;
  /** Metric key → the least it may be. */
  failUnder?: Readonly<Record<string, number>>;
  /** Metric key → the most it may be. */
  failOver?: Readonly<Record<string, number>>;
}

/**
 * Helps an editor complete a config file.
 * @example
 * export default defineConfig({ systems: ["truncate:0.5"], datasets: ["needle"] });
 */
export function defineConfig(config: RunConfig): RunConfig {
  return config;
}

export const DEFAULT_RUNS_DIR = ".assay/runs";
export const DEFAULT_CACHE_DIR = ".assay/cache";
export const DEFAULT_MIN_COVERAGE = 0.95;
