import * as z from "zod";
import type { Dataset, Evaluator, ExampleSource, Metric, System } from "../core/index.js";
import type { NamedFiles } from "../datasets/index.js";
import type { EvalsConfig } from "../evals/index.js";
import { DIALECT_NAMES } from "../models/index.js";

const text = makeOptional(z.string());
const flag = makeOptional(z.boolean());
const share = makeOptional(z.number().min(0).max(1));
const integer = makeOptional(z.number().int());
const count = makeOptional(z.number().int().min(1));
const texts = makeOptional(makeList(z.string()));
const textByName = makeOptional(z.record(z.string(), z.string()).readonly());
const numberByName = makeOptional(z.record(z.string(), z.number()).readonly());
const api = makeOptional(z.enum(DIALECT_NAMES));

/** Settings for all models of a run, or for one. */
const MODEL_SETTINGS = {
  /** The system prompt of every request. */
  systemPrompt: text,
  /** The sampling temperature. */
  temperature: makeOptional(z.number().min(0)),
  /** The maximum length of an answer in tokens. */
  maxTokens: count,
  /** Merged into the body of every request; null removes a key. */
  extraBody: makeOptional(z.record(z.string(), z.unknown()).readonly()),
  /**
   * Extra headers of every request.
   * @flag `--header`
   */
  headers: textByName,
  /** Timeout of one call in seconds. */
  timeout: makeOptional(z.number().positive()),
  /** The name of the environment variable that holds the API key. */
  apiKeyEnv: text,
  /** Allows sending a key over plain http to another machine. */
  allowInsecure: flag,
};

const MODEL_KEYS = {
  ...MODEL_SETTINGS,
  /** The model, as its provider or the models file names it. */
  model: text,
  /** The base URL of the endpoint that serves it. */
  proxy: text,
  /** The name of the system in the report. */
  name: text,
  /** The API format: chat, responses, anthropic or gemini. */
  api,
};

/** A model and its endpoint. */
export interface ModelConfig extends InferredConfig<typeof MODEL_KEYS> {}
const model: z.ZodType<ModelConfig> = z.strictObject(MODEL_KEYS);
const models = makeList(z.union([z.string(), model], { error: "must be a name or { model, proxy, name, api, … }" }));

const AGENT_KEYS = {
  /** claude, codex, gemini, opencode or pi; `NAME:MODEL` names its model as well. */
  agent: text,
  /** Any other program, instead of `agent`: `my-agent {prompt}`. */
  command: text,
  /** A model of the models file, `provider/model`, or the name that the agent's own provider uses. */
  model: text,
  /** The name of the system in the report. Default: the name of the agent. */
  name: text,
  /** The API format of the model: chat, responses, anthropic or gemini. */
  api,
};

/** A coding agent and the model it uses. */
export interface AgentConfig extends InferredConfig<typeof AGENT_KEYS> {}
const agent: z.ZodType<AgentConfig> = z.strictObject(AGENT_KEYS);
const agents = makeList(
  z.union([z.string(), agent], { error: "must be a name or { agent, command, model, name, api }" }),
);

const JUDGE_KEYS = {
  /** The models that judge; several form a panel. */
  models: models.refine((given) => given.length > 0, "must name a model").meta({ minItems: 1 }),
  /** The scale of the verdict. Default: binary. */
  scale: makeOptional(z.enum(["binary", "1-5", "1-10"])),
  /** Describes a good answer. */
  rubric: text,
  /** A rubric for each criterion, which gets its own score field. */
  criteria: textByName,
  /** How the verdicts of several judges are combined. */
  panel: makeOptional(z.enum(["mean", "median", "majority", "min"])),
  /** Compare with the example's `baseline`, or its reference answer, in both orders. */
  pairwise: flag,
  /** Judge each turn of a conversation with the turns before it. */
  perTurn: flag,
  /** Show reference answers to the judge. Default: if there are any. */
  reference: flag,
  /** Concurrent judge calls. */
  maxWorkers: count,
};

/** One or several models that judge answers. */
export interface JudgeConfig extends InferredConfig<typeof JUDGE_KEYS> {}
const judge: z.ZodType<JudgeConfig> = z.strictObject(JUDGE_KEYS);

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
 * The one place where config keys are declared. Editors show the doc comment of a key, in TypeScript and in YAML, and
 * docs/reference/command-line.md contains it. The flag is the key in kebab case, unless `@flag` says otherwise.
 */
