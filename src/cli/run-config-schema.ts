import * as z from "zod";
import type { Dataset } from "../core/dataset.js";
import type { Evaluator } from "../core/evaluator.js";
import type { ExampleSource } from "../core/example.js";
import type { Metric } from "../core/metric.js";
import type { System } from "../core/system.js";
import type { NamedFiles } from "../datasets/named-files.js";
import type { EvalsConfig } from "../evals/spec/evals-config.js";
import { DIALECT_NAMES } from "../models/dialects/dialect.js";

const text = optional(z.string());
const flag = optional(z.boolean());
const share = optional(z.number().min(0).max(1));
const integer = optional(z.number().int());
const count = optional(z.number().int().min(1));
const texts = optional(list(z.string()));
const textByName = optional(z.record(z.string(), z.string()).readonly());
const numberByName = optional(z.record(z.string(), z.number()).readonly());
const api = optional(z.enum(DIALECT_NAMES));

/** How models are asked: for all models of a run, or for one. */
const MODEL_SETTINGS = {
  /** The system prompt of every request. */
  systemPrompt: text,
  /** The sampling temperature. */
  temperature: optional(z.number().min(0)),
  /** The most tokens of an answer. */
  maxTokens: count,
  /** Added to the body of every request; null takes a key out. */
  extraBody: optional(z.record(z.string(), z.unknown()).readonly()),
  /**
   * Extra headers of every request.
   * @flag `--header`
   */
  headers: textByName,
  /** Seconds that one call may take. */
  timeout: optional(z.number().positive()),
  /** The name of the environment variable that holds the API key. */
  apiKeyEnv: text,
  /** Lets a key go over plain http to another machine. */
  allowInsecure: flag,
};

/** What is said of one model. */
const MODEL_KEYS = {
  ...MODEL_SETTINGS,
  /** The model, as its provider or the models file names it. */
  model: text,
  /** The base URL of whatever answers for it. */
  proxy: text,
  /** What the system is called in the report. */
  name: text,
  /** The API format: chat, responses, anthropic or gemini. */
  api,
};

/** A model and where it is. */
export interface ModelConfig extends Described<typeof MODEL_KEYS> {}
const model: z.ZodType<ModelConfig> = z.strictObject(MODEL_KEYS);
const models = list(z.union([z.string(), model], { error: "must be a name or { model, proxy, name, api, … }" }));

/** What is said of one coding agent. */
const AGENT_KEYS = {
  /** claude, codex, gemini, opencode or pi; `NAME:MODEL` names its model as well. */
  agent: text,
  /** Any other program, in place of `agent`: `my-agent {prompt}`. */
  command: text,
  /** A model of the models file, `provider/model`, or what the agent's own provider calls it. */
  model: text,
  /** What the system is called in the report. Default: the name of the agent. */
  name: text,
  /** The API format of the model: chat, responses, anthropic or gemini. */
  api,
};

/** A coding agent and the model it uses. */
export interface AgentConfig extends Described<typeof AGENT_KEYS> {}
const agent: z.ZodType<AgentConfig> = z.strictObject(AGENT_KEYS);
const agents = list(z.union([z.string(), agent], { error: "must be a name or { agent, command, model, name, api }" }));

/** What is said of judges. */
const JUDGE_KEYS = {
  /** The models that judge; several are a panel. */
  models: models.refine((given) => given.length > 0, "must name a model").meta({ minItems: 1 }),
  /** The scale of the verdict. Default: binary. */
  scale: optional(z.enum(["binary", "1-5", "1-10"])),
  /** What a good answer is. */
  rubric: text,
  /** A rubric for each criterion, which gets a field of its own. */
  criteria: textByName,
  /** How the verdicts of several judges become one. */
  panel: optional(z.enum(["mean", "median", "majority", "min"])),
  /** Compare with the example's `baseline`, or its gold answer, in both orders. */
  pairwise: flag,
  /** Judge each turn of a conversation with what was said before it. */
  perTurn: flag,
  /** Whether the gold answers are shown to the judge. Default: where there are any. */
  reference: flag,
  /** Calls of judges at a time. */
  maxWorkers: count,
};

/** One or several models that judge answers. */
export interface JudgeConfig extends Described<typeof JUDGE_KEYS> {}
const judge: z.ZodType<JudgeConfig> = z.strictObject(JUDGE_KEYS);

/** Described where it is declared. */
const namedFiles: z.ZodType<NamedFiles> = z.strictObject({
  files: z.array(z.string()).min(1).readonly(),
  description: text,
  template: text,
  map: textByName,
  subject: text,
  evaluators: texts,
  primaryField: text,
});

/**
 * What a config file may say: the one place where a key is declared. The doc comment of a key is what editors show, in
 * TypeScript and in YAML, and what docs/command-line.md says. Its flag is its name in kebab case, unless `@flag` says.
 */
