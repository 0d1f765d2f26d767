import { basename, extname, resolve } from "node:path";
import type {
  Dataset,
  Evaluator,
  ExampleSource,
  Factory,
  LoadOptions,
  Metric,
  MetricChoice,
  Permissions,
  Registry,
  System,
} from "../core/index.js";
import {
  computeFingerprint,
  DatasetError,
  describeError,
  getErrorMessage,
  listChosenMetrics,
  ModuleError,
  omitUndefined,
  requireShape,
  ShapeError,
  UsageError,
} from "../core/index.js";
import type { LoadDatasetOptions } from "../datasets/index.js";
import { createFilesDefinition, loadNamedDataset, MEMORY_DATASET_NAMES, stripRevision } from "../datasets/index.js";
import type { Manifest } from "../store/index.js";
import { FunctionSystem } from "../systems/index.js";
import { fingerprintModule, isModulePath, loadModule, type ModuleExports, requireModuleFile } from "./load-module.js";
import { isProgramConfig } from "./program-config.js";
import type { SystemSpec } from "./program-systems.js";
import { loadWithProgress } from "./progress.js";
import type { RunConfig } from "./run-config.js";
import { getFlagName, MODEL_SETTINGS, RUN_SETTINGS } from "./run-settings.js";
import { printNote } from "./streams.js";

export async function loadPlugins(registry: Registry, paths: readonly string[]): Promise<void> {
  // Of several evals in one command, each may name the same plugin.
  for (const path of paths.filter((each) => registry.addPlugin(resolve(each)))) {
    const { register } = await loadModule(path, "plugin");
    if (typeof register !== "function") {
      throw new ModuleError(`The plugin ${path} does not export a function register(registry).`);
    }
    await registerPlugin(path, () => (register as (registry: Registry) => unknown)(registry));
  }
}

async function registerPlugin(path: string, register: () => unknown): Promise<void> {
  try {
    await register();
  } catch (cause) {
    throw new ModuleError(`The plugin ${path} failed in register(): ${describeError(cause)}`, { cause });
  }
}

/**
 * Passes the systems of a run to `use` and closes them afterwards, also after an error. If one cannot be created, those
 * created before it are closed too.
 */
export async function withSystems<T>(
  registry: Registry,
  config: RunConfig,
  use: (systems: readonly System[]) => Promise<T>,
): Promise<T> {
  const systems: System[] = [];
  try {
    for await (const system of makeSystems(registry, config)) systems.push(system);
    return await use(systems);
  } finally {
    await closeResources(systems);
  }
}

export async function resolveOneSystem(registry: Registry, spec: string, config: RunConfig): Promise<System> {
  requireNoModelSettings(config);
  const found: System[] = [];
  for await (const system of resolveSystems(registry, spec, config)) found.push(system);
  const [system, ...more] = found;
  if (system !== undefined && more.length === 0) return system;
  throw new ShapeError(`${spec} exports several systems where one is expected.`);
}

async function* resolveSystems(registry: Registry, spec: SystemSpec, config: RunConfig): AsyncGenerator<System> {
  if (isProgramConfig(spec)) yield (await import("./program-systems.js")).openProgramSystem(spec, config);
  else if (typeof spec !== "string") yield requireShape<System>("A system of the config", spec, ["process"]);
  else if (isModulePath(spec)) yield* loadSystemsModule(spec);
  else {
    requireModuleFile(spec, "system");
    yield await createFromRegistry(registry.get("system", getSpecName(spec)), getSpecArgument(spec));
  }
}

async function* makeSystems(registry: Registry, config: RunConfig): AsyncGenerator<System> {
  if (config.userModel !== undefined && !usesModels(config) && (config.agents ?? []).length === 0)
    throw new UsageError(
      "--user-model plays users who talk with models and agents, but the run has none. Add --model, --proxy or --agent, or remove it.",
    );
  if (config.reader !== undefined) throw new UsageError("--reader is only for assay memory. Remove it.");
  for (const spec of await nameSystems(config.systems ?? [])) yield* resolveSystems(registry, spec, config);
  if (usesModels(config)) {
    const { openMeasuredModels } = await import("./model-systems.js");
    yield* openMeasuredModels(config);
  } else requireNoModelSettings(config);
  if ((config.agents ?? []).length > 0) yield* (await import("./agent-systems.js")).openAgentSystems(config);
  for (const file of config.replay ?? []) {
    const { ReplaySystem } = await import("../systems/replay.js");
    yield await ReplaySystem.fromFile(file);
  }
}

/** Programs are loaded only by runs that have some. */
async function nameSystems(specs: readonly SystemSpec[]): Promise<readonly SystemSpec[]> {
  return specs.some(isProgramConfig) ? (await import("./program-systems.js")).nameProgramSystems(specs) : specs;
}

