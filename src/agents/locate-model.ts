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

/** What was said about where an agent's model is. */
export interface ModelPlace {
  /** How it is spoken to. */
  api?: DialectName;
  /** Where it is called, in place of its provider. */
  url?: string;
  /** The name of the variable that holds the key. */
  apiKeyEnv?: string;
  /** Lets a key go over plain http to another machine. */
  allowInsecure?: boolean;
  /** Given when the agent uses a HOME, and so a login, of the user's. */
  home?: string;
  /** For a plan: no key is needed. */
  isPlan?: boolean;
}

/** An agent, and the model it is to use. */
interface Wanted {
  readonly adapter: AgentAdapter;
  /** As it was named; undefined when it was not. */
  readonly wanted: string | undefined;
  readonly options: ModelPlace;
  readonly file: ModelsFile | null;
}

interface Located {
  readonly model: AgentModel | null;
  readonly upstreams: Upstreams;
  readonly limits: Limits;
}

/** Where the calls of an agent go, for which model, and what they may cost. */
export async function locateModel(wanted: Wanted): Promise<Located> {
  const { adapter, options, file } = wanted;
  const name = wanted.wanted;
  if (name === undefined) return withoutModel(wanted);
  const entry = entryFor(name, file);
  const { provider, model, cliName } = entry === undefined ? nameOf(name, wanted) : entryName(entry, adapter);
  const dialect = dialectFor(wanted, provider);
  const baseUrl = upstreamOf({ dialect, provider, entry, options });
  // A proxy stands before somebody else's model, and bills what that model costs.
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
    // A budget in dollars is refused at once for a model that nobody knows the price of.
    limits: { ...limits, ...(limits.price !== null && { isMetered: true }), ...(isBlind && { maxCostUsd: null }) },
  };
}

/** Those of the models file by the names that endpoints know: the model that is called may be another than the one asked for. */
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

/** `gpt-5.5` for an agent that has a provider of its own, `openrouter/minimax/minimax-m2.7` for one that has not. */
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
    `"${name}" is no model that ${who} could be pointed at. Write ${flag}PROVIDER/MODEL (openai/gpt-5, openrouter/…), name a model of models.yml, or say where it is with --agent-url.`,
  );
}

function dialectFor({ adapter, options: { api } }: Wanted, provider: string | null): DialectName {
  const [usual] = adapter.dialects;
  const dialect = api ?? (provider === null ? usual : fitting(adapter, dialectOf(provider)));
  if (dialect !== undefined && adapter.dialects.includes(dialect)) return dialect;
  throw new UsageError(
    `${adapter.name} cannot speak to ${provider ?? "a model"} in the ${api ?? dialectOf(provider)} dialect, only in ${adapter.dialects.join(", ")}.`,
  );
}

/** OpenAI's models answer in both of its dialects. */
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
    `Nothing says where the model ${entry?.name ?? ""} is. Add its base_url to models.yml, or give --agent-url.`,
  );
}

/** A provider's key goes to its own host, and to this machine; to any other only when its variable is named. */
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
    `${adapter.name} needs a key: ${variable} is not set. Set it, or let the agent use its own login with --agent-home inherit.`,
  );
}

/** An agent without a model uses its own default, which is priced when it is called. */
function withoutModel(wanted: Wanted): Located {
  const { adapter, options, file } = wanted;
  if (adapter.command !== undefined) return commandWithoutModel(wanted);
  const { provider } = adapter;
  if (provider === null)
    throw new UsageError(
      `${adapter.name} needs a model: --agent ${adapter.name}:PROVIDER/MODEL, or ${adapter.name}:NAME with a NAME of models.yml.`,
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

/** A command that chooses its model by itself finds every provider there is a key for. */
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

/** Whose clients speak a dialect: the part of the gateway that takes their calls. */
function mountOf(dialect: DialectName): ProviderName {
  return MOUNTS[dialect];
}
