import { describe, expect, it } from "vitest";
import { Registry } from "../core/registry.js";
import { getFolderUse } from "./built-in-grader.js";
import { classifyVerdict, findConfigProblem, makeGraded, runBuiltInGrader } from "./graded-testing.js";
import { graderFactories } from "./index.js";
import { makeGrader } from "./make-grader.js";

const YES = { type: "output-contains", config: { substring: "yes" } };
const NO = { type: "output-contains", config: { substring: "no" } };
/** Ends in error, because there is no workspace. */
const SILENT = { type: "file-exists", config: { path: "a" } };
const work = { output: { response: "yes" } };

describe("composed graders", () => {
  it.each([
    ["all-of", [YES, YES], "pass"],
    ["all-of", [YES, NO], "fail"],
    ["all-of", [YES, SILENT], "error"],
    ["all-of", [NO, SILENT], "fail"],
    ["any-of", [NO, YES], "pass"],
    ["any-of", [NO, NO], "fail"],
    ["any-of", [NO, SILENT], "error"],
    ["any-of", [YES, SILENT], "pass"],
    ["all-of", [SILENT], "error"],
    ["any-of", [SILENT], "error"],
  ])("%s %j: %s", async (type, graders, expected) => {
    const verdict = await runBuiltInGrader(type, { graders }, work);
    expect(classifyVerdict(verdict)).toBe(expected);
    expect(verdict.details).toHaveLength(graders.length);
  });

  it.each([
    [YES, "fail"],
    [NO, "pass"],
    [SILENT, "error"],
    [{ type: "not", config: { grader: YES } }, "pass"],
  ])("not %j: %s", async (grader, expected) => {
    expect(classifyVerdict(await runBuiltInGrader("not", { grader }, work))).toBe(expected);
  });

  it("use the mean score and the best score", async () => {
    expect(await runBuiltInGrader("all-of", { graders: [YES, NO] }, work)).toMatchObject({ score: 0.5 });
    expect(await runBuiltInGrader("any-of", { graders: [YES, NO] }, work)).toMatchObject({ score: 1 });
  });

  it("look at the workspace only if all of their parts do", () => {
    const made = (graders: readonly object[]) => graderFactories["all-of"]?.({ graders });
    const command = { type: "run-command", config: { command: "true" } };
    expect(made([SILENT, command])).toMatchObject({ seesWorkspaceOnly: true, folderUse: "runs" });
    expect(made([SILENT, YES])).toMatchObject({ seesWorkspaceOnly: false, folderUse: "looks" });
    expect(getFolderUse({ name: "theirs", grade: () => ({ passed: true, evidence: "" }) })).toBe("runs");
  });

  it("take their parts from the registry they are made with", async () => {
    const registry = new Registry();
    registry.register("grader", "mine", { name: "mine", grade: () => ({ passed: true, evidence: "mine" }) });
    registry.register("grader", "not", graderFactories.not ?? (() => expect.unreachable()));
    const spec = { type: "not", config: { grader: { type: "mine" } } };
    expect(classifyVerdict(await makeGrader(spec, registry).grade(makeGraded()))).toBe("fail");
  });

  it.each([
    ["all-of", { graders: [] }, "graders must not be empty"],
    ["all-of", {}, "graders is missing"],
    ["all-of", { graders: [{ ...YES, weight: 2 }] }, 'unknown key "weight"'],
    ["any-of", { graders: [{ type: "file-exist", config: {} }] }, 'Did you mean "file-exists"?'],
    ["not", { grader: { type: "file-exists" } }, "file-exists: path is missing"],
    ["not", { graders: [YES] }, "grader is missing"],
  ])("%s rejects %j", (type, config, words) => {
    expect(findConfigProblem(type, config)).toContain(words);
  });
});
