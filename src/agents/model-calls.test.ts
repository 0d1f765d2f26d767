import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import {
  computeTrialCost,
  createAgentFolders,
  expectNothingLeft,
  runScriptedTrial,
  sumRequestUsage,
} from "../testing/scripted-trial.js";
import type { ScriptStep } from "./scripted-agent.js";

const ZERO = { input_tokens: 0, output_tokens: 0 };
/** The final event of claude, with zero usage. */
const ZERO_END = {
  type: "result",
  subtype: "success",
  is_error: true,
  result: "API Error",
  usage: ZERO,
  total_cost_usd: 0,
};

describe("an endpoint that never answers", () => {
  it.each([
    [429, "rate_limit"],
    [500, "api_error"],
    [401, "api_error"],
    [503, "api_error"],
  ] as const)("is an error even if the agent continued until its timeout: %i", async (kind, errorCategory) => {
    const { row, place } = await runScriptedTrial({
      does: [{ ask: true, anyway: true }, { hang: true }],
      model: { faults: [{ kind }] },
      budgets: { hard_timeout_secs: 5 },
      run: { retry: { maxRetries: 2 } },
    });
    expect(row).toMatchObject({ outcome: "error", errorCategory, scores: {}, passed: null });
    expect(row.attempts).toHaveLength(1);
    expect(row.attempts[0]?.message).toMatch(/not answered|was answered/);
    expect(row.costUsd).toBeNull();
    expectNothingLeft(place);
  });

  it("is a timeout when it never responds", async () => {
    const { row } = await runScriptedTrial({
      does: [{ ask: true }, { end: "done" }],
      model: { faults: [{ kind: "hang" }] },
      budgets: { hard_timeout_secs: 5 },
    });
    expect(row).toMatchObject({ outcome: "error", errorCategory: "timeout" });
  });

  it("is an error even if the program ends normally", async () => {
    const place = createAgentFolders();
    const file = join(place.root, "agent.mjs");
    writeFileSync(file, CARELESS);
    const { row, mock } = await runScriptedTrial({
      place,
      does: [],
      model: { faults: [{ kind: 503, first: 2 }] },
      agent: { command: `node '${file}' {prompt}`, name: "careless" },
      run: { retry: { maxRetries: 1 } },
    });
    expect(row).toMatchObject({ outcome: "error", errorCategory: "api_error" });
    // Its output is not a model's answer, so it was retried.
    expect(row.attempts).toHaveLength(2);
    expect(row.attempts[0]?.message).toContain("its model call was not answered; the last one said:");
    expect(mock.requests).toHaveLength(2);
  });

  it("is retried even if the program reports zero usage at the end", async () => {
    const does: readonly ScriptStep[] = [{ ask: true, anyway: true }, { print: ZERO_END }, { exit: 1 }];
    const { row, agent } = await runScriptedTrial({
      does: [...does],
      model: { faults: [{ kind: 503, first: 9 }] },
      run: { retry: { maxRetries: 1 } },
    });
    expect(agent.starts()).toBe(2);
    expect(row).toMatchObject({ outcome: "error", errorCategory: "api_error", costUsd: null, usage: null });
    expect(row.metadata).toMatchObject({ meter: "none" });
    expect(row.notes).toEqual([]);
  });

  it("does not affect a trial in which one call was answered", async () => {
    const { row } = await runScriptedTrial({
      does: [{ ask: true }, { ask: true, anyway: true }, { hang: true }],
      model: { tools: [{ command: "true" }], faults: [{ kind: 500, every: 2 }] },
      budgets: { hard_timeout_secs: 5 },
    });
    expect(row).toMatchObject({ outcome: "fail", errorCategory: "time_killed" });
  });
});

/** Prints any response and exits successfully. */
const CARELESS = `
const body = JSON.stringify({ model: process.env.CALLS ?? "gpt-5", messages: [{ role: "user", content: "hi" }] });
const headers = { "content-type": "application/json" };
const response = await fetch(process.env.OPENAI_BASE_URL + "/chat/completions", { method: "POST", headers, body });
console.log(await response.text());
`;

describe("the called model", () => {
  async function callInstead(called: string, more: object = {}) {
    const place = createAgentFolders();
    const file = join(place.root, "agent.mjs");
    writeFileSync(file, CARELESS.replace('process.env.CALLS ?? "gpt-5"', JSON.stringify(called)));
    return runScriptedTrial({
      place,
      does: [],
      agent: { command: `node '${file}' {prompt}`, name: "mine", model: "tested", api: "chat", ...more },
    });
  }

  it("is noted on row and report when it is not the requested one, with its own price", async () => {
    const { row, result } = await callInstead("gpt-5-mini");
    const note = "another model: requested claude-sonnet-4-5, but gpt-5-mini was called";
    expect(row.outcome).toBe("pass");
    expect(row.notes).toContain(note);
    expect(row.metadata).toMatchObject({ model: "gpt-5-mini", calledModels: { "gpt-5-mini": 1 } });
    expect(result.notes).toContain(`mine: ${note} (1 of 1 trials)`);
    expect(result.toTable()).toContain(note);
    expect(row.costUsd).toBeGreaterThan(0);
    expect(row.costUsd).toBeLessThan(0.01);
  });

  it("may be a release of the requested one, at its price", async () => {
    const { row, mock } = await callInstead("anthropic/claude-sonnet-4-5-20250929");
    expect(row.notes).toEqual([]);
    expect(row.costUsd).toBe(computeTrialCost(sumRequestUsage(mock.requests)));
  });

  it("is an error in strict mode", async () => {
    const { row } = await callInstead("gpt-5-mini", { strictModel: true });
    expect(row).toMatchObject({ outcome: "error", errorCategory: "system_error", usage: { input: 1000 } });
    expect(row.attempts[0]?.message).toContain("requested claude-sonnet-4-5, but gpt-5-mini was called");
    const { row: right } = await callInstead("claude-sonnet-4-5", { strictModel: true });
    expect(right.outcome).toBe("pass");
  });
});

describe("the last answer", () => {
  it.each([
    ["length", "truncated"],
    ["refusal", "refused"],
  ] as const)("that ends with %s is reported by the gateway when the program does not", async (finish, category) => {
    const place = createAgentFolders();
    const file = join(place.root, "agent.mjs");
    writeFileSync(file, CARELESS);
    const { row } = await runScriptedTrial({
      place,
      does: [],
      model: { finish },
      example: { graders: [{ type: "output-contains", config: { substring: "no such text" } }] },
      agent: { command: `node '${file}' {prompt}`, name: "mine" },
    });
    expect(row).toMatchObject({ outcome: "fail", errorCategory: category });
  });
});
