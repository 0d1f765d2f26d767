import { describe, expect, it } from "vitest";
import { toGeminiSchema } from "./gemini.js";
import { type DialectName, dialects, type ModelRequest } from "./index.js";

const schema = {
  type: "object",
  properties: {
    reasoning: { type: "string" },
    inner: {
      type: "object",
      properties: { score: { type: "integer", enum: [1, 2, 3] } },
      required: ["score"],
      additionalProperties: false,
    },
    winner: { type: "string", enum: ["A", "B"] },
  },
  required: ["reasoning", "inner", "winner"],
  additionalProperties: false,
};
const request: ModelRequest = {
  model: "m",
  messages: [{ role: "user", parts: ["?"] }],
  stream: false,
  answer: { name: "verdict", schema },
};
const bodyOf = (name: DialectName, more: Partial<ModelRequest> = {}) => dialects[name].body({ ...request, ...more });

describe("an answer format", () => {
  it("is requested by chat as a response format", () => {
    expect(bodyOf("chat").response_format).toEqual({
      type: "json_schema",
      json_schema: { name: "verdict", schema, strict: true },
    });
  });

  it("is requested by responses as a text format", () => {
    expect(bodyOf("responses").text).toEqual({
      format: { type: "json_schema", name: "verdict", schema, strict: true },
    });
  });

  it("is requested by anthropic as an output format", () => {
    expect(bodyOf("anthropic").output_config).toEqual({ format: { type: "json_schema", schema } });
    expect(bodyOf("anthropic")).not.toHaveProperty("tools");
  });

  it("is requested by anthropic as a forced tool call if the model rejects a format", () => {
    const body = bodyOf("anthropic", { refused: ["output_config"] });
    expect(body).toMatchObject({
      tools: [{ name: "verdict", input_schema: schema }],
      tool_choice: { type: "tool", name: "verdict" },
    });
    expect(body).not.toHaveProperty("output_config");
    expect(bodyOf("anthropic", { refused: ["output_config", "tool_choice"] })).not.toHaveProperty("tool_choice");
  });

  it("is requested by gemini as a converted schema", () => {
    expect(bodyOf("gemini").generationConfig).toEqual({
      responseMimeType: "application/json",
      responseSchema: {
        type: "object",
        required: ["reasoning", "inner", "winner"],
        propertyOrdering: ["reasoning", "inner", "winner"],
        properties: {
          reasoning: { type: "string" },
          inner: {
            type: "object",
            required: ["score"],
            propertyOrdering: ["score"],
            properties: { score: { type: "integer", minimum: 1, maximum: 3 } },
          },
          winner: { type: "string", enum: ["A", "B"] },
        },
      },
    });
  });

  it.each(["chat", "responses", "anthropic", "gemini"] as const)("is omitted by %s if there is none", (name) => {
    const { answer: _, ...free } = request;
    const body = JSON.stringify(dialects[name].body(free));
    expect(body).not.toMatch(/schema|tool|format|Mime|config/i);
  });

  it("can be removed from the body again", () => {
    expect(bodyOf("anthropic", { extraBody: { output_config: null } })).not.toHaveProperty("output_config");
  });
});

describe("anthropic's answer in a tool call", () => {
  const call = (name: string) => ({ type: "tool_use", id: "t", name, input: { score: 3 } });
  const whole = (...content: object[]) => ({ type: "message", content, stop_reason: "tool_use" });

  it("is text if its tool was requested, and hidden otherwise", () => {
    const asked = dialects.anthropic.reader("verdict").readWhole(whole(call("verdict")));
    expect(asked).toEqual({ text: '{"score":3}', hidden: "" });
    const other = dialects.anthropic.reader("verdict").readWhole(whole(call("shell")));
    expect(other).toEqual({ text: "", hidden: '{"score":3}' });
    const free = dialects.anthropic.reader().readWhole(whole(call("verdict")));
    expect(free).toEqual({ text: "", hidden: '{"score":3}' });
  });

  it("is assembled from a stream, in which other blocks stay hidden", () => {
    const reader = dialects.anthropic.reader("verdict");
    const start = (block: object) => ({ type: "content_block_start", index: 0, content_block: block });
    const delta = (piece: object) => ({ type: "content_block_delta", index: 0, delta: piece });
    const events = [
      start({ type: "thinking", thinking: "" }),
      delta({ type: "thinking_delta", thinking: "hm" }),
      { type: "content_block_stop", index: 0 },
      start({ type: "tool_use", id: "t", name: "verdict", input: {} }),
      delta({ type: "input_json_delta", partial_json: '{"sco' }),
      delta({ type: "input_json_delta", partial_json: 're":3}' }),
      start({ type: "tool_use", id: "u", name: "shell", input: {} }),
      delta({ type: "input_json_delta", partial_json: "{}" }),
    ];
    const deltas = events.map((event) => reader.readEvent(event));
    expect(deltas.map(({ text }) => text).join("")).toBe('{"score":3}');
    expect(deltas.map(({ hidden }) => hidden).join("")).toBe("hm{}");
  });
});

it("keeps a schema without enums and properties unchanged", () => {
  expect(toGeminiSchema({ type: "string", description: "x" })).toEqual({ type: "string", description: "x" });
});
