import { appendFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Workspace } from "../../test/workspace.js";
import { costOf, dollars } from "../budget/index.js";
import type { Evaluator } from "../core/evaluator.js";
import type { Price } from "../core/price.js";
import { ROW_FIELDS } from "../core/row.js";
import type { System } from "../core/system.js";
import { evaluate } from "../evaluate.js";
import { lastOfEach } from "../load-run.js";
import { readRows } from "../store/journal.js";
import { QueryStopped } from "./database.js";
import { type QueryRow, queryRuns } from "./query.js";
import { writeTestRun } from "./run-testing.js";
import { EXAMPLE_STATEMENTS, VIEW_NAMES, VIEWS } from "./schema.js";

const EXACT: Evaluator = {
  name: "exact",
  fields: ["em", "length"],
  primaryFields: ["em"],
  score: ({ answer }, { response = "" }) => ({
    scores: { em: response === answer ? 1 : 0, length: response.length },
    evidence: { em: `asked for ${answer}` },
  }),
};

const PRICE: Price = { input: 1e6, output: 2e6, cacheRead: 1e5, cacheWrite: 3e6, cacheWrite1h: 4e6, source: "test" };

const PARIS: System = {
  name: "paris",
  model: "atlas",
  limits: { price: PRICE, maxCostUsd: null, hardTimeoutMs: null },
  process: () => ({ response: "Paris", usage: { input: 100, output: 10, cacheRead: 7 }, metadata: { kind: "city" } }),
};

const BROKEN: System = {
  name: "broken",
  process: () => {
    throw new Error("the cable is out");
  },
};

const EXAMPLES = [
  { id: 1, dataset: "west", question: "Capital of France?", answer: "Paris" },
  { id: "it", dataset: "south", question: "Capital of Italy?", answer: "Rome" },
];

/** A run made by the real thing. */
async function realRun(): Promise<Workspace> {
  const space = new Workspace();
  const systems = [PARIS, BROKEN];
  await evaluate({ systems, dataset: EXAMPLES, evaluators: [EXACT], trials: 2, runsDir: space.path("runs") });
  return space;
}

/** Runs written by hand. */
function handRuns(...runs: Parameters<typeof writeTestRun>[1][]): Workspace {
  const space = new Workspace();
  for (const [index, run] of runs.entries()) writeTestRun(space.path("runs", `run-${index}`), run);
  return space;
}

async function ask(space: Workspace, sql: string): Promise<readonly QueryRow[]> {
  const { rows } = await queryRuns({ runsDir: space.path("runs"), sql });
  return rows;
}

function failure(space: Workspace, sql: string): Promise<string> {
  return queryRuns({ runsDir: space.path("runs"), sql }).then(
    () => "none",
    (error: Error & { exitCode?: number }) => {
      expect(error.exitCode).toBe(2);
      return error.message;
    },
  );
}

const row = (fields: Record<string, unknown> = {}) => ({
  system: "one",
  dataset: "d",
  exampleId: 1,
  trial: 0,
  outcome: "pass",
  errorCategory: "none",
  scores: { em: 1 },
  primaryField: "em",
  passed: true,
  inputTokens: 1,
  outputTokens: 1,
  ...fields,
});

