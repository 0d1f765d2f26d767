import { ownValue } from "../core/shape.js";

/** The dialect a provider's models are spoken to in. */
export type WireDialect = "chat" | "responses" | "anthropic" | "gemini";

interface Provider {
  readonly baseUrl: string | null;
  /** The variable that holds the key by custom; null where none is needed or nobody can know. */
  readonly keyVariable: string | null;
  readonly dialect: WireDialect;
  /** The seller's name in the bundled price table; null when the table does not have it. */
  readonly seller: string | null;
}

function chat(baseUrl: string | null, keyVariable: string | null, seller: string | null): Provider {
  return { baseUrl, keyVariable, dialect: "chat", seller };
}

const OPENAI = chat("https://api.openai.com/v1", "OPENAI_API_KEY", "openai");
const XAI = chat("https://api.x.ai/v1", "XAI_API_KEY", "x-ai");
const MOONSHOT = chat("https://api.moonshot.ai/v1", "MOONSHOT_API_KEY", "moonshotai");
const GOOGLE: Provider = {
  baseUrl: "https://generativelanguage.googleapis.com/v1beta",
  keyVariable: "GEMINI_API_KEY",
  dialect: "gemini",
  seller: "google",
};
const ANTHROPIC: Provider = {
  baseUrl: "https://api.anthropic.com/v1",
  keyVariable: "ANTHROPIC_API_KEY",
  dialect: "anthropic",
  seller: "anthropic",
};

/** What is known of providers by name. Any other name is fine too: it speaks the chat dialect and has no defaults. */
const PROVIDERS: Readonly<Record<string, Provider>> = {
  openai: OPENAI,
  "openai-responses": { ...OPENAI, dialect: "responses" },
  anthropic: ANTHROPIC,
  google: GOOGLE,
  gemini: GOOGLE,
  openrouter: chat("https://openrouter.ai/api/v1", "OPENROUTER_API_KEY", "openrouter"),
  groq: chat("https://api.groq.com/openai/v1", "GROQ_API_KEY", "groq"),
  mistral: chat("https://api.mistral.ai/v1", "MISTRAL_API_KEY", "mistral"),
  deepseek: chat("https://api.deepseek.com/v1", "DEEPSEEK_API_KEY", "deepseek"),
  together: chat("https://api.together.xyz/v1", "TOGETHER_API_KEY", "together"),
  fireworks: chat("https://api.fireworks.ai/inference/v1", "FIREWORKS_API_KEY", "fireworks"),
  xai: XAI,
  "x-ai": XAI,
  cerebras: chat("https://api.cerebras.ai/v1", "CEREBRAS_API_KEY", "cerebras"),
  perplexity: chat("https://api.perplexity.ai", "PERPLEXITY_API_KEY", "perplexity"),
  moonshot: MOONSHOT,
  moonshotai: MOONSHOT,
  ollama: chat("http://127.0.0.1:11434/v1", null, null),
  "openai-compatible": chat(null, null, null),
};

function known(provider: string | null): Provider | undefined {
  return provider === null ? undefined : ownValue(PROVIDERS, provider.toLowerCase());
}

/**
 * The variable that holds a provider's key by custom; null when there is none.
 * @example
 * keyVariableOf("google"); // "GEMINI_API_KEY"
 */
export function keyVariableOf(provider: string | null): string | null {
  return known(provider)?.keyVariable ?? null;
}

/** The variables that hold keys of providers by custom. */
export function usualKeyVariables(): readonly string[] {
  return [...new Set(Object.values(PROVIDERS).flatMap(({ keyVariable }) => keyVariable ?? []))];
}

/**
 * Where a provider's models are asked unless told otherwise; null when that must be told.
 * @example
 * defaultBaseUrlOf("ollama"); // "http://127.0.0.1:11434/v1"
 */
export function defaultBaseUrlOf(provider: string | null): string | null {
  return known(provider)?.baseUrl ?? null;
}

/**
 * The dialect a provider's models are spoken to in; most speak OpenAI's Chat Completions.
 * @example
 * dialectOf("anthropic"); // "anthropic"
 */
export function dialectOf(provider: string | null): WireDialect {
  return known(provider)?.dialect ?? "chat";
}

/** The seller's name in the bundled price table: a name that is not known here may be known there. */
export function sellerOf(provider: string): string | null {
  const found = known(provider);
  return found === undefined ? provider.toLowerCase() : found.seller;
}

/** What a model says about where it is asked. */
export interface EndpointSource {
  readonly provider: string | null;
  readonly baseUrl: string | null;
  readonly apiKeyEnv: string | null;
  readonly agentCli?: string | null;
}

/** Where a model is asked, in which dialect, and which variable holds the key. */
export interface Endpoint {
  /** Null when nothing says it. */
  readonly baseUrl: string | null;
  readonly keyVariable: string | null;
  readonly dialect: WireDialect;
}

/**
 * What a model says, and its provider's defaults for the rest. A provider's own key belongs to its own host: with a base
 * URL elsewhere the variable must be named. An agent has a login of its own, and no defaults.
 * @example
 * endpointOf({ provider: "openai", baseUrl: null, apiKeyEnv: null }).keyVariable; // "OPENAI_API_KEY"
 */
export function endpointOf({ provider, baseUrl, apiKeyEnv, agentCli = null }: EndpointSource): Endpoint {
  const dialect = dialectOf(provider);
  if (agentCli !== null) return { baseUrl, keyVariable: apiKeyEnv, dialect };
  const usual = defaultBaseUrlOf(provider);
  const isAtHome = baseUrl === null || (usual !== null && hasSameOrigin(baseUrl, usual));
  return { baseUrl: baseUrl ?? usual, keyVariable: apiKeyEnv ?? (isAtHome ? keyVariableOf(provider) : null), dialect };
}

function hasSameOrigin(a: string, b: string): boolean {
  return URL.canParse(a) && new URL(a).origin === new URL(b).origin;
}
