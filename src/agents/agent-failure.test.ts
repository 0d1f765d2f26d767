import { describe, expect, it } from "vitest";
import type { GatewayRequest } from "../budget/gateway/index.js";
import { computeTrialCost, expectNothingLeft, runScriptedTrial, sumRequestUsage } from "../testing/scripted-trial.js";
import type { AgentEnd } from "./adapter.js";
import { claude } from "./adapters/claude.js";
import { createAgentError } from "./agent-output.js";
import { AgentRun } from "./agent-run.js";
import type { ScriptStep } from "./scripted-agent.js";

const DONE: readonly ScriptStep[] = [{ ask: true }, { end: "done" }];
const WRITTEN = [{ type: "file-exists", config: { path: "a.txt" } }];

describe("the secret in the gateway's URL", () => {
  const printing = (code: number) =>
    `sh -c 'echo at $OPENAI_BASE_URL; echo at $ANTHROPIC_BASE_URL >&2; exit ${code}' {prompt}`;

  it("is not in a program's answer", async () => {
    const graders = [{ type: "output-matches", config: { pattern: "^at http://127.0.0.1:\\d+/\\[key\\]/openai/v1$" } }];
    const { row } = await runScriptedTrial({ does: DONE, agent: { command: printing(0) }, example: { graders } });
    expect(row.outcome).toBe("pass");
  });

  it("is not in the message about a failed program", async () => {
    const { row } = await runScriptedTrial({ does: DONE, agent: { command: printing(1) } });
    expect(row.attempts[0]?.message).toMatch(/at http:\/\/127\.0\.0\.1:\d+\/\[key\]\/anthropic/);
    expect(JSON.stringify(row)).not.toMatch(/127\.0\.0\.1:\d+\/[0-9a-f]/);
  });
});

describe("a failing model endpoint", () => {
  it.each([
    [401, "api_error", 1],
    [429, "rate_limit", 2],
    [500, "api_error", 2],
  ] as const)("is an infrastructure error: %i", async (kind, errorCategory, calls) => {
    const { row, mock, place } = await runScriptedTrial({
      does: DONE,
      model: { faults: [{ kind }] },
      run: { retry: { maxRetries: 1 } },
    });
    expect(row).toMatchObject({ outcome: "error", errorCategory, scores: {}, metadata: { exitCode: 1 } });
    expect(row.attempts.at(-1)?.message).toContain(`scripted: API Error: ${kind}`);
    // Transient failures are retried as long as nothing was returned.
    expect(mock.counts.byStatus).toEqual({ [kind]: calls });
    expect(row.attempts).toHaveLength(calls);
    expect(row.notes).toEqual([]);
    expectNothingLeft(place);
  });

  const tasks = Array.from({ length: 12 }, (_, id) => ({ id, question: "Do it", graders: [{ type: "completed" }] }));

  it.each([401, 404] as const)("stops the agent at the first %i", async (kind) => {
    const { result, mock } = await runScriptedTrial({
      does: DONE,
      model: { faults: [{ kind }] },
      dataset: tasks,
      agent: { maxParallel: 2, canary: false },
    });
    expect(mock.counts.requests).toBeLessThanOrEqual(2);
    const { requests } = mock.counts;
    expect(result.summary.scripted).toMatchObject({ num_error: requests, num_skipped: 12 - requests });
    expect(result.notes.join()).toMatch(/"scripted" was stopped, and \d+ trials were not run: .*Fix it, then continue/);
  });

  it("is given up after a few retries when it is down", async () => {
    const { result, mock } = await runScriptedTrial({
      does: DONE,
      model: { faults: [{ kind: 500 }] },
      dataset: tasks,
      agent: { maxParallel: 2, canary: false },
      run: { outage: { giveUpAfterMs: 1000 }, retry: { maxRetries: 0 } },
    });
    expect(mock.counts.requests).toBeLessThan(12);
    expect(result.summary.scripted?.num_skipped).toBe(12 - mock.counts.requests);
    expect(result.notes.join()).toMatch(
      /"scripted" was stopped, and \d+ trials were not run: 127\.0\.0\.1:\d+ was down for \d+ s/,
    );
  });

  it.each([
    ["malformed", "system_error"],
    ["cut", "api_error"],
  ] as const)("is an error when its answer is broken: %s", async (kind, errorCategory) => {
    const { row, place } = await runScriptedTrial({
      does: DONE,
      model: { reply: "A text of some length. ".repeat(20), faults: [{ kind }] },
    });
    expect(row).toMatchObject({ outcome: "error", errorCategory, scores: {}, usage: { input: 1000 } });
    expect(row.attempts[0]?.message).toMatch(/^scripted ended \(exit code 1\).* It printed: /s);
    expectNothingLeft(place);
  });

  it("is not retried once the agent has worked, and its usage is kept", async () => {
    const { row, mock, agent, place } = await runScriptedTrial({
      does: [{ ask: true }, { ask: true }, ...DONE],
      model: { tools: [{ command: "true" }, { command: "true" }], faults: [{ kind: 500, every: 3 }] },
      run: { retry: { maxRetries: 5 } },
    });
    const used = sumRequestUsage(mock.requests);
    expect(agent.starts()).toBe(1);
    expect(row).toMatchObject({ outcome: "error", errorCategory: "api_error", turns: 2, usage: used });
    expect(row.costUsd).toBe(computeTrialCost(used));
    expect(used.input).toBe(2000);
    expectNothingLeft(place);
  });

  it("is not retried once something was paid for, which the new bill would not include", async () => {
    const { row, mock } = await runScriptedTrial({
      does: [{ ask: true, silent: true }, ...DONE],
      model: { faults: [{ kind: 500, every: 2 }] },
      run: { retry: { maxRetries: 5 } },
    });
    expect(mock.counts.byStatus).toEqual({ 200: 1, 500: 1 });
    expect(row).toMatchObject({ errorCategory: "api_error", usage: sumRequestUsage(mock.requests) });
  });

  it("does not matter when the agent recovers", async () => {
    const { row, mock } = await runScriptedTrial({
      does: [{ ask: true, again: true }, { write: "a.txt", text: "" }, { end: "done" }],
      model: { faults: [{ kind: 500, first: 1 }] },
      example: { graders: WRITTEN },
    });
    expect(mock.counts.byStatus).toEqual({ 500: 1, 200: 1 });
    expect(row).toMatchObject({ outcome: "pass", attempts: [], usage: { input: 1000, output: 2 } });
  });
});

