import { afterEach, describe, expect, it } from "vitest";
import { computeFingerprint } from "../core/fingerprint.js";
import type { Output } from "../core/system.js";
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

const ask = { id: 1, context: "It is blue.", question: "What colour?" };

describe("an answer", () => {
  it("has text, usage and speed", async () => {
    let sendRest = () => {};
    const server = await bench.serve((_, response) => {
      startStream(response).write(formatTextEvent("Hel"));
      sendRest = () => {
        response.end(formatTextEvent("lo", "stop") + formatUsageEvent(10, 5, { cost: 0.25 }) + DONE);
        sendRest = () => {};
      };
    });
    let now = 1000;
    const clock = () => {
      now += 10;
      // The clock is read at the start of the trial and of the call, and when a chunk arrives: then the rest is sent.
      if (now >= 1030) sendRest();
      return now;
    };
    const output = await bench.system(server, { clock }).process(ask, makeTrialContext());
    expect(output).toEqual({
      response: "Hello",
      usage: { input: 10, output: 5 },
      costUsd: 0.25,
      turns: 1,
      ttftMs: 10,
      firstAttemptMs: 20,
      tokensPerSec: 500,
      metadata: { model: "m-1", finishReason: "stop" },
    });
  });

  it("is requested with context and question as two parts, or one if they are equal", async () => {
    const server = await bench.serve((_, response) => sendStreamedAnswer(response, ["ok"]));
    const system = bench.system(server, { systemPrompt: "brief", temperature: 0, maxTokens: 9 });
    for (const example of [ask, { id: 2, context: "same", question: "same" }, { id: 3, question: "alone" }]) {
      await system.process(example, makeTrialContext());
    }
    const bodies = server.requests.map(({ body }) => JSON.parse(body));
    expect(server.requests[0]?.url).toBe("/v1/chat/completions");
    expect(bodies[0]).toMatchObject({ model: "m", temperature: 0, max_tokens: 9, stream: true });
    expect(bodies.map(({ messages }) => messages[1].content)).toEqual([
      [
        { type: "text", text: "It is blue." },
        { type: "text", text: "What colour?" },
      ],
      "same",
      "alone",
    ]);
    expect(bodies[0].messages[0]).toEqual({ role: "system", content: "brief" });
  });

  it("lets the user build the messages and extend the body and the headers", async () => {
    const server = await bench.serve((_, response) => sendStreamedAnswer(response, ["ok"]));
    const system = bench.system(server, {
      buildMessages: ({ question }) => [{ role: "user", parts: [`Q: ${question}`] }],
      extraBody: { top_p: 0.5, stream_options: null },
      headers: { "X-Team": "blue" },
    });
    await system.process(ask, makeTrialContext());
    const [request] = server.requests;
    expect(JSON.parse(request?.body ?? "")).toEqual({
      model: "m",
      messages: [{ role: "user", content: "Q: What colour?" }],
      stream: true,
      top_p: 0.5,
    });
    expect(request?.headers).toMatchObject({ "x-team": "blue", "content-type": "application/json" });
  });

  it.each([
    [formatTextEvent("Once upon", "length"), { response: "Once upon", stopped: "truncated" }],
    [formatTextEvent("", "content_filter"), { response: "", stopped: "refused" }],
    [
      formatEvent({ choices: [{ delta: { refusal: "I cannot." }, finish_reason: "stop" }] }),
      { response: "I cannot.", stopped: "refused" },
    ],
    [formatTextEvent("", "stop"), { response: "" }],
  ])("is classified as refused, truncated or complete", async (events, expected) => {
    const server = await bench.serve((_, response) =>
      startStream(response).end(events + formatUsageEvent(3, 2) + DONE),
    );
    const output = await bench.system(server).process(ask, makeTrialContext());
    expect(output).toMatchObject(expected);
    expect("stopped" in output).toBe("stopped" in expected);
  });

  it("is partial and has no usage if none was reported", async () => {
    const server = await bench.serve((_, response) => sendStreamedAnswer(response, ["Hello"], DONE));
    const output = await bench.system(server).process(ask, makeTrialContext());
    expect(output).toMatchObject({ response: "Hello", partial: true });
    expect(output).not.toHaveProperty("usage");
    expect(output).not.toHaveProperty("tokensPerSec");
  });

  it("reports usage that decreases or is negative", async () => {
    const end = formatUsageEvent(10, 5) + formatUsageEvent(10, 3) + formatUsageEvent(-1, 9) + DONE;
    const server = await bench.serve((_, response) => sendStreamedAnswer(response, ["Hello"], end));
    const output = await bench.system(server).process(ask, makeTrialContext());
    expect(output.usage).toEqual({ input: 10, output: 5 });
    expect(output.metadata?.problems).toEqual([
      "usage decreased: output went from 5 to 3; 5 is kept",
      "usage was ignored: prompt_tokens is the number -1",
    ]);
  });

  it("is read as a whole without streaming, and if the endpoint does not stream", async () => {
    const body = {
      model: "m-1",
      choices: [{ message: { content: "Hello" }, finish_reason: "stop" }],
      usage: { prompt_tokens: 1, completion_tokens: 2 },
    };
    const server = await bench.serve((_, response) =>
      response.setHeader("content-type", "application/json; charset=utf-8").end(JSON.stringify(body)),
    );
    for (const stream of [false, true]) {
      const output = await bench.system(server, { stream }).process(ask, makeTrialContext());
      expect(output).toMatchObject({ response: "Hello", usage: { input: 1, output: 2 }, turns: 1 });
      expect(output).not.toHaveProperty("tokensPerSec");
    }
    expect(JSON.parse(server.requests[0]?.body ?? "")).not.toHaveProperty("stream");
  });
});

