import { getOwn, isNonSecretName, UsageError } from "../core/index.js";
import type { DialectName } from "../models/index.js";

type Environment = Readonly<Record<string, string | undefined>>;

interface ProviderDefaults {
  /** With `{region}` where the region belongs. */
  readonly baseUrl: string | null;
  /** An address to show where there is no usual one. */
  readonly urlExample?: string;
  /** The usual environment variable for the key; null when none is needed or known. */
  readonly keyVariable: string | null;
  /** A variable to use instead, if it is set and the usual one is not. */
  readonly otherKeyVariable?: string;
  /** The variables with the region. The first that is set counts. */
  readonly regionVariables?: readonly string[];
  readonly dialect: DialectName;
  /** The provider's name in the bundled price table; null when the table does not have it. */
  readonly seller: string | null;
  /** Hosts that get its key, for a provider whose customers have hosts of their own. */
  readonly hosts?: RegExp;
  readonly request?: ProviderRequest;
}

/** How requests to a provider differ from others in its API format. */
export interface ProviderRequest {
  /** The header of the key, if not that of the API format; as a bearer token in `authorization`. */
  readonly keyHeader?: "api-key" | "authorization";
  /** Sent with every request, unless the user sets it. */
  readonly extraBody?: Readonly<Record<string, unknown>>;
}

function createChatProvider(
  baseUrl: string | null,
  keyVariable: string | null,
  seller: string | null,
): ProviderDefaults {
  return { baseUrl, keyVariable, dialect: "chat", seller };
}

const OPENAI = createChatProvider("https://api.openai.com/v1", "OPENAI_API_KEY", "openai");
const XAI = createChatProvider("https://api.x.ai/v1", "XAI_API_KEY", "x-ai");
const MOONSHOT = createChatProvider("https://api.moonshot.ai/v1", "MOONSHOT_API_KEY", "moonshotai");
const GOOGLE: ProviderDefaults = {
  baseUrl: "https://generativelanguage.googleapis.com/v1beta",
  keyVariable: "GEMINI_API_KEY",
  dialect: "gemini",
  seller: "google",
};
const ANTHROPIC: ProviderDefaults = {
  baseUrl: "https://api.anthropic.com/v1",
  keyVariable: "ANTHROPIC_API_KEY",
  dialect: "anthropic",
  seller: "anthropic",
};

/** Azure OpenAI: a resource of one's own, with deployments as models. */
const AZURE: ProviderDefaults = {
  ...createChatProvider(null, "AZURE_OPENAI_API_KEY", "azure"),
  urlExample: "https://RESOURCE.openai.azure.com/openai/v1",
  hosts: /\.(?:openai|cognitiveservices|services\.ai)\.azure\.com$/,
  request: { keyHeader: "api-key" },
};
const VERTEX_URL = "https://LOCATION-aiplatform.googleapis.com/v1/projects/PROJECT/locations/LOCATION/publishers";
/** Vertex AI: Gemini below `…/publishers/google`, with an access token as the key. */
const VERTEX: ProviderDefaults = {
  baseUrl: null,
  keyVariable: "CLOUDSDK_AUTH_ACCESS_TOKEN",
  dialect: "gemini",
  seller: "google",
  urlExample: `${VERTEX_URL}/google`,
  hosts: /^(?:[a-z\d-]+-)?aiplatform\.googleapis\.com$/,
  request: { keyHeader: "authorization" },
};
/** Amazon Bedrock: an API key as a bearer token, or an access key that signs each request. */
const BEDROCK: ProviderDefaults = {
  baseUrl: "https://bedrock-runtime.{region}.amazonaws.com",
  keyVariable: "AWS_BEARER_TOKEN_BEDROCK",
  otherKeyVariable: "AWS_ACCESS_KEY_ID",
  regionVariables: ["AWS_REGION", "AWS_DEFAULT_REGION"],
  dialect: "bedrock",
  seller: "aws",
  // Also FIPS endpoints, and endpoints in a network of one's own.
  hosts: /(?:^|\.)bedrock-runtime(?:-fips)?\.[a-z\d-]+\.(?:(?:vpce\.)?amazonaws\.com|api\.aws)$/,
};
const OPENROUTER: ProviderDefaults = {
  ...createChatProvider("https://openrouter.ai/api/v1", "OPENROUTER_API_KEY", "openrouter"),
  // Answers with what they cost.
  request: { extraBody: { usage: { include: true } } },
};
/** Servers on this machine: they need no key and have no price, unless models.yml sets one. */
const LLAMA_CPP = createChatProvider("http://127.0.0.1:8080/v1", null, null);

