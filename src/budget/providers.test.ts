import { describe, expect, it } from "vitest";
import { explainPrice } from "./bundled-prices.js";
import {
  explainMissingUrl,
  findPrice,
  getDefaultBaseUrl,
  getKeyVariable,
  getProviderDialect,
  listMissingVariables,
  listProviderKeys,
  requireBaseUrl,
  resolveEndpoint,
} from "./index.js";

describe("providers", () => {
  it.each([
    ["openai", "OPENAI_API_KEY", "https://api.openai.com/v1", "chat"],
    ["openai-responses", "OPENAI_API_KEY", "https://api.openai.com/v1", "responses"],
    ["anthropic", "ANTHROPIC_API_KEY", "https://api.anthropic.com/v1", "anthropic"],
    ["google", "GEMINI_API_KEY", "https://generativelanguage.googleapis.com/v1beta", "gemini"],
    ["OpenRouter", "OPENROUTER_API_KEY", "https://openrouter.ai/api/v1", "chat"],
    ["ollama", null, "http://127.0.0.1:11434/v1", "chat"],
    ["vllm", null, "http://127.0.0.1:8000/v1", "chat"],
    ["llama.cpp", null, "http://127.0.0.1:8080/v1", "chat"],
    ["llamacpp", null, "http://127.0.0.1:8080/v1", "chat"],
    ["lmstudio", null, "http://127.0.0.1:1234/v1", "chat"],
    ["azure", "AZURE_OPENAI_API_KEY", null, "chat"],
    ["azure-responses", "AZURE_OPENAI_API_KEY", null, "responses"],
    ["vertex", "CLOUDSDK_AUTH_ACCESS_TOKEN", null, "gemini"],
    ["vertex-anthropic", "CLOUDSDK_AUTH_ACCESS_TOKEN", null, "anthropic"],
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

const KEY_PAIR = { AWS_ACCESS_KEY_ID: "AKIDEXAMPLE", AWS_SECRET_ACCESS_KEY: "secret" };

describe("the provider bedrock", () => {
  const bedrock = { provider: "bedrock", baseUrl: null, apiKeyEnv: null };

  it.each([
    [{ AWS_REGION: "us-east-1" }, "https://bedrock-runtime.us-east-1.amazonaws.com"],
    [{ AWS_REGION: "", AWS_DEFAULT_REGION: " eu-west-3 " }, "https://bedrock-runtime.eu-west-3.amazonaws.com"],
    [{ AWS_REGION: "us-east-1", AWS_DEFAULT_REGION: "eu-west-3" }, "https://bedrock-runtime.us-east-1.amazonaws.com"],
    [{ AWS_REGION: "evil.example/x" }, null],
    [{}, null],
  ])("has the address of the region in %j", (env, url) => {
    expect(resolveEndpoint(bedrock, env)).toMatchObject({ baseUrl: url, dialect: "bedrock" });
    expect(explainMissingUrl("bedrock")).toContain("set AWS_REGION");
  });

  it.each([
    [{}, "AWS_BEARER_TOKEN_BEDROCK", ["AWS_BEARER_TOKEN_BEDROCK"]],
    [KEY_PAIR, "AWS_ACCESS_KEY_ID", []],
    [{ AWS_ACCESS_KEY_ID: "AKIDEXAMPLE" }, "AWS_ACCESS_KEY_ID", ["AWS_SECRET_ACCESS_KEY"]],
    [{ ...KEY_PAIR, AWS_BEARER_TOKEN_BEDROCK: "key" }, "AWS_BEARER_TOKEN_BEDROCK", []],
  ])("with %j has its key in %s", (env, variable, missing) => {
    expect(resolveEndpoint(bedrock, env).keyVariable).toBe(variable);
    expect(listMissingVariables(variable, env)).toEqual(missing);
  });

  it.each([
    ["https://bedrock-runtime.us-east-1.amazonaws.com", true],
    ["https://bedrock-runtime-fips.us-gov-west-1.amazonaws.com", true],
    ["https://vpce-0a1b-c2d3.bedrock-runtime.eu-west-1.vpce.amazonaws.com", true],
    ["https://bedrock-runtime.eu-west-1.api.aws", true],
    ["http://bedrock-runtime.us-east-1.amazonaws.com", false],
    ["https://bedrock-runtime.us-east-1.amazonaws.com.example", false],
    ["https://evil.example/bedrock-runtime.us-east-1.amazonaws.com", false],
    ["https://s3.us-east-1.amazonaws.com", false],
  ])("signs for %s: %s", (baseUrl, isSigned) => {
    expect(resolveEndpoint({ ...bedrock, baseUrl }, KEY_PAIR).keyVariable !== null).toBe(isSigned);
  });

  it("adds no path to a bare host", () => {
    expect(requireBaseUrl("base_url", "http://127.0.0.1:8080/", "bedrock")).toBe("http://127.0.0.1:8080");
  });

  it.each([
    ["us.anthropic.claude-haiku-4-5-20251001-v1:0", "regional.anthropic.claude-haiku-4-5-20251001-v1:0", "name"],
    ["global.anthropic.claude-opus-5", "global.anthropic.claude-opus-5", "name"],
    ["apac.anthropic.claude-opus-5-5", "regional.anthropic.claude-opus-5-5", "base"],
    ["us.meta.llama4-scout-17b-instruct-v1:0", "meta.llama4-scout-17b-instruct-v1:0", "base"],
    ["amazon.nova-lite-v1:0", "amazon.nova-lite-v1:0", "name"],
  ])("finds the price of %s as %s by %s", async (model, name, by) => {
    expect(await explainPrice({ provider: "bedrock", model })).toMatchObject({ seller: "aws", model: name, by });
  });

  it("has no price for an unknown model", async () => {
    expect(await explainPrice({ provider: "bedrock", model: "us.acme.brain-v1:0" })).toBeNull();
  });
});

describe("listProviderKeys", () => {
  it("lists each key that is set once, with what is missing to use it", () => {
    const env = { OPENAI_API_KEY: "sk", GEMINI_API_KEY: " ", AWS_ACCESS_KEY_ID: "AKIDEXAMPLE" };
    expect(listProviderKeys(env)).toEqual([
      { provider: "openai", variable: "OPENAI_API_KEY", problem: null },
      {
        provider: "bedrock",
        variable: "AWS_ACCESS_KEY_ID",
        problem: "set AWS_SECRET_ACCESS_KEY; set AWS_REGION, such as us-east-1, or give its base_url in models.yml",
      },
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

  it.each([
    ["azure", "https://mine.openai.azure.com/openai/v1", true],
    ["azure", "https://mine.cognitiveservices.azure.com", true],
    ["azure", "http://mine.openai.azure.com/openai/v1", false],
    ["azure", "https://openai.azure.com.example/openai/v1", false],
    ["vertex", "https://us-east5-aiplatform.googleapis.com/v1/projects/p", true],
    ["vertex", "https://aiplatform.googleapis.com/v1/projects/p", true],
    ["vertex", "https://evil.example/aiplatform.googleapis.com", false],
    ["openai", "https://mine.openai.azure.com/openai/v1", false],
  ])("sends the key of %s to %s: %s", (provider, baseUrl, isSent) => {
    expect(resolveEndpoint({ provider, baseUrl, apiKeyEnv: null }).keyVariable !== null).toBe(isSent);
  });

  it("has no price for servers on this machine, and Azure's and Google's for theirs", async () => {
    const price = (provider: string, model: string, baseUrl: string) => findPrice({ provider, model, baseUrl });
    expect(await price("vllm", "gpt-5", "http://127.0.0.1:8000/v1")).toBeNull();
    expect((await price("azure", "gpt-5", "https://mine.openai.azure.com"))?.input).toBe(1_250_000);
    expect((await price("vertex", "gemini-2.5-pro", "https://aiplatform.googleapis.com"))?.input).toBe(1_250_000);
    expect((await price("vertex-anthropic", "claude-haiku-4-5", "https://aiplatform.googleapis.com"))?.input).toBe(
      1_000_000,
    );
  });

  it("gives a bare Azure host its usual path", () => {
    expect(requireBaseUrl("base_url", "https://mine.openai.azure.com", "chat")).toBe(
      "https://mine.openai.azure.com/openai/v1",
    );
  });

  it("leaves agents their own login", () => {
    expect(resolveEndpoint({ ...plain, agentCli: "codex" })).toEqual({
      baseUrl: null,
      keyVariable: null,
      dialect: "chat",
    });
  });
});