describe("dialects", () => {
  const cases = {
    responses: {
      url: "/v1/responses",
      key: { authorization: "Bearer sk-secret" },
      events: [
        { type: "response.output_text.delta", delta: "Hello" },
        {
          type: "response.completed",
          response: { status: "completed", output: [], usage: { input_tokens: 10, output_tokens: 5 } },
        },
      ],
    },
    anthropic: {
      url: "/v1/messages",
      key: { "x-api-key": "sk-secret", "anthropic-version": "2023-06-01" },
      events: [
        { type: "message_start", message: { usage: { input_tokens: 10, output_tokens: 1 } } },
        { type: "content_block_delta", delta: { type: "text_delta", text: "Hello" } },
        { type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 5 } },
        { type: "message_stop" },
      ],
    },
    gemini: {
      url: "/v1beta/models/m:streamGenerateContent?alt=sse",
      key: { "x-goog-api-key": "sk-secret" },
      events: [
        {
          candidates: [{ content: { parts: [{ text: "Hello" }] }, finishReason: "STOP" }],
          usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 5 },
        },
      ],
    },
  } as const;

  it.each(["responses", "anthropic", "gemini"] as const)("supports %s", async (dialect) => {
    const { url, key, events } = cases[dialect];
    const server = await bench.serve((_, response) => startStream(response).end(events.map(formatEvent).join("")));
    const output = await bench.system(server, { dialect, apiKey: "sk-secret" }).process(ask, makeTrialContext());
    expect(output).toMatchObject({ response: "Hello", usage: { input: 10, output: 5 } });
    expect(output).not.toHaveProperty("partial");
    expect(server.requests[0]?.url).toBe(url);
    expect(server.requests[0]?.headers).toMatchObject(key);
  });
});

describe("a conversation", () => {
  const turn = (role: string, content: string) => ({ role, content });

  it("is replayed with the model's own answers, and keeps the usage of every turn", async () => {
    const server = await bench.serve((_, response, number) =>
      sendStreamedAnswer(response, [`answer ${number}`], formatUsageEvent(number * 10, number, { cost: 0.5 }) + DONE),
    );
    const turns = [turn("user", "one"), turn("assistant", "given"), turn("user", "two"), turn("user", "three")];
    const output = await bench.system(server).process({ id: 1, turns, question: "four" }, makeTrialContext());
    const asked = server.requests.map(({ body }) =>
      JSON.parse(body).messages.map((m: { content: string }) => m.content),
    );
    expect(asked).toEqual([
      ["one", "given", "two"],
      ["one", "given", "two", "answer 1", "three"],
      ["one", "given", "two", "answer 1", "three", "answer 2", "four"],
    ]);
    expect(output).toMatchObject({
      response: "answer 3",
      replies: ["answer 1", "answer 2", "answer 3"],
      turns: 3,
      usage: { input: 60, output: 6 },
      costUsd: 1.5,
    });
    expect(output.metadata?.turnUsage).toEqual([
      { input: 10, output: 1 },
      { input: 20, output: 2 },
      { input: 30, output: 3 },
    ]);
  });

  it("is partial if one turn reports no usage, and then has no cost", async () => {
    const server = await bench.serve((_, response, number) =>
      sendStreamedAnswer(response, ["a"], number === 1 ? DONE : formatUsageEvent(7, 2, { cost: 1 }) + DONE),
    );
    const turns = [turn("user", "one"), turn("user", "two")];
    const output = await bench.system(server).process({ id: 1, turns }, makeTrialContext());
    expect(output).toMatchObject({ usage: { input: 7, output: 2 }, partial: true, turns: 2 });
    expect(output).not.toHaveProperty("costUsd");
    expect(output.metadata?.turnUsage).toEqual([null, { input: 7, output: 2 }]);
  });

  it("fails if a later turn fails, and reports what the earlier ones used", async () => {
    const server = await bench.serve((_, response, number) =>
      number === 1 ? sendStreamedAnswer(response, ["a"]) : response.writeHead(429).end("{}"),
    );
    const turns = [turn("user", "one"), turn("user", "two")];
    await expect(bench.system(server).process({ id: 1, turns }, makeTrialContext())).rejects.toMatchObject({
      category: "rate_limit",
      retry: undefined,
      spent: { usage: { input: 10, output: 5 }, partial: true, turns: 2 },
    });
  });
});

