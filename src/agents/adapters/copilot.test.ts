import { describe, expect, it } from "vitest";
import { joinEventTypes, LAUNCH_REQUEST, loadRecording, omitIds, readAllEvents } from "../recorded-testing.js";
import { copilot } from "./copilot.js";

const read = (name: string) => readAllEvents(copilot, loadRecording(`copilot-${name}.jsonl`));

describe("launch", () => {
  it.each([
    [
      "chat",
      { COPILOT_PROVIDER_TYPE: "openai", COPILOT_PROVIDER_WIRE_API: "completions" },
      LAUNCH_REQUEST.gateway.openai,
    ],
    [
      "responses",
      { COPILOT_PROVIDER_TYPE: "openai", COPILOT_PROVIDER_WIRE_API: "responses" },
      LAUNCH_REQUEST.gateway.openai,
    ],
    ["anthropic", { COPILOT_PROVIDER_TYPE: "anthropic" }, LAUNCH_REQUEST.gateway.anthropic],
  ] as const)("uses the gateway as its own provider in the format %s", (dialect, kind, url) => {
    const { env } = copilot.launch({ ...LAUNCH_REQUEST, model: { name: "m", cliName: "x/m", dialect } });
    expect(env).toMatchObject({
      ...kind,
      COPILOT_OFFLINE: "true",
      COPILOT_MODEL: "m",
      COPILOT_PROVIDER_BASE_URL: url,
      COPILOT_PROVIDER_API_KEY: "meaningless",
    });
  });

  it("keeps a prompt from being an option", () => {
    expect(copilot.launch({ ...LAUNCH_REQUEST, prompt: "--help" }).args[0]).toBe("--prompt=--help");
  });

  it("is told an effort and its servers", () => {
    const mcp = { servers: {}, file: "/tmp/mcp.json" };
    const { args } = copilot.launch({ ...LAUNCH_REQUEST, effort: "high", mcp });
    expect(args).toEqual(expect.arrayContaining(["--reasoning-effort=high", "--additional-mcp-config=@/tmp/mcp.json"]));
  });
});

describe("reader", () => {
  it("reads calls, results and the answer, turn by turn", () => {
    const { bodies, reader } = read("1.0.102-several");
    expect(joinEventTypes(bodies)).toBe(
      "user_message turn_start tool_call tool_result turn_end turn_start assistant_message tool_call tool_result turn_end " +
        "turn_start assistant_message turn_end",
    );
    expect(bodies[2]).toMatchObject({ name: "bash", arguments: { command: "ls -la; cat missing.txt" } });
    // The command ended with 1.
    expect(bodies[3]).toMatchObject({ success: false, result: expect.stringContaining("No such file") });
    expect(bodies[8]).toMatchObject({ success: true });
    expect(reader).toMatchObject({ end: { kind: "done" }, response: "Both are there.", model: "gpt-5-mini" });
    expect(reader.figures).toEqual({ usage: null, costUsd: null, isPartial: false });
    expect([...reader.unknown]).toEqual([]);
  });

  it("reads the oldest supported version the same", () => {
    const [now, before] = [read("1.0.102-one"), read("1.0.11-one")];
    // The program words the exit code otherwise.
    const comparable = (bodies: typeof now.bodies) =>
      JSON.parse(
        JSON.stringify(omitIds(bodies)).replace(/<(?:shellId: 0 completed|exited) with/g, "<ended with"),
      ) as unknown;
    expect(comparable(before.bodies)).toEqual(comparable(now.bodies));
    expect(before.reader.end).toEqual({ kind: "done" });
    expect([...before.reader.unknown]).toEqual([]);
  });

  it.each([
    [401, 3],
    [500, 6],
  ])("fails with status %i after its own retries", (status, calls) => {
    const { bodies, reader } = read(`1.0.102-${status}`);
    expect(reader.end).toMatchObject({ kind: "failed", status });
    expect(reader.response).toBe("");
    expect(bodies.filter((body) => body.type === "error" && body.message.includes(`(status ${status})`))).toHaveLength(
      calls,
    );
  });

  it("continues after an interrupted answer", () => {
    const { reader } = read("1.0.102-cut");
    expect(reader).toMatchObject({
      end: { kind: "done" },
      response: "Done: the file hello.txt is there now and holds what was asked for.",
    });
  });

  it("ends well if a later answer arrives after an error, and fails with the exit code otherwise", () => {
    const error = { type: "session.error", data: { message: "500 It broke.", statusCode: 500 } };
    const answer = { type: "assistant.message", data: { content: "Done.", toolRequests: [] } };
    const end = (...events: unknown[]) => readAllEvents(copilot, events).reader.end;
    expect(end(error, answer, { type: "result", exitCode: 0 })).toEqual({ kind: "done" });
    expect(end(error, { type: "result", exitCode: 0 })).toMatchObject({ kind: "failed", status: 500 });
    expect(end({ type: "result", exitCode: 3 })).toMatchObject({
      kind: "failed",
      message: "It ended with exit code 3.",
    });
  });

  it("keeps texts of sub-agents apart, and counts unknown events", () => {
    const data = { content: "I am a helper.", parentToolCallId: "c1" };
    const { bodies, reader } = readAllEvents(copilot, [
      { type: "assistant.turn_start", data: { parentToolCallId: "c1" } },
      { type: "assistant.message", data },
      { type: "never.seen", data: {} },
    ]);
    expect(reader.response).toBe("");
    expect(bodies).toMatchObject([
      { type: "custom", name: "subagent_message", data: { parentCallId: "c1", text: "I am a helper." } },
      { type: "custom", name: "never.seen" },
    ]);
    expect([...reader.unknown]).toEqual([["never.seen", 1]]);
  });
});
