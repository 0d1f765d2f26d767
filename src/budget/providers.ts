import { getOwn, isNonSecretName, UsageError } from "../core/index.js";

/** The API format of a provider's models. */
type WireDialect = "chat" | "responses" | "anthropic" | "gemini";

interface ProviderDefaults {
  readonly baseUrl: string | null;
  /** The usual environment variable for the key; null when none is needed or known. */
  readonly keyVariable: string | null;
  readonly dialect: WireDialect;
  /** The provider's name in the bundled price table; null when the table does not have it. */
  readonly seller: string | null;
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

/** Known providers by name. Other names are allowed: they use the chat dialect and have no defaults. */
const PROVIDER_DEFAULTS: Readonly<Record<string, ProviderDefaults>> = {
  openai: OPENAI,
  "openai-responses": { ...OPENAI, dialect: "responses" },
  anthropic: ANTHROPIC,
  google: GOOGLE,
  gemini: GOOGLE,
  openrouter: createChatProvider("https://openrouter.ai/api/v1", "OPENROUTER_API_KEY", "openrouter"),
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
export function getKeyVariable(provider: string | null): string | null {
  return findProviderDefaults(provider)?.keyVariable ?? null;
}

/** The usual environment variables of all providers' keys. */
export function listKeyVariables(): readonly string[] {
  return [...new Set(Object.values(PROVIDER_DEFAULTS).flatMap(({ keyVariable }) => keyVariable ?? []))];
}

/**
 * A provider's default base URL; null when it must be given.
 * @example
 * getDefaultBaseUrl("ollama"); // "http://127.0.0.1:11434/v1"
 */
export function getDefaultBaseUrl(provider: string | null): string | null {
  return findProviderDefaults(provider)?.baseUrl ?? null;
}

/**
 * A provider's API format; most use OpenAI's Chat Completions.
 * @example
 * getProviderDialect("anthropic"); // "anthropic"
 */
export function getProviderDialect(provider: string | null): WireDialect {
  return findProviderDefaults(provider)?.dialect ?? "chat";
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
  readonly dialect: WireDialect;
}

/**
 * Combines a model's settings with its provider's defaults. A provider's key is only used for its own host: with another
 * base URL the variable must be named. Agents have their own login and no defaults.
 * @example
 * resolveEndpoint({ provider: "openai", baseUrl: null, apiKeyEnv: null }).keyVariable; // "OPENAI_API_KEY"
 */
export function resolveEndpoint({ provider, baseUrl, apiKeyEnv, agentCli = null }: EndpointSource): Endpoint {
  const dialect = getProviderDialect(provider);
  if (agentCli !== null) return { baseUrl, keyVariable: apiKeyEnv, dialect };
  const usual = getDefaultBaseUrl(provider);
  const isAtHome = baseUrl === null || (usual !== null && hasSameOrigin(baseUrl, usual));
  return { baseUrl: baseUrl ?? usual, keyVariable: apiKeyEnv ?? (isAtHome ? getKeyVariable(provider) : null), dialect };
}

function hasSameOrigin(a: string, b: string): boolean {
  return URL.canParse(a) && new URL(a).origin === new URL(b).origin;
}

/** Checks the base URL given with a flag. For a bare host, adds the dialect's usual path. */
export function requireBaseUrl(flag: string, url: string, dialect: WireDialect): string {
  const parsed = URL.canParse(url) ? new URL(url) : null;
  if (parsed === null || (parsed.protocol !== "http:" && parsed.protocol !== "https:"))
    throw new UsageError(`${flag} must be an http or https URL such as http://127.0.0.1:8080/v1, not "${url}".`);
  requireNoSecret(parsed);
  if (parsed.pathname !== "/") return url.replace(/\/+$/, "");
  parsed.pathname = dialect === "gemini" ? "/v1beta" : "/v1";
  return parsed.href;
}

/** The command line is stored in the run folder so that the run can be resumed. */
function requireNoSecret({ host, username, password, searchParams }: URL): void {
  const field = [...searchParams.keys()].find((name) => !isNonSecretName(name));
  if (username + password === "" && field === undefined) return;
  throw new UsageError(
    `The URL of ${host} contains ${field === undefined ? "a user name or a password" : `"${field}"`}, which would be stored with the run. Send it with --header, or name an environment variable with --api-key-env.`,
  );
}
