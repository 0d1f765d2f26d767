import type { DialectName } from "../../models/dialects/dialect.js";

export const PROVIDER_NAMES = ["openai", "anthropic", "google"] as const;

/** Whose clients the gateway takes requests from. Each has its own path and its own upstream. */
export type ProviderName = (typeof PROVIDER_NAMES)[number];

/** What is particular to the clients of one provider. */
export interface Provider {
  readonly name: ProviderName;
  /** Below the token: where the provider's clients are pointed at. */
  readonly mount: string;
  /** Where requests go unless told otherwise. */
  readonly upstream: string;
  /** The part of a client's path that stands for the version, when the upstream's own URL ends in it as well. */
  readonly version: string;
  /** True when the upstream's URL ends in the version, so that it is not sent again. */
  readonly versionInBase: boolean;
  /** Headers of which one carries the client's key. The first is the one that a key is added in. */
  readonly keyHeaders: readonly string[];
  /** Before the key in its header. */
  readonly keyPrefix: string;
  /** Where the key is found when a client sends none. */
  readonly keyVariables: readonly string[];
  /** The dialect of errors on paths that have none. */
  readonly dialect: DialectName;
}

export const PROVIDERS: Readonly<Record<ProviderName, Provider>> = {
  openai: {
    name: "openai",
    mount: "/openai/v1",
    upstream: "https://api.openai.com/v1",
    version: "/v1",
    versionInBase: true,
    keyHeaders: ["authorization"],
    keyPrefix: "Bearer ",
    keyVariables: ["OPENAI_API_KEY"],
    dialect: "chat",
  },
  anthropic: {
    name: "anthropic",
    mount: "/anthropic",
    upstream: "https://api.anthropic.com",
    version: "/v1",
    versionInBase: false,
    keyHeaders: ["x-api-key", "authorization"],
    keyPrefix: "",
    keyVariables: ["ANTHROPIC_API_KEY"],
    dialect: "anthropic",
  },
  google: {
    name: "google",
    mount: "/google",
    upstream: "https://generativelanguage.googleapis.com",
    version: "/v1beta",
    versionInBase: false,
    keyHeaders: ["x-goog-api-key", "authorization"],
    keyPrefix: "",
    keyVariables: ["GEMINI_API_KEY", "GOOGLE_API_KEY"],
    dialect: "gemini",
  },
};

/** Headers that carry one provider's key and mean nothing to another: they are not sent there. */
const KEY_HEADERS_OF_ONE = new Set(["x-api-key", "x-goog-api-key"]);

/** True for a header with a key that belongs to another provider. */
export function isForeignKey({ keyHeaders }: Provider, header: string): boolean {
  return KEY_HEADERS_OF_ONE.has(header) && !keyHeaders.includes(header);
}
