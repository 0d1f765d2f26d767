import type { EvalConfig, Timing } from "../core/index.js";
import { VERSION } from "../core/index.js";
import type { Manifest } from "../store/index.js";

export function makeConfig(known: Partial<EvalConfig> = {}): EvalConfig {
  return {
    title: "A run",
    systems: ["a", "b"],
    datasets: [],
    evaluators: [],
    metrics: [],
    scoreField: "score",
    threshold: 0.7,
    trials: 1,
    seed: 0,
    tokenizer: "cl100k_base",
    ...known,
  };
}

export function makeManifest(known: Partial<Manifest> = {}): Manifest {
  return {
    schema: "assay.run/1",
    runId: "run",
    createdAt: "2026-01-01T00:00:00.000Z",
    assayVersion: VERSION,
    nodeVersion: "v20.0.0",
    platform: "linux-x64",
    gitRevision: null,
    planned: 2,
    config: makeConfig(),
    systems: {},
    invocation: null,
    ...known,
  };
}

export function makeTiming(known: Partial<Timing> = {}): Timing {
  return {
    startedAt: "then",
    finishedAt: "now",
    wallSeconds: 2,
    wallSecondsBySystem: {},
    trialsPerSecond: 10,
    cachedTrials: 0,
    ...known,
  };
}
