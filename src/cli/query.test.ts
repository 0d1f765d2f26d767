import { spawn } from "node:child_process";
import { once } from "node:events";
import { Command } from "commander";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { parseCsv } from "../store/history/csv-testing.js";
import { writeTestRun } from "../store/history/run-testing.js";
import { TempProject } from "../testing/temp-project.js";
import { addQueryCommand } from "./commands/query.js";
import { executeQuery, type QueryRequest } from "./query.js";

const ROW = { system: "one", dataset: "d", trial: 0, outcome: "pass", scores: { em: 1 }, primaryField: "em" };

function stored(count = 3): TempProject {
  const space = new TempProject();
  const rows = Array.from({ length: count }, (_, exampleId) => ({ ...ROW, exampleId, costUsd: 0.1 + exampleId }));
  writeTestRun(space.path("runs", "first"), { rows });
  return space;
}

interface Said {
  code: number;
  stdout: string;
  stderr: string;
}

async function query(space: TempProject, request: Partial<QueryRequest>): Promise<Said> {
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
  const code = await executeQuery({ output: "table", runsDir: space.path("runs"), ...request }).finally(restore);
  return { code, ...said };
}

describe("assay query", () => {
  test("prints a table", async () => {
    const { code, stdout, stderr } = await query(stored(), {
      statement: "select example_id, cost_usd, scores, cast(null as int) as nothing from rows order by 1 limit 2",
    });
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toBe(
      [
        "| example_id | cost_usd | scores   | nothing |",
        "| ---------- | -------: | -------- | ------: |",
        '| 0          |      0.1 | {"em":1} |       – |',
        '| 1          |      1.1 | {"em":1} |       – |',
        "",
      ].join("\n"),
    );
  });

  test("truncates the table at the limit, and says so", async () => {
    const space = stored(120);
    const cut = await query(space, { statement: "select example_id from rows" });
    expect(cut.stdout.split("\n")).toHaveLength(103);
    expect(cut.stderr).toBe("Showing 100 of 120 lines. Use --limit 120 to show all, or --output csv to write all.\n");
    const whole = await query(space, { statement: "select example_id from rows", limit: 120 });
    expect(whole.stdout.split("\n")).toHaveLength(123);
    expect(whole.stderr).toBe("");
  });

  test("keeps control characters and long texts from the terminal", async () => {
    const { stdout } = await query(stored(), { statement: `select chr(27) || '[2J' as a, repeat('é', 500) as b` });
    expect(stdout).toContain("\ufffd[2J");
    expect(stdout).toContain(`${"é".repeat(59)}… `);
    expect(stdout).not.toContain("\u001b");
  });

  test("writes every line as JSON, JSON lines and CSV", async () => {
    const space = stored(5000);
    const statement = "select example_id, cost_usd, created_at from rows order by cost_usd";
    const json = JSON.parse((await query(space, { statement, output: "json" })).stdout);
    expect(json).toMatchObject({ schema: "assay.query/1", columns: [{ name: "example_id", type: "VARCHAR" }, {}, {}] });
    expect(json.rows).toHaveLength(5000);
    const lines = (await query(space, { statement, output: "jsonl" })).stdout.trimEnd().split("\n");
    expect(lines.map((line) => JSON.parse(line))).toEqual(json.rows);
    const [titles, ...csv] = parseCsv((await query(space, { statement, output: "csv" })).stdout);
    expect(titles).toEqual(["example_id", "cost_usd", "created_at"]);
    expect(csv).toEqual(json.rows.map((row: object) => Object.values(row).map(String)));
  });

  test("accepts an empty answer", async () => {
    const space = stored();
    const statement = "select run from rows where false";
    expect((await query(space, { statement })).stdout).toBe("| run |\n| --- |\n\nNo matching rows.\n");
    expect(JSON.parse((await query(space, { statement, output: "json" })).stdout).rows).toEqual([]);
    expect((await query(space, { statement, output: "csv" })).stdout).toBe("run\r\n");
    expect((await query(space, { statement, output: "jsonl" })).stdout).toBe("");
  });

  test("lists the views without a statement, even without runs", async () => {
    const space = new TempProject();
    const { stdout } = await query(space, {});
    expect(stdout).toMatch(/^runs: one row per run\n {2}run +VARCHAR +the name of the run folder\n/);
    expect(stdout.match(/^ {2}assay query "select /gm)).toHaveLength(3);
    expect((await query(space, { schema: true })).stdout).toBe(stdout);
  });

  test("reads the statement from a file", async () => {
    const space = stored();
    space.write("count.sql", "-- how many\nselect count(*) as n\nfrom rows;\n");
    expect((await query(space, { file: space.path("count.sql"), output: "jsonl" })).stdout).toBe('{"n":3}\n');
    await expect(query(space, { file: space.path("none.sql") })).rejects.toThrow(/none\.sql cannot be read/);
  });

  test.each([
    [{ statement: "select 1", output: "xml" }, /Unknown output format "xml"/],
    [{ statement: "select 1", file: "x.sql" }, /not both/],
    [{ statement: "select 1", output: "json", limit: 3 }, /--limit is only for the table/],
    [{ statement: "select cots from rows" }, /there is no column "cots"/],
    [{ statement: "drop view rows" }, /read-only/],
  ])("rejects %j", async (request, words) => {
    await expect(query(stored(), request)).rejects.toThrow(words);
    await expect(query(stored(), request)).rejects.toMatchObject({ exitCode: 2 });
  });

  test("writes notes to stderr", async () => {
    const space = stored();
    space.write("runs/second/manifest.json", "{");
    const { stdout, stderr, code } = await query(space, { statement: "select count(*) as n from rows", output: "csv" });
    expect({ stdout, code }).toEqual({ stdout: "n\r\n3\r\n", code: 0 });
    expect(stderr).toMatch(/^second was skipped: .*manifest\.json cannot be read/);
  });

  test("receives its flags", async () => {
    const program = new Command("assay").exitOverride();
    const done = vi.fn();
    addQueryCommand(program, done);
    const space = stored();
    const spy = vi.spyOn(process.stdout, "write").mockImplementation(() => true);
    onTestFinished(() => spy.mockRestore());
    await program.parseAsync(["node", "assay", "query", "select 1", "--limit", "3", "--runs-dir", space.path("runs")]);
    expect(done).toHaveBeenCalledWith(0);
  });

  test("reads stdin, and Ctrl-C ends an endless query with 130", async () => {
    const space = stored();
    const command = new URL("./query.ts", import.meta.url).href;
    const script = `
      import { createJiti } from ${JSON.stringify(import.meta.resolve("jiti"))};
      const { executeQuery } = await createJiti(import.meta.url).import(${JSON.stringify(command)});
      process.send?.("ready");
      process.exit(await executeQuery({ statement: "-", output: "csv", runsDir: ${JSON.stringify(space.path("runs"))} }));`;
    space.write("ask.mjs", script);
    const ask = async (
      sql: string,
      stopAfterMs?: number,
    ): Promise<{ code: number; stdout: string; stderr: string }> => {
      const child = spawn(process.execPath, [space.path("ask.mjs")], { stdio: ["pipe", "pipe", "pipe", "ipc"] });
      const said = { stdout: "", stderr: "" };
      child.stdout?.on("data", (data) => (said.stdout += data));
      child.stderr?.on("data", (data) => (said.stderr += data));
      await once(child, "message");
      child.stdin?.end(sql);
      if (stopAfterMs !== undefined) setTimeout(() => child.kill("SIGINT"), stopAfterMs);
      const [code] = await once(child, "close");
      return { code: Number(code), ...said };
    };
    expect(await ask("select count(*) as n from rows")).toEqual({ code: 0, stdout: "n\r\n3\r\n", stderr: "" });
    const endless = "select count(*) from range(100000000000) a, range(100000000000) b";
    expect(await ask(endless, 2000)).toEqual({ code: 130, stdout: "", stderr: "The query was stopped.\n" });
  });
});
