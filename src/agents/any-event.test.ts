import fc from "fast-check";
import { expect, it } from "vitest";
import { gemini } from "./adapters/gemini.js";
import { opencode } from "./adapters/opencode.js";
import { pi } from "./adapters/pi.js";

const TYPES = [
  ...["init", "message", "tool_use", "tool_result", "error", "result", "thought"],
  ...["step_start", "step_finish", "text", "reasoning"],
  ...["message_end", "tool_execution_start", "tool_execution_end", "agent_end", "turn_end", "compaction_end"],
];
const FIELDS = ["part", "message", "content", "usage", "stats", "state", "error", "tokens", "role", "cost", "models"];

const anything = fc.anything();
const event = fc.oneof(
  anything,
  fc
    .tuple(fc.constantFrom(...TYPES), fc.dictionary(fc.constantFrom(...FIELDS), anything))
    .map(([type, fields]) => ({ ...fields, type })),
);

it.each([gemini, opencode, pi])("the reader of $name accepts anything", (adapter) => {
  fc.assert(
    fc.property(fc.array(event), (events) => {
      const reader = adapter.reader();
      for (const each of events) expect(Array.isArray(reader.read(each))).toBe(true);
      for (const count of Object.values(reader.figures.usage ?? {})) expect(count).toBeGreaterThanOrEqual(0);
    }),
  );
});
