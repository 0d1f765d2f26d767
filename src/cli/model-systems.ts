import { baseUrlOf } from "../budget/base-url.js";
import { loadModels, type ModelEntry, type ModelsFile } from "../budget/index.js";
import { bundledLimits, entryFor, findModelsFile } from "../budget/models-file.js";

import { defaultBaseUrlOf, dialectOf, endpointOf, keyVariableOf } from "../budget/providers.js";
import { UsageError } from "../core/errors.js";
import { isLoopback } from "../core/loopback.js";
import type { Limits } from "../core/price.js";
import { given } from "../core/shape.js";
import { didYouMean } from "../core/suggest.js";
import type { System } from "../core/system.js";
import type { DialectName } from "../models/dialects/dialect.js";
import { ModelSystem } from "../systems/model.js";
import { isPlannedOnly, type Planning } from "./planned-only.js";
import type { AgentConfig, ModelConfig, RunConfig } from "./run-config.js";
import { say } from "./streams.js";

/** For a proxy that serves one model under any name. */
const ANY_MODEL = "default";

/** Models that are called directly, not run by an agent. */
export async function modelSystems(config: Run): Promise<ModelSystem[]> {
  const file = await modelsFileOf(config);
  const systems: ModelSystem[] = [];
  for (const model of config.models ?? [])
    systems.push(await modelSystem(typeof model === "string" ? { model } : model, config, file));
  return systems;
}

type Run = RunConfig & Planning;

/** The models of a run as systems, some of them run by agents; if the run names no system, the default of the models file. */
export async function* measuredModels(config: Run): AsyncGenerator<System> {
  const file = await modelsFileOf(config);
  for (const given of config.models ?? defaultOf(config, file)) {
    const model = typeof given === "string" ? { model: given } : given;
    const agent = model.model === undefined || model.proxy !== undefined ? null : agentOf(entryFor(model.model, file));
    if (agent === null) yield await modelSystem(model, config, file);
    else yield await (await import("./agent-systems.js")).agentSystem({ ...agent, ...nameOf(model) }, config);
  }
}

function agentOf(entry: ModelEntry | undefined): AgentConfig | null {
  return entry == null || entry.agentCli === null
    ? null
    : { agent: entry.agentCli, model: entry.name, name: entry.name };
}

function nameOf({ name }: ModelConfig): Pick<AgentConfig, "name"> {
  return name === undefined ? {} : { name };
}

async function modelsFileOf({ modelsFile }: RunConfig): Promise<ModelsFile | null> {
  const path = modelsFile ?? findModelsFile();
  return path === undefined ? null : loadModels(path);
}

function defaultOf({ systems = [], replay = [], agents = [] }: RunConfig, file: ModelsFile | null): string[] {
  if (systems.length + replay.length + agents.length > 0 || file === null || file.default === null) return [];
  say(`Measuring ${file.default}, the default of ${file.file}`);
  return [file.default];
}

/** The address, API format and limits of a model. */
interface Located {
  model: string;
  name: string | undefined;
  baseUrl: string;
  dialect: DialectName;
  keyVariable: string | null;
  limits: Limits;
}

async function modelSystem(wanted: ModelConfig, run: Run, file: ModelsFile | null): Promise<ModelSystem> {
  const { model, name, baseUrl, dialect, keyVariable, limits } = await locate(wanted, file);
  const apiKeyEnv = wanted.apiKeyEnv ?? run.apiKeyEnv ?? keyVariable;
  const settings = { ...given(settingsOf(run)), ...given(settingsOf(wanted)) };
  return new ModelSystem({
    ...settings,
    model,
    baseUrl,
    dialect,
    limits,
    ...(name === undefined ? {} : { name }),
    // Planning makes no requests.
    ...(apiKeyEnv === null || isPlannedOnly(run) ? {} : { apiKeyEnv }),
  });
}

function settingsOf(from: ModelConfig | RunConfig) {
  const { systemPrompt, temperature, maxTokens, extraBody, headers, timeout, allowInsecure } = from;
  const timeoutMs = timeout === undefined ? undefined : timeout * 1000;
  return { systemPrompt, temperature, maxTokens, extraBody, headers, timeoutMs, allowInsecure };
}

async function locate(given: ModelConfig, file: ModelsFile | null): Promise<Located> {
  const entry = given.model === undefined ? undefined : entryFor(given.model, file);
  if (given.proxy !== undefined) return behindProxy(given, given.proxy, entry);
  if (entry !== undefined) return fromEntry(given, entry);
  return fromProvider(given, file);
}

async function behindProxy(given: ModelConfig, proxy: string, entry: ModelEntry | undefined): Promise<Located> {
  const dialect = given.api ?? (entry?.provider == null ? "chat" : dialectOf(entry.provider));
  const model = entry?.apiName ?? given.model ?? ANY_MODEL;
  const baseUrl = baseUrlOf("--proxy", proxy, dialect);
  return {
    model,
    name: given.name,
    baseUrl,
    dialect,
    keyVariable: entry?.apiKeyEnv ?? keyForProxy(baseUrl, dialect),
    // A proxy forwards to another provider's model and costs what that model costs.
    limits: entry?.limits ?? (await bundledLimits({ model })),
  };
}

/** A proxy on this machine gets the default key; any other only a key that is named for it. */
function keyForProxy(baseUrl: string, dialect: DialectName): string | null {
  const variable = keyVariableOf(
    { chat: "openai", responses: "openai", anthropic: "anthropic", gemini: "google" }[dialect],
  );
  const isSafe = isLoopback(new URL(baseUrl).hostname) && variable !== null && process.env[variable] !== undefined;
  return isSafe ? variable : null;
}

function fromEntry(given: ModelConfig, entry: ModelEntry): Located {
  if (entry.agentCli !== null)
    throw new UsageError(
      `The model "${entry.name}" is run by the agent ${entry.agentCli}, which cannot answer single questions. Remove agent_cli to call it through its API.`,
    );
  const { baseUrl, keyVariable, dialect: usual } = endpointOf(entry);
  if (baseUrl === null)
    throw new UsageError(
      `The model "${entry.name}" has no base_url, and its provider ${entry.provider ?? ""} has no default. Add base_url.`,
    );
  const dialect = given.api ?? usual;
  return {
    model: entry.apiName,
    name: given.name ?? entry.name,
    baseUrl: baseUrlOf("base_url", baseUrl, dialect),
    dialect,
    keyVariable,
    limits: entry.limits,
  };
}

/** `openai/gpt-5`: a known provider and its name for the model. */
async function fromProvider({ model = "", name, api }: ModelConfig, file: ModelsFile | null): Promise<Located> {
  const slash = model.indexOf("/");
  const provider = model.slice(0, Math.max(0, slash));
  const baseUrl = defaultBaseUrlOf(provider);
  if (slash < 1 || baseUrl === null) throw unknownModel(model, file);
  const own = model.slice(slash + 1);
  return {
    model: own,
    name: name ?? model,
    baseUrl,
    dialect: api ?? dialectOf(provider),
    keyVariable: keyVariableOf(provider),
    limits: await bundledLimits({ model: own, provider, baseUrl }),
  };
}

function unknownModel(model: string, file: ModelsFile | null): UsageError {
  const where = file === null ? "There is no models.yml here" : `${file.file} has no model "${model}"`;
  const guess = file === null ? "" : didYouMean(model, file.models.keys());
  return new UsageError(
    `${where}.${guess} Write --model PROVIDER/MODEL (openai/gpt-5, anthropic/…, google/…, openrouter/…, ollama/…), or --proxy URL --model ${model || "MODEL"}.`,
  );
}
