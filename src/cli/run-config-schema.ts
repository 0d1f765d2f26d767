import * as z from "zod";
import {
  type Dataset,
  DURATION_FORMAT_HINT,
  EFFORT_NAMES,
  type Evaluator,
  type ExampleSource,
  type Metric,
  parseDuration,
  type System,
} from "../core/index.js";
import type { NamedDataset, NamedFiles } from "../datasets/index.js";
import type { EvalsConfig } from "../evals/index.js";
import { DIALECT_NAMES } from "../models/index.js";
import { MODEL_SETTINGS, RUN_SETTINGS, type RunSettings, type SettingKind } from "./run-settings.js";

const text = makeOptional(z.string());
const flag = makeOptional(z.boolean());
const count = makeOptional(z.number().int().min(1));
const texts = makeOptional(makeList(z.string()));
const textByName = makeOptional(z.record(z.string(), z.string()).readonly());
const api = makeOptional(z.enum(DIALECT_NAMES));

const PROMPT_KEYS = {
  /** The name in the systems' names. Default: the name of the file without its extension. */
  name: text,
  /** The file with the prompt. */
  file: text,
  /** The prompt itself, instead of a file: a text with {{question}} and other columns. */
  template: text,
};

/** A prompt: a file, or the text itself. */
export interface PromptConfig extends InferredConfig<typeof PROMPT_KEYS> {}
const prompt: z.ZodType<PromptConfig> = z
  .strictObject(PROMPT_KEYS)
  .refine(({ file, template }) => (file === undefined) !== (template === undefined), "needs either file or template")
  .refine(({ name, template }) => template === undefined || name !== undefined, "needs a name beside template");

const effort = z.union([z.enum(EFFORT_NAMES), z.number().int().min(1)], {
  error: `must be ${EFFORT_NAMES.join(", ")}, or a number of thinking tokens`,
});
const efforts = z.union([effort, makeList(effort)], {
  error: `must be ${EFFORT_NAMES.join(", ")}, a number of thinking tokens, or a list of them`,
});

/** Checks for values of each kind in config files. */
const BASIC_SCHEMAS = {
  text: z.string(),
  textOrTrue: z.union([z.string(), z.literal(true)]),
  path: z.string(),
  switch: z.boolean(),
  share: z.number().min(0).max(1),
  amount: z.number().min(0),
  positive: z.number().positive(),
  integer: z.number().int(),
  wholeNumber: z.number().int().min(0),
  count: z.number().int().min(1),
  isolation: z.enum(["none", "box", "container:docker", "container:podman"]),
  outageAction: z.enum(["stop", "wait"]),
  lateAction: z.enum(["live", "leave"]),
  missAction: z.enum(["fail", "live", "nearest"]),
  duration: z.string().refine((value) => parseDuration(value) !== null, DURATION_FORMAT_HINT),
  serviceTier: z.enum(["flex", "priority"]),
  efforts,
  texts: makeList(z.string()),
  paths: makeList(z.string()),
  textByName: z.record(z.string(), z.string()).readonly(),
  numberByName: z.record(z.string(), z.number()).readonly(),
  object: z.record(z.string(), z.unknown()).readonly(),
  expertCosts: z.union([z.number().positive(), z.record(z.string(), z.number().positive()).readonly()], {
    error: "must be an amount in dollars above 0, or one for each dataset: { gsm8k: 3.5 }",
  }),
  prompts: makeList(
    z.union([z.string(), prompt], { error: "must be a file, a pattern, { name, file } or { name, template }" }),
  ),
};

const MODEL_KEYS = {
  ...makeKeys(MODEL_SETTINGS, BASIC_SCHEMAS),
  /** The model, as its provider or the models file names it. */
  model: text,
  /** The base URL of the endpoint that serves it. */
  proxy: text,
  /** The name of the system in the report. */
  name: text,
  /** The API format: chat, responses, anthropic, gemini or bedrock. */
  api,
};

