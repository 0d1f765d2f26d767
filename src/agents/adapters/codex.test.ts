import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { LaunchRequest } from "../adapter.js";
import {
  joinEventTypes,
  LAUNCH_REQUEST,
  loadRecording,
  loadSharedRecording,
  type ReplayedStream,
  readAllEvents,
} from "../recorded-testing.js";
import { codex } from "./codex.js";

const LAUNCH: LaunchRequest = {
  ...LAUNCH_REQUEST,
  model: { name: "gpt-5.5", cliName: "my-gpt", dialect: "responses" },
};

const read = (name: string) => readAllEvents(codex, loadRecording(`${name}.jsonl`));

/** A completed item. */
const completed = (item: unknown) => ({ type: "item.completed", item });

const TURN = "turn_start tool_call turn_end tool_result";

describe("launch", () => {
  it("uses the gateway as a custom provider", () => {
    const { args, env, homeFiles } = codex.launch(LAUNCH);
    expect(args[0]).toBe("exec");
    expect(args).toEqual(expect.arrayContaining(["--json", "--ephemeral", "-m", "gpt-5.5", "model_provider=assay"]));
    const provider = args.find((arg) => arg.startsWith("model_providers.assay="));
    expect(provider).toContain(`base_url="${LAUNCH.gateway.openai}"`);
    const [, variable] = /env_key="(\w+)"/.exec(provider ?? "") ?? [];
    expect(env).toEqual({ [variable ?? ""]: "meaningless" });
    expect(homeFiles).toEqual({});
  });

  it("keeps the user's settings", () => {
    const { args, env } = codex.launch({ ...LAUNCH, usesOwnHome: true });
    expect(args).toEqual(expect.arrayContaining(["-m", "my-gpt"]));
    expect(args).not.toContain("-c");
    expect(env).toEqual({});
  });

  it("keeps a prompt from being an option, a subcommand or stdin", () => {
    expect(codex.launch({ ...LAUNCH, prompt: "--help me" }).args.slice(-2)).toEqual(["--", "--help me"]);
    expect(codex.launch({ ...LAUNCH, prompt: "-" }).args.at(-1)).toBe("-\n");
    expect(codex.launch({ ...LAUNCH, model: null }).args).not.toContain("-m");
  });
});

