import { resolve } from "node:path";
import { listKeyVariables, listSecretVariables } from "../budget/index.js";
import { didYouMean, getOwn, listChosenMetrics, QueueError, UsageError } from "../core/index.js";
import { mapSpecPaths } from "../datasets/index.js";
import { isWithin } from "../exec/index.js";
import { resolveEvaluatorPath } from "./config-file.js";
import { toAgentConfig } from "./eval-plan.js";
import type { Invocation } from "./invocation.js";
import { isModulePath } from "./load-module.js";
import { isProgramConfig } from "./program-config.js";
import type { AgentConfig, JudgeConfig, ModelConfig } from "./run-config.js";
import type { RunFlags } from "./run-flags.js";
import { RUN_SETTINGS, type RunSetting } from "./run-settings.js";

/** What a run may request from a worker. The worker's own project files need no permission. */
const PERMISSION_KINDS = [
  "systems",
  "models",
  "agents",
  "commands",
  "agent-home",
  "unsafe-local-exec",
  "outside-files",
] as const;
export type PermissionKind = (typeof PERMISSION_KINDS)[number];

/** Enough for a plain run: modules of the project, and models called with their providers' default keys. */
export const DEFAULT_KINDS: readonly PermissionKind[] = ["systems", "models"];

export interface WorkerPermissions {
  readonly kinds: readonly PermissionKind[];
  /** Variables that runs may name, and whose values may be sent to endpoints that they name. */
  readonly env: readonly string[];
}

type PermissionRequest =
  | { readonly kind: PermissionKind; readonly what: string }
  | { readonly path: string }
  | { readonly env: string }
  | { readonly url: string };

/** What each flag requests. Every flag that is not declared harmless needs an entry, so that none is allowed by omission. */
type PermissionRequests = {
  readonly [Name in Exclude<keyof RunFlags, HarmlessName>]-?: (
    value: NonNullable<RunFlags[Name]>,
  ) => readonly PermissionRequest[];
};

type HarmlessName = {
  [Name in keyof typeof RUN_SETTINGS]: (typeof RUN_SETTINGS)[Name] extends { isHarmless: true } ? Name : never;
}[keyof typeof RUN_SETTINGS];

const requestNothing = () => [];
const requestPath = (value: string): PermissionRequest[] => [{ path: value }];
const requestPaths = (values: readonly string[]): PermissionRequest[] => values.flatMap(requestPath);
const requestVariable = (name: string): PermissionRequest => ({ env: name });
const requestModule = (value: string): PermissionRequest[] => [
  { kind: "systems", what: `the module ${value}` },
  { path: value },
];
const requestModules = (specs: readonly unknown[]): PermissionRequest[] =>
  specs.flatMap((spec) => (typeof spec === "string" && isModulePath(spec) ? requestModule(spec) : []));

function requestPrograms(specs: readonly unknown[]): PermissionRequest[] {
  return specs
    .filter(isProgramConfig)
    .flatMap((spec): PermissionRequest[] =>
      "command" in spec
        ? [{ kind: "commands", what: `the command ${JSON.stringify(spec.command)}` }]
        : [{ kind: "systems", what: `the address ${spec.url}` }, { url: spec.url }],
    );
}

const REQUESTS: PermissionRequests = {
  systems: (specs) => [...requestModules(specs), ...requestPrograms(specs)],
  metrics: (choice) => requestModules(listChosenMetrics<unknown>(choice)),
  plugins: (values) => values.flatMap(requestModule),
  reader: (value) => requestModules([value]),
  evaluators: (specs) => [
    ...specs.flatMap((spec) => (typeof spec === "string" ? requestEvaluatorModules(spec) : [])),
    ...requestPrograms(specs),
  ],
  models: (models) => models.flatMap(requestModel),
  userModel: requestModel,
  judge: ({ models = [] }: Partial<JudgeConfig>) => models.flatMap(requestModel),
  agents: (agents) => agents.map((agent) => requestAgent(typeof agent === "string" ? { agent } : agent)),
  eval: (choice) => [
    ...requestPaths(choice.files ?? []),
    ...requestPaths(choice.mock === undefined ? [] : [choice.mock]),
    ...(choice.executors ?? []).map((executor) => requestAgent(toAgentConfig(executor))),
    ...(choice.judgeUrl === undefined ? [] : [{ url: choice.judgeUrl }]),
    ...(choice.judgeApiKeyEnv === undefined ? [] : [requestVariable(choice.judgeApiKeyEnv)]),
  ],
  mock: requestPath,
  // Not a flag; it contains commands.
  evals: () => [{ kind: "commands", what: "environments of evals that are in no file of this project" }],
  agentHome: (home) => [{ kind: "agent-home", what: `the home folder ${home} for agents` }],
  allowPaths: requestPaths,
  agentUrl: (url) => [{ url }],
  agentEnv: (names) => names.map(requestVariable),
  apiKeyEnv: (name) => [requestVariable(name)],
  unsafeLocalExec: (isOn) => (isOn ? [{ kind: "unsafe-local-exec", what: "generated code outside a sandbox" }] : []),
  // Never stored: trust is given where a command is started.
  trust: (isTrusted) => (isTrusted ? [{ kind: "outside-files", what: "trust in files outside the project" }] : []),
  datasets: (specs) => specs.flatMap((spec) => (typeof spec === "string" ? requestDatasetPaths(spec) : [])),
  namedDatasets: (named) => Object.values(named).flatMap(({ files }) => requestPaths(files)),
  replay: requestPaths,
  modelsFile: requestPath,
  prompts: requestPromptFiles,
  configDir: requestPath,
  cacheDir: requestPath,
  record: requestPath,
  replayTraffic: requestPath,
  keepWorkspaces: requestPath,
  // The following are not declared in run-settings.ts, and neither run, read nor send anything on a worker.
  secretHeaders: requestNothing,
  simulated: requestNothing,
  batches: requestNothing,
  traffic: requestNothing,
  withoutQueue: requestNothing,
  verbose: requestNothing,
  html: requestNothing,
  stress: requestNothing,
};

