import { once } from "node:events";
import { type OutgoingHttpHeaders, request as requestHttp } from "node:http";
import { afterEach, describe, expect, it } from "vitest";
import { dialects } from "../../models/dialects/index.js";
import type { Gateway, GatewayOptions } from "./index.js";
import { Closers, startScriptedUpstream, startTestGateway, TEST_PRICE } from "./scripted-upstream.js";

const closers = new Closers();
afterEach(() => closers.closeAll());

const WHOLE = {
  choices: [{ text: "hi", message: { content: "hi" }, finish_reason: "stop" }],
  usage: { prompt_tokens: 1000, completion_tokens: 100 },
};

async function setUp(options: GatewayOptions = {}) {
  const upstream = closers.add(
    await startScriptedUpstream((response) => {
      response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(WHOLE));
    }),
  );
  return { upstream, ...closers.add(await startTestGateway(upstream.url, options)) };
}

/** Sends the path as written; `fetch` would normalize it. */
async function send(gateway: Gateway, path: string, headers: OutgoingHttpHeaders = {}, method = "POST") {
  const { port, pathname } = new URL(gateway.url);
  const request = requestHttp({ host: "127.0.0.1", port, path: pathname + path, method, headers });
  request.end(method !== "POST" ? undefined : '{"model":"m","messages":[],"max_tokens":100}');
  const [response] = await once(request, "response");
  const text = (await response.setEncoding("utf8").toArray()).join("");
  return { status: response.statusCode as number, text };
}

const LIMIT = { maxCostUsd: 0.0001 };

describe("a request to Amazon Bedrock", () => {
  it.each([
    "/openai/v1/model/us.anthropic.claude-opus-5-v1%3A0/converse",
    "/anthropic/v1/model/m/converse-stream",
    "/anthropic/model/arn%3Aaws%3Abedrock%3Aus-east-1%3A1%3Ax%2Fm/invoke-with-response-stream",
  ])("is refused with the reason, with or without a limit: %s", async (path) => {
    const { upstream, gateway } = await setUp({ allowUnmetered: true });
    const { status, text } = await send(gateway, path, { authorization: "AWS4-HMAC-SHA256 Credential=x" });
    expect(status).toBe(400);
    expect(text).toContain("requests to Amazon Bedrock are signed for its own host and cannot be forwarded");
    expect(upstream.arrived).toHaveLength(0);
    expect(gateway.receipt()).toMatchObject({ requests: 1, refused: 1 });
  });
});

describe("a forged path", () => {
  it.each([
    "/openai/v1/completions",
    "/openai/v1/chat/%63ompletions",
    "/openai/v1/chat//completions",
    "/openai/v1/chat/completions/",
    "/openai/v1/images/%2e%2e/chat/completions",
    "/openai/v1/CHAT\\completions",
  ])("is metered and held to the limit, 100 times out of 100: %s", async (path) => {
    const { upstream, gateway } = await setUp({ budget: LIMIT, env: { OPENAI_API_KEY: "sk-own" } });
    const statuses: number[] = [];
    for (let call = 0; call < 100; call++) statuses.push((await send(gateway, path)).status);
    expect(statuses).toEqual([200, ...Array(99).fill(400)]);
    expect(upstream.arrived).toHaveLength(1);
    expect(upstream.arrived[0]?.url).toMatch(/^\/v1(?:\/chat)?\/completions$/);
    expect(gateway.receipt()).toMatchObject({ requests: 100, answered: 1, refused: 99, unmetered: 0, exceeded: true });
    expect(gateway.receipt().totalUsd).toBeCloseTo(0.00042);
  });

  it("cannot be made with a header either", async () => {
    const { upstream, gateway } = await setUp();
    const headers = { "x-http-method-override": "POST", "x-original-url": "/v1/images/generations" };
    await send(gateway, "/openai/v1/models", headers, "GET");
    expect(upstream.arrived).toHaveLength(1);
    expect(Object.keys(upstream.arrived[0]?.headers ?? {})).not.toEqual(
      expect.arrayContaining([expect.stringMatching(/override|original/)]),
    );
  });
});

const UNKNOWN = [
  ["openai", "/openai/v1/images/generations", "chat"],
  ["openai", "/openai/v1/files", "chat"],
  ["anthropic", "/anthropic/v1/messages/batches", "anthropic"],
  ["google", "/google/v1beta/models/m:batchGenerateContent", "gemini"],
] as const;

