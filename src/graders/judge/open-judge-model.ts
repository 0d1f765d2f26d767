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
  isKnownProvider,
  loadModels,
  type ModelEntry,
  type ModelsFile,
  type ProviderRequest,
  requireBaseUrl,
  resolveEndpoint,
} from "../../budget/index.js";
import type { Limits } from "../../core/index.js";
import { EXAMPLE_MODELS, isLoopback, omitUndefined, UsageError } from "../../core/index.js";
import type { DialectName, Traffic } from "../../models/index.js";
import type { ModelOptions } from "../../systems/index.js";

/** Which model judges, and where to find it. */
export interface JudgeModelOptions {
  /** A model in the models file, or `PROVIDER/MODEL`; with `url`, any model served there. */
  name: string;
  /** File with models, prices and addresses. Default: models.yml in the working directory. */
  modelsFile?: string;
  /** Base URL to use instead of the provider's. */
  url?: string;
  /** Environment variable with the API key. Default: the provider's variable. */
  apiKeyEnv?: string;
  /** Allows sending the key over plain http to another machine. */
  allowInsecure?: boolean;
  /** Records its calls, or answers them from a recording. */
  traffic?: Traffic;
}

/**
 * Finds the judge model: its address, API format, price and key variable. The key itself is read when the model is first
 * used.
 * @example
 * const judge = new LLMJudge({ model: await openJudgeModel({ name: "openai/gpt-6-sol" }) });
 */
export async function openJudgeModel(options: JudgeModelOptions): Promise<ModelOptions> {
  const path = options.modelsFile ?? findModelsFile();
  const file = path === undefined ? null : await loadModels(path);
  const { keyVariable, request, ...found } = await findJudgeEndpoint(options, file);
  const apiKeyEnv = options.apiKeyEnv ?? keyVariable;
  return {
    ...found,
    ...request,
    name: options.name,
    ...(apiKeyEnv === null ? {} : { apiKeyEnv }),
    ...omitUndefined({ allowInsecure: options.allowInsecure, traffic: options.traffic }),
  };
}

interface JudgeEndpoint {
  readonly model: string;
  readonly baseUrl: string;
  readonly dialect: DialectName;
  readonly keyVariable: string | null;
  readonly limits: Limits;
  readonly request: ProviderRequest;
}

async function findJudgeEndpoint({ name, url }: JudgeModelOptions, file: ModelsFile | null): Promise<JudgeEndpoint> {
  const entry = findConfiguredModel(name, file);
  if (url !== undefined) return resolveUrlEndpoint(url, name, entry);
  return entry === undefined ? resolveProviderEndpoint(name, file) : resolveEntryEndpoint(entry);
}

/** A server at a custom URL is priced like its model. Only a local one gets the provider's default key; any other needs an explicit key variable. */
async function resolveUrlEndpoint(url: string, name: string, entry: ModelEntry | undefined): Promise<JudgeEndpoint> {
  const { provider, model } =
    entry === undefined ? splitJudgeName(name) : { provider: entry.provider, model: entry.apiName };
  const dialect = getProviderDialect(provider);
  const baseUrl = requireBaseUrl("The judge's URL", url, dialect);
  return {
    model,
    baseUrl,
    dialect,
    keyVariable: entry?.apiKeyEnv ?? findLocalKeyVariable(baseUrl, provider),
    limits: entry?.limits ?? (await findBundledLimits({ model, ...(provider !== null && { provider }) })),
    request: getProviderRequest(provider),
  };
}

function findLocalKeyVariable(baseUrl: string, provider: string | null): string | null {
  const variable = getKeyVariable(provider ?? "openai");
  const isSet = variable !== null && (process.env[variable] ?? "") !== "";
  return isSet && isLoopback(new URL(baseUrl).hostname) ? variable : null;
}

function resolveEntryEndpoint(entry: ModelEntry): JudgeEndpoint {
  if (entry.agentCli !== null)
    throw new UsageError(
      `The judge "${entry.name}" is run by the agent ${entry.agentCli}, which cannot answer single questions. Name a model that is called through its API.`,
    );
  const { baseUrl, keyVariable, dialect } = resolveEndpoint(entry);
  if (baseUrl === null)
    throw new UsageError(
      `The judge "${entry.name}" has no base_url, and its provider ${entry.provider ?? ""} has no default one: ${explainMissingUrl(entry.provider)}.`,
    );
  return {
    model: entry.apiName,
    baseUrl: requireBaseUrl("base_url", baseUrl, dialect),
    dialect,
    keyVariable,
    limits: entry.limits,
    request: getProviderRequest(entry.provider),
  };
}

async function resolveProviderEndpoint(name: string, file: ModelsFile | null): Promise<JudgeEndpoint> {
  const { provider, model } = splitJudgeName(name);
  const baseUrl = getDefaultBaseUrl(provider);
  if (provider === null || baseUrl === null || model === "") throw createUnknownJudgeError(name, file);
  return {
    model,
    baseUrl,
    dialect: getProviderDialect(provider),
    keyVariable: getKeyVariable(provider),
    limits: await findBundledLimits({ model, provider, baseUrl }),
    request: getProviderRequest(provider),
  };
}

/** Splits off a known provider; any other name is the model's as a whole. */
function splitJudgeName(name: string): { provider: string | null; model: string } {
  const slash = name.indexOf("/");
  const provider = name.slice(0, Math.max(0, slash));
  return isKnownProvider(provider) ? { provider, model: name.slice(slash + 1) } : { provider: null, model: name };
}

function createUnknownJudgeError(name: string, file: ModelsFile | null): UsageError {
  return new UsageError(
    `Unknown judge model "${name}". ${explainUnknownModel(name, file, `Write PROVIDER/MODEL (${EXAMPLE_MODELS.openai}, anthropic/…, google/…, openrouter/…, ollama/…), or add it to models.yml with its base_url.`)}`,
  );
}
