import { existsSync, lstatSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  classifyVerdict,
  findConfigProblem,
  makeGraded,
  makeGradedFolder,
  runBuiltInGrader,
} from "./graded-testing.js";
import { graderFactories } from "./index.js";

let workspace: string;
beforeEach(() => {
  workspace = makeGradedFolder({ "src/hello.sh": "echo hello\n", "check.sh": "exit 0\n" });
});
afterEach(() => rmSync(workspace, { recursive: true, force: true }));

/** A process that ended may still be a zombie. */
function isRunning(pid: string): boolean {
  const stat = `/proc/${pid}/stat`;
  return existsSync(stat) && !readFileSync(stat, "utf8").includes(") Z ");
}

describe("run-command", () => {
  it.each([
    [{ command: "test -f check.sh && echo fine", stdout_contains: "fine" }, "pass"],
    [{ command: "sh", args: ["src/hello.sh"], stdout_matches: "^hello$" }, "fail"],
    [{ command: "sh", args: ["src/hello.sh"], stdout_matches: "^hello\\n$" }, "pass"],
    [{ command: "sh hello.sh", sub_path: "src", stdout_contains: "hello" }, "pass"],
    [{ command: "echo 1 failed", stdout_not_matches: "(?i)FAILED" }, "fail"],
    [{ command: "echo 1 passed", stdout_not_matches: "(?i)FAILED" }, "pass"],
    [{ command: "exit 3" }, "fail"],
    [{ command: "exit 3", expected_exit_code: 3 }, "pass"],
    [{ command: "echo oops >&2", stderr_contains: "oops" }, "pass"],
    [{ command: "echo oops", stderr_contains: "oops" }, "fail"],
    [{ command: "echo $COLOUR", env: { COLOUR: "blue" }, stdout_contains: "blue" }, "pass"],
    [{ command: "kill -9 $$" }, "fail"],
    [{ command: "no-such-program", args: [] }, "fail"],
    [{ command: "no-such-program" }, "fail"],
    [{ command: "true", sub_path: "nowhere" }, "fail"],
  ])("%j: %s", async (config, expected) => {
    const verdict = await runBuiltInGrader("run-command", config, { workspace });
    expect(classifyVerdict(verdict), verdict.evidence).toBe(expected);
  });

  it("reports expected and actual exit codes, and the last output", async () => {
    const command = "for i in $(seq 50); do echo line $i; done; echo broken >&2; exit 2";
    const { evidence } = await runBuiltInGrader("run-command", { command }, { workspace });
    expect(evidence).toContain("it exited with code 2, expected 0");
    expect(evidence).toContain("line 50");
    expect(evidence).not.toContain("line 10\n");
    expect(evidence).toContain("stderr: broken");
  });

  it("stops a command that times out and all its child processes", async () => {
    const config = { command: "sleep 60 & echo $! > pid; sleep 60", timeout: "300ms" };
    const verdict = await runBuiltInGrader("run-command", config, { workspace });
    expect(classifyVerdict(verdict)).toBe("fail");
    expect(verdict.evidence).toContain("stopped after 300 ms");
    const pid = readFileSync(join(workspace, "pid"), "utf8").trim();
    expect(isRunning(pid)).toBe(false);
  });

  it("writes its own files over the agent's", async () => {
    writeFileSync(join(workspace, "check.sh"), "exit 0\n");
    const config = { command: "sh test/check.sh", files: [{ dest: "test/check.sh", content: "exit 7\n" }] };
    expect(classifyVerdict(await runBuiltInGrader("run-command", config, { workspace }))).toBe("fail");
    expect(
      classifyVerdict(await runBuiltInGrader("run-command", { ...config, expected_exit_code: 7 }, { workspace })),
    ).toBe("pass");
  });

  it("writes nothing through links that lead outside", async () => {
    const outside = makeGradedFolder({ "mine.txt": "mine" });
    symlinkSync(outside, join(workspace, "test"));
    symlinkSync(join(outside, "mine.txt"), join(workspace, "own.txt"));
    mkdirSync(join(workspace, "taken"));
    const files = ["test/mine.txt", "own.txt", "taken"].map((dest) => ({ dest, content: "theirs" }));
    const command = "cat test/mine.txt own.txt taken";
    const verdict = await runBuiltInGrader(
      "run-command",
      { command, files, stdout_contains: "theirstheirstheirs" },
      { workspace },
    );
    expect(classifyVerdict(verdict), verdict.evidence).toBe("pass");
    expect(readFileSync(join(outside, "mine.txt"), "utf8")).toBe("mine");
    expect(lstatSync(join(workspace, "test")).isSymbolicLink()).toBe(false);
    rmSync(outside, { recursive: true });
  });

  it("never runs outside the workspace", async () => {
    symlinkSync("/", join(workspace, "root"));
    const verdict = await runBuiltInGrader("run-command", { command: "true", sub_path: "root" }, { workspace });
    expect(classifyVerdict(verdict)).toBe("fail");
    expect(verdict.evidence).toContain("no folder root");
  });

  it("ends in error without a workspace, or if a pattern backtracks forever", async () => {
    expect(classifyVerdict(await runBuiltInGrader("run-command", { command: "true" }))).toBe("error");
    const config = { command: `echo ${"a".repeat(40)}b`, stdout_matches: "^(a+)+$" };
    expect(classifyVerdict(await runBuiltInGrader("run-command", config, { workspace }))).toBe("error");
  });

  it("stops when it is aborted", async () => {
    const stop = new AbortController();
    const grader = graderFactories["run-command"]?.({ command: "sleep 60" });
    const grading = grader?.grade(makeGraded({ workspace, signal: stop.signal }));
    stop.abort(new Error("enough"));
    await expect(grading).rejects.toThrow("enough");
  });

  it.each([
    [{}, "command is missing"],
    [{ command: "a", timeout: "30" }, "timeout must be a duration with a unit"],
    [{ command: "a", timeout: 30 }, 'timeout must be a duration with a unit, such as "30s"'],
    [{ command: "a", arg: [] }, 'unknown key "arg". Did you mean "args"?'],
    [{ command: "a", sub_path: "../b" }, "sub_path must not leave the workspace"],
    [{ command: "a", files: [{ dest: "/etc/x", content: "" }] }, "files.0.dest must be relative"],
    [{ command: "a", files: [{ dest: "x", contents: "" }] }, 'unknown key "contents". Did you mean "content"?'],
    [{ command: "a", expected_exit_code: 300 }, "from 0 to 255"],
    [{ command: "a", env: { A: 1 } }, "env.A must be a string"],
  ])("rejects %j", (config, words) => {
    expect(findConfigProblem("run-command", config)).toContain(words);
  });
});
