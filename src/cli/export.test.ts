import { existsSync } from "node:fs";
import { Command } from "commander";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { parseCsv } from "../store/history/csv-testing.js";
import { writeTestRun } from "../store/history/run-testing.js";
import { TempProject } from "../testing/temp-project.js";
import { addExportCommand } from "./commands/export.js";
import { type ExportFlags, executeExport } from "./export.js";

const KEY = { system: "one", dataset: "d", exampleId: 1, trial: 0 };
const ROW = {
  ...KEY,
  outcome: "fail",
  errorCategory: "logic_error",
  scores: { em: 0 },
  primaryField: "em",
  passed: false,
};

function stored(): TempProject {
  const space = new TempProject();
  const grades = [{ name: "file-exists", passed: false, score: 0, evidence: "no file <a>" }];
  writeTestRun(space.path("runs", "first"), { rows: [ROW], outputs: [{ ...KEY, output: { response: "x" }, grades }] });
  return space;
}

async function exported(
  space: TempProject,
  flags: Partial<ExportFlags>,
  run = "latest",
): Promise<{ stdout: string; stderr: string }> {
  const said = { stdout: "", stderr: "" };
  const spies = (["stdout", "stderr"] as const).map((name) =>
    vi.spyOn(process[name], "write").mockImplementation((text) => {
      said[name] += String(text);
      return true;
    }),
  );
  const restore = () => {
    for (const spy of spies) spy.mockRestore();
  };
  onTestFinished(restore);
  const code = await executeExport(run, { format: "csv", runsDir: space.path("runs"), ...flags }).finally(restore);
  expect(code).toBe(0);
  return said;
}

describe("assay export", () => {
  test("writes to stdout without --out", async () => {
    const { stdout, stderr } = await exported(stored(), { withOutputs: true }, "first");
    const [titles = [], line = []] = parseCsv(stdout);
    expect(line[titles.indexOf("response")]).toBe("x");
    expect(stderr).toBe("");
  });

  test("includes evidence in JUnit, and writes JSON as one report", async () => {
    const space = stored();
    expect((await exported(space, { format: "junit" })).stdout).toContain("file-exists: no file &lt;a&gt;");
    expect(JSON.parse((await exported(space, { format: "json" })).stdout).rows[0]).toMatchObject({ exampleId: 1 });
  });

  test("writes a file and prints its path", async () => {
    const space = stored();
    const out = space.path("trials.parquet");
    const { stdout, stderr } = await exported(space, { format: "parquet", out });
    expect({ stdout, stderr }).toEqual({ stdout: "", stderr: `Written: ${out}\n` });
    expect(existsSync(out)).toBe(true);
  });

  test.each([
    [{ format: "parquet" }, /Parquet is binary: write it to a file with --out FILE/],
    [{ format: "pdf" }, /Unknown format "pdf"/],
    [{ force: true }, /--force requires --out/],
  ])("rejects %j", async (flags, words) => {
    await expect(exported(stored(), flags)).rejects.toThrow(words);
  });

  test("requires a format and an existing run", async () => {
    const program = new Command("assay").exitOverride().configureOutput({ writeErr: () => {} });
    addExportCommand(program, () => {});
    for (const command of program.commands) command.exitOverride().configureOutput({ writeErr: () => {} });
    await expect(program.parseAsync(["node", "assay", "export", "latest"])).rejects.toThrow(/--format/);
    await expect(exported(stored(), {}, "nothing")).rejects.toThrow(/There is no run folder nothing/);
  });
});
