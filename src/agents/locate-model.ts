import type { ModelEntry, ModelsFile } from "../budget/index.js";
import {
  createPriceLimits,
  findBundledLimits,
  findConfiguredModel,
  getDefaultBaseUrl,
  getKeyVariable,
  getProviderDialect,
  PROVIDERS,
  type ProviderName,
  requireBaseUrl,
  resolveEndpoint,
} from "../budget/index.js";
import type { Limits, Price } from "../core/index.js";
import { EXAMPLE_MODELS, isLoopback, UsageError } from "../core/index.js";
import type { DialectName, GatewayDialectName, Traffic } from "../models/index.js";
import type { AgentAdapter, AgentModel } from "./adapter.js";
import type { AgentUpstreams } from "./agent-meter.js";

/** Where an agent's model is. */
export interface AgentModelOptions {
  /** Its API format. */
  api?: DialectName;
  /** URL to use instead of the provider's. */
  url?: string;
  /** Identifies what answers at the URL, if the URL differs each time, such as that of a mock. Default: the URL. */
  urlId?: string;
  /** The environment variable with the key. */
  apiKeyEnv?: string;
  /** Allows sending a key over plain http to another machine. */
  allowInsecure?: boolean;
  /** Set when the agent uses the user's HOME, and so its login. */
  home?: string;
  /** True for a plan, which needs no key. */
  isPlan?: boolean;
  /** Records its model calls, or answers them from a recording, for which no key is needed. */
  traffic?: Traffic;
}

interface LocateModelOptions {
  readonly adapter: AgentAdapter;
  /** As given; undefined when none was. */
  readonly wanted: string | undefined;
  readonly options: AgentModelOptions;
  readonly file: ModelsFile | null;
}

interface AgentModelLocation {
  readonly model: AgentModel | null;
  readonly upstreams: AgentUpstreams;
  readonly limits: Limits;
}

/** Determines an agent's model, its endpoint and its limits. */
export async function locateModel(wanted: LocateModelOptions): Promise<AgentModelLocation> {
  const { adapter, options, file } = wanted;
  const name = wanted.wanted;
  if (name === undefined) return locateWithoutModel(wanted);
  const entry = findConfiguredModel(name, file);
  const { provider, model, cliName } =
    entry === undefined ? parseAgentModelName(name, wanted) : getEntryModelName(entry, adapter);
  const dialect = resolveAgentDialect(wanted, provider);
  const baseUrl = resolveUpstreamUrl({ dialect, provider, entry, options });
  // A proxy bills the price of the model behind it.
  const place = options.url === undefined ? { baseUrl } : {};
  const limits =
    entry?.limits ?? (await findBundledLimits({ model, ...(provider !== null && { provider }), ...place }));
  const mount = getMount(dialect);
  const key = options.home === undefined ? resolveUpstreamKey({ adapter, provider, entry, baseUrl, options }) : null;
  const isBlind = options.home !== undefined && adapter.tellsUsageAtEnd === true;
  return {
    model: { name: model, cliName, dialect },
    upstreams: {
      urls: { [mount]: baseUrl },
      keys: key === null ? {} : { [mount]: key },
      prices: collectModelPrices(model, limits.price, file),
      model,
      allowInsecure: options.allowInsecure === true,
    },
    // A dollar budget is rejected early for a model without a known price.
    limits: { ...limits, ...(limits.price !== null && { isMetered: true }), ...(isBlind && { maxCostUsd: null }) },
  };
}

/** Prices of the models file by API name, because the called model may differ from the requested one. */
function collectModelPrices(
  model: string | null,
  price: Price | null,
  file: ModelsFile | null,
): ReadonlyMap<string, Price> {
  const prices = new Map<string, Price>();
  for (const { apiName, limits } of file?.models.values() ?? [])
    if (limits.price !== null) prices.set(apiName, limits.price);
  if (model !== null && price !== null) prices.set(model, price);
  return prices;
}

interface QualifiedModelName {
  readonly provider: string | null;
  readonly model: string;
  readonly cliName: string;
}

function getEntryModelName(
  { provider, apiName, agentModelName }: ModelEntry,
  adapter: AgentAdapter,
): QualifiedModelName {
  return { provider: provider ?? adapter.provider, model: apiName, cliName: agentModelName ?? apiName };
}

/** `gpt-5.6-sol` for an agent with a default provider, `openrouter/minimax/minimax-m2.7` for one without. */
function parseAgentModelName(name: string, { adapter, options }: LocateModelOptions): QualifiedModelName {
  if (adapter.provider !== null) {
    const model = name.startsWith(`${adapter.provider}/`) ? name.slice(adapter.provider.length + 1) : name;
    return { provider: adapter.provider, model, cliName: model };
  }
  const slash = name.indexOf("/");
  const provider = name.slice(0, Math.max(0, slash));
  if (getDefaultBaseUrl(provider) !== null) return { provider, model: name.slice(slash + 1), cliName: name };
  if (options.url !== undefined) return { provider: null, model: name, cliName: name };
  const [who, flag] =
    adapter.command === undefined ? [adapter.name, `--agent ${adapter.name}:`] : ["the command", "--agent-model "];
  throw new UsageError(
    `Unknown model "${name}" for ${who}. Write ${flag}PROVIDER/MODEL (${EXAMPLE_MODELS.openai}, openrouter/…), name a model of models.yml, or give its URL with --agent-url.`,
  );
}

