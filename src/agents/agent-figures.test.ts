import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { GatewayRequest } from "../budget/gateway/index.js";
import type { AgentEvent } from "../core/trajectory.js";
import { describeDisagreement, measureAgentSpeed } from "./agent-output.js";

const NONE = { input: 0, cacheRead: 0, cacheWrite: 0, cacheWrite1h: 0, reasoning: 0 };

function answered(output: number, more: Partial<GatewayRequest> = {}): GatewayRequest {
  return {
    provider: "openai",
    model: "m",
    dialect: "chat",
    ending: "answered",
    status: 200,
    usage: { ...NONE, output },
    costUsd: null,
    costPico: null,
    costSource: "unknown",
    partial: false,
    startedAt: 0,
    durationMs: 1000,
    ttftMs: null,
    generationMs: null,
    finish: null,
    finishReason: null,
    message: null,
    fault: null,
    ...more,
  };
}

const FAILED = answered(0, { usage: null, ending: "failed", status: 500, ttftMs: 1, durationMs: 9000 });
const FACTS = { startedAt: 1000, firstChangeAt: null, tellsTurns: true };

const said = (timestamp: number): AgentEvent => ({ type: "assistant_message", text: "So", timestamp });
const called = (name: string, timestamp: number): AgentEvent => ({
  type: "tool_call",
  name,
  callId: `${timestamp}`,
  arguments: {},
  timestamp,
});

describe("measureAgentSpeed", () => {
  it("omits what was not measured", () => {
    expect(measureAgentSpeed([], [], FACTS)).toEqual({});
    expect(measureAgentSpeed([], [FAILED], FACTS)).toEqual({});
  });

  it("takes the first writing tool as the first attempt, else the first change, else the first text", () => {
    const events = [said(1100), called("Bash", 1200), called("Write", 1300)];
    const changed = { ...FACTS, firstChangeAt: 1250 };
    const first = (facts: typeof FACTS | typeof changed, list: AgentEvent[]) =>
      measureAgentSpeed(list, [], facts).firstAttemptMs;
    expect(first(changed, events)).toBe(300);
    expect(first(changed, events.slice(0, 2))).toBe(250);
    expect(first(FACTS, events.slice(0, 2))).toBe(100);
    expect(first(FACTS, [said(900)]), "a clock that was set back").toBe(0);
  });

  it("counts tokens over the time in which models generated them", () => {
    const streamed = answered(300, { generationMs: 500, ttftMs: 40 });
    const whole = answered(200, { durationMs: 1500 });
    expect(measureAgentSpeed([], [FAILED, streamed, whole], FACTS)).toEqual({
      turns: 2,
      ttftMs: 40,
      tokensPerSec: 600,
    });
    expect(measureAgentSpeed([], [whole], FACTS), "an answer in one piece").not.toHaveProperty("tokensPerSec");
    expect(measureAgentSpeed([], [answered(0)], FACTS)).not.toHaveProperty("tokensPerSec");
  });

  it("counts turns in the events, and calls when there are no turns", () => {
    const events = [said(1), called("Bash", 2)];
    const calls = [answered(1), answered(1), FAILED];
    expect(measureAgentSpeed(events, calls, FACTS).turns).toBe(1);
    expect(measureAgentSpeed(events, calls, { ...FACTS, tellsTurns: false }).turns).toBe(2);
    expect(measureAgentSpeed(events, [], { ...FACTS, tellsTurns: false })).not.toHaveProperty("turns");
  });
});

describe("describeDisagreement", () => {
  const own = (input: number, costUsd: number | null = null) => ({
    usage: { input, output: 0 },
    costUsd,
    isPartial: false,
  });
  const metered = (input: number, costUsd: number | null = null) => ({ usage: { input, output: 0 }, costUsd });

  it("reports differences over one percent", () => {
    expect(describeDisagreement(own(990), metered(1000))).toBeNull();
    expect(describeDisagreement(own(989), metered(1000))).toBe(
      "the program reports 989 tokens, the gateway counted 1000",
    );
    expect(describeDisagreement(own(0), metered(0))).toBeNull();
  });

  it("compares dollars when both sides know them", () => {
    expect(describeDisagreement(own(1, 0.5), metered(1))).toBeNull();
    expect(describeDisagreement(own(1, 0.12345678), metered(2, 0.1))).toBe(
      "the program reports 1 tokens, the gateway counted 2; and $0.1235, the gateway counted $0.1",
    );
  });

  it("compares all classes together, and nothing when the program reports nothing", () => {
    const split = { usage: { input: 1, output: 2, cacheRead: 3, cacheWrite: 4, reasoning: 2 }, costUsd: null };
    expect(describeDisagreement(own(10), split)).toBeNull();
    expect(describeDisagreement({ usage: null, costUsd: null, isPartial: true }, metered(10))).toBeNull();
  });

  it("is symmetric", () => {
    fc.assert(
      fc.property(fc.nat(1e6), fc.nat(1e6), (a, b) => {
        const isFound = describeDisagreement(own(a), metered(b)) !== null;
        expect(isFound).toBe(describeDisagreement(own(b), metered(a)) !== null);
        expect(isFound).toBe(Math.abs(a - b) > 0.01 * Math.max(a, b));
      }),
    );
  });
});
