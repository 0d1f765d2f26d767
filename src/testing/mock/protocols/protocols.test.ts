import { afterEach, describe, expect, it } from "vitest";
import {
  askMock,
  getPath,
  getTextAtPath,
  parseEvents,
  sendRaw,
  TEXT_DIALECTS,
  type TextDialect,
} from "../raw-client.js";
import type { MockScript } from "../script.js";
import { type Mock, startMock } from "../server.js";

let mock: Mock | undefined;
afterEach(() => mock?.close());

async function start(script: MockScript): Promise<string> {
  await mock?.close();
  mock = await startMock(script);
  return mock.url;
}

const REPLY = "The capital of France is Paris, and has been for long.";
const USAGE = { input: 100, cacheRead: 40, cacheWrite: 30, cacheWrite1h: 10, reasoning: 8 };
const OUTPUT = Math.ceil(REPLY.length / 4);

function readText(dialect: TextDialect, events: readonly unknown[]): string {
  const read: Record<TextDialect, (event: unknown) => string> = {
    chat: (event) => getTextAtPath(event, "choices", 0, "delta", "content"),
    responses: (event) =>
      getPath(event, "type") === "response.output_text.delta" ? getTextAtPath(event, "delta") : "",
    anthropic: (event) => getTextAtPath(event, "delta", "text"),
    gemini: (event) => getTextAtPath(event, "candidates", 0, "content", "parts", 0, "text"),
  };
  return events.map(read[dialect]).join("");
}

async function whole(script: MockScript, dialect: TextDialect, wanted = {}): Promise<unknown> {
  const { status, headers, text } = await askMock(await start(script), dialect, wanted);
  expect([status, headers["content-type"]]).toEqual([200, "application/json"]);
  return JSON.parse(text);
}

async function streamed(script: MockScript, dialect: TextDialect, wanted = {}): Promise<unknown[]> {
  const { status, headers, text } = await askMock(await start(script), dialect, { stream: true, ...wanted });
  expect([status, headers["content-type"]]).toEqual([200, "text/event-stream; charset=utf-8"]);
  return parseEvents(text);
}

describe("Chat Completions", () => {
  const usage = {
    prompt_tokens: 170,
    completion_tokens: OUTPUT + 8,
    total_tokens: 170 + OUTPUT + 8,
    prompt_tokens_details: { cached_tokens: 40, cache_write_tokens: 30 },
    completion_tokens_details: { reasoning_tokens: 8 },
  };

  it("returns a complete answer", async () => {
    expect(await whole({ reply: REPLY, usage: USAGE }, "chat")).toMatchObject({
      object: "chat.completion",
      model: "m",
      choices: [{ index: 0, message: { role: "assistant", content: REPLY, refusal: null }, finish_reason: "stop" }],
      usage,
    });
  });

  it("streams the role, then text, finish reason, usage and the end mark", async () => {
    const events = await streamed({ reply: REPLY, usage: USAGE }, "chat");
    expect(events[0]).toMatchObject({ choices: [{ delta: { role: "assistant", content: "" } }], usage: null });
    expect(readText("chat", events)).toBe(REPLY);
    expect(events.at(-3)).toMatchObject({ choices: [{ delta: {}, finish_reason: "stop" }], usage: null });
    expect(events.at(-2)).toMatchObject({ object: "chat.completion.chunk", choices: [], usage });
    expect(events.at(-1)).toBe("[DONE]");
  });

  it("streams no usage unless requested", async () => {
    const events = await streamed({ reply: REPLY }, "chat", { more: { stream_options: undefined } });
    expect(events.filter((event) => JSON.stringify(event).includes("usage"))).toEqual([]);
    expect(events.at(-1)).toBe("[DONE]");
  });

  it("refuses in its own field, and filters with its own finish reason", async () => {
    expect(getPath(await whole({ finish: "refusal", reply: "No." }, "chat"), "choices", 0)).toMatchObject({
      message: { content: null, refusal: "No." },
      finish_reason: "stop",
    });
    const events = await streamed({ finish: "blocked" }, "chat");
    expect(getPath(events.at(-3), "choices", 0, "finish_reason")).toBe("content_filter");
    expect(readText("chat", events)).toBe("");
  });

  it("reports cost if configured", async () => {
    expect(getPath(await whole({ usage: { cost: 0.25 } }, "chat"), "usage", "cost")).toBe(0.25);
  });
});