describe("the views", () => {
  test("have the columns and types that are documented, full and empty", async () => {
    const spaces = [await realRun(), handRuns({})];
    for (const space of spaces) {
      for (const name of VIEW_NAMES) {
        const { columns } = await queryRuns({ runsDir: space.path("runs"), sql: `from ${name} limit 1` });
        const documented = VIEWS[name].columns.map(([column, type]) => [column, type.replaceAll('"', "")]);
        expect(columns.map(({ name: column, type }) => [column, type.replaceAll('"', "")])).toEqual(documented);
      }
    }
  });

  test("have every field of a row", () => {
    const columns = new Set(VIEWS.rows.columns.map(([name]) => name));
    const snake = ROW_FIELDS.map((field) => field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`));
    expect(snake.filter((field) => !columns.has(field === "group" ? "group_id" : field))).toEqual([]);
  });

  test("answer the statements that are shown as examples", async () => {
    const space = await realRun();
    for (const sql of EXAMPLE_STATEMENTS) expect((await ask(space, sql)).length).toBeGreaterThan(0);
  });

  test("runs: one line a run, from manifest and summary", async () => {
    const space = await realRun();
    const [run, ...others] = await ask(space, "from runs");
    expect(others).toEqual([]);
    expect(run).toMatchObject({
      status: "incomplete",
      planned: 8,
      done: 8,
      trials: 2,
      threshold: 0.7,
      systems: ["paris", "broken"],
      command: null,
      parent: null,
    });
    expect(run?.created_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+Z$/);
    expect(run?.wall_seconds).toBeGreaterThan(0);
  });

  test("rows: what the report has, neutral fields included", async () => {
    const space = await realRun();
    const [dir = ""] = space.runs("runs");
    const stored = lastOfEach(readRows(space.path(dir)));
    const rows = await ask(space, "from rows");
    expect(rows).toHaveLength(8);
    for (const { system, exampleId, trial, ...expected } of stored) {
      const found = rows.find(
        (each) => each.system === system && each.example_id === String(exampleId) && each.trial === trial,
      );
      expect(found).toMatchObject({
        dataset: expected.dataset,
        outcome: expected.outcome,
        error_category: expected.errorCategory,
        scores: expected.scores,
        score: expected.scores.em ?? null,
        cost_usd: expected.costUsd,
        cost_source: expected.costSource,
        cached: expected.cached,
        cost_killed_at: 0,
        notes: expected.notes,
        metadata: expected.metadata,
        attempts: expected.attempts.map(({ errorCategory, message, durationMs }) => ({
          error_category: errorCategory,
          message,
          duration_ms: durationMs,
        })),
      });
    }
    expect(rows[0]?.run).toBe(dir.slice("runs/".length));
  });

  test("trials: with what was asked, answered and found", async () => {
    const space = await realRun();
    const trials = await ask(space, "from trials where trial = 1 order by system, example_id");
    expect(trials).toHaveLength(4);
    expect(trials[0]).toMatchObject({
      system: "broken",
      question: "Capital of France?",
      answer: "Paris",
      response: null,
    });
    expect(trials[3]).toMatchObject({
      system: "paris",
      example_id: "it",
      question: "Capital of Italy?",
      answer: "Rome",
      response: "Paris",
      evidence: { em: "asked for Rome" },
      output: { response: "Paris", usage: { input: 100 } },
    });
  });

  test("usage: a line for each class, with what the stored price makes of it", async () => {
    const space = await realRun();
    const lines = await ask(space, "from usage where example_id = '1' and trial = 0 order by class");
    expect(lines.map((line) => [line.class, line.tokens, line.cost_usd])).toEqual([
      ["cache_read", 7, 7e-7],
      ["input", 100, 1e-4],
      ["output", 10, 2e-5],
    ]);
    expect(lines[0]).toMatchObject({ system: "paris", model: "atlas", dataset: "west" });
    const [total] = await ask(
      space,
      "select sum(u.cost_usd) as usage, (select sum(cost_usd) from rows) as rows from usage u",
    );
    expect(total?.usage).toBeCloseTo(Number(total?.rows), 12);
  });

  test("summary: what summary.json has, efficiency included", async () => {
    const space = await realRun();
    const [dir = ""] = space.runs("runs");
    const { summary } = JSON.parse(space.read(dir, "summary.json")) as {
      summary: Record<string, Record<string, number> & { efficiency: Record<string, number> }>;
    };
    const lines = await ask(space, "from summary where system = 'paris'");
    const found = new Map(lines.map((line) => [line.metric, line]));
    const paris = summary.paris;
    expect(found.get("pass_rate")).toMatchObject({
      value: paris?.pass_rate,
      ci_low: paris?.pass_rate_ci_low,
      ci_high: paris?.pass_rate_ci_high,
      n: 2,
      reason: null,
    });
    expect(found.get("speed_efficiency_score")?.value).toBe(paris?.efficiency.speed_efficiency_score);
    expect([...found.keys()].filter((key) => /_(ci_low|ci_high|reason)$/.test(String(key)))).toEqual([]);
    const [unknown] = await ask(space, "from summary where system = 'broken' and metric = 'mean_cost_usd'");
    expect(unknown).toMatchObject({ value: null, reason: "no trial has a known cost" });
  });

  test("runs and summary do not read rows, and nothing that is not named is read", async () => {
    const space = handRuns({ rows: ["not a row"], summary: { complete: true, summary: { one: { pass_rate: 1 } } } });
    for (const sql of ["from runs", "from summary", "describe rows", "show tables", "select 1"]) {
      const { notes } = await queryRuns({ runsDir: space.path("runs"), sql });
      expect(notes).toEqual([]);
    }
    const { notes } = await queryRuns({ runsDir: space.path("runs"), sql: "from rows" });
    expect(notes).toEqual(["run-0: 1 line of rows.jsonl cannot be read and was left out"]);
  });
});

describe("what is in the files", () => {
  test("the last row of a trial counts, whatever the order: as in the report", async () => {
    const anyRow = fc.record({
      system: fc.constantFrom("a", "b"),
      exampleId: fc.constantFrom<(string | number)[]>(1, "1", 2),
      trial: fc.constantFrom(0, 1),
      outcome: fc.constantFrom("pass", "fail", "error"),
      outputTokens: fc.nat(1000),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(anyRow, { maxLength: 30 }), async (rows) => {
        const dir = join(tmpdir(), `assay-history-${process.pid}`);
        try {
          writeTestRun(join(dir, "r"), { rows });
          const sql = "select system, example_id, trial, outcome, output_tokens from rows";
          const { rows: found } = await queryRuns({ runsDir: dir, sql });
          const expected = lastOfEach(readRows(join(dir, "r"))).map((each) => [
            each.system,
            String(each.exampleId),
            each.trial,
            each.outcome,
            each.outputTokens,
          ]);
          const inOrder = (lines: unknown[]) => lines.map((line) => JSON.stringify(line)).sort();
          expect(inOrder(found.map((line) => Object.values(line)))).toEqual(inOrder(expected));
        } finally {
          rmSync(dir, { recursive: true, force: true });
        }
      }),
      { numRuns: 15 },
    );
  });

  test("of many lines read by several threads the last one counts", async () => {
    const rows = Array.from({ length: 40_000 }, (_, i) =>
      row({ exampleId: i, outcome: "error", metadata: { pad: "x".repeat(800) } }),
    );
    const again = rows.filter((_, i) => i % 2 === 0).map((each) => ({ ...each, outcome: "pass" }));
    const space = handRuns({ rows: [...rows, ...again] });
    expect(await ask(space, "select outcome, count(*) as n from rows group by 1 order by 1")).toEqual([
      { outcome: "error", n: 20_000 },
      { outcome: "pass", n: 20_000 },
    ]);
  });

  test("a torn last line is left out and said, even one that only lacks its line feed", async () => {
    const space = handRuns({ rows: [row()] }, { rows: [row()] });
    appendFileSync(space.path("runs/run-0/rows.jsonl"), '{"system":"one","dataset":"d","exampleId":2,"tri');
    appendFileSync(space.path("runs/run-1/rows.jsonl"), JSON.stringify(row({ exampleId: 2 })));
    const { rows, notes } = await queryRuns({
      runsDir: space.path("runs"),
      sql: "select run, example_id from rows order by run",
    });
    expect(rows).toEqual([
      { run: "run-0", example_id: "1" },
      { run: "run-1", example_id: "1" },
    ]);
    expect(notes).toEqual([
      "run-0: the torn last line of rows.jsonl was left out",
      "run-1: the torn last line of rows.jsonl was left out",
    ]);
  });

  test("a file that is nothing but a torn line, and one that is empty, hold no row", async () => {
    const space = handRuns({}, {});
    writeFileSync(space.path("runs/run-0/rows.jsonl"), `{"system":${" ".repeat(200_000)}`);
    expect(await ask(space, "select count(*) as n from rows")).toEqual([{ n: 0 }]);
  });

  test("damaged lines, folders and foreign formats cost themselves only, and are named", async () => {
    const space = handRuns(
      { rows: [row(), "}{", "[1]", { system: "one" }, row({ exampleId: 2, outcome: "odd" }), row({ exampleId: 3 })] },
      { rows: [row()], manifest: { schema: "assay.run/9" } },
      { rows: [row()], manifest: { schema: "somebody/1" } },
      { rows: [row()] },
      { rows: [row()] },
    );
    writeFileSync(space.path("runs/run-3/manifest.json"), "{");
    rmSync(space.path("runs/run-4/manifest.json"));
    mkdirSync(space.path("runs/not-a-run"));
    const { rows, notes } = await queryRuns({
      runsDir: space.path("runs"),
      sql: "select run, example_id from rows order by 2",
    });
    expect(rows).toEqual([
      { run: "run-0", example_id: "1" },
      { run: "run-0", example_id: "3" },
    ]);
    expect(notes).toHaveLength(5);
    expect(notes[0]).toMatch(/^run-1 is left out: .*assay\.run\/9.*Update Assay/);
    expect(notes[1]).toMatch(/^run-2 is left out: .*not written by Assay/);
    expect(notes[2]).toMatch(/^run-3 is left out: .*cannot be read/);
    expect(notes[3]).toMatch(/^run-4 is left out: .*has no manifest\.json/);
    expect(notes[4]).toBe("run-0: 4 lines of rows.jsonl cannot be read and were left out");
  });

  test("a file that cannot be read at all costs its own run", async () => {
    const space = handRuns({ rows: [row()] }, { rows: [`{"system":"${"x".repeat(40 << 20)}"}`, row()] });
    const { rows, notes } = await queryRuns({ runsDir: space.path("runs"), sql: "select run from rows" });
    expect(rows).toEqual([{ run: "run-0" }]);
    expect(notes).toEqual(["run-1: rows.jsonl cannot be read and was left out"]);
  });

  test("fields of another type, and those that older files lack, are NULL", async () => {
    const space = handRuns({ rows: [{ system: "one", exampleId: 1, outcome: "pass", latency: "slow", scores: 3 }] });
    expect(await ask(space, "select latency, scores, ttft_ms, dataset, trial, group_id, usage from rows")).toEqual([
      { latency: null, scores: {}, ttft_ms: null, dataset: "", trial: 0, group_id: null, usage: null },
    ]);
  });

  test("folders may have quotes and stars in their names", async () => {
    const space = new Workspace();
    const runsDir = space.path("it's [1] * ?");
    writeTestRun(join(runsDir, "r'"), { rows: [row()], outputs: [{ ...row(), output: { response: "x" } }] });
    const { rows } = await queryRuns({ runsDir, sql: "select run, response from trials" });
    expect(rows).toEqual([{ run: "r'", response: "x" }]);
  });

  test("large outputs stand in files beside the journal; the last line says which counts", async () => {
    const key = { system: "one", dataset: "d", exampleId: 1, trial: 0 };
    const space = handRuns({
      rows: [row(), row({ exampleId: 2 }), row({ exampleId: 3 })],
      outputs: [
        { ...key, file: "outputs/a.json" },
        { ...key, exampleId: 2, output: { response: "small before" } },
        { ...key, exampleId: 2, file: "outputs/b.json" },
        { ...key, exampleId: 3, file: "outputs/b.json" },
        { ...key, exampleId: 3, output: { response: "small again" }, grades: [{ name: "g", passed: true }] },
        { ...key, exampleId: 1, file: "../../../../../etc/passwd" },
        { ...key, exampleId: 1, file: "outputs/a.json" },
      ],
    });
    mkdirSync(space.path("runs/run-0/outputs"));
    const large = (name: string, size: number) =>
      writeFileSync(
        space.path(`runs/run-0/outputs/${name}.json`),
        JSON.stringify({ ...key, output: { response: name.repeat(size), context: "c" }, evidence: { em: "why" } }),
      );
    large("a", 40 << 20);
    large("b", 10);
    expect(
      await ask(space, "select length(response) as size, context, evidence, grades from trials order by example_id"),
    ).toEqual([
      { size: 40 << 20, context: "c", evidence: { em: "why" }, grades: null },
      { size: 10, context: "c", evidence: { em: "why" }, grades: null },
      { size: 11, context: null, evidence: null, grades: [{ name: "g", passed: true }] },
    ]);
  });

  test('examples with the id 1 and the id "1" are two', async () => {
    const ids = [1, "1"];
    const space = handRuns({
      rows: ids.map((exampleId) => row({ exampleId })),
      outputs: ids.map((exampleId) => ({ ...row({ exampleId }), output: { response: typeof exampleId } })),
      examples: ids.map((id) => ({ dataset: "d", id, question: typeof id, answers: ["first", "second"] })),
    });
    expect(await ask(space, "select question, response, answer from trials order by 1")).toEqual([
      { question: "number", response: "number", answer: "first" },
      { question: "string", response: "string", answer: "first" },
    ]);
  });

  test("prices of longer prompts hold for trials of one call", async () => {
    const price: Price = {
      ...PRICE,
      tiers: [
        { ...PRICE, over: 100, input: 9e6 },
        { ...PRICE, over: 1000, input: 99e6 },
      ],
    };
    const usages = [50, 101, 5000].map((input) => ({
      input,
      output: 1,
      cacheWrite: 10,
      cacheWrite1h: 4,
      reasoning: 1,
    }));
    const space = handRuns({
      manifest: { systems: { one: { fingerprint: "f", limits: { price, maxCostUsd: null, hardTimeoutMs: null } } } },
      rows: [
        ...usages.map((usage, exampleId) => row({ exampleId, usage })),
        row({ exampleId: 9, usage: { input: 50, output: 1 }, turns: 2, metadata: { model: "said" } }),
      ],
    });
    const found = await ask(
      space,
      "select example_id, sum(cost_usd) as cost, any_value(model) as model from usage group by 1 order by 1",
    );
    const expected = usages.map((usage) => dollars(costOf(price, usage)));
    for (const [index, cost] of expected.entries()) expect(found[index]?.cost).toBeCloseTo(cost, 12);
    expect(found[3]).toEqual({ example_id: "9", cost: null, model: "said" });
    expect(await ask(space, "select distinct cost_usd from usage where class = 'reasoning'")).toEqual([
      { cost_usd: null },
    ]);
  });
});

describe("the cost of a run by its summary", () => {
  const costOfRun = async (one: Record<string, number | null>) => {
    const [run] = await ask(
      handRuns({ summary: { complete: true, summary: { one } } }),
      "select cost_usd, status from runs",
    );
    return run?.cost_usd;
  };
  const counts = { num_planned: 10, num_pass: 4, num_error: 0, num_skipped: 0, cost_unknown_trials: 0 };

  test.each([
    [{ ...counts, cost_per_pass_usd: 0.3, mean_cost_usd: 0.12 }, 1.2],
    [{ ...counts, num_pass: 0, cost_per_pass_usd: null, mean_cost_usd: 0.12 }, 1.2],
    [{ ...counts, num_pass: 0, num_error: 1, cost_per_pass_usd: null, mean_cost_usd: 0.12 }, null],
    [{ ...counts, cost_unknown_trials: 1, cost_per_pass_usd: null, mean_cost_usd: 0.12 }, null],
    [{ ...counts, cost_per_pass_usd: null, mean_cost_usd: null }, null],
    [{}, null],
  ])("%j", async (figures, cost) => {
    expect(await costOfRun(figures)).toBe(cost);
  });
});

describe("only reading", () => {
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

  test.each(REFUSED)("refuses %j", async (sql) => {
    const space = handRuns({ rows: [row()] });
    expect(await failure(space, sql)).not.toBe("none");
    expect(readdirSync(space.dir)).toEqual(["runs"]);
  });

  test("reaches no file but those of the views, writes none, and keeps its settings", async () => {
    const space = handRuns({ rows: [row()] });
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
      await ask(
        space,
        "select current_setting('lock_configuration') as locked, current_setting('enable_external_access') as open",
      ),
    ).toEqual([{ locked: true, open: false }]);
  });

  test("takes every kind of statement that reads", async () => {
    const space = handRuns({ rows: [row()] });
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
      expect((await ask(space, sql)).length, sql).toBeGreaterThan(0);
    expect(await ask(space, "select count(*) as n from query('from r' || 'ows')")).toEqual([{ n: 1 }]);
  });

  test("leaves nothing behind", async () => {
    const folders = () => readdirSync(tmpdir()).filter((name) => name.startsWith("assay-query-")).length;
    const before = folders();
    const space = handRuns({ rows: [row()] });
    appendFileSync(space.path("runs/run-0/rows.jsonl"), "torn");
    const content = readFileSync(space.path("runs/run-0/rows.jsonl"), "utf8");
    await ask(space, "from rows");
    await failure(space, "select nothing from rows");
    expect(folders()).toBeLessThanOrEqual(before);
    expect(readFileSync(space.path("runs/run-0/rows.jsonl"), "utf8")).toBe(content);
  });

  test("is stopped by its signal, before and while it runs", async () => {
    const space = handRuns({ rows: [row()] });
    const endless = "select count(*) from range(100000000000) a, range(100000000000) b";
    const stopped = queryRuns({ runsDir: space.path("runs"), sql: endless, signal: AbortSignal.timeout(1500) });
    await expect(stopped).rejects.toThrow(QueryStopped);
    const never = queryRuns({ runsDir: space.path("runs"), sql: "select 1", signal: AbortSignal.abort() });
    await expect(never).rejects.toMatchObject({ exitCode: 130 });
  });
});

describe("what is wrong is said in words", () => {
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
    ["select * from read_text('/etc/hostname')", /reaches for a file/],
    ["delete from rows", /cannot begin with "delete"\. A query only reads/],
  ])("%s", async (sql, words) => {
    expect(await failure(handRuns({ rows: [row()] }), sql)).toMatch(words);
  });

  test("a folder that is not there, and one without runs", async () => {
    const space = new Workspace();
    await expect(queryRuns({ runsDir: space.path("runs"), sql: "from runs" })).rejects.toThrow(
      /There is no folder .*--runs-dir/,
    );
    mkdirSync(space.path("runs"));
    const { rows, notes } = await queryRuns({ runsDir: space.path("runs"), sql: "from runs" });
    expect(rows).toEqual([]);
    expect(notes[0]).toMatch(/There is no run in .*: every view is empty/);
  });
});

describe("values are what JSON can hold", () => {
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
    const [line] = await ask(handRuns({}), `select ${expression} as v`);
    expect(line).toEqual({ v: expected });
    expect(JSON.parse(JSON.stringify(line))).toEqual({ v: expected });
  });

  test("columns of one name are told apart", async () => {
    expect(await ask(handRuns({}), "select 1 as a, 2 as a")).toEqual([{ a: 1, "a:1": 2 }]);
  });
});
