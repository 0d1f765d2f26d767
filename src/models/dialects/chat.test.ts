import { describe, expect, it } from "vitest";
import { chat } from "./chat.js";
import type { ModelRequest } from "./dialect.js";

const ask: ModelRequest = { model: "m", messages: [{ role: "user", parts: ["hi"] }], stream: true };

function stream(...events: unknown[]) {
  const reader = chat.reader();
  const deltas = events.map((event) => reader.readEvent(event));
  return { reader, text: deltas.map(({ text }) => text).join(""), hidden: deltas.map(({ hidden }) => hidden).join("") };
}

const delta = (fields: object, finish: string | null = null) => ({
  model: "m-2026",
  choices: [{ index: 0, delta: fields, finish_reason: finish }],
  usage: null,
});
const whole = (message: object, more: object = {}) => ({
  choices: [{ index: 0, message, finish_reason: "stop" }],
  ...more,
});

describe("a request", () => {
  it("requests a stream with usage, and sends only given parameters", () => {
    expect(chat.path("m", true)).toBe("/chat/completions");
    expect(chat.body(ask)).toEqual({
      model: "m",
      messages: [{ role: "user", content: "hi" }],
      stream: true,
      stream_options: { include_usage: true },
    });
    expect(chat.body({ ...ask, model: "", stream: false })).toEqual({ messages: [{ role: "user", content: "hi" }] });
  });

  it("keeps parts separate and puts the instructions first", () => {
    const messages = [
      { role: "user", parts: ["context", "question"] },
      { role: "assistant", parts: ["yes"] },
    ] as const;
    expect(chat.body({ ...ask, system: "be brief", messages, temperature: 0, maxTokens: 9 })).toMatchObject({
      messages: [
        { role: "system", content: "be brief" },
        {
          role: "user",
          content: [
            { type: "text", text: "context" },
            { type: "text", text: "question" },
          ],
        },
        { role: "assistant", content: "yes" },
      ],
      temperature: 0,
      max_tokens: 9,
    });
  });

  it("lets the user replace, add and remove anything", () => {
    const extraBody = {
      max_tokens: null,
      max_completion_tokens: 5,
      stream_options: { other: 1 },
      tools: [{ a: null }],
    };
    expect(chat.body({ ...ask, maxTokens: 9, extraBody })).toEqual({
      model: "m",
      messages: [{ role: "user", content: "hi" }],
      stream: true,
      stream_options: { include_usage: true, other: 1 },
      max_completion_tokens: 5,
      tools: [{ a: null }],
    });
  });

  it("sends the key as a bearer token", () => {
    expect(chat.headers("k")).toEqual({ authorization: "Bearer k" });
    expect(chat.headers(null)).toEqual({});
  });
});

describe("a streamed answer", () => {
  it("has text, then usage, then the end", () => {
    const usage = { prompt_tokens: 100, completion_tokens: 7, prompt_tokens_details: { cached_tokens: 60 } };
    const { reader, text, hidden } = stream(
      delta({ role: "assistant", content: "" }),
      delta({ content: "Hel" }),
      delta({ content: "lo" }),
      delta({}, "stop"),
      { choices: [], usage },
      "[DONE]",
    );
    expect([text, hidden]).toEqual(["Hello", ""]);
    expect(reader).toMatchObject({ finish: "stop", finishReason: "stop", isComplete: true, model: "m-2026" });
    expect(reader.usage).toEqual({ input: 40, output: 7, cacheRead: 60 });
    expect([reader.unknownEvents, reader.problems, reader.error, reader.costUsd]).toEqual([0, [], null, null]);
  });

  it("is incomplete if it ends in the middle", () => {
    expect(stream(delta({ content: "Hel" })).reader).toMatchObject({ isComplete: false, finish: null, usage: null });
    expect(stream("[DONE]").reader).toMatchObject({ isComplete: true, finish: null });
  });

  it("separates reasoning and tool calls from the text", () => {
    const call = { tool_calls: [{ index: 0, function: { name: "f", arguments: '{"a"' } }] };
    const { reader, text, hidden } = stream(
      delta({ reasoning_content: "hm " }),
      delta({ reasoning: "well " }),
      delta({ content: [{ type: "thinking", thinking: [{ type: "text", text: "so " }] }] }),
      delta({ content: [{ type: "text", text: "Yes" }] }),
      delta(call),
      delta({ function_call: { arguments: ":1}" } }, "tool_calls"),
    );
    expect([text, hidden]).toEqual(["Yes", 'hm well so {"a":1}']);
    expect(reader.finish).toBe("tool_calls");
  });

  it("reads the refusal as text, with any finish reason", () => {
    const { reader, text } = stream(delta({ refusal: "I can" }), delta({ refusal: "not." }), delta({}, "stop"));
    expect(text).toBe("I cannot.");
    expect([reader.finish, reader.finishReason]).toEqual(["refused", "stop"]);
  });

  it.each([
    ["length", "truncated"],
    ["content_filter", "refused"],
    ["tool_calls", "tool_calls"],
    ["eos", "stop"],
    ["constructor", "stop"],
  ])("maps %s to %s", (word, finish) => {
    expect(stream(delta({}, word)).reader).toMatchObject({ finish, finishReason: word, isComplete: true });
  });

  it("counts the text of other choices as hidden", () => {
    const other = { choices: [{ index: 1, delta: { content: "B" }, finish_reason: "length" }] };
    const { reader, text, hidden } = stream(delta({ content: "A" }), other);
    expect([text, hidden, reader.finish]).toEqual(["A", "B", null]);
  });

  it("keeps the first error", () => {
    const { reader } = stream({ error: { message: "overloaded", code: 502 } }, { error: "again" });
    expect(reader.error).toEqual({ message: "overloaded", type: "502" });
  });

  it("counts unknown events", () => {
    expect(stream(null, 3, [], {}, "hello", { type: "ping" }).reader.unknownEvents).toBe(6);
  });
});

