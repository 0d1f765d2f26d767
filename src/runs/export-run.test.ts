import { appendFileSync, existsSync, readdirSync } from "node:fs";
import { asyncBufferFromFile, parquetMetadataAsync, parquetReadObjects, parquetSchema } from "hyparquet";
import { describe, expect, test } from "vitest";
import { UsageError } from "../core/errors.js";
import type { Evaluator } from "../core/evaluator.js";
import type { System } from "../core/system.js";
import { evaluate } from "../evaluate.js";
import { parseCsv } from "../store/history/csv-testing.js";
import { VIEWS } from "../store/history/index.js";
import { TempProject } from "../testing/temp-project.js";
import { type ExportFormat, exportRun, openExport } from "./export-run.js";

const EXACT: Evaluator = {
  name: "exact",
  fields: ["em"],
  score: ({ answer }, { response }) => ({ em: response === answer ? 1 : 0 }),
};

const SYSTEM: System = {
  name: "=cmd()",
  process: ({ answer = "" }) => ({ response: `${answer}\n"quoted"`, costUsd: 0.25, usage: { input: 5, output: 2 } }),
};

const EXAMPLES = [10, 9, 1].map((id) => ({ id, question: `question ${id}`, answer: "a" }));

async function stored(): Promise<{ space: TempProject; dir: string }> {
  const space = new TempProject();
  await evaluate({ systems: [SYSTEM], dataset: EXAMPLES, evaluators: [EXACT], runsDir: space.path("runs") });
  return { space, dir: space.path(space.runs("runs")[0] ?? "") };
}

async function textOf(dir: string, format: ExportFormat, withOutputs = false): Promise<string> {
  let text = "";
  for await (const piece of await openExport({ dir, format, withOutputs }, () => {})) text += piece;
  return text;
}

describe("openExport", () => {
  test("writes CSV with a line per trial, in order, with formulas escaped", async () => {
    const { dir } = await stored();
    const [titles = [], ...lines] = parseCsv(await textOf(dir, "csv"));
    expect(titles).toEqual(VIEWS.rows.columns.map(([name]) => name));
    const cell = (line: string[], name: string) => line[titles.indexOf(name)];
    expect(lines.map((line) => cell(line, "example_id"))).toEqual(["1", "9", "10"]);
    expect(cell(lines[0] ?? [], "system")).toBe("'=cmd()");
    expect(JSON.parse(cell(lines[0] ?? [], "scores") ?? "")).toEqual({ em: 0 });
    expect(cell(lines[0] ?? [], "cost_usd")).toBe("0.25");
    expect(cell(lines[0] ?? [], "ttft_ms")).toBe("");
  });

  test("writes CSV with inputs and outputs", async () => {
    const { dir } = await stored();
    const [titles = [], line = []] = parseCsv(await textOf(dir, "csv", true));
    expect(line[titles.indexOf("question")]).toBe("question 1");
    expect(line[titles.indexOf("response")]).toBe('a\n"quoted"');
  });

  test("writes the JSON report as JSON and the JUnit report as JUnit", async () => {
    const { dir } = await stored();
    const report = JSON.parse(await textOf(dir, "json"));
    expect(report).toMatchObject({ schema: "assay.report/1", run: dir });
    expect(report.rows).toHaveLength(3);
    expect(await textOf(dir, "junit")).toMatch(
      /^<\?xml[\s\S]*<testsuite name="examples: =cmd\(\)" tests="3" failures="3"/,
    );
  });

  test("reports what was left out", async () => {
    const { dir } = await stored();
    appendFileSync(`${dir}/rows.jsonl`, '{"torn');
    const notes: string[] = [];
    const pieces = await openExport({ dir, format: "csv" }, (text) => notes.push(text));
    let lines = 0;
    for await (const piece of pieces) lines += piece.split("\r\n").length - 1;
    expect(lines).toBe(4);
    expect(notes).toEqual([expect.stringMatching(/: the torn last line of rows\.jsonl was skipped$/)]);
  });
});

