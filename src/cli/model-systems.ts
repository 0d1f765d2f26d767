import {
  explainMissingUrl,
  explainUnknownModel,
  findBundledLimits,
  findConfiguredModel,
  findModelsFile,
  getDefaultBaseUrl,
  getKeyVariable,
  getProviderDialect,
  getProviderRequest,
  loadModels,
  type ModelEntry,
  type ModelsFile,
  type ProviderRequest,
  requireBaseUrl,
  resolveEndpoint,
} from "../budget/index.js";
import type { Effort, Limits, ServiceTier, System, UserSimulator } from "../core/index.js";
import {
  addEffortName,
  EXAMPLE_MODELS,
  isLoopback,
  omitUndefined,
  selectServicePrice,
  UsageError,
} from "../core/index.js";
import type { DialectName } from "../models/index.js";
import { addPromptName, type ModelOptions, ModelSystem, type Prompt } from "../systems/index.js";
import type { AgentConfig, ModelConfig, RunConfig } from "./run-config.js";
import { isPlanOnly, type PlanFlags } from "./run-flags.js";
import { printNote } from "./streams.js";

/** For a proxy that serves one model under any name. */
const ANY_MODEL = "default";

/** Models that are called directly, not run by an agent. */
export async function openModelSystems(config: ModelRunConfig): Promise<ModelSystem[]> {
  const file = await loadRunModelsFile(config);
  const systems: ModelSystem[] = [];
  for (const given of config.models ?? []) {
    const model = typeof given === "string" ? { model: given } : given;
    if (typeof model.effort === "object" || typeof config.effort === "object")
      throw new UsageError("Several efforts are for models that are measured, not for judges and readers. Name one.");
    if (model.prompts !== undefined)
      throw new UsageError("`prompts` are for models that are measured, not for judges and readers. Remove them.");
    systems.push(await openModelSystem(model, { run: config, file }));
  }
  return systems;
}

type ModelRunConfig = RunConfig & PlanFlags;

/** The models of a run as systems, some of them run by agents; if the run names no system, the default of the models file. */
export async function* openMeasuredModels(config: ModelRunConfig): AsyncGenerator<System> {
  const file = await loadRunModelsFile(config);
  for (const given of config.models ?? listDefaultModels(config, file)) {
    const model = typeof given === "string" ? { model: given } : given;
    const agent =
      model.model === undefined || model.proxy !== undefined
        ? null
        : getModelAgent(findConfiguredModel(model.model, file));
    if (agent === null) yield* openPromptedModels(model, config, file);
    else if ((model.prompts ?? config.prompts) !== undefined)
      throw new UsageError(
        `The model "${agent.name}" is run by the agent ${agent.agent}, which takes no --prompt. Remove it.`,
      );
    else
      yield* (await import("./agent-systems.js")).openAgentEfforts(
        { ...agent, ...omitUndefined({ name: model.name, effort: model.effort }) },
        config,
      );
  }
}

/** One system for each effort and prompt, or one without. */
async function* openPromptedModels(
  model: ModelConfig,
  run: ModelRunConfig,
  file: ModelsFile | null,
): AsyncGenerator<ModelSystem> {
  const efforts = listEfforts(model.effort ?? run.effort);
  // A name that the user gave stays as it is, unless it would be used twice.
  for (const effort of efforts)
    yield* openModelPrompts(model, { run, file, effort, hasOneEffort: efforts.length === 1 });
}

async function* openModelPrompts(
  model: ModelConfig,
  { run, file, effort, hasOneEffort }: Omit<OpenModelOptions, "prompt" | "isNamed"> & { hasOneEffort: boolean },
): AsyncGenerator<ModelSystem> {
  const given = model.prompts ?? run.prompts;
  if (given === undefined) {
    yield await openModelSystem(model, { run, file, effort, isNamed: model.name !== undefined && hasOneEffort });
    return;
  }
  if (given.length === 0) throw new UsageError("`prompts` is empty. Name a prompt, or remove it.");
  const { openPrompts } = await import("./prompt-files.js");
  const prompts = await openPrompts(given);
  for (const prompt of prompts) {
    const isNamed = model.name !== undefined && prompts.length === 1 && hasOneEffort;
    yield await openModelSystem(model, { run, file, effort, prompt, isNamed });
  }
}

function getModelAgent(entry: ModelEntry | undefined): AgentConfig | null {
  return entry == null || entry.agentCli === null
    ? null
    : { agent: entry.agentCli, model: entry.name, name: entry.name };
}

async function loadRunModelsFile({ modelsFile }: RunConfig): Promise<ModelsFile | null> {
  const path = modelsFile ?? findModelsFile();
  return path === undefined ? null : loadModels(path);
}

