import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Usage } from "../../core/system.js";
import { type AnswerReader, DIALECT_NAMES, dialects } from "./index.js";

/** Every key that a reader looks at, so that values of the wrong type occur in the right places. */
const NAMES = [
  ...["type", "choices", "delta", "message", "content", "usage", "model", "error", "finish_reason", "index", "refusal"],
  ...["tool_calls", "function", "arguments", "reasoning", "response", "output", "status", "incomplete_details", "text"],
  ...["prompt_tokens", "completion_tokens", "prompt_tokens_details", "cached_tokens", "cost", "input_tokens"],
  ...["output_tokens", "cache_creation", "cache_creation_input_tokens", "content_block", "stop_reason", "thinking"],
  ...["candidates", "parts", "usageMetadata", "promptTokenCount", "candidatesTokenCount", "functionCall", "args"],
  ...["promptFeedback", "blockReason", "finishReason", "thought", "summary", "input", "code", "detail"],
];
const TYPES = [
  "message_start",
  "message_delta",
  "content_block_delta",
  "error",
  "response.completed",
  "text",
  "reasoning",
];

const anything = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 5, depthSize: "medium" },
    fc.constantFrom(null, true, "", "[DONE]", ...TYPES),
    fc.oneof(fc.integer({ min: -5, max: 200 }), fc.double()),
    fc.array(tie("value"), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom(...NAMES), tie("value"), { maxKeys: 6, noNullPrototype: false }),
  ),
})).value;

const CLASSES = ["input", "output", "cacheRead", "cacheWrite", "cacheWrite1h", "reasoning"] as const;

function requireSound(reader: AnswerReader, before: Usage | null): void {
  const { usage } = reader;
  if (before !== null) expect(usage).not.toBeNull();
  for (const name of CLASSES) {
    const count = usage?.[name] ?? 0;
    expect(Number.isSafeInteger(count) && count >= (before?.[name] ?? 0)).toBe(true);
  }
  expect(usage?.reasoning ?? 0).toBeLessThanOrEqual(usage?.output ?? 0);
  expect(usage?.cacheWrite1h ?? 0).toBeLessThanOrEqual(usage?.cacheWrite ?? 0);
  expect(reader.costUsd === null || reader.costUsd >= 0).toBe(true);
}

describe.each(DIALECT_NAMES)("%s", (name) => {
  const dialect = dialects[name];

  it("has its own name", () => expect(dialect.name).toBe(name));

  it("reads any events without throwing, and its usage never decreases", () => {
    fc.assert(
      fc.property(fc.array(anything, { maxLength: 12 }), (events) => {
        const reader = dialect.reader();
        for (const event of events) {
          const before = reader.usage;
          const delta = reader.readEvent(event);
          expect([typeof delta.text, typeof delta.hidden]).toEqual(["string", "string"]);
          requireSound(reader, before);
        }
      }),
    );
  });

  it("reads any whole answer and any error without throwing", () => {
    fc.assert(
      fc.property(anything, (body) => {
        const reader = dialect.reader();
        reader.readWhole(body);
        requireSound(reader, null);
        const error = dialect.errorIn(body);
        expect(error === null || error.message !== "").toBe(true);
      }),
    );
  });

  it.each([undefined, () => {}, Symbol("x")])("counts %s as unknown", (event) => {
    const reader = dialect.reader();
    expect(reader.readEvent(event)).toEqual({ text: "", hidden: "" });
    expect(reader.unknownEvents).toBe(1);
  });

  it("reads values nested too deeply to serialize", () => {
    const deep: unknown = JSON.parse(`${"[".repeat(100_000)}${"]".repeat(100_000)}`);
    const reader = dialect.reader();
    reader.readEvent({ candidates: [{ content: { parts: [{ functionCall: { args: deep } }] } }] });
    reader.readEvent({ type: "content_block_start", content_block: { input: { deep } } });
    reader.readEvent({ type: "error", error: { deep } });
    expect(reader.usage).toBeNull();
  });
});