/** Known providers by name. Other names are allowed: they use the chat dialect and have no defaults. */
const PROVIDER_DEFAULTS: Readonly<Record<string, ProviderDefaults>> = {
  openai: OPENAI,
  "openai-responses": { ...OPENAI, dialect: "responses" },
  anthropic: ANTHROPIC,
  google: GOOGLE,
  gemini: GOOGLE,
  azure: AZURE,
  "azure-responses": { ...AZURE, dialect: "responses" },
  vertex: VERTEX,
  "vertex-anthropic": { ...VERTEX, dialect: "anthropic", urlExample: `${VERTEX_URL}/anthropic` },
  bedrock: BEDROCK,
  openrouter: OPENROUTER,
  groq: createChatProvider("https://api.groq.com/openai/v1", "GROQ_API_KEY", "groq"),
  mistral: createChatProvider("https://api.mistral.ai/v1", "MISTRAL_API_KEY", "mistral"),
  deepseek: createChatProvider("https://api.deepseek.com/v1", "DEEPSEEK_API_KEY", "deepseek"),
  together: createChatProvider("https://api.together.xyz/v1", "TOGETHER_API_KEY", "together"),
  fireworks: createChatProvider("https://api.fireworks.ai/inference/v1", "FIREWORKS_API_KEY", "fireworks"),
  xai: XAI,
  "x-ai": XAI,
  cerebras: createChatProvider("https://api.cerebras.ai/v1", "CEREBRAS_API_KEY", "cerebras"),
  perplexity: createChatProvider("https://api.perplexity.ai", "PERPLEXITY_API_KEY", "perplexity"),
  moonshot: MOONSHOT,
  moonshotai: MOONSHOT,
  ollama: createChatProvider("http://127.0.0.1:11434/v1", null, null),
  vllm: createChatProvider("http://127.0.0.1:8000/v1", null, null),
  "llama.cpp": LLAMA_CPP,
  llamacpp: LLAMA_CPP,
  lmstudio: createChatProvider("http://127.0.0.1:1234/v1", null, null),
  "openai-compatible": createChatProvider(null, null, null),
};

function findProviderDefaults(provider: string | null): ProviderDefaults | undefined {
  return provider === null ? undefined : getOwn(PROVIDER_DEFAULTS, provider.toLowerCase());
}

/**
 * The usual environment variable for a provider's key; null when there is none.
 * @example
 * getKeyVariable("google"); // "GEMINI_API_KEY"
 */
export function getKeyVariable(provider: string | null, env: Environment = process.env): string | null {
  const { keyVariable = null, otherKeyVariable } = findProviderDefaults(provider) ?? {};
  const usesOther = otherKeyVariable !== undefined && isSet(env, otherKeyVariable) && !isSet(env, keyVariable);
  return usesOther ? otherKeyVariable : keyVariable;
}

/** The names of all known providers. */
export function listProviders(): readonly string[] {
  return Object.keys(PROVIDER_DEFAULTS);
}

/** The variables that belong to an access key of AWS. */
const AWS_KEY_PARTS = ["AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN"];

