import { describe, expect, it } from "vitest";
import { classifyVerdict, findConfigProblem, makeTrajectory, runBuiltInGrader } from "./graded-testing.js";

const events = ["pdf", "pdf", "pdf-forms"].map((name) => ({ type: "skill_activation", name }));
const work = { output: { trajectory: makeTrajectory(...events) } };

describe("skill-invocation", () => {
  it.each([
    [{ required: ["pdf"] }, "pass"],
    [{ required: ["PDF"] }, "fail"],
    [{ required: ["pd"] }, "fail"],
    [{ required: [{ pattern: "^pd" }] }, "pass"],
    [{ disallowed: ["xlsx"] }, "pass"],
    [{ disallowed: ["pdf-forms"] }, "fail"],
    [{ disallowed: [{ pattern: "forms$" }] }, "fail"],
    [{ required: ["pdf", "pdf-forms"], disallowed: ["xlsx"] }, "pass"],
  ])("%j: %s", async (config, expected) => {
    const verdict = await runBuiltInGrader("skill-invocation", config, work);
    expect(classifyVerdict(verdict), verdict.evidence).toBe(expected);
  });

  it("scores the share of entries that hold and lists those that do not", async () => {
    const config = { required: ["pdf", "docx"], disallowed: ["pdf-forms", "xlsx"] };
    expect(await runBuiltInGrader("skill-invocation", config, work)).toEqual({
      passed: false,
      score: 0.5,
      evidence: "docx was not activated; pdf-forms was activated; activated: pdf, pdf-forms",
    });
  });

  it("treats a trajectory without activations as no activated skills", async () => {
    const none = { output: { trajectory: makeTrajectory({ type: "assistant_message", text: "Done." }) } };
    expect(classifyVerdict(await runBuiltInGrader("skill-invocation", { disallowed: ["pdf"] }, none))).toBe("pass");
    const verdict = await runBuiltInGrader("skill-invocation", { required: ["pdf"] }, none);
    expect(verdict.evidence).toBe("pdf was not activated; no skill was activated");
  });

  it("ends in error if skills are not observable", async () => {
    const config = { disallowed: ["pdf"] };
    expect(classifyVerdict(await runBuiltInGrader("skill-invocation", config, { output: { response: "ok" } }))).toBe(
      "error",
    );
    const output = { trajectory: makeTrajectory(), metadata: { skills: { offered: ["pdf"], observable: false } } };
    expect(classifyVerdict(await runBuiltInGrader("skill-invocation", config, { output }))).toBe("error");
  });

  it.each([
    [{}, "names no skill"],
    [{ required: "pdf" }, "required must be a list"],
    [{ required: [1] }, "must be the name of a skill, or { pattern }"],
    [{ required: [{ pattern: "(" }] }, "not a regular expression"],
    [{ require: ["pdf"], required: ["pdf"] }, 'unknown key "require". Did you mean "required"?'],
    [{ required: ["pdf"], disallowed: ["pdf"] }, "both requires and disallows pdf"],
  ])("rejects %j", (config, words) => {
    expect(findConfigProblem("skill-invocation", config)).toContain(words);
  });
});