describe("reader", () => {
  it("reads one command, its result and the answer as two turns", () => {
    const { bodies, reader } = read("codex-0.166.0-one-tool");
    expect(joinEventTypes(bodies)).toBe(`${TURN} turn_start assistant_message turn_end`);
    expect(reader).toMatchObject({ end: { kind: "done" }, response: "Done: hello.txt now contains hello-from-agent." });
    // As counted by the model's endpoint.
    expect(reader.figures).toEqual({ usage: { input: 13294, output: 27 }, costUsd: null, isPartial: false });
    expect(reader.unknown.size).toBe(0);
  });

  it("reads reasoning, changed files and searches", () => {
    const { bodies, reader } = read("codex-0.166.0-parallel");
    expect(joinEventTypes(bodies)).toBe(
      `turn_start reasoning assistant_message tool_call turn_end tool_result ${TURN} ` +
        "turn_start tool_call tool_result tool_call turn_end tool_result turn_start assistant_message turn_end",
    );
    expect(bodies).toContainEqual({
      type: "tool_call",
      name: "file_change",
      callId: "item_2",
      arguments: { changes: [{ path: "/workspace/a.txt", kind: "add" }] },
    });
    expect(reader.figures.usage).toEqual({ input: 4467, cacheRead: 1536, output: 183, reasoning: 60 });
  });

  it.each(["one-tool", "several-tools", "401", "500", "cut"])("reads %s the same in both versions", (scenario) => {
    const [now, before] = [read(`codex-0.166.0-${scenario}`), read(`codex-0.120.0-${scenario}`)];
    // The two versions spell the same apostrophe differently.
    const spelt = (value: unknown) => JSON.parse(JSON.stringify(value).replaceAll("’", "'")) as unknown;
    expect(spelt(before.bodies)).toEqual(spelt(now.bodies));
    expect(spelt(before.reader.end)).toEqual(spelt(now.reader.end));
    expect(before.reader.response).toBe(now.reader.response);
    expect([...before.reader.unknown, ...now.reader.unknown]).toEqual([]);
  });

  it("reports which command failed", () => {
    const results = read("codex-0.166.0-several-tools").bodies.flatMap((one) =>
      one.type === "tool_result" ? [one.success] : [],
    );
    expect(results).toEqual([true, false, true]);
  });

  it("reads each change of the plan as a call", () => {
    const { bodies } = read("codex-0.120.0-plan");
    const plans = bodies.filter((one) => one.type === "tool_call" && one.name === "todo_list");
    expect(plans).toEqual([
      {
        type: "tool_call",
        name: "todo_list",
        callId: "item_2.1",
        arguments: { items: [{ text: "write b", completed: false }] },
      },
    ]);
  });

  it("finds the status of a failure in its message, and emits the failure once", () => {
    const { bodies, reader } = read("codex-0.166.0-401");
    expect(reader.end).toMatchObject({ kind: "failed", status: 401 });
    expect(joinEventTypes(bodies)).toBe("error error error error");
    expect(reader.figures).toEqual({ usage: null, costUsd: null, isPartial: true });
    // For a 500 it only mentions high demand, without a status.
    expect(read("codex-0.166.0-500").reader.end).toMatchObject({ kind: "failed", status: null });
  });

  it("continues after an interrupted answer", () => {
    const { bodies, reader } = read("codex-0.166.0-cut");
    expect(joinEventTypes(bodies)).toBe(`${TURN} error turn_start assistant_message turn_end`);
    expect(reader.end).toEqual({ kind: "done" });
  });

  it("is stopped when an answer is too long or withheld", () => {
    expect(read("codex-0.166.0-length").reader.end).toMatchObject({ kind: "stopped", reason: "truncated" });
    expect(read("codex-0.166.0-blocked").reader.end).toMatchObject({ kind: "stopped", reason: "refused" });
  });

  it("continues after an error that is only an item", () => {
    const reader = codex.reader();
    const item = { id: "item_0", type: "error", message: "Model metadata not found." };
    expect(reader.read(completed(item))).toEqual([{ type: "error", message: "Model metadata not found." }]);
    expect(reader.end).toBeNull();
  });

  it("reads MCP calls with their results or errors", () => {
    const call = { id: "i", type: "mcp_tool_call", server: "docs", tool: "find", arguments: { q: 1 } };
    const result = { content: [{ type: "text", text: "found" }] };
    const good = codex.reader().read(completed({ ...call, status: "completed", result }));
    const bad = codex.reader().read(completed({ ...call, status: "failed", error: { message: "no such page" } }));
    expect(good[1]).toEqual({ type: "tool_call", name: "mcp__docs__find", callId: "i", arguments: { q: 1 } });
    expect(good.at(-1)).toEqual({ type: "tool_result", callId: "i", success: true, result: "found" });
    expect(bad.at(-1)).toEqual({ type: "tool_result", callId: "i", success: false, result: "no such page" });
  });

  it("reports partial figures once a subagent was started", () => {
    const reader = codex.reader();
    reader.read(completed({ id: "i", type: "collab_tool_call", tool: "spawn_agent", status: "completed" }));
    reader.read({ type: "turn.completed", usage: { input_tokens: 5, output_tokens: 1 } });
    expect(reader.figures).toEqual({ usage: { input: 5, output: 1 }, costUsd: null, isPartial: true });
  });

  it("treats usage as a running total, and starts again with a new session", () => {
    const reader = codex.reader();
    const total = (input: number, cached: number, output: number, reasoning: number) =>
      reader.read({
        type: "turn.completed",
        usage: {
          input_tokens: input,
          cached_input_tokens: cached,
          output_tokens: output,
          reasoning_output_tokens: reasoning,
        },
      });
    total(100, 40, 10, 4);
    total(250, 100, 30, 6);
    expect(reader.figures.usage).toEqual({ input: 150, cacheRead: 100, output: 30, reasoning: 6 });
    total(50, 0, 5, 0);
    expect(reader.figures.usage).toEqual({ input: 200, cacheRead: 100, output: 35, reasoning: 6 });
  });

  it("keeps and counts unknown events", () => {
    const reader = codex.reader();
    reader.read({ type: "constructor" });
    reader.read(completed({ id: "i", type: "hologram" }));
    expect(reader.read({ malformed: "panicked" })).toEqual([
      { type: "custom", name: "untyped", data: { malformed: "panicked" } },
    ]);
    expect([...reader.unknown.keys()]).toEqual(["constructor", "item/hologram", "untyped"]);
  });

  it("accepts any event, and every turn that ends has started", () => {
    const anything = fc.anything({ withNullPrototype: true });
    const type = fc.constantFrom("item.started", "item.completed", "turn.completed", "turn.failed", "error");
    const kind = fc.constantFrom("command_execution", "agent_message", "todo_list", "web_search", "mcp_tool_call", "x");
    const item = fc.record({ id: fc.constantFrom("a", "b"), type: kind, text: anything, result: anything });
    const event = fc.record({ type, item: fc.oneof(item, anything), usage: anything, error: anything });
    fc.assert(
      fc.property(fc.array(fc.oneof(event, anything)), (events) => {
        const reader = codex.reader();
        let depth = 0;
        for (const { type: happened } of events.flatMap((one) => reader.read(one))) {
          depth += happened === "turn_start" ? 1 : happened === "turn_end" ? -1 : 0;
          expect(depth === 0 || depth === 1).toBe(true);
        }
      }),
    );
  });

  it("reads the captured streams", () => {
    const captured = ["codex", "codex-sandbox", "codex-401"].map((name) => loadSharedRecording(`${name}.jsonl`));
    if (captured.includes(null)) return;
    const [good, sandboxed, failed] = captured.map((events) => readAllEvents(codex, events ?? [])) as [
      ReplayedStream,
      ReplayedStream,
      ReplayedStream,
    ];
    expect(joinEventTypes(good.bodies)).toBe(`${TURN} turn_start assistant_message turn_end`);
    expect(joinEventTypes(sandboxed.bodies)).toBe(`error ${joinEventTypes(good.bodies)}`);
    expect(good.reader.figures.usage).toEqual({ input: 2495, cacheRead: 512, output: 48, reasoning: 16 });
    expect(failed.reader.end).toMatchObject({ kind: "failed", status: 401 });
  });
});
