import { once } from "node:events";
import { type IncomingMessage, request as requestHttp, type ServerResponse } from "node:http";
import { setTimeout as wait } from "node:timers/promises";
import { afterEach, describe, expect, it } from "vitest";
import type { GatewayDialectName } from "../../models/dialects/index.js";
import { type FaultKind, startMock } from "../../testing/mock/index.js";
import type { Gateway, GatewayOptions } from "./index.js";
import { isUsageOnly } from "./request-meter.js";
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

/** An upstream whose single answer the test writes. */
async function setUp(options: GatewayOptions = {}) {
  let onAnswer: (response: ServerResponse) => void = () => {};
  const answering = new Promise<ServerResponse>((resolve) => {
    onAnswer = resolve;
  });
  const upstream = closers.add(
    await startScriptedUpstream((response) => {
      response.writeHead(200, { "content-type": "text/event-stream; charset=utf-8" });
      response.flushHeaders();
      onAnswer(response);
    }),
  );
  return { upstream, answering, ...closers.add(await startTestGateway(upstream.url, options)) };
}

/** A client that sees each chunk as it arrives. */
async function open(gateway: Gateway, name: GatewayDialectName, body?: string) {
  const {
    method,
    headers,
    body: usual,
  } = buildTestRequest(name, true) as { method: string; headers: object; body: string };
  const request = requestHttp(buildTestUrl(gateway, name, true), { method, headers: { ...headers } });
  request.on("error", () => {});
  request.end(body ?? usual);
  const [response] = (await once(request, "response")) as [IncomingMessage];
  response.on("error", () => {});
  return { request, response, next: async () => String((await once(response, "data"))[0]) };
}

const chunk = (content: string) => ({ choices: [{ index: 0, delta: { content }, finish_reason: null }], usage: null });
const LAST = { choices: [{ index: 0, delta: {}, finish_reason: "stop" }], usage: null };
const USAGE = { choices: [], usage: { prompt_tokens: 7, completion_tokens: 3 } };

describe("a stream", () => {
  it("is forwarded chunk by chunk, even inside an event", async () => {
    const { gateway, answering } = await setUp();
    const client = await open(gateway, "anthropic");
    const upstream = await answering;
    for (const part of ["event: message_start\nda", 'ta: {"type":"ping"}\n', "\n: comment\n\n"]) {
      upstream.write(part);
      expect(await client.next()).toBe(part);
    }
  });

  it("keeps all its bytes, unusual ones too", async () => {
    const { gateway, answering } = await setUp();
    const client = await open(gateway, "responses");
    const bytes = Buffer.from([0xff, 0xfe, 0x00, 0x0a, 0x0a, 0x64, 0x61, 0x74, 0x61, 0x3a, 0x80, 0x0d, 0x0a]);
    (await answering).end(bytes);
    expect(Buffer.concat(await client.response.toArray())).toEqual(bytes);
  });

  it("waits for a slow client", async () => {
    const { gateway, answering } = await setUp();
    const client = await open(gateway, "anthropic");
    client.response.pause();
    const upstream = await answering;
    const event = formatSse({ type: "ping", padding: "x".repeat(65_536) });
    let written = 0;
    while (upstream.write(event) && written < 2000) written += 1;
    while (
      written < 2000 &&
      (await Promise.race([once(upstream, "drain").then(() => true), wait(300).then(() => false)]))
    ) {
      upstream.write(event);
      written += 1;
    }
    expect(written).toBeLessThan(1000);
    client.response.resume();
    await once(upstream, "drain");
  });

  it.each(["cut", "early-end", "malformed", "invalid-utf8", "huge-line", "error-event", "disconnect"] as FaultKind[])(
    "with the fault %s affects only itself",
    async (kind) => {
      const mock = closers.add(
        await startMock({ outputTokens: 100, faults: [{ kind, model: "bad", bytes: 20_000_000, afterTokens: 20 }] }),
      );
      const { gateway } = closers.add(await startTestGateway(mock.url));
      await Promise.allSettled(
        (["chat", "responses", "anthropic", "gemini"] as const).map((name) =>
          sendTestRequest(gateway, name, true, "bad"),
        ),
      );
      expect((await sendTestRequest(gateway, "chat", true, "good")).status).toBe(200);
      await expect.poll(() => gateway.receipt().answered + gateway.receipt().failed).toBe(5);
    },
  );
});

