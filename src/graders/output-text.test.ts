import { describe, expect, it } from "vitest";
import { classifyVerdict, findConfigProblem, makeTrajectory, runBuiltInGrader } from "./graded-testing.js";

const said = { output: { response: "All Tests passed." } };

describe("output graders", () => {
  it.each([
    ["output-contains", { substring: "tests" }, "pass"],
    ["output-contains", { substring: "tests", case_sensitive: true }, "fail"],
    ["output-contains", { substring: "failed" }, "fail"],
    ["output-not-contains", { substring: "failed" }, "pass"],
    ["output-not-contains", { substring: "tests" }, "fail"],
    ["output-matches", { pattern: "^all", flags: "i" }, "pass"],
    ["output-matches", { pattern: "(?i)^all" }, "pass"],
    ["output-matches", { pattern: "^all" }, "fail"],
    ["output-not-matches", { pattern: "\\bfail" }, "pass"],
    ["output-not-matches", { pattern: "passed\\.$" }, "fail"],
  ])("%s %j: %s", async (type, config, expected) => {
    const verdict = await runBuiltInGrader(type, config, said);
    expect(classifyVerdict(verdict)).toBe(expected);
    expect(verdict.evidence).not.toBe("");
  });

  it("treats a missing answer as an empty one", async () => {
    expect(classifyVerdict(await runBuiltInGrader("output-contains", { substring: "a" }))).toBe("fail");
    expect(classifyVerdict(await runBuiltInGrader("output-not-contains", { substring: "a" }))).toBe("pass");
  });

  it("ends in error if a pattern backtracks forever", async () => {
    const output = { response: `${"a".repeat(40)}b` };
    const verdict = await runBuiltInGrader("output-matches", { pattern: "^(a+)+$" }, { output });
    expect(classifyVerdict(verdict)).toBe("error");
    expect(verdict.evidence).toContain("took longer");
  });

  it.each([
    ["output-contains", {}, "substring is missing"],
    ["output-contains", { substring: "" }, "must not be empty"],
    ["output-contains", { substing: "x", substring: "x" }, 'unknown key "substing". Did you mean "substring"?'],
    ["output-contains", { substring: 1 }, "substring must be a string"],
    ["output-matches", { pattern: "(" }, "pattern is not a regular expression"],
    ["output-matches", { pattern: "a", flags: "q" }, "flags must be regular expression flags"],
    ["output-matches", { pattern: "a", flags: "uv" }, "flags are invalid"],
  ])("%s rejects %j", (type, config, words) => {
    expect(findConfigProblem(type, config)).toContain(words);
  });
});

describe("transcript graders", () => {
  const events = makeTrajectory(
    { type: "user_message", text: "Never say xyzzy." },
    { type: "assistant_message", text: "I will " },
    { type: "assistant_message", text: "look around." },
    { type: "tool_call", name: "Bash", callId: "1", arguments: { command: 'grep "plugh" .' } },
    { type: "tool_result", callId: "1", success: true, result: "found: plover" },
  );
  const work = { output: { response: "Done.", trajectory: events } };

  it.each([
    ["I will look", "pass"],
    ['grep "plugh"', "pass"],
    ["PLOVER", "pass"],
    ["done.", "pass"],
    ["xyzzy", "fail"],
  ])("transcript-contains %s: %s", async (substring, expected) => {
    expect(classifyVerdict(await runBuiltInGrader("transcript-contains", { substring }, work))).toBe(expected);
    const opposite = expected === "pass" ? "fail" : "pass";
    expect(classifyVerdict(await runBuiltInGrader("transcript-not-contains", { substring }, work))).toBe(opposite);
  });

  it("ends in error without a trajectory and a response", async () => {
    expect(classifyVerdict(await runBuiltInGrader("transcript-contains", { substring: "a" }))).toBe("error");
  });

  it("rejects unknown keys", () => {
    expect(findConfigProblem("transcript-contains", { substring: "a", turn: 1 })).toContain('unknown key "turn"');
  });
});

describe("completed and exit-success", () => {
  it.each([
    ["completed", { response: "ok" }, "pass"],
    ["completed", { response: " " }, "fail"],
    ["completed", { response: "ok", stopped: "time_killed" }, "fail"],
    ["exit-success", { response: "ok" }, "pass"],
    ["exit-success", { response: "ok", stopped: "cost_killed" }, "fail"],
    ["exit-success", { response: "ok", metadata: { exitCode: 3 } }, "fail"],
    ["exit-success", { response: "", metadata: { exitCode: 0 } }, "pass"],
  ] as const)("%s %j: %s", async (type, output, expected) => {
    expect(classifyVerdict(await runBuiltInGrader(type, {}, { output }))).toBe(expected);
  });

  it("accept no config", () => {
    expect(findConfigProblem("completed", { max: 1 })).toContain('unknown key "max"');
  });
});
