import { Command } from "commander";
import { describe, expect, it } from "vitest";
import { type AgentFlags, addAgentFlags, toAgentConfigs } from "./shared-flags.js";

function meaning(...args: string[]) {
  const command = addAgentFlags(new Command()).parse(args, { from: "user" });
  return toAgentConfigs(command.opts<AgentFlags>());
}

describe("agent flags", () => {
  it("keep the order in which agents are written", () => {
    const line = ["--agent-command", "one {prompt}", "--agent", "pi:small", "--agent-command", "two {prompt}"];
    expect(meaning(...line)).toEqual({
      agents: [{ command: "one {prompt}" }, { agent: "pi:small" }, { command: "two {prompt}" }],
    });
    expect(meaning()).toEqual({});
  });

  it("give each agent its name, and commands their model", () => {
    const line = ["--agent-command", "one {prompt}", "--agent", "pi:small", "--agent-model", "m"];
    expect(meaning("--agent-name", "a", ...line, "--agent-name", "b").agents).toEqual([
      { command: "one {prompt}", model: "m", name: "a" },
      { agent: "pi:small", name: "b" },
    ]);
  });

  it("turn the canary on or off, or leave it to the number of trials", () => {
    const canary = (...args: string[]) => addAgentFlags(new Command()).parse(args, { from: "user" }).opts().canary;
    expect([canary(), canary("--canary"), canary("--no-canary")]).toEqual([undefined, true, false]);
  });

  it.each([
    [
      ["--agent", "pi", "--agent", "codex", "--agent-name", "a"],
      "The command line has 2 agents but 1 --agent-name flags",
    ],
    [["--agent-name", "a"], "The command line has 0 agents but 1 --agent-name flags"],
    [["--agent", "pi", "--agent-name", ""], "--agent-name is empty"],
  ])("reject names that do not fit: %j", (line, says) => {
    expect(() => meaning(...line)).toThrow(says);
  });
});