/** The usual environment variables of all providers' keys, each of which a run may name as its key. */
export function listKeyVariables(): readonly string[] {
  const names = Object.values(PROVIDER_DEFAULTS).flatMap(({ keyVariable, otherKeyVariable }) => [
    keyVariable ?? [],
    otherKeyVariable ?? [],
  ]);
  return [...new Set(names.flat())];
}

/** The same, and variables that are parts of a key: they are never sent, so no run may name them. */
export function listSecretVariables(): readonly string[] {
  return [...listKeyVariables(), ...AWS_KEY_PARTS];
}

/** A provider whose key is set. */
export interface ProviderKey {
  readonly provider: string;
  readonly variable: string;
  /** What is still missing to call it; null if nothing is known to be. */
  readonly problem: string | null;
}

/** The providers whose key is set, each variable once. */
export function listProviderKeys(env: Environment): ProviderKey[] {
  const keys = Object.entries(PROVIDER_DEFAULTS).flatMap(([provider, { regionVariables }]) => {
    const variable = getKeyVariable(provider, env);
    if (variable === null || !isSet(env, variable)) return [];
    const missing = listMissingVariables(variable, env).map((name) => `set ${name}`);
    const needsRegion = regionVariables !== undefined && getDefaultBaseUrl(provider, env) === null;
    const steps = [...missing, ...(needsRegion ? [explainMissingUrl(provider)] : [])];
    return [{ provider, variable, problem: steps.length === 0 ? null : steps.join("; ") }];
  });
  return keys.filter(({ variable }, at) => keys.findIndex((other) => other.variable === variable) === at);
}

/**
 * The variables that a key is still missing: its own, or the secret of an access key of AWS.
 * @example
 * listMissingVariables("AWS_ACCESS_KEY_ID", { AWS_ACCESS_KEY_ID: "AKIDEXAMPLE" }); // ["AWS_SECRET_ACCESS_KEY"]
 */
export function listMissingVariables(keyVariable: string | null, env: Environment): string[] {
  if (keyVariable === null) return [];
  const names = [keyVariable, ...(keyVariable === BEDROCK.otherKeyVariable ? AWS_KEY_PARTS.slice(0, 1) : [])];
  return names.filter((name) => !isSet(env, name));
}

function isSet(env: Environment, name: string | null): boolean {
  return name !== null && (env[name] ?? "").trim() !== "";
}

/**
 * A provider's default base URL; null when it must be given, or when its region is not set.
 * @example
 * getDefaultBaseUrl("ollama"); // "http://127.0.0.1:11434/v1"
 */
export function getDefaultBaseUrl(provider: string | null, env: Environment = process.env): string | null {
  const { baseUrl = null, regionVariables } = findProviderDefaults(provider) ?? {};
  if (baseUrl === null || regionVariables === undefined) return baseUrl;
  const region = regionVariables.map((name) => env[name]?.trim() ?? "").find((name) => name !== "");
  return region === undefined || !/^[a-z\d-]+$/.test(region) ? null : baseUrl.replace("{region}", region);
}

/** True for a provider whose API format and key are known, even if its address is not. */
export function isKnownProvider(provider: string | null): boolean {
  return findProviderDefaults(provider) !== undefined;
}

/**
 * Says how to give the address of a provider that has no default one.
 * @example
 * explainMissingUrl("bedrock"); // "set AWS_REGION, such as us-east-1, or give its base_url in models.yml"
 */
export function explainMissingUrl(provider: string | null): string {
  const { regionVariables: [variable] = [], urlExample } = findProviderDefaults(provider) ?? {};
  const own = `give its base_url in models.yml${urlExample === undefined ? "" : `, such as ${urlExample}`}`;
  return variable === undefined ? own : `set ${variable}, such as us-east-1, or ${own}`;
}

/**
 * A provider's API format; most use OpenAI's Chat Completions.
 * @example
 * getProviderDialect("anthropic"); // "anthropic"
 */
export function getProviderDialect(provider: string | null): DialectName {
  return findProviderDefaults(provider)?.dialect ?? "chat";
}

