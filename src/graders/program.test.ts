import { readFileSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  classifyVerdict,
  findConfigProblem,
  makeGradedFolder,
  makeTrajectory,
  runBuiltInGrader,
} from "./graded-testing.js";
import { parseProgramAnswer } from "./program.js";

let workspace: string;
beforeEach(() => {
  workspace = makeGradedFolder({ "sub/here.txt": "" });
});
afterEach(() => rmSync(workspace, { recursive: true, force: true }));

const output = { response: "42", trajectory: makeTrajectory({ type: "assistant_message", text: "It is 42." }) };

/** Runs a shell command line as the grading program. */
function shell(program: string, more: object = {}) {
  return runBuiltInGrader("program", { program, shell: true, ...more }, { workspace, output });
}

describe("program", () => {
  it.each([
    ["true", "pass", 1],
    ["false", "fail", 0],
    ["echo checked; exit 0", "pass", 1],
    ['echo \'{"score": 0.5, "passed": true}\'; exit 1', "pass", 0.5],
    ["echo '{\"score\": 0.5}'", "fail", 0.5],
    ["echo '{\"score\": 1}'", "pass", 1],
    ["echo '{\"passed\": false}'", "fail", 0],
    ['echo \'{"passed": true, "more": []}\'', "pass", 1],
    ["kill -9 $$", "fail", 0],
    ["test -f here.txt", "fail", 0],
  ])("%s: %s", async (program, expected, score) => {
    const verdict = await shell(program);
    expect(classifyVerdict(verdict), verdict.evidence).toBe(expected);
    expect(verdict.score ?? (verdict.passed ? 1 : 0)).toBe(score);
  });

  it.each([
    ["echo '{\"score\": 2}'", "score must be from 0 to 1"],
    ['echo \'{"score": "1"}\'', "score must be a number"],
    ["echo '{\"passed\": 1}'", "passed must be true or false"],
    ["echo '{}'", "has neither score nor passed"],
    ["echo '{ no'", "printed malformed JSON"],
  ])("%s is not a verdict", async (program, words) => {
    const verdict = await shell(program);
    expect(classifyVerdict(verdict)).toBe("error");
    expect(verdict.evidence).toContain(words);
  });

  it("reads the trial as JSON and returns the printed evidence", async () => {
    const program = "node";
    const code = `
      const trial = JSON.parse(require("node:fs").readFileSync(0, "utf8"));
      const isHere = trial.workspace === process.env.ASSAY_WORKSPACE;
      const passed = trial.example.id === 1 && trial.output.response === "42" && isHere;
      console.log("looking");
      console.log(JSON.stringify({ passed, evidence: trial.output.trajectory.events[0].text }, null, 2));`;
    const verdict = await runBuiltInGrader(
      "program",
      { program, args: ["-e", code], sub_path: "sub" },
      { workspace, output },
    );
    expect(verdict).toEqual({ passed: true, score: 1, evidence: "It is 42." });
  });

  it("does not have to read its input, however long it is", async () => {
    const large = { response: "x".repeat(4 << 20) };
    const verdict = await runBuiltInGrader("program", { program: "true" }, { workspace, output: large });
    expect(classifyVerdict(verdict), verdict.evidence).toBe("pass");
  });

  it("runs in a folder of the workspace, with its variables and files", async () => {
    const files = [{ dest: "sub/check.sh", content: "test -f here.txt && test $COLOUR = blue" }];
    const config = { program: "sh", args: ["check.sh"], sub_path: "sub", env: { COLOUR: "blue" }, files };
    expect(classifyVerdict(await runBuiltInGrader("program", config, { workspace }))).toBe("pass");
  });

  it("fails if it times out, whatever it printed", async () => {
    const verdict = await shell("echo '{\"passed\": true}'; echo $$ > pid; sleep 60", { timeout: "500ms" });
    expect(classifyVerdict(verdict)).toBe("fail");
    expect(verdict.evidence).toContain("was stopped after 500 ms");
    expect(() => process.kill(Number(readFileSync(join(workspace, "pid"), "utf8")), 0)).toThrow("ESRCH");
  });

  it("shortens evidence", async () => {
    const { evidence } = await shell("seq 100000");
    expect(evidence).toContain("100000");
    expect(evidence.length).toBeLessThan(2000);
  });

  it("ends in error if the workspace is gone, or the program or its folder is missing", async () => {
    const lost = { output, whyNoWorkspace: "it could not be made again" };
    expect(classifyVerdict(await runBuiltInGrader("program", { program: "true" }, lost))).toBe("error");
    expect(classifyVerdict(await runBuiltInGrader("program", { program: "no-such-program" }, { output }))).toBe(
      "error",
    );
    expect(classifyVerdict(await runBuiltInGrader("program", { program: "no-such-program" }, { workspace }))).toBe(
      "error",
    );
    symlinkSync("/", join(workspace, "root"));
    expect(
      classifyVerdict(await runBuiltInGrader("program", { program: "true", sub_path: "root" }, { workspace })),
    ).toBe("error");
    const circle: Record<string, unknown> = {};
    circle.self = circle;
    expect(classifyVerdict(await runBuiltInGrader("program", { program: "true" }, { workspace, output: circle }))).toBe(
      "error",
    );
  });

  it.each([
    [{}, "program is missing"],
    [{ program: "a", args: "b" }, "args must be a list of strings"],
    [{ program: "a", timeout: "30" }, "with a unit"],
    [{ program: "a", sub_path: "../b" }, "sub_path must not leave the workspace"],
    [{ program: "a", arg: [] }, 'unknown key "arg". Did you mean "args"?'],
  ])("rejects %j", (config, words) => {
    expect(findConfigProblem("program", config)).toContain(words);
  });
});

describe("parseProgramAnswer", () => {
  it.each([
    ["", null],
    ["no { braces at the start\n", null],
    ['{"score": 0.25}', { score: 0.25 }],
    ['{"log": 1}\n{"log": 2}\n{"passed": true}\n', { passed: true }],
    ['a\n{\n  "passed": false,\n  "evidence": "b"\n}\n\n', { passed: false, evidence: "b" }],
  ])("%j: %j", (stdout, expected) => {
    expect(parseProgramAnswer(stdout)).toEqual(expected);
  });
});
