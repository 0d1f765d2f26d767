import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { GatewayDialectName } from "../../models/index.js";
import { WIRE_FORMATS } from "./formats.js";
import { joinTexts, looksFailed, type WireItem } from "./item.js";

const NAMES = Object.keys(WIRE_FORMATS) as GatewayDialectName[];

/** What each format makes of one answer: thoughts, a text and a call, as events and as a whole. */
const ANSWERS: Readonly<Record<GatewayDialectName, { events: readonly unknown[]; whole: unknown }>> = {
  chat: {
    events: [
      { choices: [{ index: 0, delta: { role: "assistant", reasoning_content: "Hm" } }] },
      { choices: [{ index: 0, delta: { reasoning_content: "m." } }] },
      {
        choices: [
          { index: 0, delta: { content: "I " } },
          { index: 1, delta: { content: "Other" } },
        ],
      },
      { choices: [{ index: 0, delta: { content: "look." } }] },
      {
        choices: [
          { index: 0, delta: { tool_calls: [{ index: 0, id: "c1", function: { name: "bash", arguments: "" } }] } },
        ],
      },
      { choices: [{ index: 0, delta: { tool_calls: [{ index: 0, function: { arguments: '{"command":' } }] } }] },
      { choices: [{ index: 0, delta: { tool_calls: [{ index: 0, function: { arguments: '"ls"}' } }] } }] },
      { choices: [{ index: 0, delta: {}, finish_reason: "tool_calls" }] },
      "[DONE]",
    ],
    whole: {
      choices: [
        {
          message: {
            reasoning_content: "Hmm.",
            content: "I look.",
            tool_calls: [{ id: "c1", type: "function", function: { name: "bash", arguments: '{"command":"ls"}' } }],
          },
          finish_reason: "tool_calls",
        },
      ],
    },
  },
  responses: {
    events: [
      { type: "response.created", response: { id: "r1", output: [] } },
      {
        type: "response.output_item.done",
        output_index: 0,
        item: { type: "reasoning", summary: [{ type: "summary_text", text: "Hmm." }] },
      },
      { type: "response.output_text.delta", output_index: 1, delta: "I look." },
      {
        type: "response.output_item.done",
        output_index: 1,
        item: { type: "message", role: "assistant", content: [{ type: "output_text", text: "I look." }] },
      },
      {
        type: "response.output_item.done",
        output_index: 2,
        item: { type: "function_call", id: "fc1", call_id: "c1", name: "bash", arguments: '{"command":"ls"}' },
      },
      {
        type: "response.completed",
        response: { id: "r1", status: "completed", output: [{ type: "message", role: "assistant", content: [] }] },
      },
    ],
    whole: {
      id: "r1",
      output: [
        { type: "reasoning", summary: [{ type: "summary_text", text: "Hmm." }] },
        { type: "message", role: "assistant", content: [{ type: "output_text", text: "I look." }] },
        { type: "function_call", id: "fc1", call_id: "c1", name: "bash", arguments: '{"command":"ls"}' },
      ],
    },
  },
  anthropic: {
    events: [
      { type: "message_start", message: { id: "m1", content: [] } },
      { type: "content_block_start", index: 0, content_block: { type: "thinking", thinking: "" } },
      { type: "content_block_delta", index: 0, delta: { type: "thinking_delta", thinking: "Hmm." } },
      { type: "content_block_delta", index: 0, delta: { type: "signature_delta", signature: "x" } },
      { type: "content_block_stop", index: 0 },
      { type: "content_block_start", index: 1, content_block: { type: "text", text: "" } },
      { type: "content_block_delta", index: 1, delta: { type: "text_delta", text: "I " } },
      { type: "content_block_delta", index: 1, delta: { type: "text_delta", text: "look." } },
      { type: "content_block_stop", index: 1 },
      { type: "content_block_start", index: 2, content_block: { type: "tool_use", id: "c1", name: "bash", input: {} } },
      { type: "content_block_delta", index: 2, delta: { type: "input_json_delta", partial_json: '{"command":' } },
      { type: "content_block_delta", index: 2, delta: { type: "input_json_delta", partial_json: '"ls"}' } },
      { type: "content_block_stop", index: 2 },
      { type: "message_delta", delta: { stop_reason: "tool_use" } },
      { type: "message_stop" },
    ],
    whole: {
      content: [
        { type: "thinking", thinking: "Hmm.", signature: "x" },
        { type: "text", text: "I look." },
        { type: "tool_use", id: "c1", name: "bash", input: { command: "ls" } },
      ],
    },
  },
  gemini: {
    events: [
      { candidates: [{ content: { role: "model", parts: [{ text: "Hmm.", thought: true }] } }] },
      { candidates: [{ content: { role: "model", parts: [{ text: "I " }] } }] },
      {
        candidates: [
          { content: { role: "model", parts: [{ text: "look." }] } },
          { index: 1, content: { parts: [{ text: "Other" }] } },
        ],
      },
      {
        candidates: [
          {
            content: { role: "model", parts: [{ functionCall: { id: "c1", name: "bash", args: { command: "ls" } } }] },
            finishReason: "STOP",
          },
        ],
      },
    ],
    whole: {
      candidates: [
        {
          content: {
            role: "model",
            parts: [
              { text: "Hmm.", thought: true },
              { text: "I look." },
              { functionCall: { id: "c1", name: "bash", args: { command: "ls" } } },
            ],
          },
        },
      ],
    },
  },
};

