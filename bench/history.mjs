// What it takes to ask stored runs in SQL: `assay query` as a whole command, against a bare `select 1` of the same command.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ASSAY, inTempFolder, inTurns, runNode } from "./measure.mjs";

const ROUNDS = 3;
const SYSTEMS = ["one", "two", "three", "four"];
const MANY_RUNS = 1000;
const ROWS_OF_MANY = 20;
const ROWS_OF_ONE = 200_000;

const QUESTIONS = [
  {
    name: `list ${MANY_RUNS.toLocaleString("en")} runs`,
    dir: "many",
    sql: "select run, status, cost_usd from runs",
    aim: "< 1 s",
  },
  {
    name: `pass rates of ${MANY_RUNS.toLocaleString("en")} runs`,
    dir: "many",
    sql: "select run, system, value from summary where metric = 'pass_rate'",
    aim: "–",
  },
  {
    name: `group the rows of ${MANY_RUNS.toLocaleString("en")} runs`,
    dir: "many",
    sql: "select system, count(*), avg(score) from rows group by system",
    aim: "< 1 s",
  },
  {
    name: `group ${ROWS_OF_ONE.toLocaleString("en")} rows of one run`,
    dir: "one",
    sql: "select system, count(*), avg(score), sum(cost_usd) from rows group by system",
    aim: "< 1 s",
  },
];

export async function measure(assay = ASSAY) {
  return inTempFolder(async (dir) => {
    for (let run = 0; run < MANY_RUNS; run++) writeRun(join(dir, "many", `run-${run}`), { run, rows: ROWS_OF_MANY });
    writeRun(join(dir, "one", "run"), { run: 0, rows: ROWS_OF_ONE });
    const ask = (sql, runs) => () => runNode([assay, "query", sql, "--runs-dir", join(dir, runs), "--output", "csv"]);
    const commands = { start: ask("select 1", "one") };
    for (const { name, sql, dir: runs } of QUESTIONS) commands[name] = ask(sql, runs);
    const found = await inTurns(commands, ROUNDS);
    const rows = QUESTIONS.map(({ name, aim }) => [
      `query, after its start: ${name}`,
      aim,
      `${(found[name] - found.start).toFixed(2)} s`,
    ]);
    return [["query: start, with DuckDB loaded", "–", `${found.start.toFixed(2)} s`], ...rows];
  });
}

function writeRun(dir, { run, rows }) {
  mkdirSync(dir, { recursive: true });
  const lines = Array.from({ length: rows }, (_, row) => JSON.stringify(rowOf(row)));
  writeFileSync(join(dir, "rows.jsonl"), `${lines.join("\n")}\n`);
  writeFileSync(join(dir, "outputs.jsonl"), "");
  writeFileSync(join(dir, "manifest.json"), JSON.stringify(manifestOf(run, rows), null, 2));
  writeFileSync(join(dir, "summary.json"), JSON.stringify(summaryOf(rows), null, 2));
}

function rowOf(row) {
  const passed = (row * 7919) % 10 < 7;
  return {
    system: SYSTEMS[row % SYSTEMS.length],
    dataset: "bench",
    exampleId: `example-${Math.floor(row / SYSTEMS.length)}`,
    trial: 0,
    outcome: passed ? "pass" : "fail",
    errorCategory: passed ? "none" : "logic_error",
    scores: { f1: passed ? 0.9 : 0.2, exact_match: Number(passed) },
    primaryField: "exact_match",
    passed,
    inputTokens: 900 + (row % 100),
    outputTokens: 50,
    latency: 0.8 + (row % 10) / 10,
    durationMs: 800 + 10 * (row % 10),
    usage: { input: 900 + (row % 100), output: 50 },
    costUsd: 0.001 + (row % 7) / 10_000,
    costSource: "priced",
    turns: 1,
    metadata: { model: "bench", finishReason: "stop" },
  };
}

function manifestOf(run, rows) {
  const dataset = {
    name: "bench",
    examples: rows / SYSTEMS.length,
    fingerprint: "",
    tags: ["bench"],
    primaryField: "exact_match",
  };
  return {
    schema: "assay.run/1",
    runId: `run-${run}`,
    createdAt: new Date(Date.UTC(2026, 0, 1) + run * 3_600_000).toISOString(),
    assayVersion: "0.1.0",
    nodeVersion: process.version,
    platform: process.platform,
    gitRevision: null,
    planned: rows,
    config: {
      title: "bench",
      systems: SYSTEMS,
      datasets: [{ ...dataset, evaluators: {} }],
      evaluators: ["answer_quality"],
      metrics: ["pass_rate"],
      scoreField: "exact_match",
      threshold: 0.7,
      trials: 1,
      seed: 0,
      tokenizer: "cl100k_base",
    },
    systems: Object.fromEntries(SYSTEMS.map((system) => [system, { fingerprint: "", model: "bench" }])),
    invocation: { command: "run" },
  };
}

/** About as many figures as a real one has. */
function summaryOf(rows) {
  const figure = (key, value) => ({
    [key]: value,
    [`${key}_ci_low`]: value * 0.9,
    [`${key}_ci_high`]: value * 1.1,
    [`${key}_n`]: rows / 4,
  });
  const others = Array.from({ length: 20 }, (_, index) => figure(`figure_${index}`, 0.5));
  const system = {
    num_planned: rows / 4,
    num_pass: Math.round((rows / 4) * 0.7),
    num_fail: Math.round((rows / 4) * 0.3),
    num_error: 0,
    num_skipped: 0,
    cost_unknown_trials: 0,
    ...Object.assign({}, figure("pass_rate", 0.7), figure("cost_per_pass_usd", 0.002), ...others),
  };
  const timing = { startedAt: "2026-01-01T00:00:00.000Z", finishedAt: "2026-01-01T00:01:00.000Z", wallSeconds: 60 };
  const summary = Object.fromEntries(SYSTEMS.map((name) => [name, system]));
  return { schema: "assay.summary/1", timing, summary, across: {}, notes: [], complete: true };
}
