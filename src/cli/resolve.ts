import { basename, extname } from "node:path";
import type { Dataset, LoadOptions } from "../core/dataset.js";
import { describeError } from "../core/error-place.js";
import { DatasetError, ModuleError, messageOf, ShapeError, UsageError } from "../core/errors.js";
import type { Evaluator } from "../core/evaluator.js";
import type { ExampleSource } from "../core/example.js";
import { fingerprintOf } from "../core/fingerprint.js";
import type { Metric } from "../core/metric.js";
import type { Factory, Permissions, Registry } from "../core/registry.js";
import { given, requireShape } from "../core/shape.js";

import type { System } from "../core/system.js";
import { MEMORY_NAMES } from "../datasets/catalog/definitions.js";
import { withoutRevision } from "../datasets/dataset-spec.js";
import type { LoadDatasetOptions } from "../datasets/load-dataset.js";
import { namedFiles } from "../datasets/named-files.js";
import type { Manifest } from "../store/manifest.js";
import { FunctionSystem } from "../systems/function-system.js";
import { ReplaySystem } from "../systems/replay.js";
import { isModulePath, loadModule, type ModuleExports, moduleFingerprint } from "./load-module.js";
import { loadShowingProgress } from "./load-progress.js";
import type { RunConfig } from "./run-config.js";
import { say } from "./streams.js";

export async function loadPlugins(registry: Registry, paths: readonly string[]): Promise<void> {
  for (const path of paths) {
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
    await closeAll(systems);
  }
}

export async function oneSystem(registry: Registry, spec: string, config: RunConfig): Promise<System> {
  requireNoModelSettings(config);
  const found: System[] = [];
  for await (const system of systemsOf(registry, spec)) found.push(system);
  const [system, ...more] = found;
  if (system !== undefined && more.length === 0) return system;
  throw new ShapeError(`${spec} exports several systems where one is expected.`);
}

async function* systemsOf(registry: Registry, spec: string | System): AsyncGenerator<System> {
  if (typeof spec !== "string") yield requireShape<System>("A system of the config", spec, ["process"]);
  else if (isModulePath(spec)) yield* systemsFromModule(spec);
  else yield await named(registry.get("system", nameOf(spec)), argumentOf(spec));
}

async function* makeSystems(registry: Registry, config: RunConfig): AsyncGenerator<System> {
  if (config.reader !== undefined) throw new UsageError("--reader is only for assay memory. Remove it.");
  for (const spec of config.systems ?? []) yield* systemsOf(registry, spec);
  if (asksModels(config)) {
    const { measuredModels } = await import("./model-systems.js");
    yield* measuredModels(config);
  } else requireNoModelSettings(config);
  if ((config.agents ?? []).length > 0) yield* (await import("./agent-systems.js")).agentSystems(config);
  for (const file of config.replay ?? []) yield await ReplaySystem.fromFile(file);
}

/** True if a run calls models directly: named ones, or the default of the models file if it names no system. */
export function asksModels({ models, systems = [], replay = [], agents = [] }: RunConfig): boolean {
  return models !== undefined || systems.length + replay.length + agents.length === 0;
}

/** Rejects model settings that would be silently ignored. */
function requireNoModelSettings(config: RunConfig): void {
  const given = Object.entries(MODEL_SETTINGS).filter(([key]) => config[key as keyof RunConfig] !== undefined);
  const hasAgents = (config.agents ?? []).length > 0;
  const isUsed = (key: string) =>
    (config.judge !== undefined && JUDGE_SETTINGS.has(key)) || (hasAgents && AGENT_SETTINGS.has(key));
  const flag = given.find(([key]) => !isUsed(key))?.[1];
  if (flag === undefined) return;
  throw new UsageError(`${flag} is only for models, but this run has none. Add --model or --proxy, or remove it.`);
}

/** Settings that also apply to judges. */
const JUDGE_SETTINGS = new Set(["modelsFile", "allowInsecure"]);

/** Settings that also apply to agents' models. */
const AGENT_SETTINGS = new Set(["modelsFile", "allowInsecure", "apiKeyEnv"]);

const MODEL_SETTINGS = {
  modelsFile: "--models",
  systemPrompt: "--system-prompt",
  temperature: "--temperature",
  maxTokens: "--max-tokens",
  extraBody: "--extra-body",
  headers: "--header",
  timeout: "--timeout",
  apiKeyEnv: "--api-key-env",
  allowInsecure: "--allow-insecure",
} as const satisfies Partial<Record<keyof RunConfig, string>>;

/** An error on close must not discard results. */
export async function closeAll(things: readonly (System | Evaluator)[]): Promise<void> {
  for (const thing of things) {
    try {
      await thing.close?.();
    } catch (error) {
      say(`${thing.name} could not be closed: ${messageOf(error)}`);
    }
  }
}

export async function resolveMetrics(registry: Registry, config: RunConfig): Promise<Metric[]> {
  return resolveEach(config.metrics ?? [], {
    named: (spec) => named(registry.get("metric", nameOf(spec)), argumentOf(spec)),
    fromModule: (path) => oneFromModule<Metric>(path, "metric", "compute"),
  });
}

