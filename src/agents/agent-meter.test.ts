import { describe, expect, it, onTestFinished } from "vitest";
import type { Price } from "../core/price.js";
import { computeTrialCost, expectNothingLeft, openTrialMock, runScriptedTrial } from "../testing/scripted-trial.js";
import { requireAdapter } from "./adapters/index.js";
import { AgentMeter, type AgentUpstreams } from "./agent-meter.js";
import { loadRecording, readAllEvents } from "./recorded-testing.js";
import type { ScriptStep } from "./scripted-agent.js";

/** One cent per 1,000 input tokens, ten per 1,000 output tokens. */
const PRICE: Price = {
  input: 10_000_000,
  output: 100_000_000,
  cacheRead: 0,
  cacheWrite: 0,
  cacheWrite1h: 0,
  source: "test",
};

const LIMITS = { price: PRICE, maxCostUsd: 0, hardTimeoutMs: null };

async function openMeter(upstreams: Partial<AgentUpstreams>): Promise<AgentMeter> {
  const all = { urls: {}, keys: {}, prices: new Map([["m", PRICE]]), allowInsecure: false, ...upstreams };
  const meter = await AgentMeter.open(all, LIMITS, { budget: null });
  onTestFinished(() => meter.close());
  return meter;
}

async function ask(url: string, model: string, key = "assay"): Promise<number> {
  const response = await fetch(`${url}/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ model, messages: [{ role: "user", content: "Hi" }] }),
  });
  await response.text();
  return response.status;
}

describe("AgentMeter", () => {
  it("replaces the placeholder key with the real one, and prices each model", async () => {
    const mock = await openTrialMock({ requireKey: "real" });
    const meter = await openMeter({ urls: { openai: `${mock.url}/v1` }, keys: { openai: "real" } });
    expect(meter.isInPath).toBe(false);
    expect(await ask(meter.urls.openai, "m")).toBe(200);
    expect(await ask(meter.urls.openai, "gpt-5")).toBe(200);
    expect(meter.isInPath).toBe(true);
    expect(meter.requests.map(({ costSource }) => costSource)).toEqual(["priced", "priced"]);
    expect(meter.requests[0]?.costUsd).toBe(computeTrialCost({ input: 1000, output: 2 }));
    expect(meter.requests[1]?.costUsd).not.toBe(meter.requests[0]?.costUsd);
    expect(meter.total.usage).toMatchObject({ input: 2000, output: 4 });
  });

  it("has a path for each provider, and uses no key of our environment", async () => {
    const mock = await openTrialMock();
    const first = await openMeter({ urls: { openai: `${mock.url}/v1` } });
    const second = await openMeter({ urls: { openai: `${mock.url}/v1` } });
    expect(new Set([...Object.values(first.urls), ...Object.values(second.urls)]).size).toBe(6);
    await ask(first.urls.openai, "m");
    expect([first.total.usage.input, second.total.usage.input]).toEqual([1000, 0]);
  });

  it("reports each answer as an event, but no failure", async () => {
    const mock = await openTrialMock({ faults: [{ kind: 500, first: 1 }] });
    const meter = await openMeter({ urls: { openai: `${mock.url}/v1` } });
    expect(await ask(meter.urls.openai, "m")).toBe(500);
    expect(meter.isInPath).toBe(false);
    await ask(meter.urls.openai, "m");
    const events = meter.wire.listEvents().filter(({ type }) => type === "token_usage");
    expect(events).toHaveLength(1);
    expect(events[0]).toMatchObject({
      type: "token_usage",
      model: "m",
      costUsd: 0.0102,
      usage: { input: 1000 },
      finish: "stop",
    });
    expect(Math.abs((events[0]?.timestamp ?? 0) - Date.now())).toBeLessThan(60_000);
  });
});

const says = (input: number, output: number): ScriptStep => ({ say: "So far", input, output });

describe("an agent whose calls bypass the gateway", () => {
  it("is billed by its own figures, and the row says so", async () => {
    const { row, mock } = await runScriptedTrial({ does: [says(1000, 10), says(2000, 20), { end: "done" }] });
    const usage = { input: 3000, output: 30 };
    expect(mock.requests).toEqual([]);
    expect(row).toMatchObject({
      outcome: "pass",
      usage,
      costUsd: computeTrialCost(usage),
      metadata: { meter: "program" },
    });
    expect(row.notes).toEqual(["no request went through the gateway: tokens and cost are as reported by the program"]);
  });

  it("is held to its budget by them", async () => {
    const { row, place } = await runScriptedTrial({
      does: [says(1000, 10), says(9000, 10), { hang: true }],
      budgets: { max_cost_usd: 0.05 },
    });
    expect(row).toMatchObject({ errorCategory: "cost_killed", usage: { input: 10_000 }, partial: true });
    expect(row.costKilledAt).toBeGreaterThan(0.05);
    expectNothingLeft(place);
  });

  it("counts as passed when it was stopped right after", async () => {
    const { row } = await runScriptedTrial({
      does: [{ write: "a.txt", text: "right" }, says(10_000, 10), { hang: true }],
      example: { graders: [{ type: "file-contains", config: { path: "a.txt", value: "right" } }] },
      budgets: { max_cost_usd: 0.05 },
    });
    expect(row).toMatchObject({ outcome: "pass", errorCategory: "cost_killed" });
    expect(row.successAtMs).toBeGreaterThan(0);
    expect(row.successAtMs).toBeLessThanOrEqual(row.durationMs ?? 0);
  });

  it("is held to a token limit by them", async () => {
    const { row } = await runScriptedTrial({
      does: [says(1000, 10), says(9000, 10), { hang: true }],
      budgets: { max_cost_usd: 0, max_tokens: 5000 },
    });
    expect(row).toMatchObject({ errorCategory: "cost_killed", usage: { input: 10_000 } });
  });

  it("is not billed twice when some calls go through the gateway", async () => {
    const { row } = await runScriptedTrial({ does: [says(5000, 50), { ask: true }, { end: "done" }] });
    expect(row).toMatchObject({ usage: { input: 1000, output: 2 }, costUsd: 0.0102 });
    expect(row.notes).toEqual(["the program reports 6052 tokens, the gateway counted 1002"]);
  });
});

describe("a replayed recording of each agent", () => {
  it.each([
    ["claude", "claude-sonnet-4-5", "claude-2.1.325-one-tool.jsonl"],
    ["codex", "gpt-5.5", "codex-0.166.0-one-tool.jsonl"],
    ["gemini", "gemini-2.5-flash", "gemini-0.61.0-one.jsonl"],
    ["opencode", "openai/gpt-5-mini", "opencode-1.18.33-one.jsonl"],
    ["pi", "openai/gpt-5-mini", "pi-0.74.2-one.jsonl"],
  ])("is counted by its own figures: %s", async (program, model, stream) => {
    const events = loadRecording(stream);
    const { reader } = readAllEvents(requireAdapter(program), events);
    const { row } = await runScriptedTrial({
      program,
      does: events.map((event): ScriptStep => ({ line: JSON.stringify(event) })),
      agent: { agent: `${program}:${model}` },
      example: { graders: [{ type: "output-contains", config: { substring: "hello" } }] },
    });
    expect(row).toMatchObject({
      outcome: "pass",
      turns: 2,
      metadata: { agent: program, meter: "program", toolCalls: 1 },
    });
    expect(row.usage).toMatchObject({ input: reader.figures.usage?.input, output: reader.figures.usage?.output });
    expect(row.costUsd).toBeGreaterThan(0);
    expect(row.notes).toHaveLength(1);
  });
});
