import { execFile, spawn } from "node:child_process";
import { promisify } from "node:util";
import { describe, expect, it, onTestFinished } from "vitest";
import { lacksIsolation } from "../src/testing/isolation.js";
import { type FinishedCommand, LAUNCHER, parseReport, runAssay, watchCommand } from "../src/testing/run-assay.js";
import { TempProject } from "../src/testing/temp-project.js";

const PYTHON = { id: "py", question: "Write add(a, b).", language: "python", test: "assert add(1, 2) == 3" };
const JAVASCRIPT = { id: "js", question: "Write add.", language: "javascript", test: "assert.equal(add(1, 2), 3)" };
const OUTPUTS = [
  { id: "py", response: "def add(a, b):\n    return a + b" },
  { id: "js", response: "function add(a, b) { return a + b }" },
];

const SCRIPT = `
import { CodeExecution } from "assay";
const evaluator = new CodeExecution();
const scores = await Promise.all(JSON.parse(process.argv[2]).map(([example, output]) => evaluator.score(example, output)));
if (process.argv[3] === "close") await evaluator.close();
console.log(JSON.stringify(scores));
`;

describe.skipIf(await lacksIsolation())("code_execution in its own process", () => {
  const kinds = { Python: [PYTHON], JavaScript: [JAVASCRIPT], both: [PYTHON, JAVASCRIPT] };

  it.each(Object.entries(kinds))("assay run scores %s", async (_, examples) => {
    const recorded = OUTPUTS.filter(({ id }) => examples.some((example) => example.id === id));
    const space = new TempProject({ "tasks.jsonl": examples, "outputs.jsonl": recorded });
    const sources = ["--dataset", "tasks.jsonl", "--replay", "outputs.jsonl"];
    const finished = await runAssay(space.dir, "run", ...sources, "--evaluator", "code_execution", "--output", "json");
    expect(finished).toMatchObject({ code: 0, signal: null });
    expect(finished.stderr).not.toContain("Warning");
    expect(parseReport(finished).rows.map(({ scores }) => scores.pass_at_1)).toEqual(examples.map(() => 1));
  });

  it.each(["close", "leave"])("ends with a program that uses the library (%s)", async (ending) => {
    const space = new TempProject({ "score.mjs": SCRIPT });
    space.linkAssay();
    const pairs = Array.from({ length: 6 }, () => [JAVASCRIPT, OUTPUTS[1]]);
    const args = ["score.mjs", JSON.stringify(pairs), ending];
    const { stdout, stderr } = await promisify(execFile)(process.execPath, args, { cwd: space.dir, timeout: 120_000 });
    expect(JSON.parse(stdout)).toEqual(pairs.map(() => ({ pass_at_1: 1 })));
    expect(stderr).toBe("");
  });
});

/** Runs the command line where bubblewrap exists but cannot be started: an empty file is mounted over it. */
function withoutBubblewrap(cwd: string, ...args: string[]): Promise<FinishedCommand> {
  const hidden = ["--dev-bind", "/", "/", "--ro-bind", "/dev/null", "/usr/bin/bwrap", "--chdir", cwd, "--"];
  const child = spawn("/usr/bin/bwrap", [...hidden, process.execPath, LAUNCHER, ...args], {
    env: { ...process.env, NO_COLOR: "1" },
    stdio: ["ignore", "pipe", "pipe"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  return watchCommand(child).finished;
}

describe.skipIf(await lacksIsolation())("code_execution on a machine without isolation", () => {
  const ARGS = [
    "run",
    "--dataset",
    "tasks.jsonl",
    "--replay",
    "outputs.jsonl",
    "--evaluator",
    "code_execution",
    "--output",
    "json",
  ];
  const space = () => new TempProject({ "tasks.jsonl": [PYTHON], "outputs.jsonl": OUTPUTS.slice(0, 1) });

  it("rejects running programs", async () => {
    const finished = await withoutBubblewrap(space().dir, ...ARGS);
    expect(finished).toMatchObject({ code: 3, stdout: "" });
    expect(finished.stderr).toContain("--unsafe-local-exec");
  });

  it("runs them with --unsafe-local-exec, and warns", async () => {
    const finished = await withoutBubblewrap(space().dir, ...ARGS, "--unsafe-local-exec");
    expect(finished).toMatchObject({ code: 0, signal: null });
    expect(finished.stderr).toMatch(
      /^There is no sandbox here \(.+\): generated code runs without one and can do everything you can\.$/m,
    );
    expect(parseReport(finished).rows.map(({ scores }) => scores.pass_at_1)).toEqual([1]);
  });

  it("does not warn if there is isolation", async () => {
    const finished = await runAssay(space().dir, ...ARGS, "--unsafe-local-exec");
    expect(finished.code).toBe(0);
    expect(finished.stderr).not.toContain("There is no sandbox");
  });
});
