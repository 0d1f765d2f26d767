// What it takes to list stored runs, and to draw one: in this process, as the dashboard's server does.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";
import { inTempFolder } from "./measure.mjs";

const RUNS = 1000;
const SYSTEMS = ["one", "two", "three"];
const SIZES = [
  { examples: 5000, aim: "< 300 ms" },
  { examples: 33_334, aim: "< 3 s" },
];

/** What is measured is no part of the library, so that it is bundled here as it is for the command line. */
const PARTS = {
  views: "src/views/index.ts",
  cards: "src/views/cards.ts",
  cardFile: "src/views/card-file.ts",
  result: "src/result.ts",
  json: "src/report/json.ts",
  counts: "src/core/trial-counts.ts",
  metrics: "src/metrics/index.ts",
  row: "src/core/row.ts",
};

export async function measure() {
  return inTempFolder(async (dir) => {
    const assay = await bundled(dir);
    const [cold, warm] = await list(assay, join(dir, "runs"));
    const rows = [
      [`list of ${RUNS.toLocaleString("en")} runs of three systems, the first time`, "< 300 ms", cold],
      ["the same again", "far less", warm],
    ];
    for (const { examples, aim } of SIZES) {
      const parts = { result: resultOf(assay, examples), manifest: manifestOf("run", examples), card: {} };
      const found = await timed(() => assay.runView(parts));
      rows.push([`view of a run of ${(SYSTEMS.length * examples).toLocaleString("en")} rows`, aim, found]);
    }
    return rows;
  });
}

async function bundled(dir) {
  const cwd = fileURLToPath(new URL("..", import.meta.url));
  const build = await rolldown({ cwd, input: PARTS, platform: "node", external: /^[^./]/ });
  await build.write({
    dir: join(dir, "lib"),
    format: "esm",
    entryFileNames: "[name].mjs",
    chunkFileNames: "[name].mjs",
  });
  await build.close();
  const modules = await Promise.all(Object.keys(PARTS).map((name) => import(join(dir, "lib", `${name}.mjs`))));
  return Object.assign({}, ...modules);
}

async function list(assay, runsDir) {
  const result = resultOf(assay, 200);
  const summary = { ...assay.reportHead(result), complete: true, counts: assay.trialCounts(result.rows) };
  writeRuns(runsDir, { assay, result, summary });
  const runs = new assay.RunList({ runsDir, load: () => Promise.reject(new Error("no rows should be read")) });
  return [await timed(() => runs.list()), await timed(() => runs.list())];
}

/** By the clock, and by what this process had of the processor: on a busy machine they differ. */
async function timed(work) {
  const [started, before] = [performance.now(), process.cpuUsage()];
  await work();
  const { user, system } = process.cpuUsage(before);
  return `${Math.round(performance.now() - started)} ms (${Math.round((user + system) / 1000)} ms of the processor)`;
}

function resultOf({ RunResult, makeRow, standardMetrics }, examples) {
  const rows = SYSTEMS.flatMap((name, system) =>
    Array.from({ length: examples }, (_, example) => makeRow(rowOf({ name, system, example }))),
  );
  const { config } = manifestOf("run", examples);
  const timing = { startedAt: "", finishedAt: "", wallSeconds: 60, trialsPerSecond: 1, cachedTrials: 0 };
  const metrics = standardMetrics(SYSTEMS.length, 1);
  return new RunResult({ rows, metrics, config, timing, runDir: null, notes: [] });
}

/** As a run leaves them, cards included. */
function writeRuns(runsDir, { assay, result, summary }) {
  const text = JSON.stringify(summary, null, 2);
  for (let run = 0; run < RUNS; run++) {
    const id = `20261116-${String(run).padStart(6, "0")}-bench`;
    const dir = join(runsDir, id);
    mkdirSync(dir, { recursive: true });
    const manifest = manifestOf(id, 200);
    writeFileSync(join(dir, "manifest.json"), JSON.stringify(manifest, null, 2));
    writeFileSync(join(dir, "rows.jsonl"), "");
    writeFileSync(join(dir, "outputs.jsonl"), "");
    writeFileSync(join(dir, "summary.json"), text);
    const { config, planned } = manifest;
    const parts = { id, manifest, config, planned, summary: result.summary, counts: summary.counts };
    assay.writeCard(dir, assay.runCard({ ...parts, wallSeconds: 60, status: "complete" }));
  }
}

/** Scores, costs and times that differ from row to row, a subject of ten, and tokens of every class. */
function rowOf({ name, system, example }) {
  const chance = (example * 7919 + system * 31) % 100;
  const passed = chance >= 20 + 10 * system;
  return {
    system: name,
    exampleId: `example-${example}`,
    dataset: "bench",
    outcome: passed ? "pass" : "fail",
    errorCategory: passed ? "none" : "logic_error",
    scores: { score: passed ? 1 : chance / 100 },
    primaryField: "score",
    passed,
    inputTokens: 1000,
    outputTokens: 200,
    latency: 1 + chance / 10,
    durationMs: 1000 + 100 * chance,
    usage: { input: 900 + chance, output: 200, cacheRead: 100, reasoning: 50 },
    costUsd: (0.01 + chance / 10_000) / (1 + system),
    costSource: "priced",
    facets: { subject: `subject ${example % 10}` },
  };
}

function manifestOf(runId, examples) {
  const dataset = { name: "bench", examples, fingerprint: "0".repeat(64), tags: ["bench"], primaryField: "score" };
  const price = { input: 3e6, output: 15e6, cacheRead: 3e5, cacheWrite: 4e6, cacheWrite1h: 6e6, source: "bench" };
  const limits = { price, maxCostUsd: 1, hardTimeoutMs: null };
  return {
    schema: "assay.run/1",
    runId,
    createdAt: "2026-11-16T00:00:00.000Z",
    assayVersion: "0.1.0",
    nodeVersion: process.version,
    platform: process.platform,
    gitRevision: null,
    planned: SYSTEMS.length * examples,
    config: {
      title: "bench",
      systems: SYSTEMS,
      datasets: [{ ...dataset, evaluators: {} }],
      evaluators: ["bench"],
      metrics: ["mean_score", "pass_rate", "compression_ratio", "cost_of_pass", "latency", "pareto_rank"],
      scoreField: "score",
      threshold: 0.7,
      trials: 1,
      seed: 0,
      tokenizer: "cl100k_base",
    },
    systems: Object.fromEntries(SYSTEMS.map((name) => [name, { fingerprint: name, harness: "api", limits }])),
    invocation: { command: "run", cwd: ".", configFile: null, flags: {} },
  };
}
