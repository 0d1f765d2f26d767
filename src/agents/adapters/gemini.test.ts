import { describe, expect, it } from "vitest";
import type { LaunchRequest } from "../adapter.js";
import { LAUNCH_REQUEST, loadRecording, loadSharedRecording, omitIds, readAllEvents } from "../recorded-testing.js";
import { gemini } from "./gemini.js";

const LAUNCH: LaunchRequest = {
  ...LAUNCH_REQUEST,
  prompt: "-- do it",
  model: { name: "gemini-x", cliName: "flash", dialect: "gemini" },
};

describe("launch", () => {
  it("uses the gateway, with its own settings", () => {
    const { args, env, homeFiles } = gemini.launch(LAUNCH);
    expect(args[0]).toBe("--prompt=-- do it");
    expect(args.slice(-2)).toEqual(["-m", "gemini-x"]);
    expect(env).toEqual({ GOOGLE_GEMINI_BASE_URL: "http://g/google", GEMINI_API_KEY: "meaningless" });
    const settings = JSON.parse(homeFiles[".gemini/settings.json"] ?? "");
    expect(settings.security.auth.selectedType).toBe("gemini-api-key");
    expect(settings.telemetry.enabled).toBe(false);
  });

  it("does not change the user's HOME", () => {
    const { args, env, homeFiles } = gemini.launch({ ...LAUNCH, usesOwnHome: true });
    expect(args.slice(-2)).toEqual(["-m", "flash"]);
    expect(env).toEqual({ GOOGLE_GEMINI_BASE_URL: "http://g/google" });
    expect(homeFiles).toEqual({});
    expect(gemini.launch({ ...LAUNCH, model: null }).args).not.toContain("-m");
  });

  it("keeps a prompt from being a command", () => {
    expect(gemini.launch({ ...LAUNCH, prompt: "/help me" }).args[0]).toBe("--prompt= /help me");
  });
});

describe("reader", () => {
  it("reads a run with one tool", () => {
    const { reader, bodies } = readAllEvents(gemini, loadRecording("gemini-0.61.0-one.jsonl"));
    expect(bodies.map(({ type }) => type)).toEqual([
      ...["user_message", "tool_call", "tool_result"],
      ...["assistant_message", "assistant_message", "assistant_message"],
    ]);
    expect(reader).toMatchObject({ end: { kind: "done" }, model: "gemini-2.5-flash" });
    expect(reader.response).toBe("Done: hello.txt now contains hello-from-agent.");
    expect(reader.figures.usage).toEqual({ input: 11960, output: 28, cacheRead: 0, reasoning: 0 });
    expect(reader.unknown.size).toBe(0);
  });

  it("reads several tools, each call with its result", () => {
    const { reader, bodies } = readAllEvents(gemini, loadRecording("gemini-0.61.0-several.jsonl"));
    const calls = bodies.flatMap((each) => (each.type === "tool_call" ? [each.callId] : []));
    const results = bodies.flatMap((each) => (each.type === "tool_result" ? [each.callId] : []));
    expect(calls).toHaveLength(3);
    expect(results).toEqual(calls);
    expect(reader.response).toBe("Done: a.txt has two lines.");
  });

  it("reads another version the same way", () => {
    const [now, before] = ["gemini-0.61.0-one.jsonl", "gemini-0.58.0-one.jsonl"].map((name) =>
      omitIds(readAllEvents(gemini, loadRecording(name)).bodies),
    );
    expect(before).toEqual(now);
  });

  it.each([
    ["401", 401],
    ["500", 500],
    ["cut", null],
  ])("fails on %s", (name, status) => {
    const { reader } = readAllEvents(gemini, loadRecording(`gemini-0.61.0-${name}.jsonl`));
    expect(reader.end).toMatchObject({ kind: "failed", status });
    expect(reader.figures.isPartial).toBe(true);
  });

  it("derives thinking from the total, and subtracts the cache from the input", () => {
    const stats = { total_tokens: 178, input_tokens: 120, output_tokens: 8, cached: 20 };
    const { reader } = readAllEvents(gemini, [{ type: "result", status: "success", stats }]);
    expect(reader.figures.usage).toEqual({ input: 100, output: 58, cacheRead: 20, reasoning: 50 });
  });

  it.each([
    ["Maximum session turns exceeded", "success", "truncated"],
    ["Loop detected, stopping execution", "success", "truncated"],
    ["Model response was truncated because it exceeded the token limit.", "error", "truncated"],
    ["The model response was blocked due to safety settings.", "error", "refused"],
  ])("treats %s as a stop", (message, status, reason) => {
    const { reader } = readAllEvents(gemini, [
      { type: "error", message },
      { type: "result", status },
    ]);
    expect(reader.end).toEqual({ kind: "stopped", reason, message });
  });

  it("ignores an error after which it continued", () => {
    const said = { type: "message", role: "assistant", content: "go", delta: true };
    const error = { type: "error", message: "Loop detected, stopping execution" };
    expect(readAllEvents(gemini, [error, said, { type: "result", status: "success" }]).reader.end).toEqual({
      kind: "done",
    });
  });

  it("reads the captured streams", ({ skip }) => {
    const events = loadSharedRecording("gemini.jsonl");
    if (events === null) return skip();
    const { reader } = readAllEvents(gemini, events);
    expect(reader.figures.usage).toEqual({ input: 2075, output: 35, cacheRead: 128, reasoning: 0 });
    expect(readAllEvents(gemini, loadSharedRecording("gemini-401.jsonl") ?? []).reader.end).toMatchObject({
      kind: "failed",
      status: 401,
    });
  });
});
