import { describe, expect, it } from "vitest";
import { bedrock } from "./bedrock.js";
import type { ModelRequest } from "./dialect.js";
import { findRefusedParameter } from "./refused-parameter.js";

const CLAUDE = "us.anthropic.claude-opus-5";
const request: ModelRequest = {
  model: CLAUDE,
  stream: true,
  system: "Be brief.",
  messages: [{ role: "user", parts: ["Context.", "Where?"] }],
};
const answer = { name: "verdict", schema: { type: "object", properties: {}, required: [] } };

describe("a request to Bedrock", () => {
  it("has model and streaming in its path, with escapes", () => {
    expect(bedrock.path("a.b-v1:0", false)).toBe("/model/a.b-v1%3A0/converse");
    expect(bedrock.path("arn:aws:bedrock:us-east-1:1:x/y", true)).toBe(
      "/model/arn%3Aaws%3Abedrock%3Aus-east-1%3A1%3Ax%2Fy/converse-stream",
    );
  });

  it("has texts as blocks, and its settings together", () => {
    expect(bedrock.body({ ...request, temperature: 0, maxTokens: 50, serviceTier: "flex" })).toEqual({
      system: [{ text: "Be brief." }],
      messages: [{ role: "user", content: [{ text: "Context." }, { text: "Where?" }] }],
      inferenceConfig: { temperature: 0, maxTokens: 50 },
      serviceTier: { type: "flex" },
    });
  });

  it("joins messages of one role, because roles must alternate", () => {
    const messages: ModelRequest["messages"] = [
      { role: "user", parts: ["a"] },
      { role: "system", parts: ["s"] },
      { role: "user", parts: ["b"] },
      { role: "assistant", parts: ["c"] },
    ];
    expect(bedrock.body({ model: CLAUDE, stream: false, messages })).toEqual({
      system: [{ text: "s" }],
      messages: [
        { role: "user", content: [{ text: "a" }, { text: "b" }] },
        { role: "assistant", content: [{ text: "c" }] },
      ],
    });
  });

  it("asks for structured output, or for a tool call if that is rejected", () => {
    expect(bedrock.body({ ...request, answer })).toMatchObject({
      outputConfig: {
        textFormat: {
          type: "json_schema",
          structure: { jsonSchema: { name: "verdict", schema: JSON.stringify(answer.schema) } },
        },
      },
    });
    const { toolConfig, outputConfig } = bedrock.body({ ...request, answer, refused: ["outputConfig"] });
    expect(outputConfig).toBeUndefined();
    expect(toolConfig).toMatchObject({
      tools: [{ toolSpec: { name: "verdict", inputSchema: { json: answer.schema } } }],
      toolChoice: { tool: { name: "verdict" } },
    });
  });

  it.each([
    [CLAUDE, "low", { output_config: { effort: "low" }, thinking: { type: "adaptive" } }],
    [CLAUDE, "none", { thinking: { type: "disabled" } }],
    ["anthropic.claude-haiku-4-5-20251001-v1:0", 2048, { thinking: { type: "enabled", budget_tokens: 2048 } }],
    ["openai.gpt-oss-120b-1:0", "high", { reasoning_effort: "high" }],
    ["us.amazon.nova-2-lite-v1:0", "medium", { reasoningConfig: { type: "enabled", maxReasoningEffort: "medium" } }],
    ["us.amazon.nova-2-lite-v1:0", "none", { reasoningConfig: { type: "disabled" } }],
  ] as const)("gives %s the effort %s as its maker calls it", (model, value, fields) => {
    const body = bedrock.body({ ...request, model, effort: { value, isAdaptive: true, isRouted: false } });
    expect(body.additionalModelRequestFields).toEqual(fields);
  });

  it("leaves out what the model rejects, in its settings too", () => {
    const sent = bedrock.body({ ...request, temperature: 0.5, maxTokens: 9 });
    const rejection = {
      message: "The model returned the following errors: `temperature` is deprecated for this model.",
    };
    expect(findRefusedParameter(rejection, sent)).toBe("temperature");
    expect(bedrock.body({ ...request, temperature: 0.5, maxTokens: 9, refused: ["temperature"] })).toMatchObject({
      inferenceConfig: { maxTokens: 9 },
    });
    const format = {
      message: "This model doesn't support the outputConfig.textFormat field. Remove it and try again.",
    };
    expect(findRefusedParameter(format, bedrock.body({ ...request, answer }))).toBe("outputConfig");
  });
});

