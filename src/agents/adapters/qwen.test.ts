import { describe, expect, it } from "vitest";
import { joinEventTypes, LAUNCH_REQUEST, loadRecording, omitIds, readAllEvents } from "../recorded-testing.js";
import { qwen } from "./qwen.js";

const read = (name: string) => readAllEvents(qwen, loadRecording(`qwen-${name}.jsonl`));

describe("launch", () => {
  it.each([
    ["chat", "openai", { OPENAI_BASE_URL: LAUNCH_REQUEST.gateway.openai, OPENAI_API_KEY: "meaningless" }],
    [
      "anthropic",
      "anthropic",
      { ANTHROPIC_BASE_URL: LAUNCH_REQUEST.gateway.anthropic, ANTHROPIC_API_KEY: "meaningless" },
    ],
    ["gemini", "gemini", { GOOGLE_GEMINI_BASE_URL: LAUNCH_REQUEST.gateway.google, GEMINI_API_KEY: "meaningless" }],
  ] as const)("uses the gateway in the format %s", (dialect, kind, variables) => {
    const { env, homeFiles, args } = qwen.launch({
      ...LAUNCH_REQUEST,
      model: { name: "m", cliName: "x/m", dialect },
    });
    expect(env).toMatchObject(variables);
    expect(args.slice(-2)).toEqual(["-m", "m"]);
    expect(JSON.parse(homeFiles[".qwen/settings.json"] ?? "")).toMatchObject({
      security: { auth: { selectedType: kind } },
      model: { generationConfig: { maxRetries: 0 } },
    });
  });

  it.each([
    ["/done", " /done"],
    ["@file", " @file"],
    ["mcp list", "mcp list"],
  ])("passes the prompt %s over stdin, and never as a command", (prompt, input) => {
    const launch = qwen.launch({ ...LAUNCH_REQUEST, prompt });
    expect(launch.input).toBe(input);
    expect(launch.args).not.toContain(prompt);
  });

  it("names the transport of a server with an address", () => {
    const servers = { docs: { url: "https://example.org/mcp" }, own: { command: "node" } };
    const { homeFiles } = qwen.launch({ ...LAUNCH_REQUEST, mcp: { servers, file: "/tmp/mcp.json" } });
    expect(JSON.parse(homeFiles[".qwen/settings.json"] ?? "").mcpServers).toEqual({
      docs: { httpUrl: "https://example.org/mcp" },
      own: { command: "node" },
    });
  });
});

describe("reader", () => {
  it("reads calls, results and the answer, turn by turn", () => {
    const { bodies, reader } = read("0.15.10-several");
    expect(joinEventTypes(bodies)).toBe(
      "turn_start tool_call turn_end tool_result turn_start assistant_message tool_call turn_end tool_result " +
        "turn_start assistant_message turn_end",
    );
    expect(bodies[1]).toMatchObject({ name: "run_shell_command", arguments: { command: "ls -la; cat missing.txt" } });
    expect(reader).toMatchObject({
      end: { kind: "done" },
      response: "Both are there.",
      version: "0.15.10",
      model: "gpt-5-mini",
    });
    // As counted by the model's endpoint.
    expect(reader.figures).toEqual({
      usage: { input: 28646, output: 54, cacheRead: 0 },
      costUsd: null,
      isPartial: false,
    });
    expect([...reader.unknown]).toEqual([]);
  });

  it("reads the oldest supported version the same", () => {
    const [now, before] = [read("0.15.10-one"), read("0.5.0-one")];
    expect(joinEventTypes(before.bodies)).toBe(joinEventTypes(now.bodies));
    expect(omitIds(before.bodies.slice(-2))).toEqual(omitIds(now.bodies.slice(-2)));
    expect(before.reader).toMatchObject({ end: { kind: "done" }, version: "0.5.0" });
    expect([...before.reader.unknown]).toEqual([]);
  });

  it.each([401, 500])("fails with status %i, though it reports success", (status) => {
    const { bodies, reader } = read(`0.15.10-${status}`);
    expect(reader.end).toMatchObject({ kind: "failed", status });
    expect(reader.response).toBe("");
    expect(bodies.some(({ type }) => type === "error")).toBe(true);
    expect(reader.figures.isPartial).toBe(true);
  });

  it("fails if the answer was interrupted", () => {
    const { reader } = read("0.15.10-cut");
    expect(reader.end).toMatchObject({ kind: "failed", status: null, message: expect.stringContaining("terminated") });
  });

  it("ignores the goal that newer versions report, and counts other events of the stream", () => {
    const goal = { type: "goal_state", goal_state: { v: 2, goal: null, activity: "idle" } };
    const { bodies, reader } = readAllEvents(qwen, [
      { type: "stream_event", parent_tool_use_id: null, event: goal },
      { type: "stream_event", parent_tool_use_id: null, event: { type: "never seen" } },
    ]);
    expect(bodies).toMatchObject([{ type: "custom", name: "stream_event/never seen" }]);
    expect([...reader.unknown]).toEqual([["stream_event/never seen", 1]]);
  });

  it("keeps texts of sub-agents apart, counts unknown events, and is stopped by its own limit", () => {
    const blocks = [{ type: "text", text: "I am a helper." }];
    const { bodies, reader } = readAllEvents(qwen, [
      { type: "assistant", parent_tool_use_id: "c1", message: { content: blocks } },
      { type: "never seen" },
      { type: "result", subtype: "error_max_turns", is_error: true, error: { message: "Too many turns." } },
    ]);
    expect(bodies).toMatchObject([
      { type: "custom", name: "subagent_message", data: { parentCallId: "c1", text: "I am a helper." } },
      { type: "custom", name: "never seen" },
    ]);
    expect(reader.end).toEqual({ kind: "stopped", reason: "truncated", message: "Too many turns." });
    expect([...reader.unknown]).toEqual([["never seen", 1]]);
  });
});
