import { renameSync, rmSync } from "node:fs";
import { basename } from "node:path";
import { describe, expect, it } from "vitest";
import { evaluate } from "../src/index.js";
import {
  type FinishedCommand,
  parseReport,
  type RunningCommand,
  runAssay,
  startAssay,
} from "../src/testing/run-assay.js";
import { CAPITAL_EXAMPLES, ORACLE_SYSTEM, TempProject } from "../src/testing/temp-project.js";

/** Waits in its first trial until it is stopped; with a file "go" it answers at once. */
const WAITS = `import { existsSync } from "node:fs";
  export default { name: "slow", process(example) {
    if (existsSync("go")) return { response: example.answer };
    console.error("WAITING");
    return new Promise((resolve) => setTimeout(resolve, 60_000));
  } };`;

const ARGS = ["--dataset", "capitals.jsonl", "--system", "./slow.mjs", "--max-workers", "1", "--output", "json"];

function space(): TempProject {
  return new TempProject({ "capitals.jsonl": CAPITAL_EXAMPLES, "slow.mjs": WAITS, "oracle.mjs": ORACLE_SYSTEM });
}

/** A run that was killed in its first trial. */
async function killed(workspace: TempProject, ...args: string[]): Promise<string> {
  const before = new Set(workspace.runs(args.at(-1)));
  const running = startAssay(workspace.dir, [...ARGS, ...args]);
  await running.says("WAITING");
  running.child.kill("SIGKILL");
  await running.finished;
  return workspace.runs(args.at(-1)).find((run) => !before.has(run)) ?? "";
}

/** A library run that was stopped before its end. */
async function stoppedInProgram(workspace: TempProject, invocation?: unknown): Promise<string> {
  const { runDir } = await evaluate({
    systems: [{ name: "s", process: () => ({ response: "x" }) }],
    dataset: [{ id: 1, question: "q", answer: "x" }],
    title: "zz latest",
    runsDir: workspace.path(".assay/runs"),
    signal: AbortSignal.abort(),
    invocation,
  });
  return runDir ?? "";
}

describe("--resume of a run that the command line did not start", () => {
  it.each([
    ["nothing", undefined],
    ["text", "npm run nightly"],
    ["an object", { flags: { systems: ["truncate:0.5"] }, cwd: "/" }],
    ["a list", ["run"]],
    ["another command", { command: "nightly", cwd: "/", configFile: null, flags: {} }],
  ])("says where to resume it: a program that stored %s", async (_, invocation) => {
    const workspace = space();
    const run = await stoppedInProgram(workspace, invocation);
    const { code, stdout, stderr } = await runAssay(workspace.dir, "--resume", run);
    expect(stderr).toBe(
      `assay: ${run} was started from a program, not from the command line. Resume it there with evaluate({ resume }).\n`,
    );
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
  });

  it("skips it, and an unfinished demo, if no run is named", async () => {
    const workspace = space();
    const run = await killed(workspace);
    expect((await runAssay(workspace.dir, "demo")).code).toBe(0);
    const demo = workspace.runs().at(-1) ?? "";
    rmSync(workspace.path(demo, "summary.json"));
    await stoppedInProgram(workspace);
    workspace.write("go", "");
    const resumed = await runAssay(workspace.dir, "--resume");
    expect(resumed.stderr).toContain(`Resuming ${workspace.path(run)}`);
    expect(parseReport(resumed).summary.slow).toMatchObject({ num_pass: 4 });
    const named = await runAssay(workspace.dir, "--resume", demo);
    expect(named.stderr).toContain("was started by `assay demo`, which cannot be resumed: run `assay demo` again.");
    expect(named).toMatchObject({ code: 2, stdout: "" });
    const none = await runAssay(workspace.dir, "--resume");
    expect(none.stderr).toContain("There is no unfinished run in .assay/runs");
  });
});

describe("--resume from elsewhere", () => {
  it("names the folder that the run was started in if that is gone", async () => {
    const workspace = new TempProject({
      "old/capitals.jsonl": CAPITAL_EXAMPLES,
      "old/slow.mjs": WAITS,
    });
    const running = startAssay(workspace.path("old"), [...ARGS, "--runs-dir", "../kept"]);
    await running.says("WAITING");
    running.child.kill("SIGKILL");
    await running.finished;
    renameSync(workspace.path("old"), workspace.path("new"));
    const { code, stdout, stderr } = await runAssay(workspace.dir, "--resume", "--runs-dir", "kept");
    expect(stderr).toContain(`The run was started in ${workspace.path("old")}, which cannot be opened (ENOENT`);
    expect(stderr).toContain("restore the folder, or start a new run.");
    expect(stderr).not.toContain("This was not expected");
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
  });

  it("finds a run by id with its --runs-dir, and says where it looked without", async () => {
    const workspace = space();
    const run = await killed(workspace, "--runs-dir", "kept");
    workspace.write("go", "");
    const id = basename(run);
    const lost = await runAssay(workspace.dir, "--resume", id);
    expect(lost.stderr).toBe(
      `assay: There is no run folder ${id}, neither here nor in .assay/runs, and no run there has this tag or title. List the runs with assay runs, or pass the folder that holds them with --runs-dir.\n`,
    );
    expect(lost).toMatchObject({ code: 2, stdout: "" });
    const elsewhere = await runAssay(workspace.dir, "--resume", id, "--runs-dir", "other");
    expect(elsewhere.stderr).toContain("neither here nor in other,");
    const found = await runAssay(workspace.dir, "--resume", id, "--runs-dir", "kept");
    expect(parseReport(found).summary.slow).toMatchObject({ num_pass: 4 });
    expect(workspace.runs("kept")).toEqual([run]);
    expect([workspace.runs(), workspace.runs("other")]).toEqual([[], []]);
  });
});

describe("--resume of a finished run", () => {
  it("runs nothing and prints the report again", async () => {
    const workspace = space();
    const first = await runAssay(workspace.dir, "--dataset", "capitals.jsonl", "--system", "./oracle.mjs");
    const [run = ""] = workspace.runs();
    const rows = workspace.read(run, "rows.jsonl");
    const again = await runAssay(workspace.dir, "--resume", run);
    expect(again.stderr).toContain(`${workspace.path(run)} is already finished: nothing is run, this is its report`);
    expect(again.code).toBe(0);
    const figures = ({ stdout }: FinishedCommand) => stdout.replace(/^- .* trials\/s .*$/m, "");
    expect(figures(again)).toBe(figures(first));
    expect(workspace.read(run, "rows.jsonl")).toBe(rows);
  });
});

describe("two --resume at once", () => {
  it("are exclusive: the second says which process is running", async () => {
    const workspace = space();
    const run = await killed(workspace);
    const both = [1, 2].map(() => startAssay(workspace.dir, ["--resume", run]));
    const refused = await Promise.race(both.map(({ finished }) => finished));
    const winner = both.find(({ child }) => child.exitCode === null) as RunningCommand;
    expect(refused.stderr).toContain(`The run is being written by process ${winner.child.pid} on `);
    expect(refused).toMatchObject({ code: 2, stdout: "" });
    await winner.says("WAITING");
    winner.child.kill("SIGKILL");
    await winner.finished;
    workspace.write("go", "");
    expect(parseReport(await runAssay(workspace.dir, "--resume")).summary.slow).toMatchObject({ num_pass: 4 });
  });
});
