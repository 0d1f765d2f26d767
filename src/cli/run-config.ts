import type { AgentOptions } from "../agents/open-agent.js";
import type { Dataset } from "../core/dataset.js";
import type { Evaluator } from "../core/evaluator.js";
import type { ExampleSource } from "../core/example.js";
import type { Metric } from "../core/metric.js";
import type { System } from "../core/system.js";
import type { NamedFiles } from "../datasets/named-files.js";
import type { EvalsConfig } from "../evals/spec/evals-config.js";
import type { DialectName } from "../models/dialects/dialect.js";

/** How models are asked: for all models of a run, or for one. */
interface ModelSettings {
  systemPrompt?: string;
  temperature?: number;
  /** Of the answer. */
  maxTokens?: number;
  /** Added to the body of every request; null takes a key out. */
  extraBody?: Readonly<Record<string, unknown>>;
  headers?: Readonly<Record<string, string>>;
  /** Seconds for one call. */
  timeout?: number;
  /** The name of the variable that holds the key. */
  apiKeyEnv?: string;
  /** Lets a key go over plain http to another machine. */
  allowInsecure?: boolean;
}

/** A model and where it is. */
export interface ModelConfig extends ModelSettings {
  /** As its provider or the models file names it. */
  model?: string;
  /** The base URL of whatever answers for it. */
  proxy?: string;
  /** What the system is called in the report. */
  name?: string;
  /** How it is spoken to: chat, responses, anthropic or gemini. */
  api?: DialectName;
}

/** A coding agent and the model it uses. */
export type AgentConfig = Pick<AgentOptions, "agent" | "command" | "model" | "name" | "api">;

/** One or several models that judge answers. */
export interface JudgeConfig {
  models: readonly (string | ModelConfig)[];
  scale?: "binary" | "1-5" | "1-10";
  /** What a good answer is. */
  rubric?: string;
  /** A rubric for each criterion, which gets a field of its own. */
  criteria?: Readonly<Record<string, string>>;
  /** How several judges become one. */
  panel?: "mean" | "median" | "majority" | "min";
  /** Compare with the example's `baseline`, or its gold answer, in both orders. */
  pairwise?: boolean;
  /** Judge each turn of a conversation with what was said before it. */
  perTurn?: boolean;
  /** Whether the gold answers are shown to the judge; where there are any unless told. */
  reference?: boolean;
  /** Calls at a time. */
  maxWorkers?: number;
}

/**
 * A run, described: what `assay.config.*` holds and what flags override. Things are named by a spec
 * (`truncate:0.5`, `./my-system.ts`) or, in a module, given as they are.
 */
export interface RunConfig extends ModelSettings {
  title?: string;
  systems?: readonly (string | System)[];
  /** Models behind an API: names from the models file, `provider/model`, or where to find them. */
  models?: readonly (string | ModelConfig)[];
  /** Where models, their prices and budgets are described; models.yml when there is one. */
  modelsFile?: string;
  /** For memories: the system that answers from what they bring up, where it is no model. */
  reader?: string;
  /** Coding agents: names, `NAME:MODEL`, or how to start one. */
  agents?: readonly (string | AgentConfig)[];
  /** Trials of agents at a time. */
  agentParallel?: number;
  /** `inherit` for your own HOME, or a folder: for agents that are logged in there. A throw-away one unless given. */
  agentHome?: string;
  /** Where the model calls of agents go, in place of their provider. */
  agentUrl?: string;
  /** Variables that are passed on to agents. */
  agentEnv?: readonly string[];
  /** Makes a trial an error in which an agent called another model than the one asked for. */
  strictModel?: boolean;
  /** Where the workspaces of agents are kept; they are removed unless given. */
  keepWorkspaces?: string;
  /** Files of recorded outputs, each measured as a system. */
  replay?: readonly string[];
  datasets?: readonly (string | Dataset | ExampleSource)[];
  /** Files of the project by a name that `datasets` and --dataset know: what `assay datasets import` writes. */
  namedDatasets?: Readonly<Record<string, NamedFiles>>;
  /** Where eval files are, suites of them and environments that they share, for `assay eval`. */
  evals?: EvalsConfig;
  evaluators?: readonly (string | Evaluator)[];
  /** Scores every dataset beside its evaluators. */
  judge?: JudgeConfig;
  metrics?: readonly (string | Metric)[];
  plugins?: readonly string[];
  scoreField?: string;
  threshold?: number;
  trials?: number;
  seed?: number;
  /** The seed of the sample alone; `seed` unless given. */
  shuffleSeed?: number;
  maxWorkers?: number;
  /** Dollars for the whole run. */
  maxCost?: number;
  /** Dollars for each trial, instead of what the models file says. */
  trialMaxCost?: number;
  /** How often a call that failed before any output is made again. */
  maxRetries?: number;
  /** What is done about an endpoint that is down: given up after a minute unless given. */
  onOutage?: "stop" | "wait";
  maxExamples?: number;
  head?: boolean;
  map?: Readonly<Record<string, string>>;
  filter?: Readonly<Record<string, string>>;
  skipBadRows?: boolean;
  /** Lets generated code run without a sandbox. */
  unsafeLocalExec?: boolean;
  cacheDir?: string;
  runsDir?: string;
  /** The Redis whose workers run the trials; this process does unless given. */
  queue?: string;
  /** With `queue`: a folder that all machines see, for large outputs. */
  sharedDir?: string;
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