describe("Responses", () => {
  const usage = {
    input_tokens: 170,
    input_tokens_details: { cached_tokens: 40, cache_write_tokens: 30 },
    output_tokens: OUTPUT + 8,
    output_tokens_details: { reasoning_tokens: 8 },
    total_tokens: 170 + OUTPUT + 8,
  };

  it("returns a complete answer", async () => {
    expect(await whole({ reply: REPLY, usage: USAGE }, "responses")).toMatchObject({
      object: "response",
      status: "completed",
      incomplete_details: null,
      output: [{ type: "message", role: "assistant", content: [{ type: "output_text", text: REPLY }] }],
      usage,
    });
  });

  it("streams named events, numbered without gaps, from created to completed", async () => {
    const url = await start({ reply: REPLY, usage: USAGE });
    const { text } = await askMock(url, "responses", { stream: true });
    const events = parseEvents(text);
    const types = events.map((event) => getTextAtPath(event, "type"));
    expect(text.match(/^event: .*$/gm)).toEqual(types.map((type) => `event: ${type}`));
    expect(events.map((event) => getPath(event, "sequence_number"))).toEqual(events.map((_, position) => position));
    const kinds = types.filter((type, position, all) => type !== all[position - 1]);
    expect(kinds).toEqual([
      "response.created",
      "response.in_progress",
      "response.output_item.added",
      "response.content_part.added",
      "response.output_text.delta",
      "response.output_text.done",
      "response.content_part.done",
      "response.output_item.done",
      "response.completed",
    ]);
    expect(readText("responses", events)).toBe(REPLY);
    expect(getPath(events[0], "response")).toMatchObject({ status: "in_progress", usage: null });
    expect(getPath(events.at(-1), "response")).toMatchObject({ status: "completed", usage });
  });

  it("refuses in its own part, and is incomplete when filtered", async () => {
    const events = await streamed({ finish: "refusal", reply: "No." }, "responses");
    expect(
      getPath(
        events.find((event) => getPath(event, "type") === "response.refusal.delta"),
        "delta",
      ),
    ).toBe("No.");
    expect(getPath(events.at(-1), "response", "output", 0, "content")).toEqual([{ type: "refusal", refusal: "No." }]);
    const last = (await streamed({ finish: "blocked" }, "responses")).at(-1);
    expect(last).toMatchObject({
      type: "response.incomplete",
      response: { incomplete_details: { reason: "content_filter" }, output: [] },
    });
  });
});

describe("Anthropic Messages", () => {
  const input = {
    input_tokens: 100,
    cache_read_input_tokens: 40,
    cache_creation_input_tokens: 30,
    cache_creation: { ephemeral_5m_input_tokens: 20, ephemeral_1h_input_tokens: 10 },
  };

  it("returns a complete answer", async () => {
    expect(await whole({ reply: REPLY, usage: USAGE }, "anthropic")).toMatchObject({
      type: "message",
      role: "assistant",
      content: [{ type: "text", text: REPLY }],
      stop_reason: "end_turn",
      usage: { ...input, output_tokens: OUTPUT + 8 },
    });
  });

  it("streams a message, its block, a ping, and the totals at the end", async () => {
    const events = await streamed({ reply: REPLY, usage: USAGE, chunkTokens: 100 }, "anthropic");
    expect(events.map((event) => getPath(event, "type"))).toEqual([
      "message_start",
      "content_block_start",
      "ping",
      "content_block_delta",
      "content_block_stop",
      "message_delta",
      "message_stop",
    ]);
    expect(getPath(events[0], "message")).toMatchObject({
      content: [],
      stop_reason: null,
      usage: { ...input, output_tokens: 1 },
    });
    expect(readText("anthropic", events)).toBe(REPLY);
    expect(events[5]).toMatchObject({ delta: { stop_reason: "end_turn" }, usage: { output_tokens: OUTPUT + 8 } });
  });

  it("refuses with a stop reason", async () => {
    const events = await streamed({ finish: "refusal", reply: "No." }, "anthropic");
    expect(getPath(events.at(-2), "delta", "stop_reason")).toBe("refusal");
    expect(readText("anthropic", events)).toBe("No.");
    expect(await whole({ finish: "blocked" }, "anthropic")).toMatchObject({ content: [], stop_reason: "refusal" });
  });

  it("requires what the provider requires", async () => {
    const url = await start({});
    const body = { model: "m", max_tokens: 5, messages: [{ role: "user", content: "Hi" }] };
    const without = await sendRaw(`${url}/v1/messages`, { body: { ...body, max_tokens: undefined } });
    expect([without.status, JSON.parse(without.text)]).toMatchObject([
      400,
      { type: "error", error: { type: "invalid_request_error", message: expect.stringContaining("max_tokens") } },
    ]);
    const system = await sendRaw(`${url}/v1/messages`, {
      body: { ...body, messages: [{ role: "system", content: "x" }] },
    });
    expect(system.status).toBe(200);
    const nobody = await sendRaw(`${url}/v1/messages`, { body: { ...body, messages: [{ role: "me", content: "x" }] } });
    expect(nobody.status).toBe(400);
  });

  it("counts the tokens of a prompt", async () => {
    const url = await start({});
    const body = {
      model: "m",
      system: "12345678",
      messages: [{ role: "user", content: [{ type: "text", text: "1234" }] }],
    };
    expect((await sendRaw(`${url}/v1/messages/count_tokens`, { body })).text).toBe('{"input_tokens":3}');
  });
});

