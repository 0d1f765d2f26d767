import { Agent, request } from "node:http";
import { createServer } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { UsageError } from "../../core/errors.js";
import { askMock, parseEvents, sendRaw, TEXT_DIALECTS, type TextDialect } from "./raw-client.js";
import type { MockRequest } from "./request-log.js";

import { type Mock, type MockOptions, startMock } from "./server.js";

const started: Mock[] = [];
afterEach(() => Promise.all(started.splice(0).map((mock) => mock.close())));

async function start(options: MockOptions = {}): Promise<Mock> {
  const mock = await startMock(options);
  started.push(mock);
  return mock;
}

async function replyTo(mock: Mock, text: string, model = "m"): Promise<string> {
  return JSON.parse((await askMock(mock.url, "chat", { text, model })).text).choices[0].message.content;
}

describe("paths", () => {
  it.each(["", "/v1", "/api/openai/v1", "/token-123/proxy"])("accepts any base URL: %s", async (base) => {
    const mock = await start();
    const messages = [{ role: "user", content: "Hi" }];
    const bodies: Record<TextDialect, [string, object]> = {
      chat: ["/chat/completions", { model: "m", messages }],
      responses: ["/responses", { model: "m", input: "Hi" }],
      anthropic: ["/messages?beta=true", { model: "m", messages, max_tokens: 9 }],
      gemini: ["/models/m:generateContent?key=secret", { contents: [{ parts: [{ text: "Hi" }] }] }],
    };
    for (const dialect of TEXT_DIALECTS) {
      const [path, body] = bodies[dialect];
      expect((await sendRaw(mock.url + base + path, { body })).status).toBe(200);
      expect(mock.requests.at(-1)).toMatchObject({ dialect, model: "m", path: base + path.split("?")[0], task: "Hi" });
    }
  });

  it("lists its models in each provider's format", async () => {
    const mock = await start({ models: { cheap: {}, dear: {} } });
    const get = async (path: string, headers = {}) =>
      JSON.parse((await sendRaw(mock.url + path, { method: "GET", headers })).text);
    expect(await get("/v1beta/models")).toMatchObject({ models: [{ name: "models/cheap" }, { name: "models/dear" }] });
    expect(await get("/v1/models")).toMatchObject({
      data: [{ type: "model", id: "cheap" }, { id: "dear" }],
      has_more: false,
    });
    const response = await fetch(`${mock.url}/v1/models`);
    expect(await response.json()).toMatchObject({ object: "list", data: [{ id: "cheap", object: "model" }, {}] });
  });

  it("lists its paths in the error for an unknown one", async () => {
    const mock = await start();
    const { status, text } = await sendRaw(`${mock.url}/v1/embeddings`);
    expect([status, JSON.parse(text).error.message]).toEqual([
      404,
      expect.stringMatching(/nothing at \/v1\/embeddings/),
    ]);
    expect((await sendRaw(`${mock.url}/v1/responses`, { method: "GET" })).status).toBe(405);
  });
});

describe("replies", () => {
  it("can be a text, an echo, or follow rules", async () => {
    expect(await replyTo(await start({ reply: "Paris" }), "Where?")).toBe("Paris");
    expect(await replyTo(await start({ reply: "echo" }), "Where?")).toBe("Where?");
    const rules = await start({
      reply: [
        { match: "sum", reply: "7", model: "clever" },
        { match: "/^what .* sum/i", reply: "5" },
        { match: "/again/g", reply: "echo" },
      ],
    });
    expect(await replyTo(rules, "What is the sum?")).toBe("5");
    expect(await replyTo(rules, "What is the sum?", "clever")).toBe("7");
    expect(await replyTo(rules, "again")).toBe("again");
    expect(await replyTo(rules, "again")).toBe("again");
    expect(await replyTo(rules, "the sum")).toBe("This is a scripted answer from assay mock.");
  });

  it("are padded to a length", async () => {
    const mock = await start({ reply: "Paris", outputTokens: 100 });
    const reply = await replyTo(mock, "Where?");
    expect([reply.length, reply.startsWith("Paris ")]).toEqual([400, true]);
    expect(mock.requests[0]?.usage).toEqual({ input: 2, output: 100 });
  });

  const answers = Array.from({ length: 200 }, (_, n) => ({
    question: `What is ${n} squared?`,
    answer: `${n * n} it is`,
  }));

  async function results(seed: number, order: readonly number[], successRate: number | Record<string, number> = 0.7) {
    const mock = await start({ seed, answers, successRate });
    const right = new Map<number, boolean>();
    for (const n of order) right.set(n, (await replyTo(mock, `Please: What is ${n} squared?`)) === answers[n]?.answer);
    return right;
  }

  it("are right at the requested rate, the same ones for the same seed in any order", async () => {
    const numbers = answers.map((_, n) => n);
    const first = await results(1, numbers);
    const share = [...first.values()].filter(Boolean).length / 200;
    expect(share).toBeGreaterThan(0.6);
    expect(share).toBeLessThan(0.8);
    const again = await results(1, numbers.toReversed());
    expect(numbers.map((n) => again.get(n))).toEqual(numbers.map((n) => first.get(n)));
    const other = await results(2, numbers);
    expect(numbers.map((n) => other.get(n))).not.toEqual(numbers.map((n) => first.get(n)));
  });

  it("differ from one attempt at a task to the next", async () => {
    const attempts = async () => {
      const mock = await start({ answers, successRate: 0.5 });
      const replies: string[] = [];
      for (let attempt = 0; attempt < 12; attempt++) replies.push(await replyTo(mock, "What is 5 squared?"));
      return replies.map((reply) => reply === "25 it is");
    };
    const first = await attempts();
    expect(new Set(first).size).toBe(2);
    expect(await attempts()).toEqual(first);
  });

  it("can have a success rate per model", async () => {
    const mock = await start({ answers, successRate: { poor: 0 }, models: { none: { successRate: 0 } } });
    const right = async (model: string) => (await replyTo(mock, "What is 3 squared?", model)) === "9 it is";
    expect([await right("poor"), await right("none"), await right("other")]).toEqual([false, false, true]);
    expect(mock.requests[0]?.task).toBe("What is 3 squared?");
  });
});