/** A model and its endpoint. */
export interface ModelConfig extends InferredConfig<typeof MODEL_KEYS> {}
const model: z.ZodType<ModelConfig> = z.strictObject(MODEL_KEYS);
const models = makeList(z.union([z.string(), model], { error: "must be a name or { model, proxy, name, api, … }" }));

const AGENT_KEYS = {
  /** claude, codex, copilot, gemini, opencode, pi, qwen, agy, aider, crush, droid or goose; `NAME:MODEL` names its model as well. */
  agent: text,
  /** Any other program, instead of `agent`: `my-agent {prompt}`. */
  command: text,
  /** The command for a further message of the user in the same session: `my-agent --resume {session} {prompt}`. */
  continueCommand: text,
  /** Environment variables of the command; their values may contain placeholders, such as {openai_url}. */
  env: textByName,
  /** Files to write into the command's temporary HOME, by path; their contents may contain placeholders. */
  homeFiles: textByName,
  /** The least version of the command's program that works, checked before a run. */
  minVersion: text,
  /** How to install the command's program, for messages. */
  install: text,
  /** A model of the models file, `provider/model`, or the name that the agent's own provider uses. */
  model: text,
  /** The name of the system in the report. Default: the name of the agent. */
  name: text,
  /** The API format of the model: chat, responses, anthropic, gemini or bedrock. */
  api,
  /** How much its model thinks, for agents that can be told; several are measured one by one. */
  effort: makeOptional(efforts),
};

/** A coding agent and the model it uses. */
export interface AgentConfig extends InferredConfig<typeof AGENT_KEYS> {}
const agent: z.ZodType<AgentConfig> = z.strictObject(AGENT_KEYS);
const agents = makeList(
  z.union([z.string(), agent], {
    error: "must be a name or { agent, command, continueCommand, model, name, api, env, homeFiles, minVersion }",
  }),
);

const COMMAND_KEYS = {
  /** The name in the report. Default: the name of the script, or the host. */
  name: text,
  /** The program and its arguments: `python compress.py`. It reads and prints one JSON object per line. */
  command: z.string(),
  /** Processes or requests at a time. Default: the number of cores; for an address, adapts to the endpoint. */
  maxParallel: count,
  /** The folder it runs in. Default: the working folder. */
  cwd: text,
  /** Environment variables, besides your own. */
  env: textByName,
  /** True for a new process per request, false for processes that are kept. Default: found out. */
  once: flag,
  /** Timeout of one answer in seconds. Default: 600. */
  timeout: makeOptional(z.number().positive()),
};

/** A system or evaluator in any language: a program that answers in JSON lines. */
export interface CommandConfig extends InferredConfig<typeof COMMAND_KEYS> {}
const command: z.ZodType<CommandConfig> = z.strictObject(COMMAND_KEYS);

const EVALUATOR_COMMAND_KEYS = {
  ...COMMAND_KEYS,
  /** The score fields that it may emit, best first. Default: unknown until it answers. */
  fields: texts,
};

/** An evaluator in any language. */
export interface EvaluatorCommandConfig extends InferredConfig<typeof EVALUATOR_COMMAND_KEYS> {}
const evaluatorCommand: z.ZodType<EvaluatorCommandConfig> = z.strictObject(EVALUATOR_COMMAND_KEYS);

const URL_KEYS = {
  /** The name in the report. Default: the name of the script, or the host. */
  name: text,
  /** The address that each request is posted to as JSON. */
  url: z.string(),
  /** Headers of every request. */
  headers: textByName,
  /** Processes or requests at a time. Default: the number of cores; for an address, adapts to the endpoint. */
  maxParallel: count,
  /** Timeout of one answer in seconds. Default: 600. */
  timeout: makeOptional(z.number().positive()),
};

/** A system behind an address. */
export interface UrlConfig extends InferredConfig<typeof URL_KEYS> {}
const url: z.ZodType<UrlConfig> = z.strictObject(URL_KEYS);

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
  expertCostUsd: makeOptional(z.number().positive()),
});

