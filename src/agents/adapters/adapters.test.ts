import { describe, expect, it } from "vitest";
import { AGENT_NAMES } from "../../budget/rules.js";
import { UsageError } from "../../core/errors.js";
import type { LaunchRequest } from "../adapter.js";
import { ADAPTERS, requireAdapter } from "./index.js";

const REQUEST: LaunchRequest = {
  prompt: "Do it",
  promptFile: "/tmp/prompt.txt",
  model: { name: "the-model", cliName: "own/the-model", dialect: "chat" },
  gateway: { openai: "http://g/openai/v1", anthropic: "http://g/anthropic", google: "http://g/google" },
  key: "meaningless",
  usesOwnHome: false,
  isRoot: false,
  skillsDir: null,
  mcp: null,
};

describe("requireAdapter", () => {
  it.each(AGENT_NAMES)("finds %s", (name) => {
    expect(requireAdapter(name)).toBe(ADAPTERS[name]);
    expect(requireAdapter(name)).toMatchObject({ name, program: name });
  });

  it.each([
    ["cluade", "claude"],
    ["Codex", "codex"],
    ["opncode", "opencode"],
  ])("suggests the closest name for %s", (name, meant) => {
    expect(() => requireAdapter(name)).toThrow(UsageError);
    expect(() => requireAdapter(name)).toThrow(`Did you mean "${meant}"?`);
  });

  it.each(["", "aider", "toString", "__proto__"])("rejects %j and says what to do", (name) => {
    expect(() => requireAdapter(name)).toThrow(/Known: claude, .*--agent-command/);
  });
});

describe.each(AGENT_NAMES)("%s", (name) => {
  const adapter = requireAdapter(name);

  it("has a description", () => {
    expect(adapter.checkedVersion).toMatch(/^\d+\.\d+\.\d+$/);
    expect(adapter.install).toMatch(/^npm install -g /);
    expect(adapter.dialects.length).toBeGreaterThan(0);
    expect(adapter.login).toMatch(/^\.\w/);
  });

  it("uses the gateway with the placeholder key", () => {
    const all = JSON.stringify(adapter.launch(REQUEST));
    expect(all).toContain("http://g/");
    expect(all).toContain("meaningless");
    expect(all).toContain("the-model");
    expect(all).not.toContain("own/the-model");
  });

  it("uses the login and settings of the user's HOME", () => {
    const launch = adapter.launch({ ...REQUEST, usesOwnHome: true });
    expect(JSON.stringify(launch)).not.toContain("meaningless");
    expect(launch.homeFiles).toEqual({});
    expect(launch.args.join(" ")).toContain("own/the-model");
    expect([...launch.args, launch.input].join(" ")).toContain("Do it");
  });

  it("is given no model when none is named, so that it uses its default", () => {
    if (adapter.provider === null) return;
    const { args, env } = adapter.launch({ ...REQUEST, model: null });
    expect([...args, ...Object.values(env)].join(" ")).not.toMatch(/(?:^| )(?:--model|-m)(?: |=|$)|the-model/);
  });

  it("has a new reader for each run", () => {
    const [one, other] = [adapter.reader(), adapter.reader()];
    one.read({ type: "never seen" });
    expect(one.unknown.size).toBe(1);
    expect(other.unknown.size).toBe(0);
    expect(other).toMatchObject({ end: null, response: "", figures: { usage: null, costUsd: null } });
  });
});
