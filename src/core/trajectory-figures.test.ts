import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type AgentHappening, firstAttemptAt, type TrajectoryEvent, toolCallsOf, turnsOf } from "./trajectory.js";

/** Events a second apart. */
function events(...happenings: AgentHappening[]): TrajectoryEvent[] {
  return happenings.map((happening, i) => ({ ...happening, timestamp: 1000 * (i + 1) }));
}

const says = (text: string): AgentHappening => ({ type: "assistant_message", text });
const calls = (name: string, given: unknown = {}): AgentHappening => ({
  type: "tool_call",
  name,
  callId: "1",
  arguments: given,
});
const RESULT: AgentHappening = { type: "tool_result", callId: "1", success: true, result: "" };
const ASKED: AgentHappening = { type: "user_message", text: "Go" };
const TURN: AgentHappening = { type: "turn_start" };

describe("turnsOf", () => {
  it("counts the turns that were told", () => {
    expect(turnsOf(events(ASKED, TURN, says("a"), calls("Bash"), RESULT, TURN, says("b")))).toBe(2);
  });

  it("is unknown when the agent did nothing, whatever else is there", () => {
    expect(turnsOf([])).toBeNull();
    expect(turnsOf(events(ASKED, TURN, { type: "error", message: "401" }, { type: "turn_end" }))).toBeNull();
  });

  it("counts stretches until results come back where no turns are told", () => {
    const usage: AgentHappening = {
      type: "token_usage",
      model: null,
      usage: { input: 1, output: 1 },
      costUsd: 0,
      durationMs: 1,
    };
    expect(turnsOf(events(ASKED, says("a"), usage, calls("Bash"), calls("Read"), RESULT, RESULT, says("b")))).toBe(2);
  });

  it("never counts more turns than there are events of the agent, where none are told", () => {
    const happening = fc.constantFrom(says("a"), calls("Bash"), RESULT, ASKED, { type: "turn_end" } as const);
    fc.assert(
      fc.property(fc.array(happening), (list) => {
        const own = list.filter(({ type }) => type === "assistant_message" || type === "tool_call").length;
        const turns = turnsOf(events(...list));
        expect(turns === null ? own === 0 : turns >= 1 && turns <= own).toBe(true);
      }),
    );
  });
});

describe("toolCallsOf", () => {
  it("counts calls, not what came back", () => {
    expect(toolCallsOf(events(calls("Bash"), RESULT, calls("Read"), says("done")))).toBe(2);
    expect(toolCallsOf([])).toBe(0);
  });
});

describe("firstAttemptAt", () => {
  it("is the first call that writes, before which anything may have been said and read", () => {
    expect(firstAttemptAt(events(says("I will."), calls("Read"), RESULT, calls("Write"), calls("Edit")))).toBe(4000);
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
  ])("takes %s for writing", (name) => {
    expect(firstAttemptAt(events(says("first"), calls(name)))).toBe(2000);
  });

  it.each([["Bash"], ["Read"], ["rewrite_history_of"], ["TodoWrite"], ["grep"]])(
    "does not take %s for writing",
    (name) => {
      expect(firstAttemptAt(events(calls(name), says("later")))).toBe(2000);
    },
  );

  it("knows an editor that only looks", () => {
    const looks = calls("str_replace_editor", { command: "view", path: "a" });
    const creates = calls("str_replace_editor", { command: "create", path: "a" });
    expect(firstAttemptAt(events(looks, says("hm"), creates))).toBe(3000);
  });

  it("is the first text where nothing is written, and unknown where nothing is said", () => {
    expect(firstAttemptAt(events(calls("Bash"), says(" \n"), says("42")))).toBe(3000);
    expect(firstAttemptAt(events(ASKED, calls("Bash")))).toBeNull();
  });

  it("takes events of any shape", () => {
    const odd: TrajectoryEvent[] = [
      { type: "tool_call", timestamp: 1, name: 7, arguments: null },
      { type: "assistant_message", timestamp: 2 },
      { type: "tool_call", timestamp: 3, name: "edit", arguments: "text" },
    ];
    expect(firstAttemptAt(odd)).toBe(3);
    expect(turnsOf(odd)).toBe(1);
  });
});