const RUN_CONFIG_KEYS = {
  /** The title of the report. */
  title: text,
  /**
   * Systems to measure: names such as truncate:0.5, or modules.
   * @flag `--system`
   */
  systems: optional(listOfNamed<System>()),
  /**
   * Models behind an API: names from the models file, `provider/model`, or where to find them.
   * @flag `--model`, `--proxy`, `--name`, `--api`
   */
  models: optional(models),
  /**
   * Where models, their prices and budgets are described. Default: models.yml when there is one.
   * @flag `--models`
   */
  modelsFile: text,
  ...MODEL_SETTINGS,
  /**
   * Coding agents: names, `NAME:MODEL`, or how to start one.
   * @flag `--agent`, `--agent-command`, `--agent-model`, `--agent-name`
   */
  agents: optional(agents),
  /** Trials of agents at a time. Default: the number of cores, at most 4. */
  agentParallel: count,
  /** `inherit` for your own HOME, or a folder: for agents that are logged in there. Default: a temporary one. */
  agentHome: text,
  /** Where the model calls of agents go, in place of their provider. */
  agentUrl: text,
  /** Environment variables that are passed on to agents. */
  agentEnv: texts,
  /** Makes a trial an error in which an agent called another model than the one asked for. */
  strictModel: flag,
  /** The folder where the workspaces of agents are kept. Default: they are removed. */
  keepWorkspaces: text,
  /** Dollars for the whole run. */
  maxCost: optional(z.number().positive()),
  /** Dollars for each trial, instead of what the models file says. */
  trialMaxCost: optional(z.number().min(0)),
  /** How often a call that failed before any output is made again. Default: 5. */
  maxRetries: optional(z.number().int().min(0)),
  /** What is done about an endpoint that is down: stop after a minute, or wait. Default: stop. */
  onOutage: optional(z.enum(["stop", "wait"])),
  /** For memories: the system that answers from what they bring up, where it is not a model. */
  reader: text,
  /** Files of recorded outputs, each measured as a system. */
  replay: texts,
  /**
   * Datasets: names such as gsm8k, files, or NAME=FILE.
   * @flag `--dataset`
   */
  datasets: optional(listOfNamed<Dataset | ExampleSource>()),
  /**
   * Files of the project by a name that `datasets` and --dataset know: what `assay datasets import` writes.
   * @flag `assay datasets import`
   */
  namedDatasets: optional(z.record(z.string().regex(/^[\w.-]+$/), namedFiles).readonly()),
  /**
   * Where eval files are, suites of them and environments that they share, for `assay eval`.
   * @flag `-e`, `--suite` of `assay eval`
   */
  evals: optional(z.custom<EvalsConfig>(isObject, "must be an object")),
  /**
   * Evaluators instead of the datasets' own: NAME for every dataset, DATASET=NAME for one.
   * @flag `--evaluator`
   */
  evaluators: optional(listOfNamed<Evaluator>()),
  /**
   * Models that judge answers: they score every dataset beside its evaluators.
   * @flag `--judge-model` and the others
   */
  judge: optional(judge),
  /**
   * Metrics beside the standard ones: names or modules.
   * @flag `--metric`
   */
  metrics: optional(listOfNamed<Metric>()),
  /**
   * Modules that export register(registry).
   * @flag `--plugin`
   */
  plugins: texts,
  /** The score that decides pass or fail. Default: each dataset's own. */
  scoreField: text,
  /** The least score that passes. Default: 0.7. */
  threshold: share,
  /** How often each system answers each example. Default: 1. */
  trials: count,
  /** The seed of the sample, the order and the bootstrap. Default: 0. */
  seed: integer,
  /** The seed of the sample alone. Default: `seed`. */
  shuffleSeed: integer,
  /** Trials at a time. Default: 8. */
  maxWorkers: count,
  /** The most examples of each dataset, a seeded sample. Default: all. */
  maxExamples: count,
  /** With `maxExamples`: the first examples instead of a sample. */
  head: flag,
  /** Field → column of the files that datasets are read from. */
  map: textByName,
  /** Column → the value it must have, of examples that are kept. */
  filter: textByName,
  /** Leaves out rows that cannot be read, and counts them. */
  skipBadRows: flag,
  /** Lets generated code run without a sandbox. */
  unsafeLocalExec: flag,
  /** The folder where outputs are kept by content and reused. Default: none are kept. */
  cacheDir: text,
  /** The folder where run folders go. Default: .assay/runs. */
  runsDir: text,
  /** The Redis whose workers run the trials, as redis://HOST:6379. Default: this process runs them. */
  queue: text,
  /** With `queue`: a folder that all machines see, for large outputs. */
  sharedDir: text,
  /** How tokens are counted: cl100k_base or o200k_base. Default: cl100k_base. */
  tokenizer: text,
  /** The report: table, json, eval, markdown, junit, html, or a plugin's reporter. Default: table. */
  output: text,
  /** The groups of columns of the table: quality, tokens, cost, speed, trials, datasets, facets, other. */
  columns: texts,
  /** The least share of the planned trials that must be scored. Default: 0.95. */
  minCoverage: share,
  /** Metric key → the least it may be. */
  failUnder: numberByName,
  /** Metric key → the most it may be. */
  failOver: numberByName,
};

/**
 * A run, described: what `assay.config.*` holds and what flags override. Things are named by a spec
 * (`truncate:0.5`, `./my-system.ts`) or, in a module, given as they are.
 */
export interface RunConfig extends Described<typeof RUN_CONFIG_KEYS> {}

/** Checks a run description. */
export const runConfigSchema = z.strictObject(RUN_CONFIG_KEYS);

/** What has these keys. Interfaces extend it, because only their names and doc comments reach the published types. */
type Described<Keys extends z.ZodRawShape> = z.infer<z.ZodObject<Keys>>;

/** A key that may be left out. A module may also set it to undefined, which the type does not encourage. */
function optional<T extends z.ZodType>(schema: T): z.ZodExactOptional<T> {
  return schema.optional() as unknown as z.ZodExactOptional<T>;
}

function list<T extends z.ZodType>(schema: T) {
  return z.array(schema).readonly();
}

/** Things that a file names; a module may hold them as they are. */
function listOfNamed<T extends object>() {
  return list(z.union([z.string(), z.custom<T>(isObject)], { error: "must be a name, a path or an object" }));
}

function isObject(value: unknown): boolean {
  return typeof value === "object" && value !== null;
}
