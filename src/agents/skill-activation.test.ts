import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { AgentEventBody } from "../core/trajectory.js";
import { addSkillActivations } from "./agent-run.js";

const call = (name: string, given: unknown): Extract<AgentEventBody, { type: "tool_call" }> => ({
  type: "tool_call",
  name,
  callId: "1",
  arguments: given,
});

/** The skills one call activates when tidy and tidy-more are offered. */
function takenUp(name: string, given: unknown): string[] {
  return addSkillActivations([call(name, given)], ["tidy", "tidy-more", "v1.2"]).flatMap((body) =>
    body.type === "skill_activation" ? [body.name] : [],
  );
}

describe("a skill is activated", () => {
  it.each<[string, unknown, string]>([
    ["Skill", { skill: "tidy" }, "tidy"],
    ["Skill", { skill: "/tidy", args: "all" }, "tidy"],
    ["Skill", { skill: "my-plugin:tidy" }, "tidy"],
    ["Skill", { command: "tidy all of it" }, "tidy"],
    ["skill", { name: "tidy-more" }, "tidy-more"],
    ["activate_skill", { name: "tidy" }, "tidy"],
    ["mcp__skills__use_skill", { skill_name: "tidy" }, "tidy"],
    ["useSkill", "tidy", "tidy"],
    ["Skill", { skill: "its-own" }, "its-own"],
  ])("by a tool for skills: %s %j", (name, given, skill) => expect(takenUp(name, given)).toEqual([skill]));

  it.each<[string, unknown, string]>([
    ["Bash", { command: "cat ~/.claude/skills/tidy/SKILL.md" }, "tidy"],
    [
      "command_execution",
      { command: `/bin/bash -lc "sed -n '1,200p' /h/.agents/skills/tidy-more/SKILL.md"` },
      "tidy-more",
    ],
    ["read", { path: "/h/.pi/agent/skills/tidy/SKILL.md" }, "tidy"],
    ["read_many_files", { include: ["a.txt", "tidy/SKILL.md"] }, "tidy"],
    ["Read", { file_path: "C:\\skills\\tidy\\SKILL.md" }, "tidy"],
    ["bash", { command: "cd /h/skills/tidy && cat SKILL.md" }, "tidy"],
    ["bash", { command: 'cd "/h/skills/tidy/"; head -50 ./SKILL.md' }, "tidy"],
    ["read", { path: "/h/v1.2/SKILL.md" }, "v1.2"],
  ])("by reading its file: %s %j", (name, given, skill) => expect(takenUp(name, given)).toEqual([skill]));

  it("with others in one call", () => {
    expect(takenUp("bash", { command: "cat s/tidy/SKILL.md s/tidy-more/SKILL.md" })).toEqual(["tidy", "tidy-more"]);
  });

  it("each time, right after the call and at its time", () => {
    const read = { ...call("read", { path: "tidy/SKILL.md" }), timestamp: 5 };
    const failed: AgentEventBody = { type: "tool_result", callId: "1", success: false, result: "no" };
    expect(addSkillActivations([read, failed, read], ["tidy"])).toEqual([
      read,
      { type: "skill_activation", name: "tidy", timestamp: 5 },
      failed,
      read,
      { type: "skill_activation", name: "tidy", timestamp: 5 },
    ]);
  });
});

describe("a skill is not activated", () => {
  it.each<[string, unknown]>([
    ["bash", { command: "ls skills/tidy" }],
    ["bash", { command: "cat skills/un-tidy/SKILL.md" }],
    ["bash", { command: "cat skills/other/SKILL.md" }],
    ["bash", { command: "cat skills/v1-2/SKILL.md" }],
    ["bash", { command: "cd skills/tidy && cat ../other/SKILL.md" }],
    ["bash", { command: "cat tidy/SKILL.mdx" }],
    ["Write", { file_path: "notes.md", content: "see tidy/SKILL.md" }],
    ["apply_patch", { input: "*** Update File: tidy/SKILL.md" }],
    ["TodoWrite", { todos: [{ content: "read tidy/SKILL.md" }] }],
    ["Skill", {}],
    ["Skill", { skill: 1 }],
    ["skill_search", { query: "tidy" }],
  ])("by %s %j", (name, given) => expect(takenUp(name, given)).toEqual([]));

  it("by anything other than a call", () => {
    const said: AgentEventBody[] = [{ type: "assistant_message", text: "I read tidy/SKILL.md" }];
    expect(addSkillActivations(said, ["tidy"])).toBe(said);
  });

  it("by reading when it is not offered", () => {
    const calls = [call("read", { path: "tidy/SKILL.md" })];
    expect(addSkillActivations(calls, [])).toEqual(calls);
  });
});

it("accepts any arguments, and changes nothing else", () => {
  fc.assert(
    fc.property(fc.string(), fc.jsonValue(), (name, given) => {
      const bodies = addSkillActivations([call(name, given)], ["tidy"]);
      expect(bodies.filter(({ type }) => type !== "skill_activation")).toEqual([call(name, given)]);
    }),
  );
});