describe("an unmetered request", () => {
  it.each(UNKNOWN)("is refused under a dollar limit, in the format of %s: %s", async (_, path, dialect) => {
    const { upstream, gateway, finished } = await setUp({ budget: { maxCostUsd: 5 } });
    const { status, text } = await send(gateway, path);
    expect(status).toBe(400);
    const message = dialects[dialect].errorIn(JSON.parse(text))?.message;
    expect(message).toMatch(/^Assay gateway: the cost of POST .* cannot be metered.*limit of \$5 .*--allow-unmetered/);
    expect(upstream.arrived).toEqual([]);
    expect(gateway.receipt()).toMatchObject({ refused: 1, unmetered: 0, unmeteredPaths: [] });
    expect(finished).toMatchObject([{ ending: "refused", dialect: null, message }]);
  });

  it.each(UNKNOWN)("is forwarded when allowed, and recorded: %s %s", async (_, path) => {
    const { upstream, gateway } = await setUp({ budget: { maxCostUsd: 5 }, allowUnmetered: true });
    expect((await send(gateway, `${path}//`)).status).toBe(200);
    expect(upstream.arrived.map(({ url }) => url)).toEqual([path.replace(/^\/(?:anthropic|google|openai)/, "")]);
    expect(gateway.receipt()).toMatchObject({
      unmetered: 1,
      unmeteredPaths: [`POST ${path.slice(1).replace("/v1/images", "/images").replace("openai/v1", "openai")}`],
    });
  });

  it("is forwarded and recorded when there is no dollar limit", async () => {
    const { upstream, gateway } = await setUp({ budget: { maxTokens: 5 } });
    for (const [, path] of UNKNOWN) expect((await send(gateway, path)).status).toBe(200);
    expect(upstream.arrived).toHaveLength(4);
    expect(gateway.receipt()).toMatchObject({ unmetered: 4, totalPico: 0 });
    expect(gateway.receipt().unmeteredPaths).toHaveLength(4);
  });

  it("may be another method on a known path", async () => {
    const { upstream, gateway } = await setUp({ budget: { maxCostUsd: 5 } });
    for (const method of ["PUT", "DELETE", "GET"])
      expect((await send(gateway, "/openai/v1/responses/resp_1", {}, method)).status).toBe(400);
    expect(upstream.arrived).toEqual([]);
  });

  it.each([true, "true", 1])("may be a background answer of Responses: %o", async (background) => {
    const body = JSON.stringify({ model: "m", input: "hi", background });
    const post = (gateway: Gateway) => fetch(`${gateway.url}/openai/v1/responses`, { method: "POST", body });
    const limited = await setUp({ budget: { maxCostUsd: 5 } });
    const refused = await post(limited.gateway);
    expect(refused.status).toBe(400);
    expect(await refused.text()).toMatch(/background: true cannot be metered.*--allow-unmetered/);
    expect(limited.upstream.arrived).toEqual([]);
    const allowed = await setUp({ budget: { maxCostUsd: 5 }, allowUnmetered: true, modelMap: { m: "n" } });
    expect((await post(allowed.gateway)).status).toBe(200);
    expect(JSON.parse(allowed.upstream.arrived[0]?.body ?? "")).toMatchObject({ model: "n", background });
    expect(allowed.gateway.receipt()).toMatchObject({ unmetered: 1, unmeteredPaths: ["POST openai/responses"] });
  });

  it("does not include free ones: token counts and model lists pass under any limit", async () => {
    const { upstream, gateway } = await setUp({ budget: LIMIT });
    const free = [
      "/anthropic/v1/messages/count_tokens",
      "/openai/v1/responses/input_tokens",
      "/google/models/m:countTokens",
    ];
    for (const path of free) expect((await send(gateway, path)).status).toBe(200);
    for (const path of ["/openai/v1/models", "/openai/v1/models/m", "/anthropic", "/google/v1beta/models/"])
      expect((await send(gateway, path, {}, "GET")).status).toBe(200);
    expect(upstream.arrived).toHaveLength(7);
    expect(gateway.receipt()).toMatchObject({ unmetered: 7, unmeteredPaths: [], totalPico: 0 });
  });
});

describe("a request that another site's page may have made", () => {
  it.each([
    [{ host: "evil.example" }, 421],
    [{ host: "127.0.0.1.evil.example:80" }, 421],
    [{ host: "10.0.0.1:8080" }, 421],
    [{ origin: "https://evil.example" }, 403],
    [{ origin: "null" }, 403],
    [{ origin: "http://localhost.evil.example" }, 403],
    [{ "sec-fetch-site": "cross-site", "sec-fetch-mode": "cors" }, 403],
  ])("is refused even with the secret: %o", async (headers, status) => {
    const { upstream, gateway } = await setUp();
    const answer = await send(gateway, "/openai/v1/chat/completions", headers);
    expect(answer.status).toBe(status);
    expect(answer.text).not.toContain(new URL(gateway.url).pathname.slice(1));
    expect(upstream.arrived).toEqual([]);
    expect(gateway.receipt().requests).toBe(0);
  });

  it.each([
    { host: "localhost:1" },
    { host: "[::1]:80" },
    { host: "LOCALHOST" },
    { origin: "http://localhost:3000" },
    { "sec-fetch-site": "same-site" },
  ])("does not include requests of this machine: %o", async (headers) => {
    const { gateway } = await setUp();
    expect((await send(gateway, "/openai/v1/chat/completions", headers)).status).toBe(200);
  });
});