describe("Gemini", () => {
  // Gemini does not report cache writes: they count as fresh input.
  const usageMetadata = {
    promptTokenCount: 170,
    cachedContentTokenCount: 40,
    candidatesTokenCount: OUTPUT,
    thoughtsTokenCount: 8,
    totalTokenCount: 170 + OUTPUT + 8,
  };

  it("returns a complete answer", async () => {
    expect(await whole({ reply: REPLY, usage: USAGE }, "gemini")).toMatchObject({
      candidates: [{ content: { role: "model", parts: [{ text: REPLY }] }, finishReason: "STOP", index: 0 }],
      usageMetadata,
      modelVersion: "m",
    });
    expect(mock?.requests[0]?.usage).toEqual({ input: 130, output: OUTPUT + 8, cacheRead: 40, reasoning: 8 });
  });

  it("streams events with a running total, the last one with the finish reason", async () => {
    const events = await streamed({ reply: REPLY, usage: USAGE }, "gemini");
    expect(readText("gemini", events)).toBe(REPLY);
    expect(getPath(events[0], "candidates", 0)).not.toHaveProperty("finishReason");
    expect(getPath(events[0], "usageMetadata")).toMatchObject({ candidatesTokenCount: 4, thoughtsTokenCount: 8 });
    expect(events.at(-1)).toMatchObject({ candidates: [{ finishReason: "STOP" }], usageMetadata });
  });

  it("streams a JSON array without alt=sse", async () => {
    const url = await start({ reply: REPLY });
    const body = { contents: [{ parts: [{ text: "Hi" }] }] };
    const { text, headers } = await sendRaw(`${url}/v1beta/models/m:streamGenerateContent`, { body });
    expect(headers["content-type"]).toBe("application/json");
    expect(readText("gemini", JSON.parse(text))).toBe(REPLY);
  });

  it("refuses for safety, and blocks a prompt before any candidate", async () => {
    expect(await whole({ finish: "refusal" }, "gemini")).toMatchObject({ candidates: [{ finishReason: "SAFETY" }] });
    const [blocked, ...rest] = await streamed({ finish: "blocked" }, "gemini");
    expect(blocked).toMatchObject({ promptFeedback: { blockReason: "SAFETY" } });
    expect([getPath(blocked, "candidates"), rest]).toEqual([undefined, []]);
  });

  it("counts the tokens of a prompt", async () => {
    const url = await start({});
    const body = { systemInstruction: { parts: [{ text: "12345678" }] }, contents: [{ parts: [{ text: "1234" }] }] };
    expect((await sendRaw(`${url}/v1beta/models/m:countTokens`, { body })).text).toBe('{"totalTokens":3}');
  });
});