/** True if a run calls models directly: named ones, or the default of the models file if it names no system. */
export function usesModels({ models, systems = [], replay = [], agents = [] }: RunConfig): boolean {
  return models !== undefined || systems.length + replay.length + agents.length === 0;
}

/** Rejects model settings that would be silently ignored. */
function requireNoModelSettings(config: RunConfig): void {
  const { modelsFile } = RUN_SETTINGS;
  const given = Object.entries({ modelsFile, ...MODEL_SETTINGS }).filter(
    ([key]) => config[key as keyof RunConfig] !== undefined,
  );
  const hasAgents = (config.agents ?? []).length > 0;
  const programs = (config.systems ?? []).filter(isProgramConfig);
  const hasUrls = programs.some((program) => "url" in program);
  const isUsed = (key: string) =>
    (config.judge !== undefined && JUDGE_SETTINGS.has(key)) ||
    (hasAgents && AGENT_SETTINGS.has(key)) ||
    (programs.length > 0 && key === "timeout") ||
    (hasUrls && URL_SETTINGS.has(key));
  const [key = "", unused] = given.find(([name]) => !isUsed(name)) ?? [];
  if (unused === undefined) return;
  const [takers, flags] = AGENT_SETTINGS.has(key)
    ? ["models and agents", "--model, --proxy or --agent"]
    : ["models", "--model or --proxy"];
  throw new UsageError(
    `${getFlagName(unused)} is only for ${takers}, but this run has none. Add ${flags}, or remove it.`,
  );
}

/** Settings that also apply to systems behind an address. */
const URL_SETTINGS = new Set(["headers", "allowInsecure"]);

/** Settings that also apply to judges. */
const JUDGE_SETTINGS = new Set(["modelsFile", "allowInsecure"]);

/** Settings that also apply to agents' models. */
const AGENT_SETTINGS = new Set(["modelsFile", "allowInsecure", "apiKeyEnv", "effort"]);

/** An error on close must not discard results. */
export async function closeResources(things: readonly (System | Evaluator)[]): Promise<void> {
  for (const thing of things) {
    try {
      await thing.close?.();
    } catch (error) {
      printNote(`${thing.name} could not be closed: ${getErrorMessage(error)}`);
    }
  }
}

export async function resolveMetrics(registry: Registry, config: RunConfig): Promise<MetricChoice> {
  const choice = config.metrics ?? [];
  const resolved = await resolveEach(listChosenMetrics<string | Metric>(choice), {
    named: (spec) => createFromRegistry(registry.get("metric", getSpecName(spec)), getSpecArgument(spec)),
    fromModule: (path) => loadOneFromModule<Metric>(path, "metric", "compute"),
  });
  return "only" in choice ? { only: resolved } : resolved;
}

export function registerNamedDatasets(
  registry: Registry,
  { namedDatasets = {} }: Pick<RunConfig, "namedDatasets">,
): void {
  for (const [name, given] of Object.entries(namedDatasets)) {
    if (registry.has("dataset", name) || MEMORY_DATASET_NAMES.includes(name))
      throw new UsageError(
        `namedDatasets in the config uses the name "${name}", which belongs to a built-in dataset or a plugin. Choose another name.`,
      );
    registry.register("dataset", name, createFilesDefinition(name, given, registry));
  }
}

/** Commits of hub datasets, by dataset name. */
export type Revisions = ReadonlyMap<string, string>;

/** A resumed or regraded run reads the same commits again. */
export function getStoredRevisions({ config }: Pick<Manifest, "config">): Revisions {
  return new Map(
    config.datasets.flatMap(({ name, origin }) => (origin === undefined ? [] : [[name, origin.revision]])),
  );
}

export async function resolveDatasets(
  registry: Registry,
  config: RunConfig,
  revisions: Revisions = new Map(),
): Promise<(Dataset | ExampleSource)[]> {
  const permissions = { unsafeLocalExec: config.unsafeLocalExec === true };
  const options = { ...selectLoadOptions(config), permissions, registry };
  const datasets: (Dataset | ExampleSource)[] = [];
  for (const spec of config.datasets ?? []) {
    if (typeof spec === "string" && isMemoryDataset(spec))
      throw new UsageError(`${spec} contains conversations for memories. Write: assay memory --dataset ${spec}.`);
    if (typeof spec === "string") datasets.push(await loadAtRevision(spec, options, revisions));
    else datasets.push("load" in spec ? await loadNamedDataset(spec, options) : spec);
  }
  const names = datasets.map((dataset) => ("examples" in dataset ? dataset.name : ""));
  const twice = names.find((name, index) => name !== "" && names.indexOf(name) !== index);
  if (twice !== undefined)
    throw new DatasetError(`Two datasets are named "${twice}", but rows are identified by name. Rename one.`);
  return datasets;
}

/** Evaluators of datasets loaded by name here. */
export function collectDatasetEvaluators(
  { datasets = [] }: RunConfig,
  loaded: readonly (Dataset | ExampleSource)[],
): Evaluator[] {
  return loaded.flatMap((dataset, index) =>
    typeof datasets[index] === "string" && "examples" in dataset ? (dataset.evaluators ?? []) : [],
  );
}

