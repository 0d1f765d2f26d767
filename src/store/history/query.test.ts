import { spawnSync } from "node:child_process";
import { appendFileSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { queryFixtureRuns, writeFixtureRuns } from "../../testing/fixture-runs.js";
import { TempProject } from "../../testing/temp-project.js";
import { runQuery } from "./query.js";
import { queryRuns } from "./query-runs.js";
import { QueryStopped } from "./query-stopped.js";
import { createTestRow } from "./run-testing.js";

function failure(space: TempProject, sql: string): Promise<string> {
  return queryRuns({ runsDir: space.path("runs"), sql }).then(
    () => "none",
    (error: Error & { exitCode?: number }) => {
      expect(error.exitCode).toBe(2);
      return error.message;
    },
  );
}

describe("read-only queries", () => {
  const REFUSED = [
    "copy rows to 'stolen.csv'",
    "explain analyze copy rows to 'stolen.csv'",
    "EXPLAIN (analyze) create table x (a int)",
    "attach 'x.db'",
    "install httpfs",
    "load httpfs",
    "pragma version",
    "set threads = 1",
    "create table x as select 1",
    "drop view rows",
    "insert into rows select * from rows",
    "call pragma_version()",
    "export database 'x'",
    "-- a comment\n/* and */ delete from rows",
    "with x as (select 1 as a) insert into stored.files select * from stored.files",
    "begin",
    "select 1; drop view rows",
    "",
    "  -- nothing\n",
    ";",
  ];

  test.each(REFUSED)("rejects %j", async (sql) => {
    const space = writeFixtureRuns({ rows: [createTestRow()] });
    expect(await failure(space, sql)).not.toBe("none");
    expect(readdirSync(space.dir)).toEqual(["runs"]);
  });

  test("accesses no file but those of the views, writes none, and keeps its settings", async () => {
    const space = writeFixtureRuns({ rows: [createTestRow()] });
    space.write("secret.txt", "secret");
    const secret = space.path("secret.txt");
    for (const sql of [
      `select * from read_text('${secret}')`,
      `select * from '${secret}'`,
      `select * from glob('${space.path("*")}')`,
      `select * from rows, read_csv('${secret}')`,
      "select * from read_csv('http://127.0.0.1:9/x.csv')",
      "select * from 'https://127.0.0.1:9/x.parquet'",
    ])
      expect(await failure(space, sql)).not.toMatch(/none|secret$/);
    expect(
      await queryFixtureRuns(
        space,
        "select current_setting('lock_configuration') as locked, current_setting('enable_external_access') as open",
      ),
    ).toEqual([{ locked: true, open: false }]);
  });

  test("accepts every kind of read-only statement", async () => {
    const space = writeFixtureRuns({ rows: [createTestRow()] });
    for (const sql of [
      "SELECT 1;",
      "(select 1)",
      "/* why */ with a as (select * from rows) select count(*) from a",
      "from rows",
      "values (1)",
      "describe select * from rows",
      "summarize rows",
      "show tables",
      "explain select * from rows",
      "explain analyze select * from rows",
      "pivot rows on system in ('one') using count(*)",
      "select * from query_table('rows')",
    ])
      expect((await queryFixtureRuns(space, sql)).length, sql).toBeGreaterThan(0);
    expect(await queryFixtureRuns(space, "select count(*) as n from query('from r' || 'ows')")).toEqual([{ n: 1 }]);
  });

  test("leaves nothing behind", async () => {
    const space = writeFixtureRuns({ rows: [createTestRow()] });
    mkdirSync(space.path("scratch"));
    vi.stubEnv("TMPDIR", space.path("scratch"));
    onTestFinished(() => {
      vi.unstubAllEnvs();
    });
    appendFileSync(space.path("runs/run-0/rows.jsonl"), "torn");
    const content = readFileSync(space.path("runs/run-0/rows.jsonl"), "utf8");
    await queryFixtureRuns(space, "from rows");
    await failure(space, "select nothing from rows");
    expect(readdirSync(space.path("scratch"))).toEqual([]);
    expect(readFileSync(space.path("runs/run-0/rows.jsonl"), "utf8")).toBe(content);
  });

  test("can be stopped while its result is read", async () => {
    const space = writeFixtureRuns({ rows: [createTestRow()] });
    const controller = new AbortController();
    let taken = 0;
    const options = { runsDir: space.path("runs"), sql: "from range(10000)", signal: controller.signal };
    const given = runQuery(options, async ({ pieces }) => {
      for await (const piece of pieces()) {
        taken += piece.length;
        controller.abort();
      }
    });
    await expect(given).rejects.toThrow(QueryStopped);
    expect(taken).toBeLessThan(10_000);
  });

  test("leaves nothing behind when the process ends early", () => {
    const space = writeFixtureRuns({ rows: [createTestRow()] });
    space.write("tmp/kept", "");
    const url = (path: string) => JSON.stringify(new URL(path, import.meta.url).href);
    space.write(
      "ask.mjs",
      `import { createJiti } from ${JSON.stringify(import.meta.resolve("jiti"))};
      const { runQuery } = await createJiti(import.meta.url).import(${url("./query.ts")});
      process.env.TMPDIR = ${JSON.stringify(space.path("tmp"))};
      await runQuery({ runsDir: "runs", sql: "from rows" }, async ({ count }) => process.exit(10 + count));`,
    );
    const { status } = spawnSync(process.execPath, ["ask.mjs"], { cwd: space.dir });
    expect(status).toBe(11);
    expect(readdirSync(space.path("tmp"))).toEqual(["kept"]);
  });

  test("finds views in composed names", async () => {
    const space = writeFixtureRuns({ rows: [createTestRow()] });
    expect(await queryFixtureRuns(space, "select count(*) as n from query /* here */ ('from ro' || 'ws')")).toEqual([
      { n: 1 },
    ]);
  });

  test("reports when the folder of runs is a file", async () => {
    const space = new TempProject({ runs: "" });
    expect(await failure(space, "from rows")).toMatch(/runs is not a folder\. .*--runs-dir/);
  });

  test("is stopped by its signal, before and while it runs", async () => {
    const space = writeFixtureRuns({ rows: [createTestRow()] });
    const endless = "select count(*) from range(100000000000) a, range(100000000000) b";
    const stopped = queryRuns({ runsDir: space.path("runs"), sql: endless, signal: AbortSignal.timeout(1500) });
    await expect(stopped).rejects.toThrow(QueryStopped);
    const never = queryRuns({ runsDir: space.path("runs"), sql: "select 1", signal: AbortSignal.abort() });
    await expect(never).rejects.toMatchObject({ exitCode: 130 });
  });
});

describe("query errors", () => {
  test.each([
    [
      "select cots_usd from rows",
      /there is no column "cots_usd"\. Did you mean "cost_usd"\?\n {2}line 1, column 8:\n {2}select cots_usd from rows\n {9}\^$/,
    ],
    ["select r.cots_usd from rows r", /there is no column "cots_usd"\. Did you mean "cost_usd"\?/],
    ["from rwos", /there is no view "rwos"\. Did you mean "rows"\? The views are runs, rows, trials, usage, summary\./],
    ["select avgg(score) from rows", /there is no function "avgg"\. Did you mean "avg"\?/],
    ["select 'é',\n  1 frm rows", /syntax error at or near "rows"\.\n {2}line 2, column 9:\n {4}1 frm rows\n {10}\^$/],
    ["select system, count(*) from rows", /must appear in the GROUP BY clause/],
    ["select cast('x' as int)", /Could not convert string 'x'/],
    ["select $1 from rows", /has a parameter/],
    ["select * from read_text('/etc/hostname')", /accesses a file/],
    ["delete from rows", /cannot begin with "delete"\. Queries are read-only/],
  ])("%s", async (sql, words) => {
    expect(await failure(writeFixtureRuns({ rows: [createTestRow()] }), sql)).toMatch(words);
  });

  test("report a missing folder and an empty one", async () => {
    const space = new TempProject();
    await expect(queryRuns({ runsDir: space.path("runs"), sql: "from runs" })).rejects.toThrow(
      /There is no folder .*--runs-dir/,
    );
    mkdirSync(space.path("runs"));
    const { rows, notes } = await queryRuns({ runsDir: space.path("runs"), sql: "from runs" });
    expect(rows).toEqual([]);
    expect(notes[0]).toMatch(/There is no run in .*: every view is empty/);
  });
});

describe("query values as JSON", () => {
  test.each([
    ["1::hugeint", 1],
    ["9007199254740993", "9007199254740993"],
    ["1.50::decimal(10,2)", 1.5],
    ["0.1234567890123456789::decimal(30,19)", "0.1234567890123456789"],
    ["'nan'::double", null],
    ["'-inf'::float", null],
    ["['inf'::double, 1]", [null, 1]],
    ["timestamp '2026-01-02 03:04:05.5'", "2026-01-02T03:04:05.5Z"],
    ["timestamptz '2026-01-02 03:04:05+02'", "2026-01-02T01:04:05.000Z"],
    ["date '2026-01-02'", "2026-01-02"],
    ["time '01:02:03'", "01:02:03"],
    ["interval 3 day", "3 days"],
    ["{'a': 1, 'b': [null, 'x']}", { a: 1, b: [null, "x"] }],
    ["map{'a': {'b': 1}}", { a: { b: 1 } }],
    ["map{1: 2}", { 1: 2 }],
    ["'{\"a\":[1,null]}'::json", { a: [1, null] }],
    ["'1e999'::json", null],
    ["['[1]'::json]", [[1]]],
    ["null", null],
    ["true", true],
    ["'text'", "text"],
    ["union_value(a := 1)", 1],
  ])("%s", async (expression, expected) => {
    const [line] = await queryFixtureRuns(writeFixtureRuns({}), `select ${expression} as v`);
    expect(line).toEqual({ v: expected });
    expect(JSON.parse(JSON.stringify(line))).toEqual({ v: expected });
  });

  test("distinguishes columns with the same name", async () => {
    expect(await queryFixtureRuns(writeFixtureRuns({}), "select 1 as a, 2 as a")).toEqual([{ a: 1, "a:1": 2 }]);
  });
});
