import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { CostBudget } from "../budget/index.js";
import { evaluate } from "../evaluate.js";
import { AnswerQuality } from "../evaluators/index.js";
import { MeanScore } from "../metrics/index.js";
import { signAwsRequest } from "../models/index.js";
import { type Mock, type MockOptions, startMock } from "../testing/mock/index.js";
import { type ModelOptions, ModelSystem } from "./model.js";
import { makeTrialContext } from "./model-testing.js";

const ENV = {
  AWS_ACCESS_KEY_ID: "AKIDEXAMPLE",
  AWS_SECRET_ACCESS_KEY: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY",
  AWS_REGION: "eu-west-1",
};
const TEMPORARY = { ...ENV, AWS_SESSION_TOKEN: "a-session-token-of-an-hour" };
const MODEL = "eu.anthropic.claude-haiku-4-5-20251001-v1:0";
const ASK = { id: 1, question: "Where is the Louvre?" };
const REPLY = "Paris, the capital of France, on the river Seine.";

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

interface Setup {
  readonly mock: Mock;
  readonly system: ModelSystem;
}

async function setUp(script: MockOptions, options: Partial<ModelOptions> = {}): Promise<Setup> {
  const mock = await startMock({ reply: REPLY, keepBodies: true, ...script });
  const system = makeSystem(mock, options);
  closing.push(
    () => mock.close(),
    () => system.close(),
  );
  return { mock, system };
}

function makeSystem({ url }: { url: string }, options: Partial<ModelOptions> = {}): ModelSystem {
  const usual = { dialect: "bedrock", model: MODEL, apiKeyEnv: "AWS_ACCESS_KEY_ID", env: ENV } as const;
  return new ModelSystem({ baseUrl: url, ...usual, ...options });
}

describe("a request to Bedrock", () => {
  it.each([
    [true, "converse-stream", ENV],
    [false, "converse", TEMPORARY],
  ] as const)("is signed (streamed: %s)", async (stream, operation, env) => {
    // The mock refuses a signature that does not cover what it must, and one of another key.
    const { mock, system } = await setUp({ requireKey: ENV.AWS_ACCESS_KEY_ID }, { stream, env });
    expect(await system.process(ASK, makeTrialContext())).toMatchObject({ response: REPLY });
    expect(mock.requests[0]).toMatchObject({
      path: `/model/${encodeURIComponent(MODEL)}/${operation}`,
      dialect: "bedrock",
      model: MODEL,
      stream,
      status: 200,
      body: { messages: [{ role: "user", content: [{ text: ASK.question }] }] },
    });
  });

  it("arrives with a signature of exactly what was sent", async () => {
    const arrived: { headers: Record<string, unknown>; body: string; url: string }[] = [];
    const server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on("data", (chunk: Buffer) => chunks.push(chunk));
      request.on("end", () => {
        arrived.push({ headers: request.headers, body: Buffer.concat(chunks).toString(), url: request.url ?? "" });
        response.writeHead(200, { "content-type": "application/json" });
        const message = { role: "assistant", content: [{ text: "Paris" }] };
        response.end(JSON.stringify({ output: { message }, stopReason: "end_turn" }));
      });
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    closing.push(async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    });
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const now = Date.UTC(2026, 10, 18, 12);
    const system = makeSystem({ url }, { env: TEMPORARY, now: () => now, stream: false });
    await system.process(ASK, makeTrialContext());
    await system.close();
    const { headers, body, url: path } = arrived[0] ?? { headers: {}, body: "", url: "" };
    const expected = signAwsRequest(
      {
        method: "POST",
        url: `http://${String(headers.host)}${path}`,
        headers: { "content-type": String(headers["content-type"]) },
        body,
      },
      {
        accessKeyId: TEMPORARY.AWS_ACCESS_KEY_ID,
        secretAccessKey: TEMPORARY.AWS_SECRET_ACCESS_KEY,
        sessionToken: TEMPORARY.AWS_SESSION_TOKEN,
      },
      { region: "eu-west-1", service: "bedrock", now },
    );
    expect(headers).toMatchObject(expected);
    expect(JSON.stringify(arrived)).not.toContain(ENV.AWS_SECRET_ACCESS_KEY);
  });

  it("has an API key as a bearer token, without a signature", async () => {
    const { mock, system } = await setUp(
      { requireKey: "bedrock-api-key" },
      { apiKeyEnv: "AWS_BEARER_TOKEN_BEDROCK", env: { AWS_BEARER_TOKEN_BEDROCK: "bedrock-api-key" } },
    );
    expect(await system.process(ASK, makeTrialContext())).toMatchObject({ response: REPLY });
    expect(mock.requests[0]?.headers).not.toHaveProperty("x-amz-date");
  });

  it.each([
    [{}, /AWS_ACCESS_KEY_ID is not set.*AWS_BEARER_TOKEN_BEDROCK.*aws configure export-credentials/],
    [{ AWS_ACCESS_KEY_ID: "AKIDEXAMPLE" }, /AWS_ACCESS_KEY_ID is set, but AWS_SECRET_ACCESS_KEY is not/],
    [{ ...ENV, AWS_REGION: " " }, /signed for a region of AWS, which is not known\. Set AWS_REGION/],
    [{ ...ENV, AWS_SECRET_ACCESS_KEY: "two words" }, /The key in AWS_SECRET_ACCESS_KEY .*contains spaces/],
  ])("without credentials in %j is not made, and the message says what is missing", (env, message) => {
    expect(() => makeSystem({ url: "http://127.0.0.1:9" }, { env })).toThrow(message);
  });

  it("without an API key says so", () => {
    const options = { apiKeyEnv: "AWS_BEARER_TOKEN_BEDROCK", env: {} };
    expect(() => makeSystem({ url: "http://127.0.0.1:9" }, options)).toThrow(
      "Amazon Bedrock needs credentials: The variable AWS_BEARER_TOKEN_BEDROCK is not set.",
    );
  });

  it("needs a model, and goes over https to another machine", () => {
    expect(() => makeSystem({ url: "http://127.0.0.1:9" }, { model: "" })).toThrow("Amazon Bedrock needs a model");
    expect(() => makeSystem({ url: "http://bedrock.example" })).toThrow("would be sent over plain http");
  });

  it("has the effort in the fields of the model's maker, and not an unknown one", async () => {
    const { mock, system } = await setUp(
      { efforts: { low: { reply: "low" } } },
      { model: "us.anthropic.claude-opus-5", effort: "low" },
    );
    expect(await system.process(ASK, makeTrialContext())).toMatchObject({ response: "low" });
    expect(mock.requests[0]?.body).toMatchObject({
      additionalModelRequestFields: { output_config: { effort: "low" }, thinking: { type: "adaptive" } },
    });
    expect(() => makeSystem(mock, { model: "meta.llama3-70b-instruct-v1:0", effort: "low" })).toThrow(
      "How Bedrock's model meta.llama3-70b-instruct-v1:0 takes the effort low is not known",
    );
    expect(() => makeSystem(mock, { effort: 2000, maxTokens: 1000 })).toThrow("leaves nothing for an answer");
  });

  it("is repeated without a parameter that the model rejects", async () => {
    const { mock, system } = await setUp({ refuses: ["temperature"] }, { temperature: 0, maxTokens: 50 });
    const notes: string[] = [];
    await system.process(ASK, makeTrialContext({ log: (note) => notes.push(note) }));
    expect(mock.requests.map(({ status }) => status)).toEqual([400, 200]);
    expect(mock.requests[1]?.body).toMatchObject({ inferenceConfig: { maxTokens: 50 } });
    expect(notes.join()).toContain("sent without temperature");
  });
});