describe.each(TEXT_DIALECTS)("%s", (dialect) => {
  const FINISHED: Record<TextDialect, { stop: string; length: string }> = {
    chat: { stop: '"finish_reason":"stop"', length: '"finish_reason":"length"' },
    responses: { stop: '"status":"completed"', length: '"reason":"max_output_tokens"' },
    anthropic: { stop: '"stop_reason":"end_turn"', length: '"stop_reason":"max_tokens"' },
    gemini: { stop: '"finishReason":"STOP"', length: '"finishReason":"MAX_TOKENS"' },
  };

  it.each([false, true])("respects the token limit of the client, streaming: %s", async (stream) => {
    const url = await start({ reply: REPLY });
    const { text } = await askMock(url, dialect, { stream, maxTokens: 5 });
    expect(text).toContain(FINISHED[dialect].length);
    if (stream) expect(readText(dialect, parseEvents(text))).toBe(REPLY.slice(0, 20));
    expect(mock?.requests[0]?.usage?.output).toBe(5);
    const enough = await askMock(url, dialect, { stream, maxTokens: OUTPUT });
    expect(enough.text).toContain(FINISHED[dialect].stop);
    expect(enough.text).not.toContain(FINISHED[dialect].length);
  });

  it("reports no usage if there is none", async () => {
    const url = await start({ usageQuirk: "missing" });
    for (const stream of [false, true]) {
      const { text } = await askMock(url, dialect, { stream });
      expect(text).not.toMatch(/"usage(Metadata)?":\{/);
      expect(text).toContain(FINISHED[dialect].stop);
    }
  });

  const COUNTS: Record<TextDialect, RegExp> = {
    chat: /"completion_tokens":(-?\d+)/g,
    responses: /"output_tokens":(-?\d+)/g,
    anthropic: /"output_tokens":(-?\d+)/g,
    gemini: /"candidatesTokenCount":(-?\d+)/g,
  };

  async function outputCounts(script: MockScript): Promise<number[]> {
    const { text } = await askMock(await start({ reply: REPLY, ...script }), dialect, { stream: true });
    return [...text.matchAll(COUNTS[dialect])].map(([, count]) => Number(count));
  }

  it("can report usage that falls, grows or is negative", async () => {
    const falling = await outputCounts({ usageQuirk: "decreasing" });
    expect(falling).toEqual(falling.toSorted((a, b) => b - a));
    expect(new Set(falling).size).toBeGreaterThan(2);
    const growing = await outputCounts({ usageQuirk: "cumulative" });
    expect(growing).toEqual(growing.toSorted((a, b) => a - b));
    expect(new Set(growing).size).toBeGreaterThan(2);
    expect([falling.at(-1), growing.at(-1)]).toEqual([OUTPUT, OUTPUT]);
    expect((await outputCounts({ usageQuirk: "negative" })).at(-1)).toBe(-1 - OUTPUT);
    expect(mock?.requests[0]?.usage?.output).toBe(OUTPUT);
  });

  it("never splits surrogate pairs", async () => {
    const reply = "🙂".repeat(30);
    const { bytes } = await askMock(await start({ reply, chunkTokens: 1 }), dialect, { stream: true });
    expect(bytes.includes("\\ud83d")).toBe(false);
    expect(readText(dialect, parseEvents(bytes.toString()))).toBe(reply);
  });

  it("fills the requested JSON shape", async () => {
    const schema = {
      type: "object",
      properties: {
        verdict: { type: "string", enum: ["yes", "no"] },
        why: { type: "string" },
        score: { type: "integer" },
      },
      required: ["verdict", "why", "score"],
    };
    const wanted: Record<TextDialect, Record<string, unknown>> = {
      chat: { response_format: { type: "json_schema", json_schema: { name: "v", schema } } },
      responses: { text: { format: { type: "json_schema", name: "v", schema } } },
      anthropic: { output_config: { format: { type: "json_schema", schema } } },
      gemini: { generationConfig: { responseMimeType: "application/json", responseJsonSchema: schema } },
    };
    const { text } = await askMock(await start({ reply: "because" }), dialect, { stream: true, more: wanted[dialect] });
    expect(JSON.parse(readText(dialect, parseEvents(text)))).toEqual({ verdict: "yes", why: "because", score: 1 });
  });

  it("rejects a body without a prompt", async () => {
    const { path } = {
      path: { chat: "chat/completions", responses: "responses", anthropic: "messages", gemini: "m:generateContent" }[
        dialect
      ],
    };
    const url = await start({});
    for (const body of [{}, "{ broken", "null"]) {
      const { status, text } = await sendRaw(`${url}/v1/${path}`, { body });
      expect([status, JSON.parse(text).error.message]).toEqual([400, expect.stringMatching(/required|not valid JSON/)]);
    }
  });
});
