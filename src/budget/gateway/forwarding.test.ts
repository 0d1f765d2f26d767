import { once } from "node:events";
import { request as requestHttp } from "node:http";
import { gzipSync } from "node:zlib";
import { afterEach, describe, expect, it } from "vitest";
import { dialects, GATEWAY_DIALECT_NAMES } from "../../models/dialects/index.js";
import { type GatewayOptions, startGateway } from "./index.js";
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

const json =
  (body: unknown, status = 200, headers: Readonly<Record<string, string>> = {}): Answer =>
  (response) => {
    response.writeHead(status, { "content-type": "application/json", ...headers });
    response.end(JSON.stringify(body));
  };

const WHOLE = {
  choices: [{ message: { content: "hi" }, finish_reason: "stop" }],
  usage: { prompt_tokens: 5, completion_tokens: 1 },
};

describe("forwarding", () => {
  it("forwards nothing without the secret", async () => {
    const { upstream, gateway } = await setUp(json(WHOLE));
    const { origin } = new URL(gateway.url);
    for (const path of ["/", "/openai/v1/chat/completions", "/0123456789abcdef0123456789abcdef/openai/v1/models"]) {
      expect((await fetch(origin + path, buildTestRequest("chat", false))).status).toBe(404);
    }
    expect(upstream.arrived).toEqual([]);
    expect(gateway.receipt().requests).toBe(0);
  });

  it("forwards the request unchanged except for connection headers", async () => {
    const { upstream, gateway } = await setUp(json(WHOLE));
    const body = '{ "model":"m", "seed": 12345678901234567890, "messages": [] }';
    const response = await fetch(`${gateway.url}/openai/v1/chat/completions?a=b%20c`, {
      method: "POST",
      headers: {
        authorization: "Bearer sk-1",
        "x-api-key": "foreign",
        "x-own": "kept",
        te: "trailers",
        "accept-encoding": "br",
      },
      body,
    });
    await response.text();
    const [arrived] = upstream.arrived;
    expect(arrived).toMatchObject({ method: "POST", url: "/v1/chat/completions?a=b%20c", body });
    expect(arrived?.headers).toMatchObject({
      authorization: "Bearer sk-1",
      "x-own": "kept",
      "accept-encoding": "identity",
    });
    expect(arrived?.headers).not.toHaveProperty("x-api-key");
    expect(arrived?.headers).not.toHaveProperty("te");
    expect(arrived?.headers.host).toBe(new URL(upstream.url).host);
  });

  it("returns the answer unchanged: status, headers, bytes", async () => {
    const { gateway } = await setUp((response) => {
      response.writeHead(201, "Made Up", [..."X-Odd-Case one X-Odd-Case two Content-Type application/json".split(" ")]);
      response.end(`  ${JSON.stringify(WHOLE)}\n`);
    });
    const request = requestHttp(buildTestUrl(gateway, "chat", false), { method: "POST" }).end('{"model":"m"}');
    const [response] = await once(request, "response");
    const text = (await response.setEncoding("utf8").toArray()).join("");
    expect(response).toMatchObject({ statusCode: 201, statusMessage: "Made Up" });
    expect(response.rawHeaders.join(" ")).toContain("X-Odd-Case one X-Odd-Case two");
    expect(text).toBe(`  ${JSON.stringify(WHOLE)}\n`);
  });

  it("returns a redirect without following it", async () => {
    const { upstream, gateway } = await setUp((response) =>
      response.writeHead(307, { location: "http://127.0.0.1:1/" }).end(),
    );
    const response = await fetch(buildTestUrl(gateway, "chat", false), {
      ...buildTestRequest("chat", false),
      redirect: "manual",
    });
    expect([response.status, response.headers.get("location")]).toEqual([307, "http://127.0.0.1:1/"]);
    expect(upstream.arrived).toHaveLength(1);
  });

  it("returns an upstream's error without billing it", async () => {
    const { gateway, finished } = await setUp(json({ error: { message: "slow down" } }, 429, { "retry-after": "7" }));
    const { status, headers, text } = await sendTestRequest(gateway, "responses", true);
    expect([status, headers.get("retry-after"), text]).toEqual([429, "7", '{"error":{"message":"slow down"}}']);
    expect(gateway.receipt()).toMatchObject({ failed: 1, byModel: [], totalPico: 0, partial: false });
    expect(finished).toMatchObject([{ ending: "failed", status: 429, costPico: null }]);
  });

  it("forwards unmetered requests, counts them and records them without their query", async () => {
    const { upstream, gateway } = await setUp(json({ data: [] }));
    await (await fetch(`${gateway.url}/openai/v1/models?key=secret`)).text();
    await (
      await fetch(`${gateway.url}/openai/v1/files?key=secret`, { method: "POST", body: "x".repeat(100_000) })
    ).text();
    expect(upstream.arrived.map(({ method, url, body }) => [method, url, body.length])).toEqual([
      ["GET", "/v1/models?key=secret", 0],
      ["POST", "/v1/files?key=secret", 100_000],
    ]);
    expect(gateway.receipt()).toMatchObject({
      requests: 2,
      unmetered: 2,
      byModel: [],
      unmeteredPaths: ["POST openai/files"],
    });
  });

  it("decompresses answers that an upstream compresses anyway", async () => {
    const { gateway } = await setUp((response) => {
      response.writeHead(200, { "content-type": "application/json", "content-encoding": "gzip" });
      response.end(gzipSync(JSON.stringify(WHOLE)));
    });
    const { headers, text } = await sendTestRequest(gateway, "chat", false);
    expect(headers.get("content-encoding")).toBeNull();
    expect(JSON.parse(text)).toEqual(WHOLE);
    expect(gateway.receipt().usage).toMatchObject({ input: 5, output: 1 });
  });

  it("reuses connections", async () => {
    const sockets = new Set<unknown>();
    const { gateway } = await setUp((response, arrived) => {
      sockets.add(response.socket);
      json(WHOLE)(response, arrived);
    });
    for (let i = 0; i < 5; i++) await sendTestRequest(gateway, "chat", false);
    // One, unless the connection was idle for too long on a busy machine.
    expect(sockets.size).toBeLessThan(5);
  });

  it("never sends a request twice, even when a reused connection breaks: it may have been received", async () => {
    const sockets: unknown[] = [];
    const { upstream, gateway } = await setUp((response, arrived) => {
      const isReused = sockets.includes(response.socket);
      sockets.push(response.socket);
      if (isReused) response.socket?.destroy();
      else json(WHOLE)(response, arrived);
    });
    await sendTestRequest(gateway, "chat", false);
    const { status, headers } = await sendTestRequest(gateway, "chat", false);
    expect([status, headers.get("x-should-retry")]).toEqual([502, "true"]);
    expect(upstream.arrived).toHaveLength(2);
    expect(gateway.receipt()).toMatchObject({ requests: 2, answered: 1, failed: 1 });
  });

  it("does not bill an HTML page, which no model generated", async () => {
    const { gateway, finished } = await setUp((response) => {
      response.writeHead(200, { "content-type": "text/html; charset=utf-8" }).end("<h1>Sign in</h1>");
    });
    for (const stream of [true, false]) {
      const { status, text } = await sendTestRequest(gateway, "chat", stream);
      expect([status, text]).toEqual([200, "<h1>Sign in</h1>"]);
    }
    expect(gateway.receipt()).toMatchObject({ failed: 2, totalPico: 0, byModel: [], partial: false });
    expect(finished).toMatchObject([{ message: "<h1>Sign in</h1>" }, { usage: null, status: 200 }]);
  });
});

