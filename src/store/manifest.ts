import type { EvalConfig } from "../core/result.js";

/** The first word of every run folder: what was planned, with what, and when. */
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
  /** By name: what identifies each system's and evaluator's work. */
  systems: Record<string, string>;
  evaluators: Record<string, string>;
  /** What the command line was asked for, so that `--resume` needs no flags; null for library runs. */
  invocation: unknown;
}

export const RUN_SCHEMA = "assay.run/1";

/** What has to be equal for one plan to go on where another stopped. */
export type PlanIdentity = Pick<Manifest, "config" | "systems" | "evaluators" | "planned">;

/** What differs between a stored plan and one that wants to resume it, in words; empty when it may. */
export function differences(stored: PlanIdentity, wanted: PlanIdentity): string[] {
  const found: string[] = [];
  const compare = (what: string, before: unknown, now: unknown) => {
    if (JSON.stringify(before) !== JSON.stringify(now)) found.push(`${what}: was ${show(before)}, is ${show(now)}`);
  };
  for (const key of ["trials", "seed", "threshold", "scoreField", "tokenizer"] as const) {
    compare(key, stored.config[key], wanted.config[key]);
  }
  compare("datasets", stored.config.datasets.map(showDataset), wanted.config.datasets.map(showDataset));
  for (const kind of ["systems", "evaluators"] as const) {
    compare(kind, Object.keys(stored[kind]), Object.keys(wanted[kind]));
    for (const [name, fingerprint] of Object.entries(wanted[kind])) {
      const before = stored[kind][name];
      if (before !== undefined && before !== fingerprint)
        found.push(`${kind.slice(0, -1)} "${name}": its code or settings changed`);
    }
  }
  return found;
}

function showDataset({ name, examples, fingerprint }: EvalConfig["datasets"][number]): string {
  return `${name || "examples"} (${examples} examples, content ${fingerprint.slice(0, 8)})`;
}

function show(value: unknown): string {
  return Array.isArray(value) ? value.join(", ") : JSON.stringify(value);
}
