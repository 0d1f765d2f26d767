import { Command } from "commander";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { UsageError } from "../core/errors.js";
import { TempProject } from "../testing/temp-project.js";
import { addImportCommand } from "./commands/import.js";
import { executeImport } from "./import.js";
import { executeReport } from "./report.js";
import { executeShow } from "./show.js";

const ROWS = [
  {
    system: "keep",
    example_id: "a",
    scores: { f1: 0.9 },
    input_tokens: 10,
    output_tokens: 5,
    latency: 1,
    dataset: "qa",
  },
  {
    system: "keep",
    example_id: "b",
    scores: { f1: 0.1 },
    input_tokens: 10,
    output_tokens: 5,
    latency: 3,
    dataset: "qa",
  },
];

function workspaceOf(rows: readonly unknown[] = ROWS): TempProject {
  return new TempProject({ "results.json": JSON.stringify({ rows, summary: {}, timing: {}, config: {} }) });
}

/** Collects what a command writes to both streams. */
async function written(work: () => Promise<unknown>): Promise<{ stdout: string; stderr: string }> {
  const texts = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"] as const) {
    const spy = vi.spyOn(process[name], "write").mockImplementation((text) => {
      texts[name] += String(text);
      return true;
    });
    onTestFinished(() => spy.mockRestore());
  }
  await work();
  vi.restoreAllMocks();
  return texts;
}

describe("assay import", () => {
  it("prints the detected format, the report and the run folder", async () => {
    const workspace = workspaceOf();
    const runsDir = workspace.path("runs");
    const flags = { output: "table", runsDir };
    let exitCode: number | null = null;
    const { stdout, stderr } = await written(async () => {
      exitCode = await executeImport([workspace.path("results.json")], flags);
    });
    expect(exitCode).toBe(0);
    expect(stderr).toContain("Detected context-bench results.");
    expect(stderr).toMatch(/Stored in .*runs/);
    expect(stdout).toMatch(/keep\s+\|/);
    expect(stdout).toContain("- imported from context-bench results (1 file)");
    expect(stdout).not.toMatch(/trials\/s|seed/);
    const report = await written(() => executeReport("latest", { runsDir, output: "table" }));
    expect(report.stdout).toBe(stdout);
    const shown = await written(() => executeShow({ run: "latest", trial: "a", runsDir, output: "text" }));
    expect(shown.stdout).toContain("f1 = 0.9 (decides)");
  });

  it("writes JSON, with flags parsed from the command line", async () => {
    const workspace = workspaceOf();
    const program = new Command().exitOverride();
    const done = vi.fn();
    addImportCommand(program, done);
    const args = ["import", workspace.path("results.json"), "--format", "context-bench", "--title", "Old results"];
    const { stdout, stderr } = await written(() =>
      program.parseAsync([...args, "--output", "json", "--runs-dir", workspace.path("runs")], { from: "user" }),
    );
    expect(JSON.parse(stdout)).toMatchObject({
      schema: "assay.report/1",
      config: { title: "Old results" },
      summary: { keep: { pass_rate: 0.5, latency_mean: 2 } },
    });
    expect(stderr).not.toContain("Recognised");
    expect(done).toHaveBeenCalledWith(0);
  });

  it("rejects unknown outputs and formats before anything is written", async () => {
    const workspace = workspaceOf();
    const files = [workspace.path("results.json")];
    const runsDir = workspace.path("runs");
    await expect(executeImport(files, { output: "tabel", runsDir })).rejects.toThrow(/Did you mean .*table/);
    await expect(executeImport(files, { output: "table", runsDir, format: "vallie" })).rejects.toThrow(UsageError);
    expect(() => workspace.read("runs")).toThrow();
  });
});