describe("API key", () => {
  it("is required only if the script says so, in any place the API format allows", async () => {
    const mock = await start({ requireKey: "k-1" });
    const body = { model: "m", max_tokens: 1, input: "a", messages: [{ role: "user", content: "a" }], contents: [{}] };
    const status = async (path: string, headers = {}) => (await sendRaw(mock.url + path, { body, headers })).status;
    expect(await status("/v1/responses")).toBe(401);
    expect(await status("/v1/responses", { authorization: "Bearer wrong" })).toBe(401);
    expect(await status("/v1/responses", { authorization: "Bearer k-1" })).toBe(200);
    expect(await status("/v1/messages", { "x-api-key": "k-1" })).toBe(200);
    expect(await status("/v1beta/models/m:generateContent", { "x-goog-api-key": "k-1" })).toBe(200);
    expect(await status("/v1beta/models/m:generateContent?key=k-1")).toBe(200);
    expect(mock.counts.byFault).toEqual({ requireKey: 2 });
  });

  it("is never stored", async () => {
    const mock = await start();
    const headers = { Authorization: "Bearer sk-secret", "x-api-key": "sk-secret", "x-goog-api-key": "sk-secret" };
    await askMock(mock.url, "chat", {}, { headers: { ...headers, cookie: "sk-secret", "x-title": "shown" } });
    await sendRaw(`${mock.url}/v1beta/models/m:generateContent?key=sk-secret`, { body: { contents: [{}] } });
    expect(JSON.stringify(mock.requests)).not.toContain("sk-secret");
    expect(mock.requests[0]?.headers).toMatchObject({ authorization: "(hidden)", "x-title": "shown" });
  });
});

describe("limits", () => {
  it("rejects requests above the rate limit, and says when to retry", async () => {
    let now = 1_000_000;
    const mock = await start({ rateLimit: { requests: 2, perMs: 4000 }, now: () => now });
    const statuses = [];
    for (let at = 0; at < 3; at++) statuses.push((await askMock(mock.url, "chat")).status);
    expect(statuses).toEqual([200, 200, 429]);
    expect((await askMock(mock.url, "chat")).headers["retry-after"]).toBe("2");
    now += 2000;
    expect((await askMock(mock.url, "chat")).status).toBe(200);
    expect(mock.counts.byFault).toEqual({ rateLimit: 2 });
  });

  it("rejects requests above the concurrency limit, until one is finished", async () => {
    const mock = await start({
      maxConcurrent: 2,
      models: { held: { faults: [{ kind: "hang" }] }, own: { maxConcurrent: 1 } },
    });
    const hangUp: (() => void)[] = [];
    for (let at = 0; at < 2; at++) {
      const outgoing = request(`${mock.url}/v1/responses`, { method: "POST", agent: false });
      outgoing.on("error", () => {});
      outgoing.end(JSON.stringify({ model: "held", input: "a" }));
      hangUp.push(() => outgoing.destroy());
    }
    await expect.poll(() => mock.requests.filter(({ fault }) => fault === "hang")).toHaveLength(2);
    expect((await askMock(mock.url, "chat")).status).toBe(429);
    expect((await askMock(mock.url, "chat", { model: "own" })).status).toBe(200);
    hangUp[0]?.();
    await expect.poll(() => mock.counts.open).toBe(1);
    expect((await askMock(mock.url, "chat")).status).toBe(200);
    expect(mock.counts).toMatchObject({ byFault: { maxConcurrent: 1, hang: 1 }, maxOpen: 3 });
  });

  it("accepts as many clients as it has room for", async () => {
    const mock = await start({ maxConcurrent: 8 });
    const agent = new Agent({ keepAlive: true });
    const one = () =>
      new Promise<number | undefined>((resolve) => {
        const outgoing = request(`${mock.url}/v1/responses`, { method: "POST", agent }, (response) => {
          response.resume().on("end", () => resolve(response.statusCode));
        });
        outgoing.end(JSON.stringify({ model: "m", stream: true, input: "a" }));
      });
    const worker = async () => {
      for (let at = 0; at < 50; at++) expect(await one()).toBe(200);
    };
    await Promise.all(Array.from({ length: 8 }, worker));
    agent.destroy();
    expect(mock.counts).toMatchObject({ requests: 400, byStatus: { "200": 400 } });
  });
});

