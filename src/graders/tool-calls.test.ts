import { describe, expect, it } from "vitest";
import { classifyVerdict, findConfigProblem, makeTrajectory, runBuiltInGrader } from "./graded-testing.js";

const work = {
  output: {
    trajectory: makeTrajectory(
      { type: "assistant_message", text: "Looking." },
      { type: "tool_call", name: "Read", callId: "1", arguments: { path: "add.js" } },
      { type: "tool_call", name: "Bash", callId: "2", arguments: '{"command":"npm test","timeout":5}' },
      { type: "tool_result", callId: "1", success: true, result: "text" },
      { type: "tool_result", callId: "2", success: false, result: "1 failed" },
      { type: "tool_call", name: "Edit", callId: "3", arguments: { path: "add.js", at: { line: 2 } } },
      { type: "tool_result", callId: "3", success: true, result: "ok" },
      { type: "tool_call", name: "Bash", callId: "4", arguments: { command: "npm test" } },
      { type: "tool_result", callId: "4", success: true, result: "1 passed" },
      { type: "assistant_message", text: "Done." },
    ),
  },
};

describe("tool-calls", () => {
  it.each([
    [{ required: ["Read"] }, "pass"],
    [{ required: ["^read$"] }, "fail"],
    [{ required: ["(?i)^read$"] }, "pass"],
    [{ required: [{ name: "Bash", min_count: 2 }] }, "pass"],
    [{ required: [{ name: "Bash", min_count: 3 }] }, "fail"],
    [{ required: [{ name: "Bash", args: { command: "^npm test$" }, min_count: 2 }] }, "pass"],
    [{ required: [{ name: "Bash", args: { shell: "." } }] }, "fail"],
    [{ required: [{ name: "Edit", args: { at: '"line":2' } }] }, "pass"],
    [{ required: [{ name: "Edit", args: "add\\.js" }] }, "pass"],
    [{ required: [{ name: "Bash", command: "^npm test$", min_count: 2 }] }, "pass"],
    [{ required: [{ name: "Bash", command: "^npm ci$" }] }, "fail"],
    [{ disallowed: [{ name: ".", path: "^add" }] }, "fail"],
    [{ required: [{ name: "Edit", path: "add", args: { at: "line" } }] }, "pass"],
    [{ required: [{ name: "Bash", result: "passed" }] }, "pass"],
    [{ required: [{ name: "Bash", result: "passed", before_step: 2 }] }, "fail"],
    [{ required: [{ name: "Bash", before_step: 2 }] }, "pass"],
    [{ disallowed: ["Write"] }, "pass"],
    [{ disallowed: [{ name: "Edit", before_step: 2 }] }, "pass"],
    [{ disallowed: [{ name: "Edit", before_step: 3 }] }, "fail"],
    [{ sequence: ["Read", "Edit", { name: "Bash", result: "passed" }] }, "pass"],
    [{ sequence: ["Edit", "Read"] }, "fail"],
    [{ sequence: ["Bash", "Bash", "Bash"] }, "fail"],
  ])("%j: %s", async (config, expected) => {
    const verdict = await runBuiltInGrader("tool-calls", config, work);
    expect(classifyVerdict(verdict), verdict.evidence).toBe(expected);
  });

  it("scores the share of entries that hold and lists those that do not", async () => {
    const verdict = await runBuiltInGrader(
      "tool-calls",
      { required: ["Read", "Write"], disallowed: ["Bash", "Grep"] },
      work,
    );
    expect(verdict).toMatchObject({ passed: false, score: 0.5 });
    expect(verdict.evidence).toBe("Write was not called; Bash was called; called: Read, Bash, Edit");
  });

  it("ends in error without a trajectory", async () => {
    expect(
      classifyVerdict(await runBuiltInGrader("tool-calls", { disallowed: ["Bash"] }, { output: { response: "ok" } })),
    ).toBe("error");
  });

  it.each([
    [{}, "names no call"],
    [{ required: [] }, "names no call"],
    [{ required: ["("] }, "not a regular expression"],
    [
      { required: [{ name: "a", min_cout: 1 }] },
      'required.0 has the unknown key "min_cout". Did you mean "min_count"?',
    ],
    [{ required: [{}] }, "required.0.name is missing"],
    [{ disallowed: [{ name: "a", min_count: 1 }] }, 'unknown key "min_count"'],
    [{ required: [{ name: "a", before_step: 1 }] }, "at least 2"],
    [{ required: "Read" }, "required must be a list"],
  ])("rejects %j", (config, words) => {
    expect(findConfigProblem("tool-calls", config)).toContain(words);
  });
});

