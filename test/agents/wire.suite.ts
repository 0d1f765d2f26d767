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
