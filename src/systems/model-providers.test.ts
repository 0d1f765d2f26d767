import { afterEach, describe, expect, it } from "vitest";
import { getProviderDialect, getProviderRequest } from "../budget/index.js";
import { type Mock, startMock } from "../testing/mock/index.js";
import { ModelSystem } from "./model.js";
import { makeTrialContext } from "./model-testing.js";

let mock: Mock | null = null;
afterEach(() => mock?.close());

const VERTEX_PROJECT = "/v1/projects/p/locations/us-east5/publishers";

const CASES: [string, string, string, string][] = [
  ["azure", "/openai/v1", "/openai/v1/chat/completions", "/openai/v1/chat/completions"],
  [
    "azure",
    "/openai/deployments/m?api-version=2024-10-21",
    "/openai/deployments/m/chat/completions",
    "/openai/deployments/m/chat/completions",
  ],
  ["azure-responses", "/openai/v1", "/openai/v1/responses", "/openai/v1/responses"],
  [
    "vertex",
    `${VERTEX_PROJECT}/google`,
    `${VERTEX_PROJECT}/google/models/m:generateContent`,
    `${VERTEX_PROJECT}/google/models/m:streamGenerateContent`,
  ],
  [
    "vertex-anthropic",
    `${VERTEX_PROJECT}/anthropic`,
    `${VERTEX_PROJECT}/anthropic/models/m:rawPredict`,
    `${VERTEX_PROJECT}/anthropic/models/m:streamRawPredict`,
  ],
  ["openrouter", "/api/v1", "/api/v1/chat/completions", "/api/v1/chat/completions"],
  ["vllm", "/v1", "/v1/chat/completions", "/v1/chat/completions"],
];

const KEY_HEADERS: Readonly<Record<string, string>> = { azure: "api-key", "azure-responses": "api-key" };

describe.each(CASES)("provider %s at %s", (provider, base, whole, streamed) => {
  it.each([true, false])("is asked at its path with its key (streamed: %s)", async (stream) => {
    mock = await startMock({ reply: "Paris", requireKey: "key-of-mine", keepBodies: true });
    const system = new ModelSystem({
      model: "m",
      baseUrl: mock.url + base,
      dialect: getProviderDialect(provider),
      apiKey: "key-of-mine",
      stream,
      ...getProviderRequest(provider),
    });
    const output = await system.process({ id: 1, question: "Where?" }, makeTrialContext());
    await system.close();
    expect(output).toMatchObject({ response: "Paris" });
    const [request] = mock.requests;
    expect(request).toMatchObject({ path: stream ? streamed : whole, model: "m", stream });
    const keyHeaders = ["authorization", "api-key", "x-api-key", "x-goog-api-key"];
    expect(keyHeaders.filter((name) => name in (request?.headers ?? {}))).toEqual([
      KEY_HEADERS[provider] ?? "authorization",
    ]);
    if (provider === "openrouter") expect(request?.body).toMatchObject({ usage: { include: true } });
  });
});

describe("Vertex AI", () => {
  it("needs a model for Anthropic's publisher", () => {
    const baseUrl = `https://us-east5-aiplatform.googleapis.com${VERTEX_PROJECT}/anthropic`;
    expect(() => new ModelSystem({ baseUrl, dialect: "anthropic" })).toThrow("Vertex AI needs a model");
  });
});