function listDefaultModels({ systems = [], replay = [], agents = [] }: RunConfig, file: ModelsFile | null): string[] {
  if (systems.length + replay.length + agents.length > 0 || file === null || file.default === null) return [];
  printNote(`Measuring ${file.default}, the default of ${file.file}`);
  return [file.default];
}

/** The address, API format and limits of a model. */
interface LocatedModel {
  /** Null if unknown. */
  provider: string | null;
  /** Null for the model's own. */
  effort: Effort | null;
  model: string;
  name: string | undefined;
  baseUrl: string;
  dialect: DialectName;
  keyVariable: string | null;
  limits: Limits;
  request: ProviderRequest;
}

interface OpenModelOptions {
  run: ModelRunConfig;
  file: ModelsFile | null;
  prompt?: Prompt;
  /** Absent for that of the models file, or the model's own. */
  effort?: Effort | undefined;
  /** True if the system's name is complete without that of the prompt. */
  isNamed?: boolean;
}

async function openModelSystem(
  wanted: ModelConfig,
  { run, file, prompt, effort = selectSingleEffort(wanted.effort ?? run.effort), isNamed = false }: OpenModelOptions,
): Promise<ModelSystem> {
  const located = simulate(await locateRunModel(wanted, file), run);
  const {
    model,
    provider,
    name = nameModel(located, effort),
    baseUrl,
    dialect,
    keyVariable,
    limits,
    request,
  } = located;
  const asked = effort ?? located.effort ?? undefined;
  const apiKeyEnv = run.simulated === undefined ? (wanted.apiKeyEnv ?? run.apiKeyEnv ?? keyVariable) : null;
  const settings = { ...omitUndefined(selectModelSettings(run)), ...omitUndefined(selectModelSettings(wanted)) };
  noteUnknownServicePrice(name ?? model, limits, settings.serviceTier);
  return createModelSystem(run, {
    ...request,
    ...settings,
    ...(request.extraBody === undefined ? {} : { extraBody: { ...request.extraBody, ...settings.extraBody } }),
    model,
    baseUrl,
    dialect,
    limits,
    provider,
    ...(asked === undefined ? {} : { effort: asked }),
    ...(prompt === undefined ? {} : { prompt }),
    ...(name === undefined ? {} : { name: isNamed ? name : addPromptName(addEffortName(name, effort), prompt) }),
    ...omitUndefined({ batches: run.batches, traffic: run.traffic, user: await openUser(run) }),
    // Planning makes no requests.
    ...(apiKeyEnv === null || isPlanOnly(run) ? {} : { apiKeyEnv }),
  });
}

async function openUser(run: ModelRunConfig): Promise<UserSimulator | undefined> {
  return run.userModel === undefined ? undefined : (await import("./make-user.js")).openUserSimulator(run);
}

function noteUnknownServicePrice(name: string, { price }: Limits, service: ServiceTier | undefined): void {
  if (service === undefined || price === null || selectServicePrice(price, service) !== null) return;
  printNote(
    `The price of ${name} in the service tier ${service} is not known, so its costs are unknown and its trials have no limit in dollars. Give pricing.${service} in models.yml`,
  );
}

/** A name to add the effort to; undefined if the system names itself. */
function nameModel({ baseUrl, model }: LocatedModel, effort: Effort | undefined): string | undefined {
  return effort === undefined ? undefined : `${new URL(baseUrl).host}/${model}`;
}

/** The efforts to measure; one undefined if none is set. */
export function listEfforts(given: Effort | readonly Effort[] | undefined): readonly (Effort | undefined)[] {
  if (given === undefined || typeof given !== "object") return [given];
  if (given.length === 0) throw new UsageError("`effort` is empty. Name one, or remove it.");
  const twice = given.find((effort, at) => given.indexOf(effort) < at);
  if (twice !== undefined) throw new UsageError(`The effort ${twice} is given twice. Remove one.`);
  return given;
}

function selectSingleEffort(given: Effort | readonly Effort[] | undefined): Effort | undefined {
  return typeof given === "object" ? given[0] : given;
}

/** The same model and price, at the address of the simulated one. */
function simulate(located: LocatedModel, { simulated }: ModelRunConfig): LocatedModel {
  if (simulated === undefined) return located;
  const { name, model, dialect } = located;
  return { ...located, name: name ?? model, baseUrl: requireBaseUrl("--mock", simulated.url, dialect) };
}

function createModelSystem({ simulated }: ModelRunConfig, options: ModelOptions): ModelSystem {
  return simulated === undefined ? new ModelSystem(options) : new SimulatedSystem(options, simulated.id);
}

/** Is identified by the script, since the port of a simulated model differs each time. */
class SimulatedSystem extends ModelSystem {
  readonly #id: string;

