import { Command } from "commander";
import { describe, expect, it } from "vitest";
import { type AgentFlags, addAgentFlags, describeAgents } from "./agent-flags.js";

/** What a command line means. */
function meaning(...args: string[]) {
  const command = addAgentFlags(new Command()).parse(args, { from: "user" });
  return describeAgents(command.opts<AgentFlags>());
}

describe("the flags of agents", () => {
  it("keep the order in which agents are written", () => {
    const line = ["--agent-command", "one {prompt}", "--agent", "pi:small", "--agent-command", "two {prompt}"];
    expect(meaning(...line)).toEqual({
      agents: [{ command: "one {prompt}" }, { agent: "pi:small" }, { command: "two {prompt}" }],
    });
    expect(meaning()).toEqual({});
  });

  it("give each its name, and commands their model", () => {
    const line = ["--agent-command", "one {prompt}", "--agent", "pi:small", "--agent-model", "m"];
    expect(meaning("--agent-name", "a", ...line, "--agent-name", "b").agents).toEqual([
      { command: "one {prompt}", model: "m", name: "a" },
      { agent: "pi:small", name: "b" },
    ]);
  });

  it.each([
    [["--agent", "pi", "--agent", "codex", "--agent-name", "a"], "There are 2 agents on the command line but 1 times"],
    [["--agent-name", "a"], "There are 0 agents on the command line but 1 times --agent-name"],
    [["--agent", "pi", "--agent-name", ""], "--agent-name is empty"],
  ])("refuse names that do not fit: %j", (line, says) => {
    expect(() => meaning(...line)).toThrow(says);
  });
});
