import { describe, expect, it } from "vitest";
import { AGENT_NAMES, COMMAND_AGENT_NAMES } from "../../budget/rules.js";
import { UsageError } from "../../core/errors.js";
import type { GatewayDialectName } from "../../models/index.js";
import type { LaunchRequest } from "../adapter.js";
import { isOlderVersion } from "../version.js";
import { ADAPTERS, COMMAND_AGENTS, requireAdapter } from "./index.js";

const REQUEST: LaunchRequest = {
  prompt: "Do it",
  promptFile: "/tmp/prompt.txt",
  model: { name: "the-model", cliName: "own/the-model", dialect: "chat" },
  gateway: { openai: "http://g/openai/v1", anthropic: "http://g/anthropic", google: "http://g/google" },
  key: "meaningless",
  version: null,
  usesOwnHome: false,
  isRoot: false,
  skillsDir: null,
  mcp: null,
  session: null,
  effort: null,
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

  it.each(["", "cody", "toString", "__proto__"])("rejects %j and says what to do", (name) => {
    expect(() => requireAdapter(name)).toThrow(/Known: agy, .*--agent-command/);
  });
});

describe.each(AGENT_NAMES)("%s", (name) => {
  const adapter = requireAdapter(name);

  it("has a description", () => {
    expect(adapter.checkedVersion).toMatch(/^\d+\.\d+\.\d+$/);
    expect(adapter.minVersion).toMatch(/^\d+\.\d+\.\d+$/);
    expect(isOlderVersion(adapter.checkedVersion, adapter.minVersion ?? "")).toBe(false);
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

  it("keeps a session only if there are further messages, and continues it then", () => {
    expect(adapter.canContinue).toBe(true);
    const session = { id: "0b7cbb9c-0000-4000-8000-000000000000", givenId: "given-id", isContinued: false };
    const [single, first, next, unnamed] = [
      null,
      session,
      { ...session, isContinued: true },
      { ...session, givenId: null, isContinued: true },
    ].map((each) => adapter.launch({ ...REQUEST, session: each }).args.join(" "));
    const resumes = /(?:--resume|--continue|--session=| resume |--last)/;
    expect(next).toMatch(resumes);
    expect(unnamed).toMatch(resumes);
    expect(unnamed).not.toContain("given-id");
    for (const args of [single, first]) expect(args).not.toMatch(resumes);
    expect(first).not.toMatch(/--no-session|--ephemeral/);
  });

  it("has a new reader for each run", () => {
    const [one, other] = [adapter.reader(), adapter.reader()];
    one.read({ type: "never seen" });
    expect(one.unknown.size).toBe(1);
    expect(other.unknown.size).toBe(0);
    expect(other).toMatchObject({ end: null, response: "", figures: { usage: null, costUsd: null } });
  });
});

describe.each(COMMAND_AGENT_NAMES)("%s, a command", (name) => {
  const adapter = requireAdapter(name);

  it("is an agent by name, and says how to install it and whether it was tried", () => {
    expect(adapter).toBe(COMMAND_AGENTS[name]);
    expect(adapter).toMatchObject({ name, program: name, printsText: true });
    expect(adapter.install).not.toBe("");
    expect(adapter.isUntested === true).toBe(adapter.minVersion === undefined);
  });

  it("is given the task, and the gateway instead of the provider", () => {
    const { args, env, homeFiles } = adapter.launch({ ...REQUEST, prompt: "Do it" });
    expect(args.some((arg) => arg === "Do it" || arg === REQUEST.promptFile)).toBe(true);
    const all = JSON.stringify([args, env, homeFiles]);
    expect(all).toContain("http://g/");
    expect(all).not.toMatch(/\{(?:prompt|model|key|openai_url)/);
    for (const [path, content] of Object.entries(homeFiles))
      if (path.endsWith(".json")) expect(content).toBe(`${JSON.stringify(JSON.parse(content), null, 2)}\n`);
  });
});

describe("an effort", () => {
  const launch = (
    name: (typeof AGENT_NAMES)[number],
    effort: LaunchRequest["effort"],
    dialect: GatewayDialectName = "chat",
  ) =>
    requireAdapter(name).launch({
      ...REQUEST,
      effort,
      model: { name: "the-model", cliName: "own/the-model", dialect },
    });

  it("is told to claude with its flag, or as a number of thinking tokens", () => {
    expect(launch("claude", "low").args.join(" ")).toContain("--effort low --");
    expect(launch("claude", "low").env).not.toHaveProperty("MAX_THINKING_TOKENS");
    expect(launch("claude", 2048).env).toMatchObject({ MAX_THINKING_TOKENS: "2048" });
    expect(launch("claude", "none").env).toMatchObject({ MAX_THINKING_TOKENS: "0" });
    expect(launch("claude", "none").args).not.toContain("--effort");
  });

  it("is told to codex as a setting", () => {
    expect(launch("codex", "low").args.join(" ")).toContain('-c model_reasoning_effort="low"');
  });

  it("is told to gemini in its settings", () => {
    const read = (effort: LaunchRequest["effort"]) =>
      JSON.parse(launch("gemini", effort, "gemini").homeFiles[".gemini/settings.json"] ?? "{}").modelConfigs;
    const override = (thinkingConfig: object) => ({
      customOverrides: [{ match: { model: "the-model" }, modelConfig: { generateContentConfig: { thinkingConfig } } }],
    });
    expect(read("low")).toEqual(override({ thinkingLevel: "LOW" }));
    expect(read(512)).toEqual(override({ thinkingBudget: 512 }));
    expect(read("none")).toEqual(override({ thinkingBudget: 0 }));
    expect(read(null)).toBeUndefined();
  });

  it.each([
    ["chat", "low", { reasoningEffort: "low" }],
    ["responses", "max", { reasoningEffort: "max" }],
    ["anthropic", "high", { effort: "high" }],
    ["anthropic", 2048, { thinking: { type: "enabled", budgetTokens: 2048 } }],
    ["anthropic", "none", { thinking: { type: "disabled" } }],
    ["gemini", "low", { thinkingConfig: { thinkingLevel: "low" } }],
    ["gemini", 512, { thinkingConfig: { thinkingBudget: 512 } }],
  ] as const)("is told to opencode in its settings: %s, %s", (dialect, effort, options) => {
    const settings = launch("opencode", effort, dialect).homeFiles[".config/opencode/opencode.json"] ?? "{}";
    const [provider] = Object.values<{ models: Record<string, { options: object }> }>(JSON.parse(settings).provider);
    expect(provider?.models["the-model"]?.options).toEqual(options);
  });

  it("is told to pi with its flag", () => {
    expect(launch("pi", "high").args.join(" ")).toContain("--thinking high");
    expect(launch("pi", "none").args.join(" ")).toContain("--thinking off");
  });
});
