import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { AgentEventBody } from "../../core/trajectory.js";
import type { LaunchRequest } from "../adapter.js";
import { addSkillActivations } from "../agent-run.js";
import {
  joinEventTypes,
  LAUNCH_REQUEST,
  loadRecording,
  loadSharedRecording,
  mergeTextEvents,
  readAllEvents,
} from "../recorded-testing.js";
import { claude } from "./claude.js";

const LAUNCH: LaunchRequest = {
  ...LAUNCH_REQUEST,
  model: { name: "claude-sonnet-4-5", cliName: "sonnet", dialect: "anthropic" },
  isRoot: false,
};

const read = (name: string) => readAllEvents(claude, loadRecording(`${name}.jsonl`));

/** Without what differs between runs: call ids, and the version in the first event. */
function comparable(bodies: readonly AgentEventBody[]): AgentEventBody[] {
  const calls = new Map<string, string>();
  const nameOf = (id: string) => calls.get(id) ?? calls.set(id, `call ${calls.size}`).get(id) ?? "";
  return mergeTextEvents(bodies)
    .filter(({ type }) => type !== "system")
    .map((one) => ("callId" in one ? { ...one, callId: nameOf(one.callId) } : one));
}

describe("launch", () => {
  it("uses the gateway with a placeholder key, and one model for everything", () => {
    const { args, env, homeFiles } = claude.launch(LAUNCH);
    expect(args.slice(-4)).toEqual(["--model", "claude-sonnet-4-5", "--", "Create hello.txt"]);
    expect(args).toEqual(expect.arrayContaining(["-p", "--verbose", "--include-partial-messages"]));
    expect(env).toMatchObject({ ANTHROPIC_BASE_URL: LAUNCH.gateway.anthropic, ANTHROPIC_API_KEY: "meaningless" });
    const models = Object.entries(env).filter(([name]) => name.endsWith("_MODEL"));
    expect(models.length).toBeGreaterThan(4);
    expect(new Set(models.map(([, model]) => model))).toEqual(new Set(["claude-sonnet-4-5"]));
    expect(homeFiles).toEqual({});
  });

  it("sets IS_SANDBOX only for root, who would be refused otherwise", () => {
    expect(claude.launch(LAUNCH).env).not.toHaveProperty("IS_SANDBOX");
    expect(claude.launch({ ...LAUNCH, isRoot: true }).env).toHaveProperty("IS_SANDBOX", "1");
  });

  it("keeps the user's login and models, and is metered anyway", () => {
    const { args, env } = claude.launch({ ...LAUNCH, usesOwnHome: true });
    expect(args).toEqual(expect.arrayContaining(["--model", "sonnet"]));
    expect(env).toHaveProperty("ANTHROPIC_BASE_URL", LAUNCH.gateway.anthropic);
    expect(Object.keys(env).filter((name) => /KEY|TOKEN|_MODEL/.test(name))).toEqual([]);
  });

  it("names no model when the program's default is wanted", () => {
    const { args, env } = claude.launch({ ...LAUNCH, model: null });
    expect(args).not.toContain("--model");
    expect(Object.keys(env).filter((name) => name.endsWith("_MODEL"))).toEqual([]);
  });

  it("keeps a prompt from being an option or a subcommand", () => {
    expect(claude.launch({ ...LAUNCH, prompt: "--help me" }).args.slice(-2)).toEqual(["--", "--help me"]);
    expect(claude.launch({ ...LAUNCH, prompt: "doctor" }).args.slice(-2)).toEqual(["--", "doctor"]);
  });
});