function resolveAgentDialect(
  { adapter, options: { api } }: LocateModelOptions,
  provider: string | null,
): GatewayDialectName {
  const [usual] = adapter.dialects;
  const wanted = api ?? (provider === null ? usual : selectOpenAiDialect(adapter, getProviderDialect(provider)));
  const dialect = adapter.dialects.find((each) => each === wanted);
  if (dialect !== undefined) return dialect;
  throw new UsageError(
    `${adapter.name} does not support ${provider ?? "a model"} in the ${api ?? getProviderDialect(provider)} dialect, only ${adapter.dialects.join(", ")}.`,
  );
}

/** OpenAI's models support both of its dialects. */
function selectOpenAiDialect({ dialects }: AgentAdapter, dialect: DialectName): DialectName {
  return dialect === "chat" && !dialects.includes("chat") && dialects.includes("responses") ? "responses" : dialect;
}

interface ModelSource {
  readonly provider: string | null;
  readonly entry: ModelEntry | undefined;
  readonly options: AgentModelOptions;
}

function resolveUpstreamUrl({ dialect, provider, entry, options }: ModelSource & { dialect: DialectName }): string {
  if (options.url !== undefined) return requireBaseUrl("--agent-url", options.url, dialect);
  const url = entry?.baseUrl ?? getDefaultBaseUrl(provider);
  if (url !== null) return requireBaseUrl("base_url", url, dialect);
  throw new UsageError(
    `The URL of the model ${entry?.name ?? ""} is unknown. Add its base_url to models.yml, or give --agent-url.`,
  );
}

/** A provider's key is sent to its own host and to this machine; to others only when its variable is named. */
function resolveUpstreamKey({
  adapter,
  provider,
  entry,
  baseUrl,
  options,
}: ModelSource & { adapter: AgentAdapter; baseUrl: string }): string | null {
  const named = options.apiKeyEnv ?? entry?.apiKeyEnv ?? null;
  const isHere = isLoopback(new URL(baseUrl).hostname);
  const usual =
    resolveEndpoint({ provider, baseUrl, apiKeyEnv: null }).keyVariable ?? (isHere ? getKeyVariable(provider) : null);
  const variable = named ?? usual;
  const key = variable === null ? undefined : process.env[variable];
  if (key !== undefined && key !== "") return key;
  if (variable === null || (named === null && isHere) || needsNoKey(options)) return null;
  throw new UsageError(
    `${adapter.name} needs a key: ${variable} is not set. Set it, or use the agent's own login with --agent-home inherit.`,
  );
}

function needsNoKey({ isPlan, traffic }: AgentModelOptions): boolean {
  return isPlan === true || traffic?.isOffline === true;
}

/** The agent uses its default model, whose price is looked up when it is called. */
function locateWithoutModel(wanted: LocateModelOptions): AgentModelLocation {
  const { adapter, options, file } = wanted;
  if (adapter.command !== undefined) return locateCommandWithoutModel(wanted);
  const { provider } = adapter;
  if (provider === null)
    throw new UsageError(
      `${adapter.name} needs a model: --agent ${adapter.name}:PROVIDER/MODEL, or ${adapter.name}:NAME with a model of models.yml.`,
    );
  const place = { provider, entry: undefined, options };
  const dialect = resolveAgentDialect(wanted, provider);
  const baseUrl = resolveUpstreamUrl({ ...place, dialect });
  const key = options.home === undefined ? resolveUpstreamKey({ ...place, adapter, baseUrl }) : null;
  const isBlind = options.home !== undefined && adapter.tellsUsageAtEnd === true;
  const mount = getMount(dialect);
  return {
    model: null,
    upstreams: {
      urls: { [mount]: baseUrl },
      keys: key === null ? {} : { [mount]: key },
      prices: collectModelPrices(null, null, file),
      allowInsecure: options.allowInsecure === true,
    },
    limits: { ...createPriceLimits(null), isMetered: true, ...(isBlind && { maxCostUsd: null }) },
  };
}

/** A command that chooses its own model gets every provider with a key. */
function locateCommandWithoutModel({ options, file }: LocateModelOptions): AgentModelLocation {
  const names = Object.keys(PROVIDERS) as ProviderName[];
  const urls = names.flatMap((name): [ProviderName, string][] =>
    options.url === undefined ? [] : [[name, requireBaseUrl("--agent-url", options.url, PROVIDERS[name].dialect)]],
  );
  const isElsewhere = options.url !== undefined && !isLoopback(new URL(options.url).hostname);
  const keys = names.flatMap((name): [ProviderName, string][] => {
    const variable = options.apiKeyEnv ?? (isElsewhere ? null : getKeyVariable(name));
    const key = variable === null ? undefined : process.env[variable];
    return key === undefined ? [] : [[name, key]];
  });
  return {
    model: null,
    upstreams: {
      urls: Object.fromEntries(urls),
      keys: options.home === undefined ? Object.fromEntries(keys) : {},
      prices: collectModelPrices(null, null, file),
      allowInsecure: options.allowInsecure === true,
    },
    limits: { ...createPriceLimits(null), isMetered: true },
  };
}

const MOUNT_BY_DIALECT: Readonly<Record<GatewayDialectName, ProviderName>> = {
  chat: "openai",
  responses: "openai",
  anthropic: "anthropic",
  gemini: "google",
};

/** The gateway path of a dialect's clients. */
function getMount(dialect: GatewayDialectName): ProviderName {
  return MOUNT_BY_DIALECT[dialect];
}
