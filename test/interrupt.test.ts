import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { parseReport, runAssay, startAssay } from "../src/testing/run-assay.js";
import { TempProject } from "../src/testing/temp-project.js";

const QUESTIONS = Array.from({ length: 8 }, (_, i) => ({ id: i, question: `q${i}`, answer: `a${i}` }));

/** Answers three times, reports once those are recorded, and waits to be stopped; with a file "go" it always answers. */
const WAITS = `import { existsSync } from "node:fs";
  let calls = 0;
  export default { name: "slow", process(example, { signal }) {
    if (existsSync("go") || ++calls <= 3) return { response: example.answer };
    setImmediate(() => console.error("WAITING"));
    const alive = setInterval(() => {}, 1000);
    return new Promise((_, reject) => signal.addEventListener("abort", () => { clearInterval(alive); reject(signal.reason); }));
  } };`;

/** The same, but ignores the signal. */
const DEAF = WAITS.replace(/signal\.addEventListener.*$/m, "{});");

const ARGS = ["--dataset", "q.jsonl", "--system", "./slow.mjs", "--max-workers", "1", "--output", "json"];

function space(system = WAITS): TempProject {
  return new TempProject({ "q.jsonl": QUESTIONS, "slow.mjs": system });
}

function recorded(workspace: TempProject, run: string): string[] {
  return workspace.read(run, "rows.jsonl").trimEnd().split("\n");
}

describe("Ctrl-C", () => {
  it.each([
    ["SIGINT", 130],
    ["SIGTERM", 143],
    ["SIGHUP", 129],
  ] as const)("(%s) records results, exits %i and can be resumed", async (signal, code) => {
    const workspace = space();
    const running = startAssay(workspace.dir, ARGS);
    await running.says("WAITING");
    running.child.kill(signal);
    const stopped = await running.finished;
    expect(stopped.code).toBe(code);
    const [run = ""] = workspace.runs();
    expect(stopped.stderr).toContain("Stopping: saving finished trials. Press Ctrl-C again to quit at once.");
    expect(stopped.stderr).toContain(`Interrupted. Resume with: assay run --resume ${run}`);
    expect(parseReport(stopped).summary.slow).toMatchObject({ num_planned: 8, num_pass: 3, num_skipped: 5 });
    expect(recorded(workspace, run)).toHaveLength(3);

    workspace.write("go", "");
    const resumed = await runAssay(workspace.dir, "run", "--resume");
    expect(resumed.stderr).toContain(`Resuming ${workspace.path(run)}`);
    expect(resumed.code).toBe(0);
    expect(parseReport(resumed).summary.slow).toMatchObject({ num_planned: 8, num_pass: 8, num_skipped: 0 });
    expect(recorded(workspace, run)).toHaveLength(8);
    expect(workspace.runs()).toEqual([run]);

    const finished = await runAssay(workspace.dir, "--resume");
    expect(finished.stderr).toContain("There is no unfinished run in .assay/runs.");
  });

  it("pressed again quits at once", async () => {
    const workspace = space(DEAF);
    const running = startAssay(workspace.dir, ARGS);
    await running.says("WAITING");
    running.child.kill("SIGINT");
    await running.says("Stopping:");
    // Any sooner, it would count as the same key press, which npx forwards.
    await sleep(600);
    running.child.kill("SIGINT");
    expect(await running.finished).toMatchObject({ code: 130, stdout: "" });
    workspace.write("go", "");
    expect((await runAssay(workspace.dir, "--resume")).code).toBe(0);
  });

  it("does not wait indefinitely for a system that ignores it", async () => {
    const workspace = space(DEAF);
    const running = startAssay(workspace.dir, ARGS);
    await running.says("WAITING");
    running.child.kill("SIGINT");
    const stopped = await running.finished;
    expect(stopped.code).toBe(130);
    expect(parseReport(stopped).summary.slow).toMatchObject({ num_pass: 3, num_skipped: 5 });
  });
});