const ANSWERED: readonly WireItem[] = [
  { kind: "reasoning", text: "Hmm." },
  { kind: "assistant", text: "I look." },
  { kind: "call", name: "bash", id: "c1", arguments: { command: "ls" } },
];

/** The same conversation in each format, with a failed and a successful result. */
const REQUESTS: Readonly<Record<GatewayDialectName, Readonly<Record<string, unknown>>>> = {
  chat: {
    tools: [{ type: "function", function: { name: "bash" } }],
    messages: [
      { role: "system", content: "Be good." },
      {
        role: "user",
        content: [
          { type: "text", text: "Fix it" },
          { type: "image_url", image_url: { url: "data:" } },
        ],
      },
      {
        role: "assistant",
        content: "I look.",
        tool_calls: [{ id: "c1", type: "function", function: { name: "bash", arguments: '{"command":"ls"}' } }],
      },
      { role: "tool", tool_call_id: "c1", content: "Error: no such folder" },
      { role: "user", content: "Go on" },
    ],
  },
  responses: {
    instructions: "Be good.",
    tools: [{ type: "function", name: "bash" }],
    input: [
      {
        type: "message",
        role: "user",
        content: [
          { type: "input_text", text: "Fix it" },
          { type: "input_image", image_url: "data:" },
        ],
      },
      { type: "message", role: "assistant", content: [{ type: "output_text", text: "I look." }] },
      { type: "function_call", call_id: "c1", name: "bash", arguments: '{"command":"ls"}' },
      { type: "function_call_output", call_id: "c1", output: "Error: no such folder" },
      { role: "user", content: "Go on" },
    ],
  },
  anthropic: {
    system: [{ type: "text", text: "Be good." }],
    tools: [{ name: "bash", input_schema: {} }],
    messages: [
      {
        role: "user",
        content: [
          { type: "text", text: "Fix it" },
          { type: "image", source: {} },
        ],
      },
      {
        role: "assistant",
        content: [
          { type: "text", text: "I look." },
          { type: "tool_use", id: "c1", name: "bash", input: { command: "ls" } },
        ],
      },
      {
        role: "user",
        content: [
          {
            type: "tool_result",
            tool_use_id: "c1",
            is_error: true,
            content: [{ type: "text", text: "Error: no such folder" }],
          },
          { type: "text", text: "Go on" },
        ],
      },
    ],
  },
  gemini: {
    systemInstruction: { parts: [{ text: "Be good." }] },
    tools: [{ functionDeclarations: [{ name: "bash" }] }],
    contents: [
      { role: "user", parts: [{ text: "Fix it" }, { inlineData: {} }] },
      {
        role: "model",
        parts: [{ text: "I look." }, { functionCall: { id: "c1", name: "bash", args: { command: "ls" } } }],
      },
      {
        role: "user",
        parts: [{ functionResponse: { id: "c1", name: "bash", response: { error: "Error: no such folder" } } }],
      },
      { role: "user", parts: [{ text: "Go on" }] },
    ],
  },
};