describe("an answer of Bedrock", () => {
  it("that is cut in the middle of a stream is an error that is not repeated", async () => {
    const { mock, system } = await setUp({ faults: [{ kind: "cut", afterTokens: 4 }] });
    const error = await system.process(ASK, makeTrialContext()).catch((caught: unknown) => caught);
    expect(error).toMatchObject({
      category: "api_error",
      message: expect.stringContaining("closed the connection"),
      retry: undefined,
    });
    expect(mock.counts.requests).toBe(1);
  });

  it("that ends early is an error", async () => {
    const { system } = await setUp({ faults: [{ kind: "early-end", afterTokens: 4 }] });
    await expect(system.process(ASK, makeTrialContext())).rejects.toThrow("ended its stream in the middle");
  });

  it.each(["malformed", "invalid-utf8", "huge-line"] as const)(
    "with a corrupted event is an error (%s)",
    async (kind) => {
      const { system } = await setUp({ faults: [{ kind, afterTokens: 4, bytes: 100_000 }] });
      await expect(system.process(ASK, makeTrialContext())).rejects.toThrow(
        /^127\.0\.0\.1:\d+ sent a corrupted event: its checksum does not match\.$/,
      );
    },
  );

  it("with an exception in its stream is an error with its name", async () => {
    const { system } = await setUp({ faults: [{ kind: "error-event", afterTokens: 4 }] });
    await expect(system.process(ASK, makeTrialContext())).rejects.toThrow(
      /aborted its answer with an error \(modelStreamErrorException\): The model failed while it was answering/,
    );
  });

  it("is stopped by the budget in the middle of its stream", async () => {
    const { system } = await setUp({ outputTokens: 20_000, tokensPerSec: 50_000 });
    const budget = new CostBudget({ pricing: { input_per_1k: 0, output_per_1k: 1 }, maxCostUsd: 0.5 });
    const output = await system.process(ASK, makeTrialContext({ budget }));
    expect(output).toMatchObject({ stopped: "cost_killed", partial: true });
    expect(budget.costKilledAt).toBeLessThan(5);
  });

  it.each([
    ["429", "rate_limit", "ThrottlingException: Too many requests", true],
    ["503", "api_error", "ServiceUnavailableException: The model is not available", true],
    ["404", "api_error", "ResourceNotFoundException: There is no such model", false],
  ] as const)("with the status %s is %s", async (kind, category, message, isAgain) => {
    const { system } = await setUp({ faults: [{ kind }] });
    const error = await system.process(ASK, makeTrialContext()).catch((caught: unknown) => caught);
    expect(error).toMatchObject({ category, message: expect.stringContaining(message) });
    expect((error as { retry?: object }).retry !== undefined).toBe(isAgain);
  });

  it("of another access key names the variable", async () => {
    const { system } = await setUp({ requireKey: "AKIDOTHER" });
    await expect(system.process(ASK, makeTrialContext())).rejects.toThrow(
      "the access key in AWS_ACCESS_KEY_ID was rejected (UnrecognizedClientException",
    );
  });

  it("is asked for again when it was throttled", async () => {
    const { mock, system } = await setUp({ faults: [{ kind: "429", first: 2, retryAfter: 0.01 }] });
    const { rows } = await evaluate({
      systems: [system],
      dataset: [{ ...ASK, answer: "Paris" }],
      evaluators: [new AnswerQuality()],
      metrics: [new MeanScore({ scoreField: "f1" })],
      scoreField: "f1",
    });
    expect(rows[0]?.scores.f1).toBeGreaterThan(0);
    expect(rows[0]?.attempts).toHaveLength(2);
    expect(mock.counts.byStatus).toEqual({ 200: 1, 429: 2 });
  });
});
