import { describe, expect, it } from "vitest";
import { GATEWAY_DIALECT_NAMES } from "../../models/dialects/dialect.js";
import type { LaunchRequest } from "../adapter.js";
import { LAUNCH_REQUEST, loadRecording, loadSharedRecording, omitIds, readAllEvents } from "../recorded-testing.js";
import { opencode } from "./opencode.js";

const LAUNCH: LaunchRequest = { ...LAUNCH_REQUEST, prompt: '-x say  "a b"\nnow' };

const step = (reason: string) => ({ type: "step_finish", part: { reason } });

describe("launch", () => {
  it("passes the prompt unchanged over stdin", () => {
    const { args, input } = opencode.launch({ ...LAUNCH, prompt: '-2 "and" 1e3\n' });
    expect(input).toBe('-2 "and" 1e3\n');
    expect(args.join(" ")).not.toContain("1e3");
    expect(args).toContain("assay/m");
  });

  it.each([
    ["chat", "@ai-sdk/openai-compatible", "http://g/openai/v1"],
    ["responses", "@ai-sdk/openai", "http://g/openai/v1"],
    ["anthropic", "@ai-sdk/anthropic", "http://g/anthropic/v1"],
    ["gemini", "@ai-sdk/google", "http://g/google/v1beta"],
  ] as const)("supports %s", (dialect, npm, baseURL) => {
    const { homeFiles } = opencode.launch({ ...LAUNCH, model: { name: "m", cliName: "m", dialect } });
    const config = JSON.parse(homeFiles[".config/opencode/opencode.json"] ?? "");
    expect(config.provider.assay).toMatchObject({ npm, options: { baseURL, apiKey: "meaningless" } });
    expect(config).toMatchObject({ model: "assay/m", small_model: "assay/m", share: "disabled" });
  });

  it("supports every dialect, and requires a model", () => {
    expect([...opencode.dialects].sort()).toEqual([...GATEWAY_DIALECT_NAMES].sort());
    expect(() => opencode.launch({ ...LAUNCH, model: null })).toThrow("opencode:MODEL");
  });

  it("does not change the user's HOME", () => {
    const { args, env, homeFiles } = opencode.launch({ ...LAUNCH, usesOwnHome: true });
    expect(args).toContain("openai/m");
    expect(homeFiles).toEqual({});
    expect(JSON.stringify(env)).not.toContain("meaningless");
  });
});

describe("reader", () => {
  it("reads a run with one tool, with the tool's own times", () => {
    const { reader, bodies } = readAllEvents(opencode, loadRecording("opencode-1.18.33-one.jsonl"));
    expect(bodies.map(({ type }) => type)).toEqual([
      ...["turn_start", "tool_call", "tool_result", "turn_end"],
      ...["turn_start", "assistant_message", "turn_end"],
    ]);
    expect(bodies[1]).toHaveProperty("timestamp");
    expect(reader).toMatchObject({ end: { kind: "done" }, response: "Done: hello.txt now contains hello-from-agent." });
    expect(reader.figures).toMatchObject({ usage: { input: 4802, output: 28 }, costUsd: null, isPartial: false });
    expect(reader.unknown.size).toBe(0);
  });

  it("reads several tools", () => {
    const { reader, bodies } = readAllEvents(opencode, loadRecording("opencode-1.18.33-several.jsonl"));
    expect(bodies.filter(({ type }) => type === "tool_result")).toHaveLength(3);
    expect(reader.figures.usage).toMatchObject({ input: 9634, output: 35 });
  });

  it("reads another version the same way", () => {
    const [now, before] = ["opencode-1.18.33-one.jsonl", "opencode-1.18.21-one.jsonl"].map((name) =>
      omitIds(readAllEvents(opencode, loadRecording(name)).bodies),
    );
    expect(before).toEqual(now);
  });

  it.each([401, 500])("fails with status %i of the endpoint", (status) => {
    const { reader } = readAllEvents(opencode, loadRecording(`opencode-1.18.33-${status}.jsonl`));
    expect(reader.end).toMatchObject({ kind: "failed", status });
    expect(reader.figures.isPartial).toBe(true);
  });

  it("has no end when it was stopped during a retry", () => {
    expect(readAllEvents(opencode, loadRecording("opencode-1.18.33-cut.jsonl")).reader.end).toBeNull();
  });

  it.each([
    ["stop", { kind: "done" }],
    ["length", { kind: "stopped", reason: "truncated" }],
    ["content-filter", { kind: "stopped", reason: "refused" }],
    ["error", { kind: "failed" }],
    ["tool-calls", null],
    ["unknown", null],
  ])("classifies the reason %s", (reason, end) => {
    const { reader } = readAllEvents(opencode, [step(reason)]);
    if (end === null) expect(reader.end).toBeNull();
    else expect(reader.end).toMatchObject(end);
  });

  it("continues when another step begins", () => {
    expect(readAllEvents(opencode, [step("stop"), { type: "step_start" }]).reader.end).toBeNull();
  });

  it("counts reasoning as output, adds up the cost, and marks missing usage as partial", () => {
    const tokens = { input: 10, output: 5, reasoning: 7, cache: { read: 3, write: 2 } };
    const events = [
      { type: "step_finish", part: { reason: "tool-calls", tokens, cost: 0.25 } },
      { type: "tool_use", part: { tool: "task", callID: "c", state: { status: "error", error: "no" } } },
      { type: "step_finish", part: { reason: "stop", tokens, cost: 0.5 } },
    ];
    const { reader, bodies } = readAllEvents(opencode, events);
    const usage = { input: 20, output: 24, cacheRead: 6, cacheWrite: 4, reasoning: 14 };
    expect(reader.figures).toEqual({ usage, costUsd: 0.75, isPartial: true });
    expect(bodies[2]).toEqual({ type: "tool_result", callId: "c", success: false, result: "no" });
  });

  it("reads the captured streams", ({ skip }) => {
    const events = loadSharedRecording("opencode.jsonl");
    if (events === null) return skip();
    const { reader } = readAllEvents(opencode, events);
    expect(reader.figures.usage).toMatchObject({ input: 1549, output: 41, cacheRead: 256 });
    expect(readAllEvents(opencode, loadSharedRecording("opencode-401.jsonl") ?? []).reader.end).toMatchObject({
      status: 401,
    });
  });
});
