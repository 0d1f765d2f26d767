import { describe, expect, it } from "vitest";
import { configProblem, ending, grade, trajectory } from "./graded-testing.js";

const events = ["pdf", "pdf", "pdf-forms"].map((name) => ({ type: "skill_activation", name }));
const work = { output: { trajectory: trajectory(...events) } };

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
    const verdict = await grade("skill-invocation", config, work);
    expect(ending(verdict), verdict.evidence).toBe(expected);
  });

  it("scores the share of entries that hold and lists those that do not", async () => {
    const config = { required: ["pdf", "docx"], disallowed: ["pdf-forms", "xlsx"] };
    expect(await grade("skill-invocation", config, work)).toEqual({
      passed: false,
      score: 0.5,
      evidence: "docx was not activated; pdf-forms was activated; activated: pdf, pdf-forms",
    });
  });

  it("treats a trajectory without activations as no activated skills", async () => {
    const none = { output: { trajectory: trajectory({ type: "assistant_message", text: "Done." }) } };
    expect(ending(await grade("skill-invocation", { disallowed: ["pdf"] }, none))).toBe("pass");
    const verdict = await grade("skill-invocation", { required: ["pdf"] }, none);
    expect(verdict.evidence).toBe("pdf was not activated; no skill was activated");
  });

  it("ends in error if skills are not observable", async () => {
    const config = { disallowed: ["pdf"] };
    expect(ending(await grade("skill-invocation", config, { output: { response: "ok" } }))).toBe("error");
    const output = { trajectory: trajectory(), metadata: { skills: { offered: ["pdf"], observable: false } } };
    expect(ending(await grade("skill-invocation", config, { output }))).toBe("error");
  });

  it.each([
    [{}, "names no skill"],
    [{ required: "pdf" }, "required must be a list"],
    [{ required: [1] }, "must be the name of a skill, or { pattern }"],
    [{ required: [{ pattern: "(" }] }, "not a regular expression"],
    [{ require: ["pdf"], required: ["pdf"] }, 'unknown key "require". Did you mean "required"?'],
    [{ required: ["pdf"], disallowed: ["pdf"] }, "both requires and disallows pdf"],
  ])("rejects %j", (config, words) => {
    expect(configProblem("skill-invocation", config)).toContain(words);
  });
});
