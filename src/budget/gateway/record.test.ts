import { once } from "node:events";
import { request as requestHttp, type ServerResponse } from "node:http";
import { connect } from "node:net";
import { setTimeout as wait } from "node:timers/promises";
import { afterEach, describe, expect, it } from "vitest";
import { GATEWAY_DIALECT_NAMES } from "../../models/dialects/index.js";
import { startMock } from "../../testing/mock/index.js";
import type { GatewayOptions } from "./index.js";
import {
  buildTestRequest,
  buildTestUrl,
  Closers,
  formatSse,
  sendTestRequest,
  startScriptedUpstream,
  startTestGateway,
} from "./scripted-upstream.js";

const closers = new Closers();
afterEach(() => closers.closeAll());

type Answer = Parameters<typeof startScriptedUpstream>[0];

async function setUp(answer: Answer, options: GatewayOptions = {}) {
  const upstream = closers.add(await startScriptedUpstream(answer));
  return { upstream, ...closers.add(await startTestGateway(upstream.url, options)) };
}

const chunk = (content: string) => ({ choices: [{ index: 0, delta: { content }, finish_reason: null }] });
const LAST = { choices: [{ index: 0, delta: {}, finish_reason: "stop" }] };

/** Sends parts of a stream, each after some milliseconds. */
const paced =
  (...parts: readonly (readonly [ms: number, text: string])[]): Answer =>
  async (response: ServerResponse) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    for (const [ms, text] of parts) {
      await wait(ms);
      response.write(text);
    }
    response.end();
  };

