import { afterEach, describe, expect, it } from "vitest";
import { createPrice } from "../../budget/index.js";
import type { ScoringCost } from "../../core/evaluator.js";
import { type HttpClient, openClient } from "../../models/http/index.js";
import { type ScriptHandler, serveScript } from "../../models/http/scripted-server.js";
import { ModelSystem } from "../../systems/index.js";
import { type Mock, type MockOptions, startMock } from "../../testing/mock/index.js";
import { LLMJudge } from "./llm-judge.js";
import type { LLMJudgeOptions } from "./settings.js";

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function mockOf(script: MockOptions): Promise<Mock> {
  const mock = await startMock({ keepBodies: true, ...script });
  closing.push(() => mock.close());
  return mock;
}

async function served(handler: ScriptHandler) {
  const server = await serveScript(handler);
  closing.push(() => server.close());
  return server;
}

const example = { id: 1, question: "Capital of France?" };
const output = { response: "Paris" };
const PASS = '{"reasoning": "Right.", "cannot_judge": false, "verdict": "pass"}';
const price = createPrice({ input_per_1k: 0.001, output_per_1k: 0.01 }, "test");
const limits = { price, maxCostUsd: null, hardTimeoutMs: null };

function judgeAt(url: string, more: Partial<LLMJudgeOptions> = {}): LLMJudge {
  const model = { model: "m", baseUrl: `${url}/v1`, limits };
  const judge = new LLMJudge({ model, random: () => 0, ...more });
  closing.push(() => judge.close());
  return judge;
}

function metered() {
  const spent: ScoringCost[] = [];
  const controller = new AbortController();
  const meter = { add: (cost: ScoringCost) => void spent.push(cost) };
  return { spent, controller, context: { signal: controller.signal, meter } };
}

describe("a judge behind an endpoint", () => {
  it.each(["chat", "responses", "anthropic", "gemini"] as const)(
    "is asked in %s with its way to request a shape",
    async (dialect) => {
      const call = { name: "verdict", arguments: { reasoning: "Right.", cannot_judge: false, verdict: "pass" } };
      const mock = await mockOf({ reply: PASS, tools: [call] });
      const baseUrl = dialect === "gemini" || dialect === "anthropic" ? mock.url : `${mock.url}/v1`;
      const judge = judgeAt("", { model: { model: "m", baseUrl, dialect } });
      expect(await judge.score(example, output)).toMatchObject({ scores: { judge_score: 1 } });
      expect(mock.requests).toHaveLength(1);
      expect(JSON.stringify(mock.requests[0]?.body)).toMatch(
        { chat: /"strict":true/, responses: /"strict":true/, anthropic: /"output_config"/, gemini: /"responseSchema"/ }[
          dialect
        ],
      );
    },
  );

  it("is understood if it ignores the shape and adds prose", async () => {
    const content = `Well…\n\`\`\`json\n${PASS}\n\`\`\`\nThat is my verdict.`;
    const server = await served((_, response) =>
      response
        .setHeader("content-type", "application/json")
        .end(JSON.stringify({ choices: [{ message: { content }, finish_reason: "stop" }] })),
    );
    expect(await judgeAt(server.url).score(example, output)).toMatchObject({ scores: { judge_score: 1 } });
    const mock = await mockOf({ reply: content });
    const anthropic = judgeAt("", { model: { model: "m", baseUrl: mock.url, dialect: "anthropic" } });
    expect(await anthropic.score(example, output)).toMatchObject({ scores: { judge_score: 1 } });
  });

  it("can be a ModelSystem", async () => {
    const mock = await mockOf({ reply: PASS });
    const model = new ModelSystem({ model: "m", baseUrl: `${mock.url}/v1`, systemPrompt: "Be strict." });
    const judge = judgeAt("", { model });
    expect(await judge.score(example, output)).toMatchObject({ scores: { judge_score: 1 } });
    expect(JSON.stringify(mock.requests[0]?.body)).toContain("Be strict.");
  });

  it("is asked without a shape once its endpoint rejects one", async () => {
    const server = await served(({ body }, response) => {
      response.setHeader("content-type", "application/json");
      const isRefused = body.includes("response_format");
      const answer = isRefused
        ? { error: { message: "This response_format type is unavailable now" } }
        : { choices: [{ message: { content: PASS }, finish_reason: "stop" }] };
      response.writeHead(isRefused ? 400 : 200).end(JSON.stringify(answer));
    });
    const judge = judgeAt(server.url);
    for (let row = 0; row < 3; row++)
      expect(await judge.score(example, output)).toMatchObject({ scores: { judge_score: 1 } });
    expect(server.requests.map(({ body }) => body.includes("response_format"))).toEqual([true, false, false, false]);
  });

  it.each([
    [["output_config"], /"tool_choice"/],
    [["output_config", "tool_choice"], /"tools":(?!.*"tool_choice")/],
  ])("is asked to call a tool if its model rejects %j", async (refuses, asked) => {
    const call = { name: "verdict", arguments: { reasoning: "Right.", cannot_judge: false, verdict: "pass" } };
    const mock = await mockOf({ refuses, reply: PASS, tools: [call] });
    const judge = judgeAt("", { model: { model: "m", baseUrl: mock.url, dialect: "anthropic" } });
    for (let row = 0; row < 2; row++)
      expect(await judge.score(example, output)).toMatchObject({ scores: { judge_score: 1 } });
    expect(mock.counts.byStatus).toEqual({ "200": 2, "400": refuses.length });
    expect(JSON.stringify(mock.requests.at(-1)?.body)).toMatch(asked);
  });

  it("is retried after the delay the endpoint asks for, without other calls meanwhile", async () => {
    const mock = await mockOf({ reply: PASS, faults: [{ kind: 429, first: 2, retryAfter: 0.05 }] });
    const { spent, context } = metered();
    const start = performance.now();
    expect(await judgeAt(mock.url).score(example, output, context)).toMatchObject({ scores: { judge_score: 1 } });
    expect(performance.now() - start).toBeGreaterThanOrEqual(100);
    expect(mock.counts.byStatus).toEqual({ "200": 1, "429": 2 });
    expect(spent).toHaveLength(1);
  });

  it("fails after the last retry, and at once if a retry cannot help", async () => {
    const busy = await mockOf({ faults: [{ kind: 503, retryAfter: 0.01 }] });
    await expect(judgeAt(busy.url, { retry: { maxRetries: 2 } }).score(example, output)).rejects.toThrow(
      "answered 503",
    );
    expect(busy.counts.requests).toBe(3);
    const locked = await mockOf({ requireKey: "dummy-key" });
    await expect(judgeAt(locked.url).score(example, output)).rejects.toThrow("answered 401: it requires a key");
    expect(locked.counts.requests).toBe(1);
  });

  it("never has more concurrent calls than workers", async () => {
    const mock = await mockOf({ reply: PASS, latencyMs: 15 });
    const judge = judgeAt(mock.url, { maxWorkers: 3 });
    await Promise.all(Array.from({ length: 20 }, (_, id) => judge.score({ id, question: `${id}?` }, output)));
    expect(mock.counts).toMatchObject({ requests: 20, maxOpen: 3 });
  });

  it("stops at once with the run, even while it waits for a retry", async () => {
    const mock = await mockOf({ faults: [{ kind: 429, retryAfter: 60 }] });
    const { controller, context } = metered();
    const scored = judgeAt(mock.url).score(example, output, context);
    setTimeout(() => controller.abort(new Error("interrupted")), 50);
    await expect(scored).rejects.toThrow("interrupted");
  });
});