describe("--resume", () => {
  async function interrupted(workspace: TempProject): Promise<string> {
    const running = startAssay(workspace.dir, ARGS);
    await running.says("WAITING");
    running.child.kill("SIGKILL");
    await running.finished;
    return workspace.runs()[0] ?? "";
  }

  it("continues after a kill, from any folder, by path or by id", async () => {
    const workspace = space();
    const run = await interrupted(workspace);
    workspace.write("go", "");
    const elsewhere = new TempProject();
    const untrusted = await runAssay(elsewhere.dir, "--resume", workspace.path(run));
    expect([untrusted.code, untrusted.stderr]).toEqual([2, expect.stringContaining("--trust")]);
    const resumed = await runAssay(elsewhere.dir, "--resume", workspace.path(run), "--trust", "--output", "table");
    expect(resumed.code).toBe(0);
    expect(resumed.stdout).toContain("8 trials planned: 8 pass, 0 fail");
    expect(elsewhere.runs()).toEqual([]);
    const again = await runAssay(workspace.dir, "--resume", run.split("/").at(-1) ?? "");
    expect(parseReport(again).summary.slow).toMatchObject({ num_pass: 8 });
    expect(recorded(workspace, run)).toHaveLength(8);
  });

  it("drops a torn last line with a note", async () => {
    const workspace = space();
    const run = await interrupted(workspace);
    const rows = workspace.read(run, "rows.jsonl");
    workspace.write(`${run}/rows.jsonl`, rows.slice(0, -20));
    workspace.write("go", "");
    const resumed = await runAssay(workspace.dir, "--resume");
    expect(resumed.stderr).toContain("a torn last line was removed; its trial is run again");
    expect(parseReport(resumed)).toMatchObject({ notes: [], summary: { slow: { num_pass: 8 } } });
    expect(recorded(workspace, run).map((line) => JSON.parse(line) as unknown)).toHaveLength(8);
  });

  it("reports the line of a damaged journal", async () => {
    const workspace = space();
    const run = await interrupted(workspace);
    workspace.write(`${run}/rows.jsonl`, workspace.read(run, "rows.jsonl").replace("{", "#"));
    const { code, stderr } = await runAssay(workspace.dir, "--resume");
    expect(stderr).toMatch(/rows\.jsonl:1 is not a row: .* Remove that line to continue without it\./);
    expect(code).toBe(2);
  });

  it.each([
    ["the dataset", "q.jsonl", `${JSON.stringify({ id: 0, question: "new" })}\n`, /datasets: was q \(8 examples/],
    ["the system", "slow.mjs", `${WAITS}\n// changed`, /system "slow": its code or settings changed/],
  ])("rejects a run if %s changed meanwhile", async (_, file, content, message) => {
    const workspace = space();
    const run = await interrupted(workspace);
    const before = readFileSync(workspace.path(run, "rows.jsonl"), "utf8");
    workspace.write(file, content);
    const { code, stdout, stderr } = await runAssay(workspace.dir, "--resume");
    expect(stderr).toMatch(message);
    expect(stderr).toContain("Start a new run instead");
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(workspace.read(run, "rows.jsonl")).toBe(before);
  });

  it("rejects a run that another process is writing, and takes over once that is gone", async () => {
    const workspace = space();
    const running = startAssay(workspace.dir, ARGS);
    await running.says("WAITING");
    const [run = ""] = workspace.runs();
    const second = await runAssay(workspace.dir, "--resume", run);
    expect(second.stderr).toMatch(
      new RegExp(`The run is being written by process ${running.child.pid} on .*Wait for it or stop it`),
    );
    expect(second).toMatchObject({ code: 2, stdout: "" });
    running.child.kill("SIGKILL");
    await running.finished;
    workspace.write("go", "");
    expect((await runAssay(workspace.dir, "--resume", run)).code).toBe(0);
    expect(recorded(workspace, run)).toHaveLength(8);
  });
});