describe("the record of a request", () => {
  it("has the arrival time, the time to the first text and the generation time", async () => {
    const answer = paced(
      [300, formatSse(chunk(""))],
      [0, formatSse(chunk("one"))],
      [400, formatSse(chunk("two"))],
      [200, formatSse(LAST, "[DONE]")],
    );
    const { gateway, finished } = await setUp(answer, { wallClock: () => 1_700_000_000_123 });
    await sendTestRequest(gateway, "chat", true);
    const [record] = finished;
    expect(record).toMatchObject({ ending: "answered", startedAt: 1_700_000_000_123, message: null });
    expect(record?.ttftMs).toBeGreaterThan(290);
    expect(record?.generationMs).toBeGreaterThan(350);
    expect(record?.generationMs).toBeLessThanOrEqual((record?.durationMs ?? 0) - (record?.ttftMs ?? 0));
  });

  it("counts tool call arguments as text", async () => {
    const call = { choices: [{ index: 0, delta: { tool_calls: [{ index: 0, function: { arguments: '{"a":' } }] } }] };
    const { gateway, finished } = await setUp(paced([0, formatSse(call)], [50, formatSse(chunk("x"), LAST)]));
    await sendTestRequest(gateway, "chat", true);
    expect(finished[0]?.generationMs).toBeGreaterThan(40);
  });

  it.each(GATEWAY_DIALECT_NAMES)(
    "has no generation time for an answer of %s sent at once, and no time to first text if it was not streamed",
    async (name) => {
      const mock = closers.add(await startMock({ reply: "one two three four five six seven", chunkTokens: 1 }));
      const { gateway, finished } = closers.add(await startTestGateway(mock.url));
      await sendTestRequest(gateway, name, true);
      await sendTestRequest(gateway, name, false);
      expect(finished).toMatchObject([
        { ttftMs: expect.any(Number), generationMs: null },
        { ttftMs: null, generationMs: null },
      ]);
      expect(Math.abs((finished[0]?.startedAt ?? 0) - Date.now())).toBeLessThan(60_000);
    },
  );

  it.each(GATEWAY_DIALECT_NAMES)(
    "has the upstream's error message for %s, shortened and without the key",
    async (name) => {
      const long = `bad key "key-of-client" and sk-proj-abcdefghijklmnop ${"so ".repeat(200)}`;
      const { gateway, finished } = await setUp((response) => {
        response
          .writeHead(401, { "content-type": "application/json" })
          .end(JSON.stringify({ error: { message: long } }));
      });
      const init = buildTestRequest(name, true);
      const headers = {
        authorization: "Bearer key-of-client",
        "x-api-key": "key-of-client",
        "x-goog-api-key": "key-of-client",
      };
      await (await fetch(buildTestUrl(gateway, name, true), { ...init, headers })).text();
      const message = finished[0]?.message ?? "";
      expect(message).toMatch(/^bad key "\[secret\]" and \[secret\] so so/);
      expect(message).toHaveLength(300);
      expect(message.endsWith("…")).toBe(true);
    },
  );

  it("has the raw body of an unknown error, and says when there is none", async () => {
    const bodies = ["<h1>Bad\n gateway</h1>", ""];
    const { gateway, finished } = await setUp((response) => response.writeHead(502).end(bodies.shift()));
    await sendTestRequest(gateway, "chat", true);
    await (await fetch(`${gateway.url}/openai/v1/models`)).text();
    expect(finished.map(({ message }) => message)).toEqual(["<h1>Bad gateway</h1>", "status 502 without a word"]);
    expect(finished).toMatchObject([{ ending: "failed", status: 502 }, { ending: "failed" }]);
  });

  it("explains a refused connection, a broken stream, an early end and an error event", async () => {
    const gone = await startScriptedUpstream(() => {});
    await gone.close();
    const refused = closers.add(await startTestGateway(gone.url));
    await sendTestRequest(refused.gateway, "chat", true);
    expect(refused.finished[0]?.message).toMatch(/^Nothing listens on 127\.0\.0\.1:\d+: the connection was refused/);
    const mock = closers.add(
      await startMock({
        outputTokens: 40,
        faults: [
          { kind: "cut", model: "cut" },
          { kind: "early-end", model: "early" },
          { kind: "error-event", model: "error" },
        ],
      }),
    );
    const { gateway, finished } = closers.add(await startTestGateway(mock.url));
    for (const model of ["cut", "early", "error"])
      await sendTestRequest(gateway, "anthropic", true, model).catch(() => null);
    await expect
      .poll(() => finished.map(({ message }) => message))
      .toEqual([
        "The connection broke off before the answer was complete.",
        "The stream ended before the answer was complete.",
        expect.stringContaining("The model failed while it was answering"),
      ]);
  });

  it("has the gateway's reason for refusing", async () => {
    const { gateway, finished } = await setUp(() => {}, { budget: { maxCostUsd: 1 }, priceOf: () => null });
    await sendTestRequest(gateway, "gemini", true, "odd");
    await (await fetch(buildTestUrl(gateway, "chat", false), { method: "POST", body: "{" })).text();
    expect(finished).toMatchObject([
      { ending: "refused", status: 400, message: expect.stringContaining('"odd" is unknown') },
      { ending: "refused", status: 400, message: expect.stringContaining("not valid JSON") },
    ]);
  });
});