describe("time", () => {
  it("waits before the first byte", async () => {
    const mock = await start({ latencyMs: 40 });
    const before = performance.now();
    await askMock(mock.url, "chat", { stream: true });
    expect(performance.now() - before).toBeGreaterThan(38);
  });

  it("streams at the speed of a model", async () => {
    const mock = await start({ reply: "x".repeat(400), tokensPerSec: 1000, chunkTokens: 10 });
    const arrivals: number[] = [];
    const { text } = await askMock(
      mock.url,
      "anthropic",
      { stream: true },
      { onData: () => arrivals.push(performance.now()) > 0 },
    );
    expect(parseEvents(text).at(-1)).toEqual({ type: "message_stop" });
    expect((arrivals.at(-1) ?? 0) - (arrivals[0] ?? 0)).toBeGreaterThan(80);
    expect(arrivals.length).toBeGreaterThan(2);
    const before = performance.now();
    await askMock(mock.url, "anthropic");
    expect(performance.now() - before).toBeGreaterThan(95);
  });

  it("stops when the client disconnects, and records how much it had sent", async () => {
    const mock = await start({ reply: "x".repeat(40_000), tokensPerSec: 500 });
    let seen = "";
    const onData = (data: string) => {
      seen += data;
      return !seen.includes("xxxx");
    };
    await askMock(mock.url, "chat", { stream: true }, { onData });
    await expect.poll(() => mock.requests[0]?.endedAt).not.toBeNull();
    const [only] = mock.requests;
    expect(only).toMatchObject({ status: 200, aborted: true });
    expect(only?.usage?.output).toBeGreaterThan(0);
    expect(only?.usage?.output).toBeLessThan(1000);
  });
});

describe("requests", () => {
  it("keeps only the latest requests, newest last, and reports finished ones", async () => {
    const told: MockRequest[] = [];
    const mock = await start({ keepRequests: 3, keepBodies: true, onRequest: (one) => told.push(one) });
    for (let at = 0; at < 100; at++) await askMock(mock.url, "responses", { text: `Task ${at}` });
    expect(mock.requests.map(({ index }) => index)).toEqual([97, 98, 99]);
    expect(mock.requests[2]).toMatchObject({
      dialect: "responses",
      method: "POST",
      stream: false,
      status: 200,
      fault: null,
      task: "Task 99",
      aborted: false,
      body: { input: "Task 99" },
    });
    await expect.poll(() => told).toHaveLength(100);
    expect(mock.counts).toEqual({ requests: 100, byStatus: { "200": 100 }, byFault: {}, open: 0, maxOpen: 1 });
  });

  it("keeps only the beginning of a long task", async () => {
    const mock = await start();
    await askMock(mock.url, "chat", { text: "y".repeat(5000) });
    expect(mock.requests[0]?.task).toBe(`${"y".repeat(120)}…`);
  });
});

describe("startMock", () => {
  it("reports a port that is in use", async () => {
    const taken = createServer();
    await new Promise<void>((resolve) => taken.listen(0, "127.0.0.1", resolve));
    const { port } = taken.address() as { port: number };
    await expect(startMock({ port })).rejects.toThrow(UsageError);
    await expect(startMock({ port })).rejects.toThrow(`port ${port} of 127.0.0.1: it is in use.`);
    taken.close();
  });

  it("can be closed twice, and frees its port", async () => {
    const first = await start();
    await first.close();
    await first.close();
    const second = await start({ port: first.port });
    expect(second.url).toBe(first.url);
  });
});