describe("usage", () => {
  const usageOf = (usage: unknown) => stream({ choices: [], usage }).reader;

  it("subtracts cache writes and hits from the prompt", () => {
    const details = { cached_tokens: 30, cache_write_tokens: 20 };
    const usage = { prompt_tokens: 100, completion_tokens: 5, prompt_tokens_details: details, cost: 0.0125 };
    expect(usageOf(usage).usage).toEqual({ input: 50, output: 5, cacheRead: 30, cacheWrite: 20 });
    expect(usageOf(usage).costUsd).toBe(0.0125);
    expect(usageOf({ prompt_tokens: 10, completion_tokens: 1, prompt_cache_hit_tokens: 4 }).usage).toEqual({
      input: 6,
      output: 1,
      cacheRead: 4,
    });
  });

  it("includes reasoning in the output, and adds it if a provider counts it separately", () => {
    const details = { completion_tokens_details: { reasoning_tokens: 300 } };
    const inside = { prompt_tokens: 10, completion_tokens: 320, total_tokens: 330, ...details };
    const apart = { prompt_tokens: 10, completion_tokens: 20, total_tokens: 330, ...details };
    for (const usage of [inside, apart]) {
      expect(usageOf(usage).usage).toEqual({ input: 10, output: 320, reasoning: 300 });
    }
  });

  it("keeps the largest of running totals", () => {
    const { reader } = stream(
      { choices: [], usage: { prompt_tokens: 10, completion_tokens: 1 } },
      { choices: [], usage: { prompt_tokens: 10, completion_tokens: 8 } },
      { choices: [], usage: { prompt_tokens: 10, completion_tokens: 3 } },
    );
    expect(reader.usage).toEqual({ input: 10, output: 8 });
    expect(reader.problems).toEqual(["usage decreased: output went from 8 to 3; 8 is kept"]);
  });

  it.each([
    [{ prompt_tokens: -5, completion_tokens: 2 }, /prompt_tokens is the number -5/],
    [{ prompt_tokens: 5, completion_tokens: 2.5 }, /completion_tokens is the number 2\.5/],
    [{ prompt_tokens: "12", completion_tokens: 2 }, /prompt_tokens is the string "12"/],
    [{ prompt_tokens: 1e15, completion_tokens: 2 }, /prompt_tokens is the number 1000000000000000/],
    [{ prompt_tokens: 10, completion_tokens: 2, prompt_tokens_details: { cached_tokens: 50 } }, /input would be -40/],
    ["many", /it is the string "many"/],
  ])("rejects %j and keeps its value", (bad, problem) => {
    const good = { choices: [], usage: { prompt_tokens: 3, completion_tokens: 1 } };
    const { reader } = stream(good, { choices: [], usage: bad });
    expect(reader.usage).toEqual({ input: 3, output: 1 });
    expect(reader.problems).toEqual([expect.stringMatching(problem)]);
  });

  it("stays the same object until it grows", () => {
    const reader = chat.reader();
    const event = { choices: [], usage: { prompt_tokens: 3, completion_tokens: 1 } };
    reader.readEvent(event);
    const { usage } = reader;
    reader.readEvent(event);
    expect(reader.usage).toBe(usage);
    reader.readEvent({ choices: [], usage: { prompt_tokens: 3, completion_tokens: 2 } });
    expect(reader.usage).not.toBe(usage);
    expect(usage).toEqual({ input: 3, output: 1 });
  });

  it("is null, not zero, until it is reported", () => {
    for (const usage of [null, undefined, {}]) expect(usageOf(usage).usage).toBeNull();
    expect(usageOf({ prompt_tokens: 0, completion_tokens: 0 }).usage).toEqual({ input: 0, output: 0 });
  });

  it.each([-1, Number.NaN, "0.1", 1e9])("rejects a cost of %j", (cost) => {
    const reader = usageOf({ prompt_tokens: 1, completion_tokens: 1, cost });
    expect(reader.costUsd).toBeNull();
    expect(reader.problems).toHaveLength(1);
  });

  it("reports a problem once, and only a few in total", () => {
    const reader = chat.reader();
    for (let n = 0; n < 100; n++) reader.readEvent({ choices: [], usage: { prompt_tokens: -1 } });
    expect(reader.problems).toHaveLength(1);
    for (let n = 0; n < 100; n++) reader.readEvent({ choices: [], usage: { prompt_tokens: -n } });
    expect(reader.problems).toHaveLength(20);
  });
});