describe("limits", () => {
  it.each([
    ["tool-call-count", { max: 4 }, { passed: true, score: 1 }],
    ["tool-call-count", { max: 2 }, { passed: false, score: 0 }],
    ["tool-call-count", { max: 3 }, { passed: false, score: 1 - 1 / 3 }],
    ["tool-call-count", { max: 0 }, { passed: false, score: 0 }],
    ["tool-call-count", { min: 8 }, { passed: false, score: 0.5 }],
    ["tool-call-count", { max: 2, tools: ["^Bash$"] }, { passed: true, score: 1 }],
    ["turn-count", { max: 4 }, { passed: true, score: 1 }],
    ["turn-count", { max: 3 }, { passed: false, score: 1 - 1 / 3 }],
    ["step-count", { max: 5 }, { passed: true, score: 1 }],
    ["step-count", { max: 4 }, { passed: false, score: 0.75 }],
    ["step-count", { min: 10 }, { passed: false, score: 0.5 }],
    ["error-count", { max: 1 }, { passed: true, score: 1 }],
    ["error-count", {}, { passed: false, score: 0 }],
    ["wall-time", { max: "10s" }, { passed: true, score: 1 }],
    ["wall-time", { max: "8s" }, { passed: false, score: 0.75 }],
  ])("%s %j of a trajectory: %j", async (type, config, expected) => {
    expect(await runBuiltInGrader(type, config, work)).toMatchObject(expected);
  });

  it("counts errors of tools and of the program, and quotes the first", async () => {
    const failed = { type: "tool_result", callId: "1", success: false, result: "no such file" };
    const output = { trajectory: makeTrajectory({ type: "error", message: "overloaded" }, failed) };
    const verdict = await runBuiltInGrader("error-count", { max: 1 }, { output });
    expect(verdict).toMatchObject({ passed: false, score: 0 });
    expect(verdict.evidence).toBe('2 errors of at most 1 errors, the first: "overloaded"');
  });

  const used = { usage: { input: 10, output: 20, cacheRead: 30, cacheWrite: 40, reasoning: 5 }, costUsd: 0.3 };

  it.each([
    ["token-budget", { max: 100 }, used, { passed: true, score: 1 }],
    ["token-budget", { max: 80 }, used, { passed: false, score: 0.75 }],
    ["cost-budget", { max_usd: 0.3 }, used, { passed: true, score: 1 }],
    ["cost-budget", { max_usd: 0.1 }, used, { passed: false, score: 0.8 }],
    ["cost-budget", { max_usd: 0.1 }, { ...used, partial: true }, { passed: false }],
    ["turn-count", { min: 2, max: 3 }, { turns: 3 }, { passed: true }],
    ["wall-time", { max: "2m" }, { latency: 120 }, { passed: true }],
    ["wall-time", { max: "2m" }, { latency: 180 }, { passed: false, score: 1 - 60_000 / 120_000 }],
  ])("%s %j of %j: %j", async (type, config, output, expected) => {
    const { score, ...rest } = await runBuiltInGrader(type, config, { output });
    expect(rest).toMatchObject({ passed: expected.passed });
    if ("score" in expected) expect(score).toBeCloseTo(expected.score);
  });

  it.each([
    ["token-budget", { max: 1 }, {}],
    ["token-budget", { max: 1000 }, { ...used, partial: true }],
    ["cost-budget", { max_usd: 1 }, {}],
    ["cost-budget", { max_usd: 1 }, { ...used, partial: true }],
    ["turn-count", { max: 1 }, {}],
    ["tool-call-count", { max: 1 }, {}],
    ["step-count", { max: 1 }, {}],
    ["error-count", {}, {}],
    ["wall-time", { max: "1s" }, {}],
  ])("%s %j ends in error for %j", async (type, config, output) => {
    expect(classifyVerdict(await runBuiltInGrader(type, config, { output }))).toBe("error");
  });

  it.each([
    ["wall-time", { max: "90" }, "duration with a unit"],
    ["wall-time", { max: 90 }, 'max must be a duration with a unit, such as "30s"'],
    ["turn-count", {}, "give min or max"],
    ["turn-count", { min: 3, max: 2 }, "swap them"],
    ["token-budget", { max_tokens: 5, max: 1 }, 'unknown key "max_tokens"'],
    ["cost-budget", { max_usd: -1 }, "must not be negative"],
    ["tool-call-count", { max: 1.5 }, "whole number"],
  ])("%s rejects %j", (type, config, words) => {
    expect(findConfigProblem(type, config)).toContain(words);
  });
});
