import { resolve } from "node:path";
import { usualKeyVariables } from "../budget/providers.js";
import { QueueError, UsageError } from "../core/errors.js";
import { didYouMean } from "../core/suggest.js";
import { mapPaths } from "../datasets/dataset-spec.js";
import { isWithin } from "../exec/workspace/relative-path.js";
import { anchoredEvaluator } from "./config-file.js";
import { executorAgent } from "./eval-plan.js";
import type { Invocation } from "./invocation.js";
import { isModulePath } from "./load-module.js";
import type { AgentConfig, JudgeConfig, ModelConfig } from "./run-config.js";
import type { RunFlags } from "./run-flags.js";

/** What a run may request from a worker. The worker's own project files need no permission. */
const KINDS = ["systems", "models", "agents", "commands", "agent-home", "unsafe-local-exec", "outside-files"] as const;
export type Kind = (typeof KINDS)[number];

/** Enough for a plain run: modules of the project, and models called with their providers' default keys. */
export const DEFAULT_KINDS: readonly Kind[] = ["systems", "models"];

export interface Allowed {
  readonly kinds: readonly Kind[];
  /** Variables that runs may name, and whose values may be sent to endpoints that they name. */
  readonly env: readonly string[];
}

type Ask =
  | { readonly kind: Kind; readonly what: string }
  | { readonly path: string }
  | { readonly env: string }
  | { readonly url: string };

/** What each flag requests. Every flag needs an entry, so that none is allowed by omission. */
type Asks = { readonly [Name in keyof Required<RunFlags>]: (value: NonNullable<RunFlags[Name]>) => readonly Ask[] };

const nothing = () => [];
const path = (value: string): Ask[] => [{ path: value }];
const paths = (values: readonly string[]): Ask[] => values.flatMap(path);
const variable = (name: string): Ask => ({ env: name });
const moduleAt = (value: string): Ask[] => [{ kind: "systems", what: `the module ${value}` }, { path: value }];
const modules = (specs: readonly unknown[]): Ask[] =>
  specs.flatMap((spec) => (typeof spec === "string" && isModulePath(spec) ? moduleAt(spec) : []));

const ASKS: Asks = {
  systems: modules,
  metrics: modules,
  plugins: (values) => values.flatMap(moduleAt),
  reader: (value) => modules([value]),
  evaluators: (specs) => specs.flatMap((spec) => (typeof spec === "string" ? modulesOfEvaluator(spec) : [])),
  models: (models) => models.flatMap(modelAsks),
  judge: ({ models = [] }: Partial<JudgeConfig>) => models.flatMap(modelAsks),
  agents: (agents) => agents.map((agent) => agentAsk(typeof agent === "string" ? { agent } : agent)),
  eval: (choice) => [
    ...paths(choice.files ?? []),
    ...paths(choice.mock === undefined ? [] : [choice.mock]),
    ...(choice.executors ?? []).map((executor) => agentAsk(executorAgent(executor))),
    ...(choice.judgeUrl === undefined ? [] : [{ url: choice.judgeUrl }]),
    ...(choice.judgeApiKeyEnv === undefined ? [] : [variable(choice.judgeApiKeyEnv)]),
  ],
  // Not a flag; it contains commands.
  evals: () => [{ kind: "commands", what: "environments of evals that are in no file of this project" }],
  agentHome: (home) => [{ kind: "agent-home", what: `the home folder ${home} for agents` }],
  agentUrl: (url) => [{ url }],
  agentEnv: (names) => names.map(variable),
  apiKeyEnv: (name) => [variable(name)],
  unsafeLocalExec: (isOn) => (isOn ? [{ kind: "unsafe-local-exec", what: "generated code outside a sandbox" }] : []),
  // Never stored: trust is given where a command is started.
  trust: (isTrusted) => (isTrusted ? [{ kind: "outside-files", what: "trust in files outside the project" }] : []),
  datasets: (specs) => specs.flatMap((spec) => (typeof spec === "string" ? pathsOfDataset(spec) : [])),
  namedDatasets: (named) => Object.values(named).flatMap(({ files }) => paths(files)),
  replay: paths,
  modelsFile: path,
  configDir: path,
  cacheDir: path,
  keepWorkspaces: path,
  // The following flags neither run, read nor send anything on a worker.
  config: nothing,
  runsDir: nothing,
  sharedDir: nothing,
  queue: nothing,
  withoutQueue: nothing,
  title: nothing,
  systemPrompt: nothing,
  temperature: nothing,
  maxTokens: nothing,
  extraBody: nothing,
  headers: nothing,
  secretHeaders: nothing,
  timeout: nothing,
  allowInsecure: nothing,
  agentParallel: nothing,
  strictModel: nothing,
  scoreField: nothing,
  threshold: nothing,
  trials: nothing,
  seed: nothing,
  shuffleSeed: nothing,
  maxWorkers: nothing,
  maxCost: nothing,
  trialMaxCost: nothing,
  maxRetries: nothing,
  onOutage: nothing,
  maxExamples: nothing,
  head: nothing,
  map: nothing,
  filter: nothing,
  skipBadRows: nothing,
  tokenizer: nothing,
  output: nothing,
  columns: nothing,
  minCoverage: nothing,
  failUnder: nothing,
  failOver: nothing,
  resume: nothing,
  dryRun: nothing,
  quiet: nothing,
  verbose: nothing,
};

