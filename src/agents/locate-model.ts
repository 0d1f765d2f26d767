import { baseUrlOf } from "../budget/base-url.js";
import { PROVIDERS, type ProviderName } from "../budget/gateway/provider.js";
import type { ModelEntry, ModelsFile } from "../budget/index.js";
import { bundledLimits, entryFor, limitsAt } from "../budget/models-file.js";
import { defaultBaseUrlOf, dialectOf, endpointOf, keyVariableOf } from "../budget/providers.js";
import { UsageError } from "../core/errors.js";
import { isLoopback } from "../core/loopback.js";
import type { Limits, Price } from "../core/price.js";
import type { DialectName } from "../models/dialects/dialect.js";
import type { AgentAdapter, AgentModel } from "./adapter.js";
import type { Upstreams } from "./agent-meter.js";

/** Where an agent's model is. */
export interface ModelPlace {
  /** Its API format. */
  api?: DialectName;
  /** URL to use instead of the provider's. */
  url?: string;
  /** The environment variable with the key. */
  apiKeyEnv?: string;
  /** Allows sending a key over plain http to another machine. */
  allowInsecure?: boolean;
  /** Set when the agent uses the user's HOME, and so its login. */
  home?: string;
  /** True for a plan, which needs no key. */
  isPlan?: boolean;
}

interface Wanted {
  readonly adapter: AgentAdapter;
  /** As given; undefined when none was. */
  readonly wanted: string | undefined;
  readonly options: ModelPlace;
  readonly file: ModelsFile | null;
}

interface Located {
  readonly model: AgentModel | null;
  readonly upstreams: Upstreams;
  readonly limits: Limits;
}

/** Determines an agent's model, its endpoint and its limits. */
export async function locateModel(wanted: Wanted): Promise<Located> {
  const { adapter, options, file } = wanted;
  const name = wanted.wanted;
  if (name === undefined) return withoutModel(wanted);
  const entry = entryFor(name, file);
  const { provider, model, cliName } = entry === undefined ? nameOf(name, wanted) : entryName(entry, adapter);
  const dialect = dialectFor(wanted, provider);
  const baseUrl = upstreamOf({ dialect, provider, entry, options });
  // A proxy bills the price of the model behind it.
  const place = options.url === undefined ? { baseUrl } : {};
  const limits = entry?.limits ?? (await bundledLimits({ model, ...(provider !== null && { provider }), ...place }));
  const mount = mountOf(dialect);
  const key = options.home === undefined ? keyOf({ adapter, provider, entry, baseUrl, options }) : null;
  const isBlind = options.home !== undefined && adapter.tellsUsageAtEnd === true;
  return {
    model: { name: model, cliName, dialect },
    upstreams: {
      urls: { [mount]: baseUrl },
      keys: key === null ? {} : { [mount]: key },
      prices: pricesFor(model, limits.price, file),
      model,
      allowInsecure: options.allowInsecure === true,
    },
    // A dollar budget is rejected early for a model without a known price.
    limits: { ...limits, ...(limits.price !== null && { isMetered: true }), ...(isBlind && { maxCostUsd: null }) },
  };
}

/** Prices of the models file by API name, because the called model may differ from the requested one. */
function pricesFor(model: string | null, price: Price | null, file: ModelsFile | null): ReadonlyMap<string, Price> {
  const prices = new Map<string, Price>();
  for (const { apiName, limits } of file?.models.values() ?? [])
    if (limits.price !== null) prices.set(apiName, limits.price);
  if (model !== null && price !== null) prices.set(model, price);
  return prices;
}

interface Named {
  readonly provider: string | null;
  readonly model: string;
  readonly cliName: string;
}

function entryName({ provider, apiName, agentModelName }: ModelEntry, adapter: AgentAdapter): Named {
  return { provider: provider ?? adapter.provider, model: apiName, cliName: agentModelName ?? apiName };
}

/** `gpt-5.5` for an agent with a default provider, `openrouter/minimax/minimax-m2.7` for one without. */
function nameOf(name: string, { adapter, options }: Wanted): Named {
  if (adapter.provider !== null) {
    const model = name.startsWith(`${adapter.provider}/`) ? name.slice(adapter.provider.length + 1) : name;
    return { provider: adapter.provider, model, cliName: model };
  }
  const slash = name.indexOf("/");
  const provider = name.slice(0, Math.max(0, slash));
  if (defaultBaseUrlOf(provider) !== null) return { provider, model: name.slice(slash + 1), cliName: name };
  if (options.url !== undefined) return { provider: null, model: name, cliName: name };
  const [who, flag] =
    adapter.command === undefined ? [adapter.name, `--agent ${adapter.name}:`] : ["the command", "--agent-model "];
  throw new UsageError(
    `Unknown model "${name}" for ${who}. Write ${flag}PROVIDER/MODEL (openai/gpt-5, openrouter/…), name a model of models.yml, or give its URL with --agent-url.`,
  );
}