describe("the cost of judging", () => {
  it("is computed from the usage of each call", async () => {
    const server = await served((_, response) =>
      response.setHeader("content-type", "application/json").end(
        JSON.stringify({
          choices: [{ message: { content: "no verdict" }, finish_reason: "stop" }],
          usage: { prompt_tokens: 1000, completion_tokens: 100 },
        }),
      ),
    );
    const { spent, context } = metered();
    expect(await judgeAt(server.url).score(example, output, context)).toMatchObject({ scores: {} });
    expect(spent).toEqual([
      { costUsd: 0.002, usage: { input: 1000, output: 100 } },
      { costUsd: 0.002, usage: { input: 1000, output: 100 } },
    ]);
  });

  it("is the provider's own figure if it reports one", async () => {
    const mock = await mockOf({ reply: PASS, usage: { cost: 0.125 } });
    const { spent, context } = metered();
    await judgeAt(mock.url).score(example, output, context);
    expect(spent).toMatchObject([{ costUsd: 0.125 }]);
  });

  it("is unknown without a price or without usage", async () => {
    const mock = await mockOf({ reply: PASS });
    const silent = await mockOf({ reply: PASS, noUsage: true });
    const { spent, context } = metered();
    await judgeAt("", { model: { model: "m", baseUrl: `${mock.url}/v1` } }).score(example, output, context);
    await judgeAt(silent.url).score(example, output, context);
    expect(spent).toEqual([{ costUsd: null, usage: expect.any(Object) }, { costUsd: null }]);
  });

  it("includes calls that failed after they were billed", async () => {
    const server = await served((_, response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      const text = { choices: [{ delta: { content: "Well" } }] };
      const usage = { choices: [], usage: { prompt_tokens: 1000, completion_tokens: 100 } };
      response.write(`data: ${JSON.stringify(text)}\n\ndata: ${JSON.stringify(usage)}\n\n`);
      response.end(`data: ${JSON.stringify({ error: { message: "overheated" } })}\n\n`);
    });
    const { spent, context } = metered();
    await expect(judgeAt(server.url).score(example, output, context)).rejects.toThrow("overheated");
    expect(spent).toEqual([{ costUsd: 0.002, usage: { input: 1000, output: 100 } }]);
  });

  it("uses the bundled price of a known model", async () => {
    const mock = await mockOf({ reply: PASS });
    const { spent, context } = metered();
    const real = openClient();
    closing.push(async () => real.close());
    // The address selects the price; the call itself stays on this machine.
    const client: HttpClient = {
      post: (request) => real.post({ ...request, url: `${mock.url}/v1/chat/completions` }),
      get: (request) => real.get(request),
      close: () => real.close(),
    };
    const model = { model: "gpt-4o", baseUrl: "https://api.openai.com/v1", apiKey: null, client };
    await judgeAt("", { model }).score(example, output, context);
    expect(spent[0]?.costUsd).toBeGreaterThan(0);
  });
});