describe("the end of an agent", () => {
  it("by a crash is an error with its stderr", async () => {
    const { row, place } = await runScriptedTrial({
      does: [{ ask: true }, { stderr: `${"long ".repeat(4000)}and then: out of luck\n` }, { exit: 3 }],
      example: { graders: WRITTEN },
    });
    expect(row).toMatchObject({ outcome: "error", errorCategory: "system_error", metadata: { exitCode: 3 } });
    const message = row.attempts[0]?.message ?? "";
    expect(message).toContain("scripted ended (exit code 3) without a final event");
    expect(message).toMatch(/and then: out of luck$/);
    expect(message.length).toBeLessThan(1000);
    expect(row.usage).toEqual({ input: 1000, output: 2 });
    expectNothingLeft(place);
  });

  it("by a signal is an error that names it", async () => {
    const { row } = await runScriptedTrial({ does: [{ kill: "SIGKILL" }, { hang: true }] });
    expect(row).toMatchObject({ errorCategory: "system_error", metadata: { exitCode: null, exitSignal: "SIGKILL" } });
    expect(row.attempts[0]?.message).toContain("scripted ended (by SIGKILL)");
  });

  it("without a final event is an error, even with exit code 0", async () => {
    const { row } = await runScriptedTrial({
      does: [{ ask: true }, { write: "a.txt", text: "" }],
      example: { graders: WRITTEN },
    });
    expect(row).toMatchObject({ outcome: "error", errorCategory: "system_error", metadata: { exitCode: 0 } });
  });

  it("after garbage instead of events is an error that says so", async () => {
    const { row } = await runScriptedTrial({ does: [{ line: "<html>" }, { line: "{]" }, { exit: 0 }] });
    expect(row).toMatchObject({ outcome: "error", errorCategory: "system_error" });
    expect(row.notes).toContain("lines of output that are not JSON: 2");
  });

  it("is decided by its final event, whatever the exit code", async () => {
    const { row: done } = await runScriptedTrial({
      does: [...DONE, { write: "a.txt", text: "" }, { exit: 1 }],
      example: { graders: WRITTEN },
    });
    expect(done).toMatchObject({ outcome: "pass", errorCategory: "none", metadata: { exitCode: 1 } });
    const { row: failed } = await runScriptedTrial({
      does: [{ ask: true }, { write: "a.txt", text: "" }, { end: "failed", message: "I give up." }, { exit: 0 }],
      example: { graders: WRITTEN },
    });
    expect(failed).toMatchObject({ outcome: "error", errorCategory: "system_error", metadata: { exitCode: 0 } });
    expect(failed.attempts[0]?.message).toBe("scripted: I give up.");
  });
});