describe.each(NAMES)("the format %s", (name) => {
  const format = WIRE_FORMATS[name];

  it("has the same items streamed and whole", () => {
    const [streamed, whole] = [format.createCollector(), format.createCollector()];
    for (const event of ANSWERS[name].events) streamed.readEvent(event);
    whole.readWhole(ANSWERS[name].whole);
    expect(joinTexts(streamed.listItems())).toEqual(ANSWERED);
    expect(joinTexts(whole.listItems())).toEqual(ANSWERED);
  });

  it("leaves out a call that was cut off, and keeps the text before it", () => {
    const collector = format.createCollector();
    const { events } = ANSWERS[name];
    const isLastPart = (event: unknown) =>
      /"ls|functionCall|function_call|tool_calls"\}|_stop/.test(JSON.stringify(event));
    const cut = events.findLastIndex((event) => /"ls|functionCall|call_id/.test(JSON.stringify(event)));
    for (const event of events.slice(0, cut)) collector.readEvent(event);
    expect(isLastPart(events[cut])).toBe(true);
    expect(joinTexts(collector.listItems())).toEqual(ANSWERED.slice(0, 2));
  });

  it("reads a request with its history", () => {
    const { system, tools, items } = format.readRequest(REQUESTS[name]);
    expect({ system: system.trim(), tools }).toEqual({ system: "Be good.", tools: ["bash"] });
    expect(items).toMatchObject([
      { kind: "user", text: "Fix it" },
      { kind: "user", text: expect.stringMatching(/^\[.+\]$/) },
      ...ANSWERED.slice(1),
      { kind: "result", id: "c1", success: false, text: "Error: no such folder" },
      { kind: "user", text: "Go on" },
    ]);
  });

  it("accepts anything", () => {
    const words = [...new Set(JSON.stringify([ANSWERS[name], REQUESTS[name]]).match(/(?<=")[\w.]+(?=")/g) ?? [])];
    const { tree } = fc.letrec((tie) => ({
      tree: fc.oneof(
        { maxDepth: 6 },
        fc.constantFrom(...words),
        fc.anything(),
        fc.array(tie("tree"), { maxLength: 3 }),
        fc.dictionary(fc.constantFrom(...words), tie("tree"), { maxKeys: 4 }),
      ),
    }));
    fc.assert(
      fc.property(fc.array(tree), fc.dictionary(fc.constantFrom(...words), tree), (events, json) => {
        const collector = format.createCollector();
        for (const event of events) collector.readEvent(event);
        collector.readWhole(json);
        expect(Array.isArray(collector.listItems())).toBe(true);
        expect(Array.isArray(format.readRequest(json).items)).toBe(true);
      }),
    );
  });
});

it("calls a result failed when its text says so", () => {
  for (const text of [
    "Error: no",
    "\n[exit code 3]",
    "<exited with exit code 1>",
    '{"metadata":{"exit_code":2}}',
    '{"error":"x"}',
  ])
    expect([text, looksFailed(text)]).toEqual([text, true]);
  for (const text of [
    "done",
    "[exit code 0]",
    "no error",
    '{"output":"error","metadata":{"exit_code":0}}',
    '{"error":null}',
    "errors.ts",
  ])
    expect([text, looksFailed(text)]).toEqual([text, false]);
});

it("has an entry for every format of the gateway", () => {
  const source = readFileSync(new URL("../../models/dialects/dialect.ts", import.meta.url), "utf8");
  const [, list = ""] = /GATEWAY_DIALECT_NAMES = \[([^\]]*)\]/.exec(source) ?? [];
  expect([...list.matchAll(/"(\w+)"/g)].map(([, name]) => name).sort()).toEqual([...NAMES].sort());
});