describe("exportRun", () => {
  test("writes Parquet with typed columns that another reader reads", async () => {
    const { space, dir } = await stored();
    const out = space.path("trials.parquet");
    expect(await exportRun({ dir, format: "parquet", out, withOutputs: true })).toEqual({ file: out, notes: [] });
    const file = await asyncBufferFromFile(out);
    const metadata = await parquetMetadataAsync(file);
    const types = new Map(parquetSchema(metadata).children.map(({ element }) => [element.name, element]));
    expect([...types.keys()]).toEqual(VIEWS.trials.columns.map(([name]) => name));
    expect(types.get("cost_usd")?.type).toBe("DOUBLE");
    expect(types.get("input_tokens")?.type).toBe("INT64");
    expect(types.get("passed")?.type).toBe("BOOLEAN");
    expect(types.get("scores")?.converted_type).toBe("MAP");
    const [first, ...others] = await parquetReadObjects({ file });
    expect(others).toHaveLength(2);
    expect(first).toMatchObject({
      system: "=cmd()",
      example_id: "1",
      cost_usd: 0.25,
      passed: false,
      scores: { em: 0 },
    });
    expect(first).toMatchObject({ usage: { input: 5n, output: 2n }, response: 'a\n"quoted"', question: "question 1" });
    expect(first?.created_at).toBeInstanceOf(Date);
  });

  test.each(["csv", "json", "junit", "parquet"] as const)(
    "writes %s completely, and does not overwrite it",
    async (format) => {
      const { space, dir } = await stored();
      const out = space.path("file");
      await exportRun({ dir, format, out });
      const before = space.read("file");
      if (format !== "parquet") expect(before).toBe(await textOf(dir, format));
      await expect(exportRun({ dir, format, out })).rejects.toThrow(/already exists\. .*--force/);
      await exportRun({ dir, format, out, force: true });
      expect(space.read("file").length).toBe(before.length);
      expect(readdirSync(space.dir).sort()).toEqual(["file", "runs"]);
    },
  );

  test("rejects invalid options", async () => {
    const { space, dir } = await stored();
    const out = space.path("file");
    const refused = (options: object) =>
      exportRun({ dir, format: "csv", out, ...options }).then(
        () => "written",
        (error: Error) => error.message,
      );
    expect(await refused({ format: "cvs" })).toMatch(/Unknown format "cvs"\. Did you mean "csv"\?/);
    expect(await refused({ format: "json", withOutputs: true })).toMatch(/--with-outputs applies to csv and parquet/);
    expect(await refused({ out: space.path("nowhere", "file") })).toMatch(/The folder .*nowhere for .* does not exist/);
    expect(await refused({ out: space.dir, force: true })).toMatch(/is a folder\. Give the name of a file/);
    expect(await refused({ dir: space.path("nowhere") })).toMatch(/There is no run folder/);
    await expect(openExport({ dir, format: "parquet" }, () => {})).rejects.toThrow(UsageError);
    expect(existsSync(out)).toBe(false);
  });

  test.each(["csv", "parquet"] as const)("reports why a %s file could not be written", async (format) => {
    const { space, dir } = await stored();
    const written = exportRun({ dir, format, out: space.path("x".repeat(250)) });
    await expect(written).rejects.toMatchObject({
      code: "REPORTER",
      message: expect.stringMatching(/x could not be written: .*name too long/i),
    });
    expect(readdirSync(space.dir)).toEqual(["runs"]);
  });

  test("writes the columns for a run without rows", async () => {
    const { space, dir } = await stored();
    space.write(`${dir.slice(space.dir.length + 1)}/rows.jsonl`, "");
    await exportRun({ dir, format: "csv", out: space.path("empty.csv") });
    expect(parseCsv(space.read("empty.csv"))).toEqual([VIEWS.rows.columns.map(([name]) => name)]);
  });
});
