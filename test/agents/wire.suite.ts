import { describe, expect, it, vi } from "vitest";
import { AgentMeter } from "../../src/agents/agent-meter.js";
import type { WireTimeline } from "../../src/agents/wire/index.js";
import type { AgentEvent } from "../../src/index.js";
import { INSTALLED_AGENTS, tryAgent } from "./real-agent.js";

/** Words of its own, so that they are found whatever an agent puts around them. */
const STEPS = ["one", "two", "three"].map((word) => ({ command: `echo step-${word} >> hello.txt && cat hello.txt` }));
const LAST = "Done: three lines are in hello.txt.";

/** Runs an agent, and returns its events with those of its model calls alone. */
async function observe(name: string) {
  const seen: WireTimeline[] = [];
  const close = AgentMeter.prototype.close;
  const spy = vi.spyOn(AgentMeter.prototype, "close").mockImplementation(function (this: AgentMeter) {
    if (!seen.includes(this.wire)) seen.push(this.wire);
    return close.call(this);
  });
  try {
    const script = { tools: [...STEPS, { text: LAST }] };
    const { row, output } = await tryAgent(name, { script });
    const [wire] = seen;
    if (wire === undefined) throw new Error("there was no gateway");
    return { row, wire, own: (output.trajectory?.events ?? []) as readonly AgentEvent[] };
  } finally {
    spy.mockRestore();
  }
}

/** The words that each command printed; some agents repeat the command in its result. */
function listResults(events: readonly AgentEvent[]): string[] {
  return events.flatMap((event) =>
    event.type === "tool_result" ? [event.result.match(/(?<!echo )step-\w+/g)?.join() ?? ""] : [],
  );
}

function listCommands(events: readonly AgentEvent[]): string[] {
  return events.flatMap((event) =>
    event.type === "tool_call" ? [/step-\w+/.exec(JSON.stringify(event.arguments))?.[0] ?? ""] : [],
  );
}

describe.each(INSTALLED_AGENTS.map(({ name, version }) => [name, version]))("the model calls of %s %s", (name) => {
  it("show the tools, results, texts and turns that it reports itself", async () => {
    const { row, wire, own } = await observe(name);
    const events = wire.listEvents();
    expect(row, JSON.stringify(row)).toMatchObject({
      outcome: "pass",
      metadata: { toolCalls: 3, finishes: { tool_calls: 3 } },
    });
    expect(wire).toMatchObject({ showsTools: true, unreadable: 0 });
    expect(listCommands(events)).toEqual(["step-one", "step-two", "step-three"]);
    expect(listCommands(events)).toEqual(listCommands(own));
    expect(listResults(events)).toEqual(["step-one", "step-one,step-two", "step-one,step-two,step-three"]);
    expect(listResults(events)).toEqual(listResults(own));
    const texts = events.flatMap((event) => (event.type === "assistant_message" ? [event.text] : []));
    expect(texts.join("\n")).toContain(LAST);
    expect(events.filter(({ type }) => type === "turn_start")).toHaveLength(4);
    expect(row.turns).toBe(4);
    expect(events.filter(({ type }) => type === "error")).toEqual([]);
    const ends = own.flatMap((event) =>
      event.type === "token_usage" && event.thread === undefined ? [event.finish] : [],
    );
    expect(ends).toEqual(["tool_calls", "tool_calls", "tool_calls", "stop"]);
  });
});

const claude = INSTALLED_AGENTS.filter(({ name }) => name === "claude").map(({ version }) => version);

describe.each(claude)("a sub-agent of claude %s", (_version) => {
  it("is told from the main work in tools, texts and tokens, as its model saw them", async () => {
    const inner = [{ command: "echo inner-one" }, { command: "echo inner-two" }, { text: "Inner is done." }];
    const task = {
      description: "look",
      prompt: "SUBTASK-MARK: look around",
      subagent_type: "general-purpose",
      // The order of what happens is then known.
      run_in_background: false,
    };
    const outer = [
      { name: "Task", arguments: task },
      { command: "echo outer > hello.txt" },
      { text: "Outer is done." },
    ];
    const script = {
      keepBodies: true,
      tools: [
        { match: "SUBTASK-MARK", steps: inner },
        { match: "hello", steps: outer },
      ],
    };
    const { row, output, calls } = await tryAgent("claude", { script });
    expect(row, JSON.stringify(row)).toMatchObject({ outcome: "pass" });
    const events = (output.trajectory?.events ?? []) as readonly AgentEvent[];
    const commands = events.flatMap((event) =>
      event.type === "tool_call"
        ? [[event.thread !== undefined, /(inner|outer)-?\w*/.exec(JSON.stringify(event.arguments))?.[0]]]
        : [],
    );
    expect(commands.filter(([, word]) => word !== undefined)).toEqual([
      [true, "inner-one"],
      [true, "inner-two"],
      [false, "outer"],
    ]);
    const threads = new Set(events.flatMap(({ thread }) => (thread?.startsWith("sub-agent") ? [thread] : [])));
    expect(threads.size).toBe(1);
    const said = events.flatMap((event) => (event.type === "assistant_message" ? [event.text] : []));
    expect(said.join()).toContain("Outer is done.");
    const own = calls.filter(({ body }) => isSubtask(body));
    expect(own).toHaveLength(3);
    const used = events.flatMap((event) =>
      event.type === "token_usage" && event.thread?.startsWith("sub-agent") === true ? [event] : [],
    );
    expect(used.map(({ usage }) => usage.output)).toEqual(own.map(({ usage }) => usage?.output));
    // Each of its answers names its own call.
    const ids = used.map(({ callIds }) => callIds ?? []);
    const inThread = events.flatMap((event) =>
      event.type === "tool_call" && event.thread !== undefined ? [event.callId] : [],
    );
    expect(ids).toEqual([...inThread.map((id) => [id]), []]);
  });
});

/** The first message of a sub-agent is its task. */
function isSubtask(body: unknown): boolean {
  const { messages } = body as { messages?: readonly unknown[] };
  return JSON.stringify(messages?.[0] ?? "").includes("SUBTASK-MARK");
}