describe("an agent that stops by itself", () => {
  it.each([
    ["refused", { stop_reason: "refusal", subtype: "success", result: "I will not." }],
    ["truncated", { subtype: "error_max_turns", is_error: true, errors: ["too many turns"] }],
  ])("is graded on its result: %s", async (errorCategory, result) => {
    const { row } = await runScriptedTrial({
      does: [{ ask: true }, { write: "a.txt", text: "" }, { print: { type: "result", ...result } }, { exit: 1 }],
      example: { graders: WRITTEN },
    });
    expect(row).toMatchObject({ outcome: "pass", errorCategory, metadata: { stoppedBecause: expect.any(String) } });
  });
});

describe("createAgentError", () => {
  const CALL: GatewayRequest = {
    provider: "anthropic",
    model: "m",
    dialect: "anthropic",
    ending: "failed",
    status: null,
    usage: null,
    costUsd: null,
    costPico: null,
    costSource: "unknown",
    partial: false,
    startedAt: 0,
    durationMs: 1,
    ttftMs: null,
    generationMs: null,
    finish: null,
    finishReason: null,
    message: "the connection broke.",
    fault: null,
  };
  const idle = () => {
    const { signal } = new AbortController();
    const launch = { args: [], env: {}, homeFiles: {} };
    return new AgentRun({
      adapter: claude,
      program: "",
      launch,
      skills: [],
      cwd: "",
      env: {},
      folders: [],
      signal,
      onFigures() {},
    });
  };
  const exit = { code: 1, signal: null, leftBehind: 0, survivors: [] };
  const failing = (end: AgentEnd | null, requests: readonly GatewayRequest[], run = idle()) =>
    createAgentError({ name: "a", end, run, exit, requests, spent: {} });
  const said = (status: number | null): AgentEnd => ({ kind: "failed", message: "It failed", status });

  it.each([
    [408, "timeout", true],
    [504, "timeout", true],
    [429, "rate_limit", true],
    [529, "rate_limit", true],
    [400, "api_error", false],
    [403, "api_error", false],
  ])("classifies by the reported status: %i", (status, category, mayRetry) => {
    const byEvent = failing(said(status), []);
    const byGateway = failing(null, [{ ...CALL, status }]);
    for (const error of [byEvent, byGateway])
      expect({ category: error.category, mayRetry: error.retry !== undefined }).toEqual({ category, mayRetry });
  });

  it("includes the messages of both sides once", () => {
    expect(failing(said(null), [CALL]).message).toBe("a: It failed (the connection broke)");
    const same: AgentEnd = { kind: "failed", message: "Alas, the connection broke.", status: null };
    expect(failing(same, [CALL]).message).toBe("a: Alas, the connection broke.");
    expect(failing(null, [CALL]).message).toBe(
      "a ended (exit code 1) without a final event. Its last call failed: the connection broke.",
    );
  });

  it("blames the endpoint only for the last call", () => {
    const fine: GatewayRequest = { ...CALL, ending: "answered", status: 200 };
    expect(failing(said(null), [CALL, fine]).category).toBe("system_error");
    expect(failing(said(null), [fine, CALL])).toMatchObject({ category: "api_error", retry: { afterMs: null } });
    const elsewhere: GatewayRequest = { ...CALL, dialect: null };
    expect(failing(said(null), [fine, elsewhere]).category).toBe("system_error");
  });

  it("does not repeat work", () => {
    const run = idle();
    run.events.push({ type: "assistant_message", text: "I begin", timestamp: 0 });
    expect(failing(said(500), [], run).retry).toBeUndefined();
  });
});