describe("identity", () => {
  const options = { model: "m", baseUrl: "http://127.0.0.1:8080/v1" };
  const print = (more: object) => computeFingerprint(new ModelSystem({ name: "s", ...options, ...more }), "process");

  it("is host, port and model by default", () => {
    expect(new ModelSystem(options).name).toBe("127.0.0.1:8080/m");
    expect(new ModelSystem({ baseUrl: options.baseUrl }).name).toBe("127.0.0.1:8080");
    expect(new ModelSystem({ ...options, name: "mine" }).name).toBe("mine");
  });

  it("changes with everything that affects the output", () => {
    const same = print({});
    const others = [
      { model: "n" },
      { baseUrl: "http://127.0.0.1:8081/v1" },
      { dialect: "responses" },
      { systemPrompt: "x" },
      { temperature: 0 },
      { maxTokens: 1 },
      { extraBody: { seed: 1 } },
      { headers: { "x-route": "b" } },
      { buildMessages: () => [] },
    ];
    expect(new Set([same, ...others.map(print)]).size).toBe(others.length + 1);
  });

  it("does not change with the key, the timeouts or the spelling of the URL", () => {
    const same = print({});
    for (const more of [
      { apiKey: "sk-abcdef" },
      { timeoutMs: 5, idleTimeoutMs: 5, connectTimeoutMs: 5 },
      { headers: { Authorization: "Bearer abcdef" } },
      { baseUrl: "http://127.0.0.1:8080" },
      { stream: false },
    ]) {
      expect(print(more)).toBe(same);
    }
  });

  it("has an endpoint per host and account, without the key in it", () => {
    const endpoint = (apiKey: string | null) => new ModelSystem({ ...options, apiKey }).endpoint;
    expect(endpoint(null)).toBe("127.0.0.1:8080");
    expect(endpoint("sk-one-one")).toMatch(/^127\.0\.0\.1:8080 [0-9a-f]{8}$/);
    expect(endpoint("sk-one-one")).toBe(endpoint("sk-one-one"));
    expect(endpoint("sk-one-one")).not.toBe(endpoint("sk-two-two"));
  });

  it("includes its limits, with the requested output limit", () => {
    const limits = { price: null, maxCostUsd: null, hardTimeoutMs: 5 };
    expect(new ModelSystem({ ...options, limits }).limits).toEqual(limits);
    const longest = (more: Partial<ModelOptions>) =>
      new ModelSystem({ ...options, limits, ...more }).limits?.maxOutputTokens;
    expect(longest({ maxTokens: 7 })).toBe(7);
    expect(longest({ dialect: "anthropic" })).toBe(4096);
    expect(longest({ maxTokens: 7, extraBody: { max_tokens: null, max_completion_tokens: 9 } })).toBe(9);
    expect(longest({ maxTokens: 7, extraBody: { max_tokens: null } })).toBeUndefined();
    expect("limits" in new ModelSystem(options)).toBe(false);
  });
});

it("runs without warnings with hundreds of calls on one signal", async () => {
  const server = await bench.serve((_, response) => sendStreamedAnswer(response, ["ok"]));
  const system = bench.system(server);
  const warnings: Error[] = [];
  const onWarning = (warning: Error) => void warnings.push(warning);
  process.on("warning", onWarning);
  const trial = makeTrialContext();
  const outputs = await Promise.all(Array.from({ length: 200 }, (): Promise<Output> => system.process(ask, trial)));
  process.off("warning", onWarning);
  expect(outputs.every(({ response }) => response === "ok")).toBe(true);
  expect(warnings).toEqual([]);
});
