import { describe, expect, it } from "vitest";
import { anthropic } from "./anthropic.js";

function stream(...events: unknown[]) {
  const reader = anthropic.reader();
  const deltas = events.map((event) => reader.readEvent(event));
  return { reader, text: deltas.map(({ text }) => text).join(""), hidden: deltas.map(({ hidden }) => hidden).join("") };
}

const start = (usage: object) => ({ type: "message_start", message: { model: "claude-x", content: [], usage } });
const piece = (delta: object) => ({ type: "content_block_delta", index: 0, delta });
const text = (words: string) => piece({ type: "text_delta", text: words });
const end = (reason: string, usage?: object) => ({ type: "message_delta", delta: { stop_reason: reason }, usage });

describe("a request", () => {
  it("always has a limit, and separate instructions", () => {
    const messages = [
      { role: "system", parts: ["also this"] },
      { role: "user", parts: ["context", "question"] },
      { role: "assistant", parts: ["yes"] },
    ] as const;
    expect(anthropic.body({ model: "c", system: "brief", messages, stream: true })).toEqual({
      model: "c",
      system: [
        { type: "text", text: "brief" },
        { type: "text", text: "also this" },
      ],
      messages: [
        {
          role: "user",
          content: [
            { type: "text", text: "context" },
            { type: "text", text: "question" },
          ],
        },
        { role: "assistant", content: "yes" },
      ],
      max_tokens: 4096,
      stream: true,
    });
    const short = anthropic.body({ model: "c", system: "brief", messages: [], maxTokens: 7, stream: false });
    expect(short).toEqual({ model: "c", system: "brief", messages: [], max_tokens: 7 });
  });

  it("carries the key and the version", () => {
    expect(anthropic.path("c", true)).toBe("/v1/messages");
    expect(anthropic.headers("k")).toEqual({ "x-api-key": "k", "anthropic-version": "2023-06-01" });
    expect(anthropic.headers(null)).toEqual({ "anthropic-version": "2023-06-01" });
  });
});

describe("a streamed answer", () => {
  it("has text between a start and a stop, with usage in both", () => {
    const usage = {
      input_tokens: 25,
      cache_creation_input_tokens: 40,
      cache_creation: { ephemeral_5m_input_tokens: 30, ephemeral_1h_input_tokens: 10 },
      cache_read_input_tokens: 100,
      output_tokens: 1,
    };
    const { reader, ...said } = stream(
      start(usage),
      { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
      { type: "ping" },
      text("Hel"),
      text("lo"),
      { type: "content_block_stop", index: 0 },
      end("end_turn", { output_tokens: 15 }),
      { type: "message_stop" },
    );
    expect(said).toEqual({ text: "Hello", hidden: "" });
    expect(reader).toMatchObject({ finish: "stop", finishReason: "end_turn", isComplete: true, model: "claude-x" });
    expect(reader.usage).toEqual({ input: 25, output: 15, cacheRead: 100, cacheWrite: 40, cacheWrite1h: 10 });
    expect([reader.unknownEvents, reader.problems]).toEqual([0, []]);
  });

  it("adds up cache writes if only their parts are reported", () => {
    const cache_creation = { ephemeral_5m_input_tokens: 3, ephemeral_1h_input_tokens: 4 };
    expect(stream(start({ input_tokens: 1, output_tokens: 1, cache_creation })).reader.usage).toEqual({
      input: 1,
      output: 1,
      cacheWrite: 7,
      cacheWrite1h: 4,
    });
  });

  it("limits a part that is larger than its whole", () => {
    const wrong = { input_tokens: 1, cache_creation_input_tokens: 2, cache_creation: { ephemeral_1h_input_tokens: 9 } };
    const { reader } = stream(start(wrong));
    expect(reader.usage).toEqual({ input: 1, output: 0, cacheWrite: 2, cacheWrite1h: 2 });
    expect(reader.problems).toHaveLength(1);
  });

  it("separates thoughts and tool calls", () => {
    const { reader, ...said } = stream(
      piece({ type: "thinking_delta", thinking: "hm " }),
      piece({ type: "signature_delta", signature: "xyz" }),
      { type: "content_block_start", content_block: { type: "tool_use", name: "f", input: {} } },
      piece({ type: "input_json_delta", partial_json: '{"a":1}' }),
      end("tool_use"),
    );
    expect(said).toEqual({ text: "", hidden: 'hm {"a":1}' });
    expect(reader.finish).toBe("tool_calls");
  });

  it.each([
    ["max_tokens", "truncated"],
    ["model_context_window_exceeded", "truncated"],
    ["refusal", "refused"],
    ["stop_sequence", "stop"],
  ])("maps %s to %s", (reason, finish) => expect(stream(end(reason)).reader.finish).toBe(finish));

  it("reads errors and detects truncation", () => {
    const event = { type: "error", error: { type: "overloaded_error", message: "Overloaded" } };
    const { reader } = stream(start({ input_tokens: 3 }), text("x"), event, { type: "new_thing" });
    expect(reader).toMatchObject({
      error: { message: "Overloaded", type: "overloaded_error" },
      isComplete: false,
      unknownEvents: 1,
      usage: { input: 3, output: 0 },
    });
  });
});

describe("a whole answer", () => {
  it("is read at once", () => {
    const reader = anthropic.reader();
    const content = [
      { type: "thinking", thinking: "hm" },
      { type: "text", text: "Hello" },
      { type: "tool_use", input: { a: 1 } },
    ];
    const body = {
      type: "message",
      model: "c",
      content,
      stop_reason: "tool_use",
      usage: { input_tokens: 1, output_tokens: 2 },
    };
    expect(reader.readWhole(body)).toEqual({ text: "Hello", hidden: 'hm{"a":1}' });
    expect(reader).toMatchObject({ finish: "tool_calls", isComplete: true, usage: { input: 1, output: 2 } });
  });

  it("may be an error or something else", () => {
    const failed = anthropic.reader();
    failed.readWhole({ type: "error", error: { type: "api_error", message: "oh" } });
    expect(failed.error).toEqual({ message: "oh", type: "api_error" });
    const other = anthropic.reader();
    other.readWhole({ choices: [] });
    expect(other.unknownEvents).toBe(1);
  });
});

it("writes errors that it can read", () => {
  const error = { message: "slow down", type: "my_type" };
  expect(anthropic.errorIn(anthropic.errorBody(429, error))).toEqual(error);
  const types = [400, 402, 418, 429, 500, 529].map(
    (status) => anthropic.errorIn(anthropic.errorBody(status, { message: "x", type: null }))?.type,
  );
  expect(types).toEqual([
    "invalid_request_error",
    "billing_error",
    "invalid_request_error",
    "rate_limit_error",
    "api_error",
    "overloaded_error",
  ]);
});