/** True for a dataset of conversations, with or without a config, a revision or a file. */
export function isMemoryDataset(spec: string): boolean {
  return MEMORY_DATASET_NAMES.includes(/^[\w.-]+(?=[:@=]|$)/.exec(spec)?.[0] ?? "");
}

/** A branch may have moved since, so the recorded commit is read again. */
function loadAtRevision(spec: string, options: LoadDatasetOptions, revisions: Revisions): Promise<Dataset> {
  const name = stripRevision(spec);
  const revision = revisions.get(name);
  return revision === undefined ? loadWithProgress(spec, options) : loadWithProgress(name, { ...options, revision });
}

export function selectLoadOptions(config: RunConfig): LoadOptions {
  const { maxExamples, head, seed, shuffleSeed, map, filter, skipBadRows } = config;
  const anyColumns = hasPrompts(config) ? true : undefined;
  const idle = head === true ? "--head (head)" : shuffleSeed === undefined ? undefined : "--shuffle-seed (shuffleSeed)";
  if (maxExamples === undefined && idle !== undefined)
    throw new UsageError(`${idle} requires -n. Add -n, or remove it.`);
  return omitUndefined({ maxExamples, head, seed, shuffleSeed, map, filter, skipBadRows, anyColumns });
}

/** Prompts insert any column, so rows need neither a context nor a question; the plan checks what each system needs. */
function hasPrompts({ prompts, models = [] }: RunConfig): boolean {
  return prompts !== undefined || models.some((model) => typeof model !== "string" && model.prompts !== undefined);
}

export function getSpecName(spec: string): string {
  return spec.split(":", 1)[0] ?? spec;
}

export function getSpecArgument(spec: string): string | undefined {
  const colon = spec.indexOf(":");
  return colon === -1 ? undefined : spec.slice(colon + 1);
}

export async function createFromRegistry<T>(
  value: T | Factory<T>,
  argument: string | undefined,
  permissions?: Permissions,
): Promise<T> {
  return typeof value === "function" ? (value as Factory<T>)(argument, permissions) : value;
}

interface SpecResolvers<T> {
  named(spec: string): Promise<T>;
  fromModule(path: string): Promise<T>;
}

async function resolveEach<T>(specs: readonly (string | T)[], resolvers: SpecResolvers<T>): Promise<T[]> {
  const resolved: T[] = [];
  for (const spec of specs) {
    if (typeof spec !== "string") resolved.push(spec);
    else resolved.push(await (isModulePath(spec) ? resolvers.fromModule(spec) : resolvers.named(spec)));
  }
  return resolved;
}

/**
 * A module exports one system or function as `default` or `system`, or several as `systems`. Each is identified by the
 * content of the module and its local imports, besides its own fingerprint.
 */
async function* loadSystemsModule(path: string): AsyncGenerator<System> {
  const exports = await loadModule(path, "system");
  for (const value of listExports(exports, "system", path)) {
    const system = toSystem(value, path);
    yield {
      name: system.name,
      process: (example, trial) => system.process(example, trial),
      close: async () => system.close?.(),
      ...(system.model === undefined ? {} : { model: system.model }),
      ...(system.limits === undefined ? {} : { limits: system.limits }),
      ...(system.endpoint === undefined ? {} : { endpoint: system.endpoint }),
      ...(system.endpointName === undefined ? {} : { endpointName: system.endpointName }),
      ...addModuleFingerprint(path, system, "process"),
    };
  }
}

function listExports(exports: ModuleExports, what: string, path: string): unknown[] {
  const several = exports[`${what}s`];
  if (Array.isArray(several)) return several;
  const one = exports.default ?? exports[what];
  if (one !== undefined) return [one];
  throw new ModuleError(`${path} exports no ${what}. Export it as \`default\` or as \`${what}\`.`);
}

function toSystem(value: unknown, path: string): System {
  const name = basename(path, extname(path));
  if (typeof value === "function") return new FunctionSystem({ name, fn: value as never });
  return requireShape<System>(`The system exported by ${path}`, value, ["process"]);
}

/** Combines the own fingerprint with the content of the module. */
export function addModuleFingerprint(
  path: string,
  thing: System | Evaluator,
  method: string,
): { fingerprint(): unknown } {
  const identity = [computeFingerprint(thing, method), fingerprintModule(path)];
  return { fingerprint: () => identity };
}

export async function loadOneFromModule<T extends { name: string }>(
  path: string,
  what: string,
  method: string,
): Promise<T> {
  const [value, ...more] = listExports(await loadModule(path, what), what, path);
  if (more.length > 0) throw new ShapeError(`${path} exports several ${what}s where one is expected.`);
  return requireShape<T>(`The ${what} exported by ${path}`, value, [method]);
}
