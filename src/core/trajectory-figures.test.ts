import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  type AgentEventBody,
  countToolCalls,
  countTurns,
  findFirstAttemptTime,
  type TrajectoryEvent,
} from "./trajectory.js";

function events(...happenings: AgentEventBody[]): TrajectoryEvent[] {
  return happenings.map((happening, i) => ({ ...happening, timestamp: 1000 * (i + 1) }));
}

const says = (text: string): AgentEventBody => ({ type: "assistant_message", text });
const calls = (name: string, given: unknown = {}): AgentEventBody => ({
  type: "tool_call",
  name,
  callId: "1",
  arguments: given,
});
const RESULT: AgentEventBody = { type: "tool_result", callId: "1", success: true, result: "" };
const ASKED: AgentEventBody = { type: "user_message", text: "Go" };
const TURN: AgentEventBody = { type: "turn_start" };

describe("countTurns", () => {
  it("counts turn_start events", () => {
    expect(countTurns(events(ASKED, TURN, says("a"), calls("Bash"), RESULT, TURN, says("b")))).toBe(2);
  });

  it("returns null without events of the agent", () => {
    expect(countTurns([])).toBeNull();
    expect(countTurns(events(ASKED, TURN, { type: "error", message: "401" }, { type: "turn_end" }))).toBeNull();
  });

  it("infers turns from tool results if there are no turn_start events", () => {
    const usage: AgentEventBody = {
      type: "token_usage",
      model: null,
      usage: { input: 1, output: 1 },
      costUsd: 0,
      durationMs: 1,
    };
    expect(countTurns(events(ASKED, says("a"), usage, calls("Bash"), calls("Read"), RESULT, RESULT, says("b")))).toBe(
      2,
    );
  });

  it("never infers more turns than the agent has events", () => {
    const happening = fc.constantFrom(says("a"), calls("Bash"), RESULT, ASKED, { type: "turn_end" } as const);
    fc.assert(
      fc.property(fc.array(happening), (list) => {
        const own = list.filter(({ type }) => type === "assistant_message" || type === "tool_call").length;
        const turns = countTurns(events(...list));
        expect(turns === null ? own === 0 : turns >= 1 && turns <= own).toBe(true);
      }),
    );
  });
});

describe("countToolCalls", () => {
  it("counts calls, not results", () => {
    expect(countToolCalls(events(calls("Bash"), RESULT, calls("Read"), says("done")))).toBe(2);
    expect(countToolCalls([])).toBe(0);
  });
});

describe("findFirstAttemptTime", () => {
  it("returns the first writing call, even after messages and reads", () => {
    expect(findFirstAttemptTime(events(says("I will."), calls("Read"), RESULT, calls("Write"), calls("Edit")))).toBe(
      4000,
    );
  });

  it.each([
    ["write"],
    ["Edit"],
    ["MultiEdit"],
    ["multi_edit"],
    ["NotebookEdit"],
    ["apply_patch"],
    ["file_change"],
    ["write_file"],
    ["replace"],
    ["CREATE"],
    ["str_replace"],
    ["str_replace_editor"],
    ["mcp__files__write_file"],
    ["files.edit"],
  ])("treats %s as writing", (name) => {
    expect(findFirstAttemptTime(events(says("first"), calls(name)))).toBe(2000);
  });

  it.each([["Bash"], ["Read"], ["rewrite_history_of"], ["TodoWrite"], ["grep"]])(
    "does not treat %s as writing",
    (name) => {
      expect(findFirstAttemptTime(events(calls(name), says("later")))).toBe(2000);
    },
  );

  it("recognizes an editor that only reads", () => {
    const looks = calls("str_replace_editor", { command: "view", path: "a" });
    const creates = calls("str_replace_editor", { command: "create", path: "a" });
    expect(findFirstAttemptTime(events(looks, says("hm"), creates))).toBe(3000);
  });

  it("falls back to the first message, else null", () => {
    expect(findFirstAttemptTime(events(calls("Bash"), says(" \n"), says("42")))).toBe(3000);
    expect(findFirstAttemptTime(events(ASKED, calls("Bash")))).toBeNull();
  });

  it("accepts events of any shape", () => {
    const odd: TrajectoryEvent[] = [
      { type: "tool_call", timestamp: 1, name: 7, arguments: null },
      { type: "assistant_message", timestamp: 2 },
      { type: "tool_call", timestamp: 3, name: "edit", arguments: "text" },
    ];
    expect(findFirstAttemptTime(odd)).toBe(3);
    expect(countTurns(odd)).toBe(1);
  });
});