describe("a whole answer", () => {
  it("is read at once", () => {
    const reader = chat.reader();
    const message = { role: "assistant", content: "Hello", reasoning: "hm" };
    const usage = { prompt_tokens: 3, completion_tokens: 2 };
    expect(reader.readWhole(whole(message, { model: "m", usage }))).toEqual({ text: "Hello", hidden: "hm" });
    expect(reader).toMatchObject({ finish: "stop", isComplete: true, model: "m", usage: { input: 3, output: 2 } });
  });

  it("may be a refusal, or empty", () => {
    const reader = chat.reader();
    expect(reader.readWhole(whole({ content: null, refusal: "No." })).text).toBe("No.");
    expect(reader.finish).toBe("refused");
    const empty = chat.reader();
    expect(empty.readWhole({ choices: [] }).text).toBe("");
    expect(empty).toMatchObject({ finish: null, isComplete: true });
    const other = chat.reader();
    other.readWhole({ hello: "world" });
    expect(other).toMatchObject({ unknownEvents: 1, isComplete: false });
  });
});

describe("errors", () => {
  it.each([
    [
      { error: { message: "bad key", type: "invalid_request_error", code: "invalid_api_key" } },
      "invalid_request_error",
    ],
    [{ error: { message: "bad key", code: 401 } }, "401"],
    [{ error: "bad key" }, null],
    [{ message: "bad key", type: "BadRequestError", object: "error" }, "BadRequestError"],
    [{ detail: "bad key" }, null],
    [[{ error: { message: "bad key", status: "UNAUTHENTICATED" } }], "UNAUTHENTICATED"],
  ])("finds the error in %j", (body, type) => expect(chat.errorIn(body)).toEqual({ message: "bad key", type }));

  it.each([null, "no", 3, [], {}, { error: null }, { message: 3 }])("finds no error in %j", (body) =>
    expect(chat.errorIn(body)).toBeNull(),
  );

  it("keeps an unreadable error", () => {
    expect(chat.errorIn({ error: { why: "unclear" } })).toEqual({ message: '{"why":"unclear"}', type: null });
  });

  it("writes an error that it can read", () => {
    const error = { message: "slow down", type: "my_type" };
    expect(chat.errorIn(chat.errorBody(429, error))).toEqual(error);
    expect(chat.errorBody(429, { message: "x", type: null })).toMatchObject({ error: { type: "rate_limit_exceeded" } });
    expect(chat.errorBody(500, { message: "x", type: null })).toMatchObject({ error: { type: "server_error" } });
    expect(chat.errorBody(400, { message: "x", type: null })).toMatchObject({
      error: { type: "invalid_request_error" },
    });
  });
});