const RUN_CONFIG_KEYS = {
  /** The title of the report. */
  title: text,
  /**
   * Systems to measure: names such as truncate:0.5, or modules.
   * @flag `--system`
   */
  systems: makeOptional(makeNamedList<System>()),
  /**
   * Models behind an API: names from the models file, `provider/model`, or models with their endpoint.
   * @flag `--model`, `--proxy`, `--name`, `--api`
   */
  models: makeOptional(models),
  /**
   * The file with models, prices and budgets. Default: models.yml if present.
   * @flag `--models`
   */
  modelsFile: text,
  ...MODEL_SETTINGS,
  /**
   * Coding agents: names, `NAME:MODEL`, or a command.
   * @flag `--agent`, `--agent-command`, `--agent-model`, `--agent-name`
   */
  agents: makeOptional(agents),
  /** Concurrent agent trials. Default: the number of cores, at most 4. */
  agentParallel: count,
  /** `inherit` for your own HOME, or a folder, for agents that are logged in there. Default: a temporary one. */
  agentHome: text,
  /** Where the agents' model calls are sent instead of to their provider. */
  agentUrl: text,
  /** Environment variables passed on to agents. */
  agentEnv: texts,
  /** Counts a trial as an error when the agent called a model other than the requested one. */
  strictModel: flag,
  /** Folder for the agents' workspaces. Default: workspaces are removed. */
  keepWorkspaces: text,
  /** Limit for the whole run in dollars. */
  maxCost: makeOptional(z.number().positive()),
  /** Limit for each trial in dollars, instead of the one in the models file. */
  trialMaxCost: makeOptional(z.number().min(0)),
  /** Retries of a call that failed before any output. Default: 5. */
  maxRetries: makeOptional(z.number().int().min(0)),
  /** What to do if an endpoint is down: stop after a minute, or wait. Default: stop. */
  onOutage: makeOptional(z.enum(["stop", "wait"])),
  /** For memories: the system that answers from what they retrieve, instead of a model. */
  reader: text,
  /** Files of recorded outputs, each measured as a system. */
  replay: texts,
  /**
   * Datasets: names such as gsm8k, files, or NAME=FILE.
   * @flag `--dataset`
   */
  datasets: makeOptional(makeNamedList<Dataset | ExampleSource>()),
  /**
   * Named files of the project, for `datasets` and --dataset; written by `assay datasets import`.
   * @flag `assay datasets import`
   */
  namedDatasets: makeOptional(z.record(z.string().regex(/^[\w.-]+$/), namedFiles).readonly()),
  /**
   * Eval files, suites and shared environments for `assay eval`.
   * @flag `-e`, `--suite` of `assay eval`
   */
  evals: makeOptional(z.custom<EvalsConfig>(isConfigObject, "must be an object")),
  /**
   * Evaluators that replace the datasets' own: NAME for every dataset, DATASET=NAME for one.
   * @flag `--evaluator`
   */
  evaluators: makeOptional(makeNamedList<Evaluator>()),
  /**
   * Models that judge answers: they score every dataset in addition to its evaluators.
   * @flag `--judge-model` and the others
   */
  judge: makeOptional(judge),
  /**
   * Metrics in addition to the standard ones: names or modules.
   * @flag `--metric`
   */
  metrics: makeOptional(makeNamedList<Metric>()),
  /**
   * Modules that export register(registry).
   * @flag `--plugin`
   */
  plugins: texts,
  /** The score that decides pass or fail. Default: each dataset's own. */
  scoreField: text,
  /** The minimum score that passes. Default: 0.7. */
  threshold: share,
  /** Trials of each example with each system. Default: 1. */
  trials: count,
  /** Seed of the sample, the order and the bootstrap. Default: 0. */
  seed: integer,
  /** Seed of only the sample. Default: `seed`. */
  shuffleSeed: integer,
  /** Concurrent trials. Default: 8. */
  maxWorkers: count,
  /** Maximum number of examples of each dataset, a seeded sample. Default: all. */
  maxExamples: count,
  /** With `maxExamples`: the first examples instead of a sample. */
  head: flag,
  /** Field → column in dataset files. */
  map: textByName,
  /** Column → required value: keeps only matching examples. */
  filter: textByName,
  /** Skips rows that cannot be read, and counts them. */
  skipBadRows: flag,
  /** Allows generated code to run without a sandbox. */
  unsafeLocalExec: flag,
  /** Folder of cached outputs, reused by content. Default: no cache. */
  cacheDir: text,
  /** Folder for run folders. Default: .assay/runs. */
  runsDir: text,
  /** The Redis whose workers run the trials, as redis://HOST:6379. Default: trials run in this process. */
  queue: text,
  /** With `queue`: a folder shared by all machines, for large outputs. */
  sharedDir: text,
  /** Tokenizer: cl100k_base or o200k_base. Default: cl100k_base. */
  tokenizer: text,
  /** Report format: table, json, eval, markdown, junit, html, or a plugin's. Default: table. */
  output: text,
  /** Column groups of the table: quality, tokens, cost, speed, trials, datasets, facets, other. */
  columns: texts,
  /** The minimum share of planned trials that must be scored. Default: 0.95. */
  minCoverage: share,
  /** Metric key → minimum. */
  failUnder: numberByName,
  /** Metric key → maximum. */
  failOver: numberByName,
};

/**
 * The description of a run: the content of `assay.config.*`, which flags override. Systems, datasets and so on are specs
 * (`truncate:0.5`, `./my-system.ts`) or, in a module, objects.
 */
export interface RunConfig extends InferredConfig<typeof RUN_CONFIG_KEYS> {}

export const runConfigSchema = z.strictObject(RUN_CONFIG_KEYS);

/** Interfaces extend it so that their names and doc comments reach the published types. */
type InferredConfig<Keys extends z.ZodRawShape> = z.infer<z.ZodObject<Keys>>;

/** An optional key. Modules may also set it to undefined, which the type does not encourage. */
function makeOptional<T extends z.ZodType>(schema: T): z.ZodExactOptional<T> {
  return schema.optional() as unknown as z.ZodExactOptional<T>;
}

function makeList<T extends z.ZodType>(schema: T) {
  return z.array(schema).readonly();
}

/** Specs; a module may also contain the objects themselves. */
function makeNamedList<T extends object>() {
  return makeList(z.union([z.string(), z.custom<T>(isConfigObject)], { error: "must be a name, a path or an object" }));
}

function isConfigObject(value: unknown): boolean {
  return typeof value === "object" && value !== null;
}
