import { describe, expect, it } from "vitest";
import { getDefaultBaseUrl, getKeyVariable, getProviderDialect, resolveEndpoint } from "./index.js";

describe("providers", () => {
  it.each([
    ["openai", "OPENAI_API_KEY", "https://api.openai.com/v1", "chat"],
    ["openai-responses", "OPENAI_API_KEY", "https://api.openai.com/v1", "responses"],
    ["anthropic", "ANTHROPIC_API_KEY", "https://api.anthropic.com/v1", "anthropic"],
    ["google", "GEMINI_API_KEY", "https://generativelanguage.googleapis.com/v1beta", "gemini"],
    ["OpenRouter", "OPENROUTER_API_KEY", "https://openrouter.ai/api/v1", "chat"],
    ["ollama", null, "http://127.0.0.1:11434/v1", "chat"],
    ["openai-compatible", null, null, "chat"],
    ["whoever", null, null, "chat"],
    ["constructor", null, null, "chat"],
    [null, null, null, "chat"],
  ])("%s has the key in %s, the URL %s and the dialect %s", (provider, key, url, dialect) => {
    expect([getKeyVariable(provider), getDefaultBaseUrl(provider), getProviderDialect(provider)]).toEqual([
      key,
      url,
      dialect,
    ]);
  });
});

describe("resolveEndpoint", () => {
  const plain = { provider: "openai", baseUrl: null, apiKeyEnv: null };

  it("uses the provider's defaults", () => {
    expect(resolveEndpoint(plain)).toEqual({
      baseUrl: "https://api.openai.com/v1",
      keyVariable: "OPENAI_API_KEY",
      dialect: "chat",
    });
  });

  it("prefers the model's settings", () => {
    const own = { provider: "openai", baseUrl: "http://127.0.0.1:8080", apiKeyEnv: "MY_KEY" };
    expect(resolveEndpoint(own)).toMatchObject({ baseUrl: "http://127.0.0.1:8080", keyVariable: "MY_KEY" });
  });

  it("sends a provider's key only to the provider's own host, unless named", () => {
    expect(resolveEndpoint({ ...plain, baseUrl: "https://elsewhere.example/v1" }).keyVariable).toBeNull();
    expect(resolveEndpoint({ ...plain, baseUrl: "http://api.openai.com/v1" }).keyVariable).toBeNull();
    expect(resolveEndpoint({ ...plain, baseUrl: "https://api.openai.com/v2" }).keyVariable).toBe("OPENAI_API_KEY");
  });

  it("leaves agents their own login", () => {
    expect(resolveEndpoint({ ...plain, agentCli: "codex" })).toEqual({
      baseUrl: null,
      keyVariable: null,
      dialect: "chat",
    });
  });
});