describe("an answer of Bedrock", () => {
  it("has its usage in disjoint classes, with cache writes by lifetime", () => {
    const reader = bedrock.reader();
    const delta = reader.readWhole({
      output: {
        message: {
          role: "assistant",
          content: [
            { reasoningContent: { reasoningText: { text: "Hmm.", signature: "abc" } } },
            { text: "Paris" },
            { toolUse: { toolUseId: "1", name: "look", input: { at: "map" } } },
          ],
        },
      },
      stopReason: "tool_use",
      usage: {
        inputTokens: 10,
        outputTokens: 5,
        totalTokens: 42,
        cacheReadInputTokens: 20,
        cacheWriteInputTokens: 7,
        cacheDetails: [
          { ttl: "5m", inputTokens: 4 },
          { ttl: "1h", inputTokens: 3 },
        ],
      },
      serviceTier: { type: "priority" },
    });
    expect(delta).toEqual({ text: "Paris", hidden: 'Hmm.{"at":"map"}' });
    expect(reader).toMatchObject({ finish: "tool_calls", isComplete: true, serviceTier: "priority", unknownEvents: 0 });
    expect(reader.usage).toEqual({ input: 10, output: 5, cacheRead: 20, cacheWrite: 7, cacheWrite1h: 3 });
  });

  it("streams text, thinking and tool calls; the figures come after its end", () => {
    const reader = bedrock.reader();
    const deltas = [
      { messageStart: { role: "assistant" } },
      { contentBlockDelta: { contentBlockIndex: 0, delta: { reasoningContent: { text: "Hm" } } } },
      { contentBlockDelta: { contentBlockIndex: 0, delta: { reasoningContent: { signature: "xyz" } } } },
      { contentBlockStop: { contentBlockIndex: 0 } },
      { contentBlockDelta: { contentBlockIndex: 1, delta: { text: "Paris" } } },
      { contentBlockStart: { contentBlockIndex: 2, start: { toolUse: { toolUseId: "1", name: "look" } } } },
      { contentBlockDelta: { contentBlockIndex: 2, delta: { toolUse: { input: '{"at":' } } } },
      { messageStop: { stopReason: "end_turn" } },
      { metadata: { usage: { inputTokens: 3, outputTokens: 4, totalTokens: 7 }, metrics: { latencyMs: 1 } } },
    ].map((event) => reader.readEvent(event));
    expect(deltas.map(({ text }) => text).join("")).toBe("Paris");
    expect(deltas.map(({ hidden }) => hidden).join("")).toBe('Hm{"at":');
    expect(reader.usage).toEqual({ input: 3, output: 4 });
    expect(reader).toMatchObject({ finish: "stop", isComplete: true, unknownEvents: 0, problems: [] });
  });

  it("takes the arguments of the answer's tool as its text", () => {
    const reader = bedrock.reader("verdict");
    const deltas = [
      { contentBlockStart: { start: { toolUse: { name: "verdict" } } } },
      { contentBlockDelta: { delta: { toolUse: { input: '{"ok":true}' } } } },
    ].map((event) => reader.readEvent(event));
    expect(deltas.map(({ text }) => text).join("")).toBe('{"ok":true}');
  });

  it.each([
    ["end_turn", "stop"],
    ["stop_sequence", "stop"],
    ["max_tokens", "truncated"],
    ["model_context_window_exceeded", "truncated"],
    ["guardrail_intervened", "refused"],
    ["content_filtered", "refused"],
    ["tool_use", "tool_calls"],
    ["malformed_model_output", "stop"],
    ["constructor", "stop"],
  ])("that stops with %s ends with %s", (stopReason, finish) => {
    const reader = bedrock.reader();
    reader.readEvent({ messageStop: { stopReason } });
    expect([reader.finish, reader.finishReason]).toEqual([finish, stopReason]);
  });

  it("has exceptions as events, the first of which counts", () => {
    const reader = bedrock.reader();
    reader.readEvent({ modelStreamErrorException: { message: "It broke.", originalStatusCode: 500 } });
    reader.readEvent({ throttlingException: { message: "Later." } });
    expect(reader.error).toEqual({ message: "It broke.", type: "modelStreamErrorException" });
  });

  it.each([null, 5, "text", [], {}, { other: {} }, { contentBlockDelta: null }, { metadata: { usage: 7 } }])(
    "survives %j",
    (event) => {
      const reader = bedrock.reader();
      expect(reader.readEvent(event)).toEqual({ text: "", hidden: "" });
      expect(reader.readWhole(event)).toEqual({ text: "", hidden: "" });
      expect(reader.finish).toBeNull();
    },
  );
});
