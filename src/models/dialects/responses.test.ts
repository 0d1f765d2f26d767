import { describe, expect, it } from "vitest";
import { responses } from "./responses.js";

function stream(...events: unknown[]) {
  const reader = responses.reader();
  const deltas = events.map((event) => reader.readEvent(event));
  return { reader, text: deltas.map(({ text }) => text).join(""), hidden: deltas.map(({ hidden }) => hidden).join("") };
}

const usage = {
  input_tokens: 50,
  input_tokens_details: { cached_tokens: 20 },
  output_tokens: 12,
  output_tokens_details: { reasoning_tokens: 8 },
};
const message = (...content: object[]) => ({ type: "message", role: "assistant", content });
const said = (text: string) => message({ type: "output_text", text });
const done = (fields: object) => ({
  type: "response.completed",
  response: { status: "completed", model: "m-1", usage, ...fields },
});

describe("a request", () => {
  it("has instructions and input items", () => {
    const messages = [
      { role: "user", parts: ["context", "question"] },
      { role: "assistant", parts: ["yes"] },
      { role: "user", parts: ["sure?"] },
    ] as const;
    const body = responses.body({ model: "m", system: "brief", messages, temperature: 1, maxTokens: 5, stream: true });
    expect(body).toEqual({
      model: "m",
      instructions: "brief",
      input: [
        {
          role: "user",
          content: [
            { type: "input_text", text: "context" },
            { type: "input_text", text: "question" },
          ],
        },
        { role: "assistant", content: [{ type: "output_text", text: "yes" }] },
        { role: "user", content: [{ type: "input_text", text: "sure?" }] },
      ],
      temperature: 1,
      max_output_tokens: 5,
      stream: true,
    });
    expect(responses.body({ model: "m", messages, stream: false })).not.toHaveProperty("stream");
    expect([responses.path("m", true), responses.headers("k")]).toEqual(["/responses", { authorization: "Bearer k" }]);
  });
});

describe("a streamed answer", () => {
  it("has text, hidden text and a last event with everything", () => {
    const { reader, text, hidden } = stream(
      { type: "response.created", response: { status: "in_progress", model: "m-1", usage: null, output: [] } },
      { type: "response.output_item.added", item: {} },
      { type: "response.reasoning_summary_text.delta", delta: "hm " },
      { type: "response.output_text.delta", delta: "Hel" },
      { type: "response.output_text.delta", delta: "lo" },
      { type: "response.output_text.done", text: "Hello" },
      { type: "response.function_call_arguments.delta", delta: "{}" },
      done({ output: [said("Hello"), { type: "function_call", arguments: "{}" }] }),
    );
    expect([text, hidden]).toEqual(["Hello", "hm {}"]);
    expect(reader).toMatchObject({ finish: "tool_calls", finishReason: "completed", isComplete: true, model: "m-1" });
    expect(reader.usage).toEqual({ input: 30, output: 12, cacheRead: 20, reasoning: 8 });
    expect(reader.unknownEvents).toBe(0);
  });

  it("reads the text of the last event if there was no other", () => {
    expect(stream(done({ output: [said("Hello")] })).text).toBe("Hello");
  });

  it("recognizes refusals and truncations", () => {
    const refused = stream({ type: "response.refusal.delta", delta: "No." }, done({ output: [] }));
    expect([refused.text, refused.reader.finish]).toEqual(["No.", "refused"]);
    const incomplete = (reason: string) =>
      stream({ type: "response.incomplete", response: { status: "incomplete", incomplete_details: { reason } } })
        .reader;
    expect(incomplete("max_output_tokens")).toMatchObject({ finish: "truncated", finishReason: "max_output_tokens" });
    expect(incomplete("content_filter")).toMatchObject({ finish: "refused", isComplete: true });
  });

  it("reads errors of both formats", () => {
    expect(stream({ type: "error", code: "rate_limit_exceeded", message: "slow" }).reader.error).toEqual({
      message: "slow",
      type: "rate_limit_exceeded",
    });
    expect(stream({ type: "error" }).reader.error).not.toBeNull();
    const failed = { status: "failed", error: { code: "server_error", message: "oh" } };
    expect(stream({ type: "response.failed", response: failed }).reader).toMatchObject({
      error: { message: "oh", type: "server_error" },
      isComplete: true,
    });
  });

  it("is truncated without its last event, and counts unknown events", () => {
    const { reader } = stream({ type: "response.output_text.delta", delta: "x" }, { type: "keepalive" }, null, {}, [1]);
    expect(reader).toMatchObject({ isComplete: false, unknownEvents: 4 });
  });
});

describe("a whole answer", () => {
  it("is read at once", () => {
    const reader = responses.reader();
    const reasoning = { type: "reasoning", summary: [{ text: "a" }], content: [{ type: "reasoning_text", text: "b" }] };
    const search = { type: "web_search_call" };
    const body = { status: "completed", model: "m", usage, output: [reasoning, search, said("Hel"), said("lo")] };
    expect(reader.readWhole(body)).toEqual({ text: "Hello", hidden: "ba" });
    expect(reader).toMatchObject({ finish: "stop", isComplete: true });
  });

  it("may be a refusal, an error or something else", () => {
    const refused = responses.reader();
    expect(
      refused.readWhole({ status: "completed", output: [message({ type: "refusal", refusal: "No." })] }).text,
    ).toBe("No.");
    expect(refused.finish).toBe("refused");
    const failed = responses.reader();
    failed.readWhole({ error: { message: "oh" } });
    expect(failed.error?.message).toBe("oh");
    const other = responses.reader();
    other.readWhole({ choices: [] });
    expect(other).toMatchObject({ unknownEvents: 1, isComplete: false });
  });
});