describe("reader", () => {
  it("reads one call, its result and the answer as two turns", () => {
    const { bodies, reader } = read("claude-2.1.325-one-tool");
    expect(joinEventTypes(mergeTextEvents(bodies))).toBe(
      "system turn_start tool_call turn_end tool_result turn_start assistant_message turn_end",
    );
    expect(bodies).toContainEqual({
      type: "tool_call",
      name: "Bash",
      callId: "toolu_mock0",
      arguments: { command: "echo hello-from-agent > hello.txt && cat hello.txt" },
    });
    expect(reader).toMatchObject({
      end: { kind: "done" },
      version: "2.1.325",
      model: "claude-sonnet-4-5",
      response: "Done: hello.txt now contains hello-from-agent.",
    });
    // As counted by the model's endpoint.
    expect(reader.figures).toEqual({
      usage: { input: 18744, output: 28 },
      costUsd: 0.05665200000000001,
      isPartial: false,
    });
    expect(reader.unknown.size).toBe(0);
  });

  it("emits the first text when it arrives, and no text twice", () => {
    const texts = read("claude-2.1.325-one-tool").bodies.filter(({ type }) => type === "assistant_message");
    expect(texts).toEqual([
      { type: "assistant_message", text: "Done: hello.txt " },
      { type: "assistant_message", text: "now contains hello-from-agent." },
    ]);
  });

  it("reads reasoning, parallel calls, and the used skill", () => {
    const { bodies, reader } = read("claude-2.1.325-parallel");
    expect(joinEventTypes(mergeTextEvents(bodies))).toBe(
      "system turn_start reasoning assistant_message tool_call tool_call turn_end tool_result tool_result " +
        "turn_start tool_call turn_end tool_result system turn_start assistant_message turn_end",
    );
    expect(addSkillActivations(bodies, [])).toContainEqual({ type: "skill_activation", name: "simplify" });
    expect(reader.response).toBe("Both are there. And nothing else.");
    expect(reader.figures.usage).toEqual({
      input: 3003,
      output: 153,
      cacheRead: 2100,
      cacheWrite: 900,
      cacheWrite1h: 300,
    });
  });

  it("keeps a subagent's events without turns, and counts its tokens", () => {
    const { bodies, reader } = read("claude-2.1.325-subagent");
    expect(bodies.filter(({ type }) => type === "turn_start")).toHaveLength(2);
    expect(bodies.flatMap((one) => (one.type === "tool_call" ? [one.name] : []))).toEqual(["Task", "Bash"]);
    expect(reader.response).toBe("All is done.");
    expect(reader.figures).toMatchObject({ usage: { input: 4006, output: 206 }, isPartial: false });
  });

  it.each(["one-tool", "several-tools", "parallel", "401", "500"])("reads %s the same in both versions", (scenario) => {
    const [now, before] = [read(`claude-2.1.325-${scenario}`), read(`claude-2.1.197-${scenario}`)];
    const withoutPort = (bodies: AgentEventBody[]) =>
      JSON.parse(JSON.stringify(bodies).replace(/127\.0\.0\.1:\d+/g, "host")) as unknown;
    expect(withoutPort(comparable(before.bodies))).toEqual(withoutPort(comparable(now.bodies)));
    expect(before.reader.end?.kind).toBe(now.reader.end?.kind);
    expect(before.reader.response).toBe(now.reader.response);
    expect(before.reader.version).toBe("2.1.197");
    expect([...before.reader.unknown, ...now.reader.unknown]).toEqual([]);
  });

  it.each([401, 500])("fails with status %i, and the program's message is not an answer", (status) => {
    const { bodies, reader } = read(`claude-2.1.325-${status}`);
    expect(reader.end).toMatchObject({ kind: "failed", status });
    expect(reader.response).toBe("");
    expect(joinEventTypes(bodies)).toBe("system error error error error");
    expect(reader.figures).toMatchObject({ usage: null, costUsd: null });
  });

  it.each(["2.1.325", "2.1.197"])("continues in the same turn after an interrupted answer, in %s", (version) => {
    const { bodies, reader } = read(`claude-${version}-cut`);
    expect(bodies.filter(({ type }) => type === "turn_start")).toHaveLength(2);
    expect(bodies.filter(({ type }) => type === "turn_end")).toHaveLength(2);
    expect(mergeTextEvents(bodies)).toContainEqual({
      type: "assistant_message",
      text: "Done: the file hello.txt is ther",
    });
    expect(reader.response).toBe("Done: the file hello.txt is there now and holds what was asked for.");
    expect(reader.end).toEqual({ kind: "done" });
    expect(reader.figures.isPartial).toBe(true);
  });

  it("fails without a status when every answer is interrupted", () => {
    const { reader } = read("claude-2.1.325-cut-always");
    expect(reader.end).toMatchObject({ kind: "failed", status: null, message: expect.stringContaining("ECONNRESET") });
    expect(reader.figures).toMatchObject({ usage: { input: 28116, output: 3 }, isPartial: true });
  });

  it("is stopped when the model declines, and when its answer is too long", () => {
    expect(read("claude-2.1.325-refusal").reader.end).toMatchObject({ kind: "stopped", reason: "refused" });
    expect(read("claude-2.1.325-length").reader.end).toMatchObject({ kind: "stopped", reason: "truncated" });
  });

  it.each([
    [
      { subtype: "error_max_turns", is_error: true },
      { kind: "stopped", reason: "truncated", message: "error_max_turns" },
    ],
    [
      { subtype: "error_during_execution", is_error: true, errors: ["It", "broke."] },
      { kind: "failed", message: "It broke.", status: null },
    ],
    [
      { subtype: "success", is_error: true, result: "API Error: 529 Overloaded" },
      { kind: "failed", message: "API Error: 529 Overloaded", status: 529 },
    ],
  ])("ends by %j", (result, end) => {
    const reader = claude.reader();
    reader.read({ type: "result", ...result });
    expect(reader.end).toEqual(end);
  });

  it("reports partial figures until the end, and takes side calls from the totals", () => {
    const reader = claude.reader();
    const start = { id: "m", model: "x", content: [], usage: { input_tokens: 100, output_tokens: 1 } };
    reader.read({ type: "stream_event", event: { type: "message_start", message: start }, parent_tool_use_id: null });
    reader.read({
      type: "stream_event",
      event: { type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 9 } },
      parent_tool_use_id: null,
    });
    expect(reader.figures).toEqual({ usage: { input: 100, output: 9 }, costUsd: null, isPartial: true });
    const modelUsage = { main: { inputTokens: 100, outputTokens: 9 }, small: { inputTokens: 20, outputTokens: 3 } };
    reader.read({ type: "result", subtype: "success", is_error: false, modelUsage, total_cost_usd: 0.5 });
    expect(reader.figures).toEqual({ usage: { input: 120, output: 12 }, costUsd: 0.5, isPartial: false });
  });

  it("discards a result when the run continues after it", () => {
    const reader = claude.reader();
    reader.read({ type: "result", subtype: "success", is_error: false, result: "Waiting for a sub-agent." });
    expect(reader.end).toEqual({ kind: "done" });
    reader.read({ type: "assistant", message: { id: "m2", content: [{ type: "text", text: "Now it is done." }] } });
    expect(reader.end).toBeNull();
    expect(reader.response).toBe("Now it is done.");
  });

  it("keeps and counts unknown events", () => {
    const reader = claude.reader();
    const news = { type: "news", a: 1 };
    expect(reader.read(news)).toEqual([{ type: "custom", name: "news", data: news }]);
    reader.read({ type: "system", subtype: "constructor" });
    reader.read({ malformed: "Segmentation fault" });
    expect([...reader.unknown]).toEqual([
      ["news", 1],
      ["system/constructor", 1],
      ["untyped", 1],
    ]);
  });

  it("reads a retry whose counts are not numbers", () => {
    const retry = {
      type: "system",
      subtype: "api_retry",
      attempt: { toString: 1 },
      max_retries: [],
      error: "overloaded",
    };
    const message = 'The model\'s endpoint failed (overloaded); retry {"toString":1} of [].';
    expect(claude.reader().read(retry)).toEqual([{ type: "error", message }]);
  });

  it("accepts any event", () => {
    const anything = fc.anything({ withNullPrototype: true });
    const type = fc.constantFrom("assistant", "user", "system", "result", "stream_event", "constructor");
    const inner = fc.constantFrom("message_start", "content_block_start", "content_block_delta", "text", "toString");
    const block = fc.record({ type: inner, text: anything, content: anything, delta: anything, message: anything });
    const event = fc.record({ type, subtype: anything, message: fc.oneof(block, anything), event: block });
    fc.assert(
      fc.property(fc.array(fc.oneof(event, anything)), (events) => {
        const reader = claude.reader();
        for (const one of events) for (const { type: kind } of reader.read(one)) expect(kind).toBeTypeOf("string");
        expect(reader.response).toBeTypeOf("string");
        expect(reader.figures.isPartial).toBeTypeOf("boolean");
      }),
    );
  });

  it("reads the captured streams without partial messages", () => {
    const [goodEvents, failedEvents] = [loadSharedRecording("claude.jsonl"), loadSharedRecording("claude-401.jsonl")];
    if (goodEvents === null || failedEvents === null) return;
    const [good, failed] = [readAllEvents(claude, goodEvents), readAllEvents(claude, failedEvents)];
    expect(joinEventTypes(good.bodies)).toBe(
      "system turn_start assistant_message tool_call turn_end tool_result turn_start assistant_message turn_end",
    );
    expect(good.reader.figures).toMatchObject({
      usage: { input: 2405, output: 58, cacheWrite: 600 },
      isPartial: false,
    });
    expect(good.reader.end).toEqual({ kind: "done" });
    expect(failed.reader.end).toMatchObject({ kind: "failed", status: 401 });
  });
});