describe("keys", () => {
  const ENV = { OPENAI_API_KEY: "sk-own", ANTHROPIC_API_KEY: "ant-own", GEMINI_API_KEY: "goog-own" };
  const HEADERS = {
    chat: "authorization",
    responses: "authorization",
    anthropic: "x-api-key",
    gemini: "x-goog-api-key",
  };
  const VALUES = { chat: "Bearer sk-own", responses: "Bearer sk-own", anthropic: "ant-own", gemini: "goog-own" };

  it.each(GATEWAY_DIALECT_NAMES)(
    "adds the gateway's key in %s when a client sends none, and only its provider's",
    async (name) => {
      const { upstream, gateway } = await setUp(json({}), { env: ENV });
      const { body } = buildTestRequest(name, false) as { body: string };
      await (await fetch(buildTestUrl(gateway, name, false), { method: "POST", body })).text();
      const headers = JSON.stringify(upstream.arrived[0]?.headers);
      expect(upstream.arrived[0]?.headers[HEADERS[name]]).toBe(VALUES[name]);
      expect(Object.values(ENV).filter((key) => headers.includes(key))).toHaveLength(1);
    },
  );

  it("prefers the client's key", async () => {
    const { upstream, gateway } = await setUp(json({}), { env: ENV });
    await fetch(`${gateway.url}/anthropic/v1/messages`, {
      method: "POST",
      headers: { authorization: "Bearer oauth" },
      body: '{"model":"m"}',
    });
    await fetch(`${gateway.url}/google/v1beta/models/m:generateContent?key=mine`, { method: "POST", body: "{}" });
    expect(JSON.stringify(upstream.arrived)).not.toContain("-own");
  });

  it("never shows keys in the gateway's messages", async () => {
    const said: unknown[] = [];
    const { gateway } = await setUp((response) => response.socket?.destroy(), {
      env: ENV,
      onRequest: (one) => said.push(one),
    });
    const { text } = await sendTestRequest(gateway, "anthropic", true);
    said.push(text, gateway.receipt(), gateway.env);
    expect(JSON.stringify(said)).not.toMatch(/-own|"key"/);
  });

  it("does not send keys over plain http to another machine unless allowed", async () => {
    await expect(startGateway({ upstreams: { openai: "http://example.com/v1" } })).rejects.toThrow(/plain http/);
    await expect(startGateway({ upstreams: { openai: "https://me:secret@example.com/v1" } })).rejects.toThrow(
      /password/,
    );
    const gateway = await startGateway({ upstreams: { openai: "http://example.com/v1" }, allowInsecure: true });
    await gateway.close();
  });
});