const onlyMetrics = z.strictObject({
  /** Metrics instead of the standard ones. */
  only: makeNamedList<Metric>().refine((given) => given.length > 0, "must name a metric"),
});

const KIND_SCHEMAS = {
  ...BASIC_SCHEMAS,
  systems: makeList(
    z.union([z.string(), command, url, z.custom<System>(isConfigObjectWith("process"))], {
      error:
        "must be a name, a path, { name, command, maxParallel, cwd, env, once, timeout }, { name, url, headers, maxParallel, timeout } or a system with process()",
    }),
  ),
  datasets: makeNamedList<Dataset | ExampleSource | NamedDataset>(),
  evaluators: makeList(
    z.union([z.string(), evaluatorCommand, z.custom<Evaluator>(isConfigObjectWith("score"))], {
      error:
        "must be a name, a path, { name, command, fields, maxParallel, cwd, env, once, timeout } or an evaluator with score()",
    }),
  ),
  metrics: z.union([makeNamedList<Metric>(), onlyMetrics], {
    error: "must be a list of names, paths or objects, or { only: [...] } to replace the standard metrics",
  }),
  models,
  agents,
  judge,
  namedDatasets: z.record(z.string().regex(/^[\w.-]+$/), namedFiles).readonly(),
  evals: z.custom<EvalsConfig>(isConfigObject, "must be an object"),
} satisfies Record<SettingKind, z.ZodType>;

/** Keys of the objects in a list of the config, for suggestions. */
export const ENTRY_KEYS: Readonly<Record<string, readonly string[]>> = {
  systems: [...Object.keys({ ...COMMAND_KEYS, ...URL_KEYS }), "process"],
  evaluators: [...Object.keys(EVALUATOR_COMMAND_KEYS), "score"],
  agents: Object.keys(AGENT_KEYS),
  judge: Object.keys(JUDGE_KEYS),
};

const RUN_CONFIG_KEYS = makeKeys(RUN_SETTINGS, KIND_SCHEMAS);

/**
 * The description of a run: the content of `assay.config.*`, which flags override. Systems, datasets and so on are specs
 * (`truncate:0.5`, `./my-system.ts`) or, in a module, objects.
 */
export interface RunConfig extends InferredConfig<typeof RUN_CONFIG_KEYS> {}

export const runConfigSchema = z.strictObject(RUN_CONFIG_KEYS);

/** Flags of `run` that are not keys of config files. */
export type CommandFlags = {
  -readonly [Name in keyof typeof RUN_SETTINGS as (typeof RUN_SETTINGS)[Name] extends { role: "command" }
    ? Name
    : never]?: z.infer<(typeof KIND_SCHEMAS)[(typeof RUN_SETTINGS)[Name]["kind"]]>;
};

type ConfigName<Settings extends RunSettings> = {
  [Name in keyof Settings]: Settings[Name] extends { role: string } ? never : Name;
}[keyof Settings];

/** Maps over a parameter instead of renaming keys with `as`, which would lose their doc comments. */
type SettingKeys<
  Settings extends RunSettings,
  Schemas extends Record<string, z.ZodType>,
  Names extends keyof Settings = ConfigName<Settings>,
> = {
  [Name in Names]: z.ZodExactOptional<Schemas[Settings[Name]["kind"]]>;
};

/** The keys of config files among settings. */
function makeKeys<Settings extends RunSettings, Schemas extends Record<string, z.ZodType>>(
  settings: Settings,
  schemas: Schemas,
): SettingKeys<Settings, Schemas> {
  const keys = Object.entries(settings).filter(([, { role }]) => role === undefined);
  return Object.fromEntries(keys.map(([name, { kind }]) => [name, schemas[kind]?.optional()])) as never;
}

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

function isConfigObjectWith(method: string): (value: unknown) => boolean {
  return (value) => isConfigObject(value) && method in (value as object);
}

function isConfigObject(value: unknown): boolean {
  return typeof value === "object" && value !== null;
}