function requestEvaluatorModules(spec: string): PermissionRequest[] {
  const found: PermissionRequest[] = [];
  resolveEvaluatorPath(spec, (value) => {
    found.push(...(isModulePath(value) ? requestModule(value) : requestPath(value)));
    return value;
  });
  return found;
}

function requestDatasetPaths(spec: string): PermissionRequest[] {
  const found: PermissionRequest[] = [];
  mapSpecPaths(spec, (value) => {
    found.push({ path: value });
    return value;
  });
  return found;
}

function requestPromptFiles(prompts: NonNullable<ModelConfig["prompts"]>): PermissionRequest[] {
  return prompts.flatMap((prompt) => {
    const file = typeof prompt === "string" ? prompt : prompt.file;
    return file === undefined ? [] : requestPath(file);
  });
}

function requestModel(given: string | ModelConfig): PermissionRequest[] {
  const { model, proxy, apiKeyEnv, prompts = [] } = typeof given === "string" ? { model: given } : given;
  return [
    ...requestPromptFiles(prompts),
    { kind: "models", what: `the model ${model ?? proxy ?? ""}` },
    ...(proxy === undefined ? [] : [{ url: proxy }]),
    ...(apiKeyEnv === undefined ? [] : [requestVariable(apiKeyEnv)]),
  ];
}

function requestAgent({ agent, command, continueCommand }: AgentConfig): PermissionRequest {
  if (command === undefined) return { kind: "agents", what: `the agent ${agent}` };
  const commands = [command, ...(continueCommand === undefined ? [] : [continueCommand])];
  return { kind: "commands", what: `the command ${commands.map((each) => JSON.stringify(each)).join(" and ")}` };
}

export interface AllowContext {
  readonly allowed: WorkerPermissions;
  /** The project folder on this machine, which is the working folder. */
  readonly project: string;
}

/**
 * Throws unless the worker allows everything the flags of a run request. Returns the variables to withhold from the run: if
 * it names an endpoint itself, a key is sent there only if the worker lists it.
 */
export function requireAllowed({ flags, configFile }: Invocation, context: AllowContext): readonly string[] {
  const asks = [...collectRequests(flags), ...(configFile === null ? [] : requestConfig(configFile))];
  const namesEndpoint = asks.some((ask) => "url" in ask);
  for (const ask of asks) requirePermission(ask, { ...context, free: namesEndpoint ? [] : listKeyVariables() });
  return namesEndpoint ? listSecretVariables().filter((name) => !context.allowed.env.includes(name)) : [];
}

export function requireModuleAllowed(file: string, context: AllowContext): void {
  for (const ask of requestModule(file)) requirePermission(ask, { ...context, free: [] });
}

function requestConfig(file: string): PermissionRequest[] {
  return isModulePath(file) && !/\.ya?ml$/.test(file) ? requestModule(file) : requestPath(file);
}

function collectRequests(flags: RunFlags): PermissionRequest[] {
  return Object.entries(flags).flatMap(([name, value]) => {
    if (getOwn<RunSetting>(RUN_SETTINGS, name)?.isHarmless) return [];
    const asks = getOwn<unknown>(REQUESTS, name) as ((value: unknown) => readonly PermissionRequest[]) | undefined;
    if (asks === undefined) throw new QueueError(`it has the unknown setting "${name}"`);
    return value === undefined || value === null ? [] : asks(value);
  });
}

function requirePermission(
  ask: PermissionRequest,
  { allowed, project, free }: AllowContext & { free: readonly string[] },
): void {
  if ("url" in ask) return;
  if ("env" in ask) requireVariable(ask.env, [...allowed.env, ...free]);
  else if ("kind" in ask) requireKind(ask, allowed);
  else if (!isWithin(project, resolve(project, ask.path)))
    requireKind({ kind: "outside-files", what: `${ask.path}, which is outside ${project}` }, allowed);
}

function requireKind({ kind, what }: { kind: PermissionKind; what: string }, { kinds }: WorkerPermissions): void {
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

export function parseKinds(list: readonly string[]): PermissionKind[] {
  return list.map((name) => {
    const kind = PERMISSION_KINDS.find((each) => each === name);
    if (kind !== undefined) return kind;
    throw new UsageError(`Unknown --allow value "${name}".${didYouMean(name, PERMISSION_KINDS)}`);
  });
}

export function parseVariables(list: readonly string[]): readonly string[] {
  const wrong = list.find((name) => !/^[A-Za-z_]\w*$/.test(name));
  if (wrong === undefined) return list;
  throw new UsageError(`--allow-env expects variable names like MY_KEY, got "${wrong}".`);
}