describe("bad requests", () => {
  it.each(GATEWAY_DIALECT_NAMES)("rejects a malformed body in the format of %s without forwarding it", async (name) => {
    const { upstream, gateway } = await setUp(json({}));
    for (const body of ['{"model":', "[1]", "null", ""]) {
      const response = await fetch(buildTestUrl(gateway, name, false), { method: "POST", body });
      expect(response.status).toBe(400);
      expect(dialects[name].errorIn(await response.json())?.message).toMatch(/not (?:valid JSON|a JSON object)/);
    }
    expect(upstream.arrived).toEqual([]);
    expect(gateway.receipt()).toMatchObject({ refused: 4 });
  });

  it("rejects requests that are too large", async () => {
    const { upstream, gateway } = await setUp(json({}));
    const body = Buffer.alloc(64 * 1024 * 1024 + 1, " ");
    const response = await fetch(buildTestUrl(gateway, "chat", false), { method: "POST", body });
    expect(response.status).toBe(413);
    expect(upstream.arrived).toEqual([]);
  });

  it("accepts requests nested deeper than the call stack", async () => {
    const { gateway } = await setUp(json(WHOLE), { modelMap: { a: "b" } });
    const deep = "[".repeat(200_000) + "]".repeat(200_000);
    const send = (model: string) =>
      fetch(buildTestUrl(gateway, "chat", false), { method: "POST", body: `{"model":"${model}","messages":${deep}}` });
    expect((await send("m")).status).toBe(200);
    expect((await send("a")).status).toBeGreaterThanOrEqual(200);
    expect((await sendTestRequest(gateway, "chat", false)).status).toBe(200);
  });

  it("accepts compressed requests", async () => {
    const { upstream, gateway } = await setUp(json(WHOLE));
    const post = (body: Buffer, encoding: string) =>
      fetch(buildTestUrl(gateway, "chat", false), {
        method: "POST",
        body: new Uint8Array(body),
        headers: { "content-encoding": encoding },
      });
    expect((await post(gzipSync('{"model":"m"}'), "gzip")).status).toBe(200);
    expect(upstream.arrived[0]).toMatchObject({ body: '{"model":"m"}' });
    expect(upstream.arrived[0]?.headers).not.toHaveProperty("content-encoding");
    expect((await post(Buffer.from("nonsense"), "gzip")).status).toBe(400);
    expect((await post(Buffer.from("nonsense"), "zstd")).status).toBe(415);
  });
});