function modulesOfEvaluator(spec: string): Ask[] {
  const found: Ask[] = [];
  anchoredEvaluator(spec, (value) => {
    found.push(...(isModulePath(value) ? moduleAt(value) : path(value)));
    return value;
  });
  return found;
}

function pathsOfDataset(spec: string): Ask[] {
  const found: Ask[] = [];
  mapPaths(spec, (value) => {
    found.push({ path: value });
    return value;
  });
  return found;
}

function modelAsks(given: string | ModelConfig): Ask[] {
  const { model, proxy, apiKeyEnv } = typeof given === "string" ? { model: given } : given;
  return [
    { kind: "models", what: `the model ${model ?? proxy ?? ""}` },
    ...(proxy === undefined ? [] : [{ url: proxy }]),
    ...(apiKeyEnv === undefined ? [] : [variable(apiKeyEnv)]),
  ];
}

function agentAsk({ agent, command }: AgentConfig): Ask {
  if (command === undefined) return { kind: "agents", what: `the agent ${agent}` };
  return { kind: "commands", what: `the command ${JSON.stringify(command)}` };
}

export interface AllowContext {
  readonly allowed: Allowed;
  /** The project folder on this machine, which is the working folder. */
  readonly project: string;
}

/**
 * Throws unless the worker allows everything the flags of a run request. Returns the variables to withhold from the run: if
 * it names an endpoint itself, a key is sent there only if the worker lists it.
 */
export function requireAllowed({ flags, configFile }: Invocation, context: AllowContext): readonly string[] {
  const asks = [...asksOf(flags), ...(configFile === null ? [] : configAsks(configFile))];
  const namesEndpoint = asks.some((ask) => "url" in ask);
  const usual = usualKeyVariables().filter((name) => !context.allowed.env.includes(name));
  for (const ask of asks) requireOne(ask, { ...context, free: namesEndpoint ? [] : usual });
  return namesEndpoint ? usual : [];
}

export function requireModuleAllowed(file: string, context: AllowContext): void {
  for (const ask of moduleAt(file)) requireOne(ask, { ...context, free: [] });
}

function configAsks(file: string): Ask[] {
  return isModulePath(file) && !/\.ya?ml$/.test(file) ? moduleAt(file) : path(file);
}

function asksOf(flags: RunFlags): Ask[] {
  return Object.entries(flags).flatMap(([name, value]) => {
    if (!Object.hasOwn(ASKS, name)) throw new QueueError(`it has the unknown setting "${name}"`);
    const asks = ASKS[name as keyof RunFlags] as (value: unknown) => readonly Ask[];
    return value === undefined || value === null ? [] : asks(value);
  });
}

function requireOne(ask: Ask, { allowed, project, free }: AllowContext & { free: readonly string[] }): void {
  if ("url" in ask) return;
  if ("env" in ask) requireVariable(ask.env, [...allowed.env, ...free]);
  else if ("kind" in ask) requireKind(ask, allowed);
  else if (!isWithin(project, resolve(project, ask.path)))
    requireKind({ kind: "outside-files", what: `${ask.path}, which is outside ${project}` }, allowed);
}

function requireKind({ kind, what }: { kind: Kind; what: string }, { kinds }: Allowed): void {
  if (kinds.includes(kind)) return;
  throw new QueueError(
    `it requests ${what}, which this worker does not allow. To allow it, start the worker with --allow ${[...kinds, kind].join(",")}`,
  );
}

function requireVariable(name: string, names: readonly string[]): void {
  if (names.includes(name)) return;
  throw new QueueError(
    `it requests the environment variable ${name}, which this worker does not allow. To allow it, start the worker with --allow-env ${name}`,
  );
}

export function kindsIn(list: readonly string[]): Kind[] {
  return list.map((name) => {
    const kind = KINDS.find((each) => each === name);
    if (kind !== undefined) return kind;
    throw new UsageError(`Unknown --allow value "${name}".${didYouMean(name, KINDS)}`);
  });
}

export function variablesIn(list: readonly string[]): readonly string[] {
  const wrong = list.find((name) => !/^[A-Za-z_]\w*$/.test(name));
  if (wrong === undefined) return list;
  throw new UsageError(`--allow-env expects variable names like MY_KEY, got "${wrong}".`);
}
