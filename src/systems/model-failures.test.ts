import type { ServerResponse } from "node:http";
import { afterEach, describe, expect, it } from "vitest";
import { TrialError, UsageError } from "../core/errors.js";
import type { TrialContext } from "../core/system.js";
import { serveBytes } from "../models/http/scripted-server.js";
import { type ModelOptions, ModelSystem } from "./model.js";

import {
  DONE,
  formatEvent,
  formatTextEvent,
  formatUsageEvent,
  makeTrialContext,
  openModelFixture,
  sendStreamedAnswer,
  startStream,
} from "./model-testing.js";

const bench = openModelFixture();
afterEach(() => bench.close());

const ask = { id: 1, question: "What colour?" };
const SIGNATURE = "8f3a9c71d2e4b605aa17";
const AGAIN = { afterMs: null };

async function failure(system: ModelSystem, trial: TrialContext = makeTrialContext()): Promise<TrialError> {
  const error: unknown = await system.process(ask, trial).then(
    () => null,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(TrialError);
  return error as TrialError;
}

/** The error for an endpoint that answers like this. */
async function failing(answer: (response: ServerResponse) => unknown, options: Partial<ModelOptions> = {}) {
  const server = await bench.serve((_, response) => answer(response));
  return failure(bench.system(server, options));
}

describe("a status", () => {
  it.each([
    [429, "rate_limit", true],
    [529, "rate_limit", true],
    [500, "api_error", true],
    [503, "api_error", true],
    [408, "timeout", true],
    [504, "timeout", true],
    [400, "api_error", false],
    [402, "api_error", false],
    [404, "api_error", false],
    [422, "api_error", false],
  ])("%i is %s, can be retried: %s", async (status, category, isWorth) => {
    const error = await failing((response) => response.writeHead(status).end('{"error":{"message":"because"}}'));
    expect([error.category, error.retry]).toEqual([category, isWorth ? AGAIN : undefined]);
    expect(error.message).toMatch(new RegExp(`^127\\.0\\.0\\.1:\\d+ answered ${status}.*because`));
    expect(error.spent).toBeUndefined();
  });

  it.each([
    [{ "retry-after": "2" }, 2000],
    [{ "retry-after": "Sun, 01 Mar 2026 12:00:30 GMT" }, 30_000],
    [{ "retry-after": "nonsense" }, null],
  ])("with %j sets the delay before a retry", async (headers, afterMs) => {
    const now = () => Date.parse("2026-03-01T12:00:00Z");
    const error = await failing((response) => response.writeHead(429, headers).end(), { now });
    expect(error.retry).toEqual({ afterMs });
  });

  it("of a rejected key names the variable", async () => {
    const key = { apiKeyEnv: "MY_KEY", env: { MY_KEY: "sk-abcdefgh" } };
    const refuse = (response: ServerResponse) =>
      response.writeHead(401).end('{"error":{"message":"bad sk-abcdefgh!"}}');
    const error = await failing(refuse, key);
    expect(error.message).toMatch(/answered 401: the key in MY_KEY was rejected \(bad \[secret\]!\)\.$/);
    expect(error.retry).toBeUndefined();
    expect((await failing(refuse)).message).toMatch(/it requires a key, but none was given/);
  });

  it.each([
    [
      "gpt-3.5-turbo",
      "openai",
      "The model ended on 2026-10-23; its maker recommends gpt-5.6-terra. Check the base URL",
    ],
    ["gpt-5-2025-08-07", "openai", "The model ends on 2026-12-11, in 23 days"],
    ["gtp-6-sol", "openai", 'Did you mean "gpt-6-sol"? Check the base URL'],
    ["gtp-6-sol", "groq", "completions. Check the base URL"],
    ["llama-3.3-70b", "openai", "completions. Check the base URL"],
  ])("404 for %s of %s says what is known", async (model, provider, text) => {
    const now = () => Date.parse("2026-11-18");
    const error = await failing((response) => response.writeHead(404).end("not found"), { model, provider, now });
    expect(error.message).toContain(text);
  });

  it("404 names the URL and the model", async () => {
    const error = await failing((response) => response.writeHead(404).end("not found"), { model: "gpt-x" });
    expect(error.message).toMatch(/404 for the model "gpt-x" at http:\/\/127\.0\.0\.1:\d+\/v1\/chat\/completions/);
  });

  it("with an HTML page does not show the page", async () => {
    const error = await failing((response) => response.writeHead(502).end("<!doctype html><title>Bad gateway"));
    expect(error.message).toMatch(/answered 502.*: an HTML page$/);
  });

  it("with an endless body is still reported", async () => {
    const error = await failing((response) => {
      response.writeHead(500);
      const write = () => {
        while (!response.destroyed && response.write("x".repeat(10_000)));
        if (!response.destroyed) response.once("drain", write);
      };
      write();
    });
    expect(error.message.length).toBeLessThan(700);
  });
});

describe("a key", () => {
  const options = { model: "m", baseUrl: "http://127.0.0.1:9" };

  it("that is missing is reported with the name of its variable", () => {
    const make = (env: Record<string, string>) => () => new ModelSystem({ ...options, apiKeyEnv: "MY_KEY", env });
    for (const env of [{}, { MY_KEY: "" }, { MY_KEY: " \n" }]) {
      expect(make(env)).toThrow(UsageError);
      expect(make(env)).toThrow(/environment variable MY_KEY is not set/);
    }
    expect(make({ MY_KEY: "sk-abc\n" })).not.toThrow();
  });

  it("is not sent over plain http to another machine, in any header", () => {
    const far = { model: "m", baseUrl: "http://10.0.0.9:8080/v1" };
    for (const more of [{ apiKey: "sk-abc" }, { headers: { "X-Api-Key": "sk-abc" } }]) {
      expect(() => new ModelSystem({ ...far, ...more })).toThrow(/plain http/);
      expect(new ModelSystem({ ...far, ...more, allowInsecure: true }).name).toBe("10.0.0.9:8080/m");
    }
    expect(new ModelSystem(far).name).toBe("10.0.0.9:8080/m");
  });

  it("that is not a valid header value is rejected without being shown", () => {
    const make = () => new ModelSystem({ ...options, apiKey: "sk-ab\ncd-secret" });
    expect(make).toThrow(UsageError);
    expect(make).not.toThrow(/secret/);
    expect(() => new ModelSystem({ ...options, headers: { a: "x\ny-hush" } })).toThrow(/header "a" cannot be sent/);
  });

  it("is never shown, even if the endpoint repeats it", async () => {
    const key = "sk-very-secret-key";
    const server = await bench.serve((_, response) =>
      startStream(response).end(
        formatEvent({
          model: key,
          choices: [{ delta: { content: `You sent ${key} and hush-hush-hush, ${SIGNATURE}.` }, finish_reason: key }],
          usage: { prompt_tokens: key },
        }) + DONE,
      ),
    );
    const headers = { cookie: "session=hush-hush-hush", "x-functions-code": SIGNATURE, "x-lane": "blue" };
    const system = bench.system(server, { apiKey: key, headers });
    const output = await system.process(ask, makeTrialContext());
    const error = await failing(
      (response) => startStream(response).end(formatEvent(`{"broken ${key} hush-hush-hush`)),
      {
        apiKey: key,
        headers: { cookie: "session=hush-hush-hush" },
      },
    );
    expect(output.response).toBe("You sent [secret] and [secret], [secret].");
    const shown = [
      output.metadata,
      error.message,
      String(error.cause),
      error.stack,
      system.fingerprint(),
      system.endpoint,
    ];
    expect(JSON.stringify(shown)).not.toMatch(/very-secret|hush-hush|8f3a/);
    expect(error.message).toContain("[secret]");
    expect(JSON.stringify(system)).not.toContain(key);
  });
});

describe("the secret in the path of a gateway", () => {
  it("is never shown", async () => {
    const secret = "0123456789abcdef0123456789abcdef";
    const server = await bench.serve((_, response) => response.writeHead(404).end("not found"));
    const system = bench.system(server, { baseUrl: `${server.url}/${secret}/openai/v1` });
    const { message } = await failure(system);
    expect(message).toContain("/[secret]/openai/v1/chat/completions");
    expect(JSON.stringify([message, system.fingerprint(), system.endpoint, system.name])).not.toContain(secret);
  });
});

describe("an unexpected answer", () => {
  it.each([
    ["text/html", "<html><body>Sign in</body></html>"],
    ["application/json", "  <!DOCTYPE html><p>Sign in"],
    ["text/event-stream", "<html>\n<body>\nSign in"],
  ])("is reported as HTML when sent as %s", async (type, body) => {
    const error = await failing((response) => response.setHeader("content-type", type).end(body));
    expect(error.category).toBe("api_error");
    expect(error.message).toMatch(/answered with HTML \(a login page or a wrong base URL\?\)/);
    expect(error.retry).toBeUndefined();
  });

  it.each([
    ["application/json", '{"status":"ok"}', /"\{\\"status\\":\\"ok\\"\}"/],
    ["application/json", "[1,2]", /\[1,2\]/],
    ["text/plain", "It works!", /"It works!"/],
    ["text/event-stream", formatEvent({ type: "message_start", message: {} }), /message_start/],
  ])("is shown when sent as %s", async (type, body, shown) => {
    const error = await failing((response) => response.setHeader("content-type", type).end(body));
    expect(error.message).toMatch(/returned an unexpected answer/);
    expect(error.message).toMatch(shown);
    expect(error.retry).toBeUndefined();
  });
});

describe("an empty answer", () => {
  it.each([
    ["application/json", '{"choices":[]}'],
    ["text/event-stream", formatEvent({ choices: [] }) + DONE],
  ])("can be retried when sent as %s", async (type, body) => {
    const error = await failing((response) => response.setHeader("content-type", type).end(body));
    expect(error.message).toMatch(/answered with no choices/);
    expect([error.category, error.retry, error.spent]).toEqual(["api_error", AGAIN, undefined]);
  });
});

describe("a stream that breaks", () => {
  const half = formatTextEvent("Once ") + formatTextEvent("upon");
  const cut = (text: string) => (response: ServerResponse) =>
    startStream(response).write(text, () => response.destroy());
  const breaks = {
    "is cut": [cut, ""],
    "ends too early": [(text: string) => (response: ServerResponse) => startStream(response).end(text), ""],
    "is cut inside an event": [cut, 'data: {"choices":[{"del'],
    "ends inside an event": [
      (text: string) => (response: ServerResponse) => startStream(response).end(text),
      'data: {"ch',
    ],
    "holds malformed JSON": [
      (text: string) => (response: ServerResponse) => startStream(response).end(text),
      formatEvent("{no"),
    ],
    "brings an error": [
      (text: string) => (response: ServerResponse) => startStream(response).write(text),
      formatEvent({ error: { message: "boom", type: "server_error" } }),
    ],
  } as const;

  it.each(Object.entries(breaks))("can be retried if it %s before any text", async (_, [send, end]) => {
    const error = await failing(send(formatEvent({ choices: [] }) + end));
    expect([error.category, error.retry, error.spent]).toEqual(["api_error", AGAIN, undefined]);
  });

  it.each(Object.entries(breaks))(
    "cannot be retried, and reports what was used, if it %s after text",
    async (_, [send, end]) => {
      const error = await failing(send(half + formatUsageEvent(9, 2) + end));
      expect([error.category, error.retry]).toEqual(["api_error", undefined]);
      expect(error.spent).toMatchObject({ usage: { input: 9, output: 2 }, partial: true, turns: 1 });
      expect(error.spent?.ttftMs).toBeGreaterThan(0);
    },
  );

  it("with usage and no text reports the usage as spent, and can be retried", async () => {
    const error = await failing(cut(formatUsageEvent(9, 0)));
    expect(error).toMatchObject({ retry: AGAIN, spent: { usage: { input: 9, output: 0 } } });
  });

  it("with invalid UTF-8 is reported", async () => {
    const bad = Buffer.concat([Buffer.from(formatTextEvent("ok")), Buffer.from([0x64, 0xff, 0x0a])]);
    const late = await failing((response) => startStream(response).end(bad));
    expect([late.message, late.retry]).toEqual([expect.stringMatching(/sent invalid UTF-8/), undefined]);
    const early = await failing((response) => startStream(response).end(bad.subarray(-3)));
    expect(early.retry).toEqual(AGAIN);
  });

  it("with a line of 50 MB is aborted before all of it has arrived", async () => {
    let sent = 0;
    const error = await failing((response) => {
      startStream(response).write("data: ");
      const block = "x".repeat(1 << 20);
      const write = () => {
        while (sent < 50 && !response.destroyed) {
          sent += 1;
          if (!response.write(block)) return void response.once("drain", write);
        }
        response.end();
      };
      write();
    });
    expect(error.message).toMatch(/a line or event of more than 16777216 characters/);
    expect(error.retry).toEqual(AGAIN);
    expect(sent).toBeLessThan(40);
  });

  it("because the provider is overloaded is a rate limit", async () => {
    const overloaded = formatEvent({ type: "error", error: { type: "overloaded_error", message: "Overloaded" } });
    const error = await failing((response) => startStream(response).end(overloaded), { dialect: "anthropic" });
    expect([error.category, error.retry]).toEqual(["rate_limit", AGAIN]);
    expect(error.message).toMatch(/aborted its answer with an error \(overloaded_error\): Overloaded/);
  });
});

describe("an endpoint that does not answer", () => {
  it("is named by host and port if it is down", async () => {
    const server = await bench.serve(() => {});
    const system = bench.system(server);
    await server.close();
    const error = await failure(system);
    expect(error.message).toMatch(new RegExp(`Nothing listens on 127\\.0\\.0\\.1:${server.port}`));
    expect([error.category, error.retry]).toEqual(["api_error", AGAIN]);
  });

  it("is a timeout, even if it keeps sending small pieces", async () => {
    const silent = await failing(() => {}, { timeoutMs: 40 });
    expect([silent.category, silent.retry]).toEqual(["timeout", AGAIN]);
    const drip = await failing(
      (response) => {
        startStream(response).write(formatTextEvent("a"));
        const timer = setInterval(() => response.write(": still here\n\n"), 5);
        response.on("close", () => clearInterval(timer));
      },
      { timeoutMs: 1500 },
    );
    expect(drip.message).toMatch(/took longer than 1500 ms/);
    expect([drip.category, drip.retry, drip.spent?.partial]).toEqual(["timeout", undefined, true]);
  });

  it("is a timeout if it stops midway", async () => {
    const error = await failing((response) => startStream(response).write(formatTextEvent("a")), {
      idleTimeoutMs: 1000,
    });
    expect([error.category, error.retry]).toEqual(["timeout", undefined]);
    expect(error.message).toMatch(/sent no data for 1000 ms/);
  });

  it("in HTTP is reported", async () => {
    const server = await serveBytes((socket) => socket.end("220 smtp.example.com ESMTP\r\n"));
    const error = await failure(bench.system(server));
    expect(error.message).toMatch(/does not respond with HTTP/);
    await server.close();
  });
});

describe("options", () => {
  it.each([
    [{ dialect: "claude" }, /Unknown dialect the string "claude"\. Use one of: chat, responses, anthropic, gemini/],
    [{ baseUrl: "localhost:8080" }, /is not an http or https URL/],
    [{ maxTokens: 0 }, /maxTokens must be a whole number/],
    [{ timeoutMs: 2 ** 31 }, /timeoutMs must be above 0 and at most 2147483647/],
    [{ temperature: Number.NaN }, /temperature/],
    [{ name: "" }, /name of a model system must not be empty/],
    [{ model: 3 }, /model must be a name/],
    [{ dialect: "gemini", model: "" }, /Name one/],
  ])("%j are rejected", (wrong, message) => {
    const options = { model: "m", baseUrl: "http://127.0.0.1:9", ...wrong } as ModelOptions;
    expect(() => new ModelSystem(options)).toThrow(UsageError);
    expect(() => new ModelSystem(options)).toThrow(message);
  });
});

it("works again after a failure", async () => {
  const server = await bench.serve((_, response, number) =>
    number === 1 ? response.writeHead(500).end() : sendStreamedAnswer(response, ["fine"]),
  );
  const system = bench.system(server);
  expect((await failure(system)).retry).toEqual(AGAIN);
  expect(await system.process(ask, makeTrialContext())).toMatchObject({ response: "fine" });
});