export function registerNamed(registry: Registry, { namedDatasets = {} }: Pick<RunConfig, "namedDatasets">): void {
  for (const [name, given] of Object.entries(namedDatasets)) {
    if (registry.has("dataset", name) || MEMORY_NAMES.includes(name))
      throw new UsageError(
        `namedDatasets in the config uses the name "${name}", which belongs to a built-in dataset or a plugin. Choose another name.`,
      );
    registry.register("dataset", name, namedFiles(name, given, registry));
  }
}

/** Commits of hub datasets, by dataset name. */
export type Revisions = ReadonlyMap<string, string>;

/** A resumed or regraded run reads the same commits again. */
export function revisionsOf({ config }: Pick<Manifest, "config">): Revisions {
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
  const options = { ...loadOptionsOf(config), permissions, registry };
  const datasets: (Dataset | ExampleSource)[] = [];
  for (const spec of config.datasets ?? []) {
    if (typeof spec === "string" && isForMemories(spec))
      throw new UsageError(`${spec} contains conversations for memories. Write: assay memory --dataset ${spec}.`);
    datasets.push(typeof spec === "string" ? await loadAt(spec, options, revisions) : spec);
  }
  const names = datasets.map((dataset) => ("examples" in dataset ? dataset.name : ""));
  const twice = names.find((name, index) => name !== "" && names.indexOf(name) !== index);
  if (twice !== undefined)
    throw new DatasetError(`Two datasets are named "${twice}", but rows are identified by name. Rename one.`);
  return datasets;
}

/** Evaluators of datasets loaded by name here. */
export function ownEvaluators({ datasets = [] }: RunConfig, loaded: readonly (Dataset | ExampleSource)[]): Evaluator[] {
  return loaded.flatMap((dataset, index) =>
    typeof datasets[index] === "string" && "examples" in dataset ? (dataset.evaluators ?? []) : [],
  );
}

/** True for a dataset of conversations, with or without a config, a revision or a file. */
export function isForMemories(spec: string): boolean {
  return MEMORY_NAMES.includes(/^[\w.-]+(?=[:@=]|$)/.exec(spec)?.[0] ?? "");
}

/** A branch may have moved since, so the recorded commit is read again. */
function loadAt(spec: string, options: LoadDatasetOptions, revisions: Revisions): Promise<Dataset> {
  const name = withoutRevision(spec);
  const revision = revisions.get(name);
  return revision === undefined
    ? loadShowingProgress(spec, options)
    : loadShowingProgress(name, { ...options, revision });
}

export function loadOptionsOf(config: RunConfig): LoadOptions {
  const { maxExamples, head, seed, shuffleSeed, map, filter, skipBadRows } = config;
  const idle = head === true ? "--head (head)" : shuffleSeed === undefined ? undefined : "--shuffle-seed (shuffleSeed)";
  if (maxExamples === undefined && idle !== undefined)
    throw new UsageError(`${idle} requires -n. Add -n, or remove it.`);
  return given({ maxExamples, head, seed, shuffleSeed, map, filter, skipBadRows });
}

export function nameOf(spec: string): string {
  return spec.split(":", 1)[0] ?? spec;
}

export function argumentOf(spec: string): string | undefined {
  const colon = spec.indexOf(":");
  return colon === -1 ? undefined : spec.slice(colon + 1);
}

export async function named<T>(
  value: T | Factory<T>,
  argument: string | undefined,
  permissions?: Permissions,
): Promise<T> {
  return typeof value === "function" ? (value as Factory<T>)(argument, permissions) : value;
}

interface Resolvers<T> {
  named(spec: string): Promise<T>;
  fromModule(path: string): Promise<T>;
}

async function resolveEach<T>(specs: readonly (string | T)[], resolvers: Resolvers<T>): Promise<T[]> {
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
async function* systemsFromModule(path: string): AsyncGenerator<System> {
  const exports = await loadModule(path, "system");
  for (const value of exported(exports, "system", path)) {
    const system = asSystem(value, path);
    yield {
      name: system.name,
      process: (example, trial) => system.process(example, trial),
      close: async () => system.close?.(),
      ...(system.model === undefined ? {} : { model: system.model }),
      ...(system.limits === undefined ? {} : { limits: system.limits }),
      ...(system.endpoint === undefined ? {} : { endpoint: system.endpoint }),
      ...identifiedBy(path, system, "process"),
    };
  }
}

function exported(exports: ModuleExports, what: string, path: string): unknown[] {
  const several = exports[`${what}s`];
  if (Array.isArray(several)) return several;
  const one = exports.default ?? exports[what];
  if (one !== undefined) return [one];
  throw new ModuleError(`${path} exports no ${what}. Export it as \`default\` or as \`${what}\`.`);
}

function asSystem(value: unknown, path: string): System {
  const name = basename(path, extname(path));
  if (typeof value === "function") return new FunctionSystem({ name, fn: value as never });
  return requireShape<System>(`The system exported by ${path}`, value, ["process"]);
}

/** Combines the own fingerprint with the content of the module. */
export function identifiedBy(path: string, thing: System | Evaluator, method: string): { fingerprint(): unknown } {
  const identity = [fingerprintOf(thing, method), moduleFingerprint(path)];
  return { fingerprint: () => identity };
}

export async function oneFromModule<T extends { name: string }>(
  path: string,
  what: string,
  method: string,
): Promise<T> {
  const [value, ...more] = exported(await loadModule(path, what), what, path);
  if (more.length > 0) throw new ShapeError(`${path} exports several ${what}s where one is expected.`);
  return requireShape<T>(`The ${what} exported by ${path}`, value, [method]);
}