function dialectFor({ adapter, options: { api } }: Wanted, provider: string | null): DialectName {
  const [usual] = adapter.dialects;
  const dialect = api ?? (provider === null ? usual : fitting(adapter, dialectOf(provider)));
  if (dialect !== undefined && adapter.dialects.includes(dialect)) return dialect;
  throw new UsageError(
    `${adapter.name} does not support ${provider ?? "a model"} in the ${api ?? dialectOf(provider)} dialect, only ${adapter.dialects.join(", ")}.`,
  );
}

/** OpenAI's models support both of its dialects. */
function fitting({ dialects }: AgentAdapter, dialect: DialectName): DialectName {
  return dialect === "chat" && !dialects.includes("chat") && dialects.includes("responses") ? "responses" : dialect;
}

interface Place {
  readonly provider: string | null;
  readonly entry: ModelEntry | undefined;
  readonly options: ModelPlace;
}

function upstreamOf({ dialect, provider, entry, options }: Place & { dialect: DialectName }): string {
  if (options.url !== undefined) return baseUrlOf("--agent-url", options.url, dialect);
  const url = entry?.baseUrl ?? defaultBaseUrlOf(provider);
  if (url !== null) return baseUrlOf("base_url", url, dialect);
  throw new UsageError(
    `The URL of the model ${entry?.name ?? ""} is unknown. Add its base_url to models.yml, or give --agent-url.`,
  );
}

/** A provider's key is sent to its own host and to this machine; to others only when its variable is named. */
function keyOf({
  adapter,
  provider,
  entry,
  baseUrl,
  options,
}: Place & { adapter: AgentAdapter; baseUrl: string }): string | null {
  const named = options.apiKeyEnv ?? entry?.apiKeyEnv ?? null;
  const isHere = isLoopback(new URL(baseUrl).hostname);
  const usual =
    endpointOf({ provider, baseUrl, apiKeyEnv: null }).keyVariable ?? (isHere ? keyVariableOf(provider) : null);
  const variable = named ?? usual;
  const key = variable === null ? undefined : process.env[variable];
  if (key !== undefined && key !== "") return key;
  if (variable === null || (named === null && isHere) || options.isPlan === true) return null;
  throw new UsageError(
    `${adapter.name} needs a key: ${variable} is not set. Set it, or use the agent's own login with --agent-home inherit.`,
  );
}

/** The agent uses its default model, whose price is looked up when it is called. */
function withoutModel(wanted: Wanted): Located {
  const { adapter, options, file } = wanted;
  if (adapter.command !== undefined) return commandWithoutModel(wanted);
  const { provider } = adapter;
  if (provider === null)
    throw new UsageError(
      `${adapter.name} needs a model: --agent ${adapter.name}:PROVIDER/MODEL, or ${adapter.name}:NAME with a model of models.yml.`,
    );
  const place = { provider, entry: undefined, options };
  const dialect = dialectFor(wanted, provider);
  const baseUrl = upstreamOf({ ...place, dialect });
  const key = options.home === undefined ? keyOf({ ...place, adapter, baseUrl }) : null;
  const isBlind = options.home !== undefined && adapter.tellsUsageAtEnd === true;
  const mount = mountOf(dialect);
  return {
    model: null,
    upstreams: {
      urls: { [mount]: baseUrl },
      keys: key === null ? {} : { [mount]: key },
      prices: pricesFor(null, null, file),
      allowInsecure: options.allowInsecure === true,
    },
    limits: { ...limitsAt(null), isMetered: true, ...(isBlind && { maxCostUsd: null }) },
  };
}

/** A command that chooses its own model gets every provider with a key. */
function commandWithoutModel({ options, file }: Wanted): Located {
  const names = Object.keys(PROVIDERS) as ProviderName[];
  const urls = names.flatMap((name): [ProviderName, string][] =>
    options.url === undefined ? [] : [[name, baseUrlOf("--agent-url", options.url, PROVIDERS[name].dialect)]],
  );
  const isElsewhere = options.url !== undefined && !isLoopback(new URL(options.url).hostname);
  const keys = names.flatMap((name): [ProviderName, string][] => {
    const variable = options.apiKeyEnv ?? (isElsewhere ? null : keyVariableOf(name));
    const key = variable === null ? undefined : process.env[variable];
    return key === undefined ? [] : [[name, key]];
  });
  return {
    model: null,
    upstreams: {
      urls: Object.fromEntries(urls),
      keys: options.home === undefined ? Object.fromEntries(keys) : {},
      prices: pricesFor(null, null, file),
      allowInsecure: options.allowInsecure === true,
    },
    limits: { ...limitsAt(null), isMetered: true },
  };
}

const MOUNTS: Readonly<Record<DialectName, ProviderName>> = {
  chat: "openai",
  responses: "openai",
  anthropic: "anthropic",
  gemini: "google",
};

/** The gateway path of a dialect's clients. */
function mountOf(dialect: DialectName): ProviderName {
  return MOUNTS[dialect];
}
