import type { DialectName } from "../../models/dialects/dialect.js";
import type { AgentModel, LaunchRequest } from "../adapter.js";

/** The provider that models are listed under. */
export const PROVIDER_ID = "assay";

const APIS: Readonly<Record<DialectName, string>> = {
  chat: "openai-completions",
  responses: "openai-responses",
  anthropic: "anthropic-messages",
  gemini: "google-generative-ai",
};

/** Of an unknown model. Too small a context would make it summarise early; too much output is cut by the endpoint. */
const LIMITS = { contextWindow: 200_000, maxTokens: 32_000 };

/** Its own tries after the client's: enough for a hiccup. */
export const SETTINGS = { retry: { enabled: true, maxRetries: 3, provider: { maxRetries: 0 } } };

/** The file that makes the gateway known as a provider. */
export function modelsOf(request: LaunchRequest, { name, dialect }: AgentModel): Record<string, unknown> {
  const provider = {
    baseUrl: baseUrl(request, dialect),
    api: APIS[dialect],
    apiKey: request.key,
    models: [{ id: name, ...LIMITS }],
  };
  return { providers: { [PROVIDER_ID]: provider } };
}

function baseUrl({ gateway }: LaunchRequest, dialect: DialectName): string {
  if (dialect === "anthropic") return gateway.anthropic;
  // Its client of Google takes the version from the URL.
  if (dialect === "gemini") return `${gateway.google}/v1beta`;
  return gateway.openai;
}