describe("a Chat Completions stream", () => {
  it("requests usage, and hides it from a client that did not", async () => {
    const { gateway, answering, upstream } = await setUp();
    const client = await open(gateway, "chat", '{"model":"m","stream":true,"seed":12345678901234567890}');
    const kept = [chunk("one"), chunk("two"), LAST];
    (await answering).end(formatSse(...kept, USAGE, "[DONE]"));
    expect((await client.response.toArray()).join("")).toBe(formatSse(...kept, "[DONE]"));
    expect(upstream.arrived[0]?.body).toBe(
      '{"stream_options":{"include_usage":true},"model":"m","stream":true,"seed":12345678901234567890}',
    );
    expect(gateway.receipt()).toMatchObject({ answered: 1, partial: false, usage: { input: 7, output: 3 } });
  });

  it.each([
    ["asks for it", { include_usage: true }, true],
    ["says that it does not want it", { include_usage: false }, false],
    ["asks for something else", { include_obfuscation: false }, false],
    ["says null", null, false],
  ])("has usage when the client %s: %o", async (_, options, isShown) => {
    const { gateway, answering, upstream } = await setUp();
    const client = await open(gateway, "chat", JSON.stringify({ model: "m", stream: true, stream_options: options }));
    (await answering).end(formatSse(chunk("one"), LAST, USAGE, "[DONE]"));
    expect((await client.response.toArray()).join("").includes("prompt_tokens")).toBe(isShown);
    expect(JSON.parse(upstream.arrived[0]?.body ?? "").stream_options).toEqual({ ...options, include_usage: true });
  });

  it("is forwarded event by event when one may have to be hidden", async () => {
    const { gateway, answering } = await setUp();
    const client = await open(gateway, "chat", '{"model":"m","stream":true}');
    const upstream = await answering;
    const [one, two] = [formatSse(chunk("one")), formatSse(chunk("two"))];
    upstream.write(one + two.slice(0, 20));
    expect(await client.next()).toBe(one);
    upstream.write(two.slice(20));
    expect(await client.next()).toBe(two);
  });

  it("keeps a usage event with other content, and one at the end without its empty line", async () => {
    expect(isUsageOnly({ ...USAGE, choices: LAST.choices })).toBe(false);
    const { gateway, answering } = await setUp();
    const client = await open(gateway, "chat", '{"model":"m","stream":true}');
    (await answering).end(`${formatSse(chunk("one"), LAST)}data: ${JSON.stringify(USAGE)}`);
    expect((await client.response.toArray()).join("")).toBe(formatSse(chunk("one"), LAST));
    expect(gateway.receipt().usage).toMatchObject({ input: 7, output: 3 });
  });
});

describe("a client that disconnects", () => {
  it("stops the upstream, and its usage is counted", async () => {
    const { gateway, answering, finished } = await setUp();
    const client = await open(gateway, "chat");
    const upstream = await answering;
    const gone = once(upstream, "close");
    upstream.write(formatSse(chunk("one two three four")));
    await client.next();
    client.request.destroy();
    await gone;
    await expect.poll(() => finished).toMatchObject([{ ending: "abandoned", partial: true }]);
    const receipt = gateway.receipt();
    expect(receipt).toMatchObject({ abandoned: 1, partial: true, usage: { output: 4 } });
    expect(receipt.usage.input).toBeGreaterThan(0);
    expect(receipt.byModel[0]?.costSource).toBe("estimated");
  });

  it("before any answer may still have cost its prompt", async () => {
    const upstream = closers.add(await startScriptedUpstream(() => {}));
    const { gateway } = closers.add(await startTestGateway(upstream.url));
    const abort = new AbortController();
    const asked = fetch(buildTestUrl(gateway, "chat", false), {
      ...buildTestRequest("chat", false),
      signal: abort.signal,
    });
    await expect.poll(() => upstream.arrived.length).toBe(1);
    abort.abort();
    await expect(asked).rejects.toThrow();
    await expect.poll(() => gateway.receipt().abandoned).toBe(1);
    expect(gateway.receipt()).toMatchObject({ partial: true, usage: { output: 0 } });
  });

  it("after the last event counts as answered", async () => {
    const { gateway, answering } = await setUp();
    const client = await open(gateway, "chat");
    (await answering).write(formatSse(chunk("one"), LAST, USAGE, "[DONE]"));
    await client.next();
    client.request.destroy();
    await expect.poll(() => gateway.receipt().answered).toBe(1);
    expect(gateway.receipt()).toMatchObject({ abandoned: 0, partial: false });
  });
});

describe("close", () => {
  it("ends open answers and keeps the receipt", async () => {
    const { gateway, answering } = await setUp();
    const client = await open(gateway, "anthropic");
    const upstream = await answering;
    const gone = once(upstream, "close");
    upstream.write(formatSse({ type: "message_start", message: { usage: { input_tokens: 50, output_tokens: 1 } } }));
    await client.next();
    await gateway.close();
    await gone;
    expect(gateway.receipt()).toMatchObject({ abandoned: 1, usage: { input: 50 } });
    await expect(fetch(gateway.url)).rejects.toThrow();
  });
});
