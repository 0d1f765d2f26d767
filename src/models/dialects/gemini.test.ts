import { describe, expect, it } from "vitest";
import { gemini } from "./gemini.js";

function stream(...events: unknown[]) {
  const reader = gemini.reader();
  const deltas = events.map((event) => reader.readEvent(event));
  return { reader, text: deltas.map(({ text }) => text).join(""), hidden: deltas.map(({ hidden }) => hidden).join("") };
}

const parts = (content: readonly object[], more: object = {}, usageMetadata?: object) => ({
  candidates: [{ content: { role: "model", parts: content }, index: 0, ...more }],
  modelVersion: "gemini-x-001",
  usageMetadata,
});

describe("a request", () => {
  it("has contents, instructions and a configuration", () => {
    const messages = [
      { role: "user", parts: ["context", "question"] },
      { role: "assistant", parts: ["yes"] },
      { role: "system", parts: ["also"] },
    ] as const;
    const extraBody = { generationConfig: { topK: 1 } };
    const request = { model: "g", system: "brief", messages, temperature: 0, maxTokens: 5, stream: true, extraBody };
    expect(gemini.body(request)).toEqual({
      contents: [
        { role: "user", parts: [{ text: "context" }, { text: "question" }] },
        { role: "model", parts: [{ text: "yes" }] },
      ],
      systemInstruction: { parts: [{ text: "brief" }, { text: "also" }] },
      generationConfig: { temperature: 0, maxOutputTokens: 5, topK: 1 },
    });
    const bare = gemini.body({ model: "g", messages: [{ role: "user", parts: ["hi"] }], stream: false });
    expect(bare).toEqual({ contents: [{ role: "user", parts: [{ text: "hi" }] }] });
  });

  it.each([
    ["gemini-x", true, "/v1beta/models/gemini-x:streamGenerateContent?alt=sse"],
    ["models/gemini-x", false, "/v1beta/models/gemini-x:generateContent"],
    ["tunedModels/a b?", false, "/v1beta/tunedModels/a%20b%3F:generateContent"],
  ])("puts the model %s into the path", (model, isStream, path) => expect(gemini.path(model, isStream)).toBe(path));

  it("sends the key in a header, not in the URL", () => {
    expect(gemini.headers("k")).toEqual({ "x-goog-api-key": "k" });
    expect(gemini.headers(null)).toEqual({});
  });
});

describe("a streamed answer", () => {
  it("has running totals in every event", () => {
    const usage = (candidatesTokenCount?: number) => ({
      promptTokenCount: 100,
      cachedContentTokenCount: 60,
      toolUsePromptTokenCount: 5,
      thoughtsTokenCount: 30,
      candidatesTokenCount,
    });
    const { reader, text, hidden } = stream(
      parts([{ text: "hm ", thought: true }], {}, usage()),
      parts([{ text: "Hel" }], {}, usage(2)),
      parts([{ text: "lo" }], { finishReason: "STOP" }, usage(4)),
    );
    expect([text, hidden]).toEqual(["Hello", "hm "]);
    expect(reader).toMatchObject({ finish: "stop", finishReason: "STOP", isComplete: true, model: "gemini-x-001" });
    expect(reader.usage).toEqual({ input: 45, output: 34, cacheRead: 60, reasoning: 30 });
    expect(reader.problems).toEqual([]);
  });

  it.each([
    ["MAX_TOKENS", "truncated"],
    ["SAFETY", "refused"],
    ["RECITATION", "refused"],
    ["BLOCKLIST", "refused"],
    ["PROHIBITED_CONTENT", "refused"],
    ["OTHER", "stop"],
  ])("maps %s to %s", (finishReason, finish) => {
    expect(stream(parts([], { finishReason })).reader).toMatchObject({ finish, finishReason, isComplete: true });
  });

  it("is refused if the prompt was blocked", () => {
    expect(stream({ promptFeedback: { blockReason: "SAFETY" } }).reader).toMatchObject({
      finish: "refused",
      finishReason: "SAFETY",
      isComplete: true,
    });
  });

  it("recognizes function calls", () => {
    const { reader, hidden } = stream(
      parts([{ functionCall: { name: "f", args: { a: 1 } } }], { finishReason: "STOP" }),
    );
    expect([hidden, reader.finish]).toEqual(['{"a":1}', "tool_calls"]);
  });

  it("counts other candidates as hidden, reads errors and counts unknown events", () => {
    const other = { candidates: [{ index: 1, content: { parts: [{ text: "B" }] }, finishReason: "STOP" }] };
    const error = { error: { code: 503, message: "busy", status: "UNAVAILABLE" } };
    const { reader, text, hidden } = stream(parts([{ text: "A" }]), other, error, null, [], { x: 1 });
    expect([text, hidden]).toEqual(["A", "B"]);
    expect(reader).toMatchObject({
      error: { message: "busy", type: "UNAVAILABLE" },
      finish: null,
      isComplete: false,
      unknownEvents: 3,
    });
  });

  it("rejects a sum with an invalid part", () => {
    const { reader } = stream(parts([], {}, { promptTokenCount: 1, candidatesTokenCount: -3, thoughtsTokenCount: 5 }));
    expect(reader.usage).toBeNull();
    expect(reader.problems).toHaveLength(1);
  });
});

describe("a whole answer", () => {
  it("is one event, or a list of them", () => {
    const one = gemini.reader();
    expect(one.readWhole(parts([{ text: "Hello" }], { finishReason: "STOP" })).text).toBe("Hello");
    const list = gemini.reader();
    const events = [parts([{ text: "Hel" }]), parts([{ text: "lo" }], { finishReason: "STOP" })];
    expect(list.readWhole(events).text).toBe("Hello");
    expect([one.isComplete, list.isComplete]).toEqual([true, true]);
    const other = gemini.reader();
    other.readWhole({ choices: [] });
    expect(other).toMatchObject({ unknownEvents: 1, isComplete: false });
  });
});

it("writes errors that it can read", () => {
  const error = { message: "slow down", type: "MINE" };
  expect(gemini.errorIn(gemini.errorBody(429, error))).toEqual(error);
  const types = [400, 429, 418].map(
    (status) => gemini.errorIn(gemini.errorBody(status, { message: "x", type: null }))?.type,
  );
  expect(types).toEqual(["INVALID_ARGUMENT", "RESOURCE_EXHAUSTED", "UNKNOWN"]);
});