describe("other requests of agents", () => {
  it("refuses a WebSocket at once, and continues over HTTP", async () => {
    const { upstream, gateway, finished } = await setUp(() => {});
    const { port, pathname } = new URL(gateway.url);
    const socket = connect(Number(port), "127.0.0.1");
    socket.write(
      `GET ${pathname}/openai/v1/responses HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n`,
    );
    const [answer] = await once(socket, "data");
    socket.destroy();
    expect(String(answer)).toMatch(/^HTTP\/1\.1 426 /);
    expect(String(answer)).toContain("WebSockets cannot be metered");
    expect(upstream.arrived).toEqual([]);
    expect(finished).toMatchObject([{ ending: "refused", status: 426, usage: null, model: null }]);
  });

  it("reveals nothing to an upgrade request without the secret", async () => {
    const { gateway } = await setUp(() => {});
    const headers = { connection: "Upgrade", upgrade: "websocket" };
    const request = requestHttp(`${new URL(gateway.url).origin}/openai/v1/responses`, { headers }).end();
    const [response] = await once(request, "response");
    expect(response.statusCode).toBe(404);
    response.resume();
  });

  it.each(["HEAD", "GET"])("forwards %s of a base URL for free", async (method) => {
    const { upstream, gateway } = await setUp((response) => response.writeHead(200, { "x-up": "1" }).end("hello"));
    for (const below of ["anthropic", "anthropic/", "openai/v1", "google?alt=x"]) {
      const response = await fetch(`${gateway.url}/${below}`, { method });
      expect([response.status, response.headers.get("x-up")]).toEqual([200, "1"]);
      expect(await response.text()).toBe(method === "HEAD" ? "" : "hello");
    }
    expect(upstream.arrived.map(({ url }) => url)).toEqual(["/", "/", "/v1", "/?alt=x"]);
    const receipt = gateway.receipt();
    expect(receipt).toMatchObject({ requests: 4, unmetered: 4, byModel: [], totalPico: 0, partial: false });
    expect(receipt.unmeteredPaths).toEqual([]);
  });

  it("answers HEAD of a base URL without an upstream", async () => {
    const gone = await startScriptedUpstream(() => {});
    await gone.close();
    const { gateway } = closers.add(await startTestGateway(gone.url));
    expect((await fetch(`${gateway.url}/anthropic`, { method: "HEAD" })).status).toBe(502);
  });

  it("counts tokens for free, with the model that will receive the prompt", async () => {
    const mock = closers.add(await startMock({ keepBodies: true }));
    const { gateway } = closers.add(await startTestGateway(mock.url, { modelMap: { big: "small" } }));
    const messages = [{ role: "user", content: "hello there" }];
    const count = (path: string, body: object) =>
      fetch(gateway.url + path, { method: "POST", body: JSON.stringify(body), headers: { "anthropic-version": "1" } });
    const counted = await count("/anthropic/v1/messages/count_tokens?beta=true", { model: "big", messages });
    expect(await counted.json()).toEqual({ input_tokens: 3 });
    await count("/google/v1beta/models/big:countTokens", { contents: [{ parts: [{ text: "hello" }] }] });
    expect(mock.requests.map(({ model }) => model)).toEqual(["small", "small"]);
    expect(gateway.receipt()).toMatchObject({ unmetered: 2, byModel: [], unmeteredPaths: [], totalPico: 0 });
    expect((await count("/anthropic/v1/messages/count_tokens", [])).status).toBe(400);
  });

  it("meters Messages with a query, using the mapped model and the same query", async () => {
    const { upstream, gateway } = await setUp(
      (response) =>
        response
          .writeHead(200, { "content-type": "application/json" })
          .end(JSON.stringify({ content: [], usage: { input_tokens: 11, output_tokens: 3 } })),
      { modelMap: { big: "small" } },
    );
    const body = JSON.stringify({ model: "big", messages: [] });
    await (await fetch(`${gateway.url}/anthropic/v1/messages?beta=true`, { method: "POST", body })).text();
    expect(upstream.arrived[0]).toMatchObject({
      url: "/v1/messages?beta=true",
      body: '{"model":"small","messages":[]}',
    });
    expect(gateway.receipt().byModel).toMatchObject([{ model: "small", usage: { input: 11, output: 3 } }]);
  });

  it("meters a compaction of Responses", async () => {
    const { gateway } = await setUp((response) =>
      response
        .writeHead(200, { "content-type": "application/json" })
        .end(
          JSON.stringify({ object: "response.compaction", output: [], usage: { input_tokens: 9, output_tokens: 2 } }),
        ),
    );
    const body = JSON.stringify({ model: "m", input: [] });
    await (await fetch(`${gateway.url}/openai/v1/responses/compact`, { method: "POST", body })).text();
    expect(gateway.receipt()).toMatchObject({ answered: 1, usage: { input: 9, output: 2 } });
  });

  it("refuses zstd and lists the supported encodings", async () => {
    const { gateway, finished } = await setUp(() => {});
    const headers = { "content-encoding": "ZSTD" };
    const response = await fetch(buildTestUrl(gateway, "responses", true), { method: "POST", body: "x", headers });
    expect(response.status).toBe(415);
    expect(await response.text()).toContain("gzip, deflate or brotli");
    expect(finished[0]?.message).toContain("compressed with zstd");
  });
});
