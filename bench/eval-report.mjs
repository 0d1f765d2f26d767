// What it takes to report a stored eval: `assay report` as a whole command, for people, for pull requests and for CI.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ASSAY, inTempFolder, inTurns, runNode } from "./measure.mjs";

const ROUNDS = 3;
const SYSTEMS = ["one", "two", "three", "four"];
const RUNS = 5;
const SIZES = [
  { stimuli: 100, aim: "< 2 s" },
  { stimuli: 1000, aim: "–" },
];
const REPORTERS = ["eval", "markdown", "junit"];

export async function measure() {
  return inTempFolder(async (dir) => {
    const rows = [];
    for (const { stimuli, aim } of SIZES) {
      const run = writeRun(join(dir, `run-${stimuli}`), stimuli);
      const report = (output) => () => runNode([ASSAY, "report", run, "--output", output], { cwd: dir });
      const found = await inTurns(Object.fromEntries(REPORTERS.map((name) => [name, report(name)])), ROUNDS);
      const trials = SYSTEMS.length * stimuli * RUNS;
      const seconds = REPORTERS.map((name) => `${found[name].toFixed(2)} s`).join(", ");
      rows.push([`report of ${trials.toLocaleString("en")} stored trials: ${REPORTERS.join(", ")}`, aim, seconds]);
    }
    return rows;
  });
}

/** A run as `assay eval` stores one: each system with a pass rate of its own, some trials without a verdict. */
function writeRun(dir, stimuli) {
  mkdirSync(dir, { recursive: true });
  const lines = [];
  for (const [system, name] of SYSTEMS.entries())
    for (let stimulus = 0; stimulus < stimuli; stimulus++)
      for (let trial = 0; trial < RUNS; trial++) lines.push(JSON.stringify(rowOf({ system, name, stimulus, trial })));
  writeFileSync(join(dir, "rows.jsonl"), `${lines.join("\n")}\n`);
  writeFileSync(join(dir, "outputs.jsonl"), "");
  writeFileSync(join(dir, "manifest.json"), JSON.stringify(manifestOf(stimuli)));
  return dir;
}

function rowOf({ system, name, stimulus, trial }) {
  const chance = (stimulus * 7919 + trial * 104_729 + system * 31) % 100;
  const outcome = chance < 1 ? "error" : chance < 30 + 10 * system ? "fail" : "pass";
  const isScored = outcome !== "error";
  const score = outcome === "pass" ? 1 : 0;
  return {
    system: name,
    exampleId: `stimulus-${stimulus}`,
    dataset: "bench",
    trial,
    outcome,
    errorCategory: { pass: "none", fail: "logic_error", error: "api_error" }[outcome],
    scores: isScored ? { verdict: score, weighted_score: (1 + score) / 2, "file-exists": score, "run-command": 1 } : {},
    primaryField: isScored ? "verdict" : null,
    passed: isScored ? score === 1 : null,
    inputTokens: 1000,
    outputTokens: 200,
    latency: 10 + chance / 10,
    durationMs: 10_000 + 100 * chance,
    usage: { input: 5000 + chance, output: 700 },
    costUsd: 0.01 + chance / 10_000,
    costSource: "priced",
    turns: 4,
    ...(isScored ? { successAtMs: 9000, firstAttemptMs: 2000 } : {}),
  };
}

function manifestOf(stimuli) {
  const gates = [{ metric: "pass_hat_3", op: ">=", value: 0.3 }];
  const dataset = { name: "bench", examples: stimuli, fingerprint: "", tags: ["bench"], primaryField: "verdict" };
  return {
    schema: "assay.run/1",
    runId: "bench",
    createdAt: "2026-11-16T00:00:00.000Z",
    assayVersion: "0.1.0",
    nodeVersion: process.version,
    platform: process.platform,
    gitRevision: null,
    planned: SYSTEMS.length * stimuli * RUNS,
    config: {
      title: "bench",
      systems: SYSTEMS,
      datasets: [{ ...dataset, evaluators: {}, terms: { systems: SYSTEMS, trials: RUNS }, skill: "tidy", gates }],
      evaluators: ["graders"],
      metrics: ["mean_score", "pass_rate", "compression_ratio", "cost_of_pass", "latency", "pareto_rank"],
      scoreField: "score",
      threshold: 0.7,
      trials: RUNS,
      seed: 0,
      tokenizer: "cl100k_base",
    },
    systems: Object.fromEntries(SYSTEMS.map((name) => [name, { fingerprint: name }])),
    invocation: { command: "eval", cwd: ".", configFile: null, flags: {} },
  };
}