/**
 * How requests to a provider differ from others in its API format.
 * @example
 * getProviderRequest("azure").keyHeader; // "api-key"
 */
export function getProviderRequest(provider: string | null): ProviderRequest {
  return findProviderDefaults(provider)?.request ?? {};
}

/** The provider's name in the bundled price table. A name unknown here may be known there. */
export function getPriceProvider(provider: string): string | null {
  const found = findProviderDefaults(provider);
  return found === undefined ? provider.toLowerCase() : found.seller;
}

/** The endpoint settings of a model. */
interface EndpointSource {
  readonly provider: string | null;
  readonly baseUrl: string | null;
  readonly apiKeyEnv: string | null;
  readonly agentCli?: string | null;
}

/** The endpoint of a model: its URL, API format and key variable. */
export interface Endpoint {
  /** Null when unknown. */
  readonly baseUrl: string | null;
  readonly keyVariable: string | null;
  readonly dialect: DialectName;
}

/**
 * Combines a model's settings with its provider's defaults. A provider's key is only used for its own host: with another
 * base URL the variable must be named. Agents have their own login and no defaults.
 * @example
 * resolveEndpoint({ provider: "openai", baseUrl: null, apiKeyEnv: null }).keyVariable; // "OPENAI_API_KEY"
 */
export function resolveEndpoint(
  { provider, baseUrl, apiKeyEnv, agentCli = null }: EndpointSource,
  env: Environment = process.env,
): Endpoint {
  const dialect = getProviderDialect(provider);
  if (agentCli !== null) return { baseUrl, keyVariable: apiKeyEnv, dialect };
  const usual = getDefaultBaseUrl(provider, env);
  const isAtHome =
    baseUrl === null || (usual !== null && hasSameOrigin(baseUrl, usual)) || isProvidersHost(baseUrl, provider);
  const keyVariable = apiKeyEnv ?? (isAtHome ? getKeyVariable(provider, env) : null);
  return { baseUrl: baseUrl ?? usual, keyVariable, dialect };
}

/** Only over https: anyone could answer for the host on plain http. */
function isProvidersHost(baseUrl: string, provider: string | null): boolean {
  const hosts = findProviderDefaults(provider)?.hosts;
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : null;
  return hosts !== undefined && url !== null && url.protocol === "https:" && hosts.test(url.hostname);
}

function hasSameOrigin(a: string, b: string): boolean {
  return URL.canParse(a) && new URL(a).origin === new URL(b).origin;
}

/** Checks the base URL given with a flag. For a bare host, adds the dialect's usual path. */
export function requireBaseUrl(flag: string, url: string, dialect: DialectName): string {
  const parsed = URL.canParse(url) ? new URL(url) : null;
  if (parsed === null || (parsed.protocol !== "http:" && parsed.protocol !== "https:"))
    throw new UsageError(`${flag} must be an http or https URL such as http://127.0.0.1:8080/v1, not "${url}".`);
  requireNoSecret(parsed);
  if (parsed.pathname !== "/") return url.replace(/\/+$/, "");
  parsed.pathname = getUsualPath(parsed, dialect);
  return parsed.href.replace(/\/$/, "");
}

function getUsualPath({ hostname }: URL, dialect: DialectName): string {
  if (dialect === "bedrock") return "";
  if (AZURE.hosts?.test(hostname) === true) return "/openai/v1";
  return dialect === "gemini" ? "/v1beta" : "/v1";
}

/** The command line is stored in the run folder so that the run can be resumed. */
function requireNoSecret({ host, username, password, searchParams }: URL): void {
  const field = [...searchParams.keys()].find((name) => !isNonSecretName(name));
  if (username + password === "" && field === undefined) return;
  throw new UsageError(
    `The URL of ${host} contains ${field === undefined ? "a user name or a password" : `"${field}"`}, which would be stored with the run. Send it with --header, or name an environment variable with --api-key-env.`,
  );
}
