import type { Effort } from "../core/effort.js";
import type { Limits } from "../core/price.js";
import type { EvalConfig } from "../core/result.js";

/** Describes a run folder: what was planned, with what, and when. */
export interface Manifest {
  schema: "assay.run/1";
  runId: string;
  createdAt: string;
  assayVersion: string;
  nodeVersion: string;
  platform: string;
  gitRevision: string | null;
  planned: number;
  config: EvalConfig;
  /** By name: what identifies each system's work. Evaluators are listed with their datasets in `config`. */
  systems: Readonly<Record<string, SystemRecord>>;
  /** The budget that the run started with, in dollars; absent without one. The result has the one it ended with. */
  maxCostUsd?: number;
  /** The run whose outputs were graded again. */
  parent?: { runId: string };
  /** How to start the run again: the command line, or what a program chose to store; null for nothing. */
  invocation: unknown;
}

/** A system as stored: fingerprint, model, harness, and its price and limits at the time of the run. */
export interface SystemRecord {
  fingerprint: string;
  model?: string;
  harness?: string;
  /** How much its model was asked to think. */
  effort?: Effort;
  /** The name of its prompt, where several are compared. */
  prompt?: string;
  limits?: Limits;
}

export const RUN_SCHEMA = "assay.run/1";

/** What must be equal for one plan to continue another. */
export type PlanIdentity = Pick<Manifest, "config" | "systems" | "planned">;

/** Describes the differences between a stored plan and one that resumes it; empty if there are none. */
export function listPlanDifferences(stored: PlanIdentity, wanted: PlanIdentity): string[] {
  const found: string[] = [];
  const compare = (what: string, before: unknown, now: unknown) => {
    if (JSON.stringify(before) !== JSON.stringify(now))
      found.push(`${what}: was ${formatIdentityValue(before)}, is ${formatIdentityValue(now)}`);
  };
  for (const key of ["trials", "seed", "threshold", "scoreField", "tokenizer"] as const) {
    compare(key, stored.config[key], wanted.config[key]);
  }
  compare(
    "datasets",
    stored.config.datasets.map(formatDatasetIdentity),
    wanted.config.datasets.map(formatDatasetIdentity),
  );
  found.push(...listChangedWork("system", stored.systems, wanted.systems));
  for (const [i, { name, primaryField, evaluators, terms, limits }] of wanted.config.datasets.entries()) {
    const before = stored.config.datasets[i];
    if (before === undefined) continue;
    compare(`primary field of ${name || "the dataset"}`, before.primaryField, primaryField);
    compare(`terms of ${name || "the dataset"}`, before.terms, terms);
    if (JSON.stringify(before.limits) !== JSON.stringify(limits))
      found.push(`trials, timeouts or dollars of single examples of ${name || "the dataset"}: they changed`);
    found.push(...listChangedWork("evaluator", before.evaluators, evaluators));
  }
  return found;
}

type FingerprintMap = Readonly<Record<string, { fingerprint: string }>>;

function listChangedWork(kind: string, before: FingerprintMap, now: FingerprintMap): string[] {
  const gone = Object.keys(before).filter((name) => !Object.hasOwn(now, name));
  const added = Object.keys(now).filter((name) => !Object.hasOwn(before, name));
  const changed = Object.keys(now).filter(
    (name) => Object.hasOwn(before, name) && before[name]?.fingerprint !== now[name]?.fingerprint,
  );
  return [
    ...gone.map((name) => `${kind} "${name}": was removed`),
    ...added.map((name) => `${kind} "${name}": was added`),
    ...changed.map((name) => `${kind} "${name}": its code or settings changed`),
  ];
}

function formatDatasetIdentity({ name, examples, fingerprint }: EvalConfig["datasets"][number]): string {
  return `${name || "examples"} (${examples} examples, content ${fingerprint.slice(0, 8)})`;
}

function formatIdentityValue(value: unknown): string {
  return Array.isArray(value) ? value.join(", ") : JSON.stringify(value);
}