describe("metering of other endpoints", () => {
  const post = async (gateway: Gateway, path: string, body: object) =>
    (await fetch(`${gateway.url}/openai/v1${path}`, { method: "POST", body: JSON.stringify(body) })).text();

  it("meters legacy completions, whole and streamed", async () => {
    const event = (text: string, finish: string | null) => ({ choices: [{ index: 0, text, finish_reason: finish }] });
    const usage = { choices: [], usage: { prompt_tokens: 7, completion_tokens: 2 } };
    const upstream = closers.add(
      await startScriptedUpstream((response, { body }) => {
        const isStream = JSON.parse(body).stream_options?.include_usage === true;
        response.writeHead(200, { "content-type": isStream ? "text/event-stream" : "application/json" });
        const events = [event("one ", null), event("two", "stop"), usage].map((each) => JSON.stringify(each));
        response.end(isStream ? `data: ${events.join("\n\ndata: ")}\n\ndata: [DONE]\n\n` : JSON.stringify(WHOLE));
      }),
    );
    const { gateway } = closers.add(await startTestGateway(upstream.url));
    await post(gateway, "/completions", { model: "m", prompt: "hello" });
    const streamed = await post(gateway, "/completions", { model: "m", prompt: "hello", stream: true });
    expect(streamed).toContain('"text":"two"');
    expect(streamed).not.toContain("prompt_tokens");
    expect(gateway.receipt()).toMatchObject({ answered: 2, partial: false, usage: { input: 1007, output: 102 } });
  });

  it("counts the text of streamed legacy completions without reported usage", async () => {
    const upstream = closers.add(
      await startScriptedUpstream((response) => {
        response.writeHead(200, { "content-type": "text/event-stream" });
        response.end(
          'data: {"choices":[{"index":0,"text":"one two three","finish_reason":"length"}]}\n\ndata: [DONE]\n\n',
        );
      }),
    );
    const { gateway, finished } = closers.add(await startTestGateway(upstream.url));
    await post(gateway, "/completions", { model: "m", prompt: "hello", stream: true });
    expect(gateway.receipt()).toMatchObject({ answered: 1, partial: true, usage: { output: 3 } });
    expect(finished).toMatchObject([{ finish: "truncated" }]);
  });

  it("meters embeddings: their prompt and no output", async () => {
    const answers = [{ data: [], usage: { prompt_tokens: 40, total_tokens: 40 } }, { data: [{ embedding: [0.5] }] }];
    const upstream = closers.add(
      await startScriptedUpstream((response) => {
        response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(answers.shift()));
      }),
    );
    const { gateway, finished } = closers.add(await startTestGateway(upstream.url));
    await post(gateway, "/embeddings", { model: "m", input: ["a b", "c"] });
    expect(gateway.receipt()).toMatchObject({ answered: 1, partial: false, totalPico: 40 * TEST_PRICE.input });
    await post(gateway, "/embeddings", {
      model: "m",
      input: [
        [1, 2, 3, 4],
        [5, 6],
      ],
      stream: true,
    });
    expect(gateway.receipt()).toMatchObject({ answered: 2, partial: true, usage: { output: 0 } });
    expect(finished[1]?.usage?.input).toBeGreaterThanOrEqual(6);
    expect(finished).toMatchObject([{ ending: "answered", dialect: "chat" }, { ending: "answered" }]);
  });

  it("uses the bundled prices", async () => {
    const upstream = closers.add(
      await startScriptedUpstream((response) => {
        const usage = { prompt_tokens: 1_000_000, total_tokens: 1_000_000 };
        response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ data: [], usage }));
      }),
    );
    const { startGateway } = await import("./index.js");
    const budget = { maxCostUsd: 1 };
    const gateway = closers.add(await startGateway({ budget, upstreams: { openai: `${upstream.url}/v1` }, env: {} }));
    await post(gateway, "/embeddings", { model: "text-embedding-3-small", input: "hello" });
    expect(gateway.receipt()).toMatchObject({ answered: 1, totalUsd: 0.02 });
  });
});