describe("an upstream that does not answer", () => {
  it.each(GATEWAY_DIALECT_NAMES)("is reported as 502 in the format of %s", async (name) => {
    const upstream = await startScriptedUpstream(() => {});
    await upstream.close();
    const { gateway } = closers.add(await startTestGateway(upstream.url));
    const { status, headers, text } = await sendTestRequest(gateway, name, true);
    expect([status, headers.get("x-should-retry")]).toEqual([502, "true"]);
    expect(dialects[name].errorIn(JSON.parse(text))?.message).toMatch(
      /127\.0\.0\.1:\d+ cannot be reached \(ECONNREFUSED\)/,
    );
    expect(gateway.receipt()).toMatchObject({ failed: 1, totalPico: 0, byModel: [] });
  });

  it("is reported as 504 after the timeout", async () => {
    const { gateway } = await setUp(() => {}, { headersTimeoutMs: 50 });
    expect((await sendTestRequest(gateway, "chat", true)).status).toBe(504);
    expect(gateway.receipt()).toMatchObject({ failed: 1, totalPico: 0 });
  });

  it("mid-answer: closes the client's connection too, and bills what arrived", async () => {
    const { gateway } = await setUp((response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write(formatSse({ choices: [{ delta: { content: "one two three" } }] }));
      setImmediate(() => response.destroy());
    });
    await expect(sendTestRequest(gateway, "chat", true)).rejects.toThrow();
    await expect.poll(() => gateway.receipt().failed).toBe(1);
    expect(gateway.receipt()).toMatchObject({ partial: true, usage: { output: 3 } });
  });
});

describe("startGateway", () => {
  it("listens on this machine only", async () => {
    await expect(startGateway({ host: "0.0.0.0" as "127.0.0.1" })).rejects.toThrow(/cannot listen on 0\.0\.0\.0/);
    const gateway = await startGateway({ host: "::1" });
    expect(gateway.url).toMatch(/^http:\/\/\[::1\]:\d+\/[0-9a-f]{32}$/);
    await gateway.close();
  });

  it("reports a port in use and an unknown provider", async () => {
    const gateway = closers.add(await startGateway());
    const port = Number(new URL(gateway.url).port);
    await expect(startGateway({ port })).rejects.toThrow(/cannot listen on 127\.0\.0\.1:\d+.*EADDRINUSE/);
    const upstreams = { opnai: "http://127.0.0.1" } as object;
    await expect(startGateway({ upstreams })).rejects.toThrow(/Did you mean "openai"/);
  });

  it("provides the environment variables that programs read", async () => {
    const gateway = closers.add(await startGateway({ env: { HTTP_PROXY: "http://proxy", NO_PROXY: "local" } }));
    expect(gateway.env).toMatchObject({
      OPENAI_BASE_URL: `${gateway.url}/openai/v1`,
      OPENAI_API_BASE: `${gateway.url}/openai/v1`,
      ANTHROPIC_BASE_URL: `${gateway.url}/anthropic`,
      GOOGLE_GEMINI_BASE_URL: `${gateway.url}/google`,
      GEMINI_BASE_URL: `${gateway.url}/google`,
      NO_PROXY: "local,127.0.0.1",
    });
  });
});