  constructor(options: ModelOptions, id: string) {
    super(options);
    this.#id = id;
  }

  override fingerprint(): unknown {
    return { ...Object(super.fingerprint()), url: this.#id };
  }
}

function selectModelSettings(from: ModelConfig | RunConfig) {
  const { systemPrompt, temperature, maxTokens, serviceTier, extraBody, headers, timeout, allowInsecure } = from;
  const timeoutMs = timeout === undefined ? undefined : timeout * 1000;
  return { systemPrompt, temperature, maxTokens, serviceTier, extraBody, headers, timeoutMs, allowInsecure };
}

async function locateRunModel(given: ModelConfig, file: ModelsFile | null): Promise<LocatedModel> {
  const entry = given.model === undefined ? undefined : findConfiguredModel(given.model, file);
  if (given.proxy !== undefined) return locateProxiedModel(given, given.proxy, entry);
  if (entry !== undefined) return locateListedModel(given, entry);
  return locateProviderModel(given, file);
}

async function locateProxiedModel(
  given: ModelConfig,
  proxy: string,
  entry: ModelEntry | undefined,
): Promise<LocatedModel> {
  const dialect = given.api ?? (entry?.provider == null ? "chat" : getProviderDialect(entry.provider));
  const model = entry?.apiName ?? given.model ?? ANY_MODEL;
  const baseUrl = requireBaseUrl("--proxy", proxy, dialect);
  return {
    provider: entry?.provider ?? null,
    effort: entry?.effort ?? null,
    model,
    name: given.name,
    baseUrl,
    dialect,
    keyVariable: entry?.apiKeyEnv ?? findProxyKey(baseUrl, dialect),
    // A proxy forwards to another provider's model and costs what that model costs.
    limits: entry?.limits ?? (await findBundledLimits({ model })),
    request: getProviderRequest(entry?.provider ?? null),
  };
}

/** A proxy on this machine gets the default key; any other only a key that is named for it. */
function findProxyKey(baseUrl: string, dialect: DialectName): string | null {
  const variable = getKeyVariable(
    { chat: "openai", responses: "openai", anthropic: "anthropic", gemini: "google", bedrock: "bedrock" }[dialect],
  );
  const isSafe = isLoopback(new URL(baseUrl).hostname) && variable !== null && process.env[variable] !== undefined;
  return isSafe ? variable : null;
}

function locateListedModel(given: ModelConfig, entry: ModelEntry): LocatedModel {
  if (entry.agentCli !== null)
    throw new UsageError(
      `The model "${entry.name}" is run by the agent ${entry.agentCli}, which cannot answer single questions. Remove agent_cli to call it through its API.`,
    );
  const { baseUrl, keyVariable, dialect: usual } = resolveEndpoint(entry);
  if (baseUrl === null)
    throw new UsageError(
      `The model "${entry.name}" has no base_url, and its provider ${entry.provider ?? ""} has no default: ${explainMissingUrl(entry.provider)}.`,
    );
  const dialect = given.api ?? usual;
  return {
    provider: entry.provider,
    effort: entry.effort,
    model: entry.apiName,
    name: given.name ?? entry.name,
    baseUrl: requireBaseUrl("base_url", baseUrl, dialect),
    dialect,
    keyVariable,
    limits: entry.limits,
    request: getProviderRequest(entry.provider),
  };
}

/** `openai/NAME`: a known provider and its name for the model. */
async function locateProviderModel(
  { model = "", name, api }: ModelConfig,
  file: ModelsFile | null,
): Promise<LocatedModel> {
  const slash = model.indexOf("/");
  const provider = model.slice(0, Math.max(0, slash));
  const baseUrl = getDefaultBaseUrl(provider);
  if (model.includes(","))
    throw new UsageError(`"${model}" names several models. Repeat the flag for each, or use a list in the config.`);
  const own = model.slice(slash + 1);
  if (slash < 1 || own === "" || baseUrl === null) throw createUnknownModelError(model, file);
  return {
    provider,
    effort: null,
    model: own,
    name: name ?? model,
    baseUrl,
    dialect: api ?? getProviderDialect(provider),
    keyVariable: getKeyVariable(provider),
    limits: await findBundledLimits({ model: own, provider, baseUrl }),
    request: getProviderRequest(provider),
  };
}

function createUnknownModelError(model: string, file: ModelsFile | null): UsageError {
  return new UsageError(
    explainUnknownModel(
      model,
      file,
      `Write PROVIDER/MODEL (${EXAMPLE_MODELS.openai}, anthropic/…, google/…, openrouter/…, ollama/…), or --proxy URL --model ${model || "MODEL"}.`,
    ),
  );
}
