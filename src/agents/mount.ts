import type { ProviderName } from "../budget/gateway/provider.js";
import type { DialectName } from "../models/dialects/dialect.js";

const MOUNTS: Readonly<Record<DialectName, ProviderName>> = {
  chat: "openai",
  responses: "openai",
  anthropic: "anthropic",
  gemini: "google",
};

/** Whose clients speak a dialect: the part of the gateway that takes their calls. */
export function mountOf(dialect: DialectName): ProviderName {
  return MOUNTS[dialect];
}
