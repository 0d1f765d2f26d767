import { join } from "node:path";
import { ownValue } from "../../core/own-value.js";
import { FILES } from "../journal.js";
import { isRunLocked } from "../lock.js";
import { doneIn, hasEnded, readSummary, type StoredSummary } from "../summary-file.js";
import { flatFigures } from "./flat-figures.js";
import type { StoredRun } from "./stored-runs.js";

/** The lines of `runs`, from manifests and summaries alone: rows are not read for a list. */
export function runsTable(runs: readonly StoredRun[]): Record<string, unknown>[] {
  return runs.map((run) => runLine(run, readSummary(run.dir)));
}

function runLine({ run, dir, manifest }: StoredRun, summary: StoredSummary | null): Record<string, unknown> {
  const { config } = manifest;
  return {
    run,
    title: config.title ?? null,
    command: commandOf(manifest.invocation),
    status: statusOf(dir, summary, manifest.planned),
    created_at: manifest.createdAt ?? null,
    git_revision: manifest.gitRevision ?? null,
    assay_version: manifest.assayVersion ?? null,
    planned: manifest.planned ?? null,
    done: doneOf(summary),
    trials: config.trials ?? null,
    threshold: config.threshold ?? null,
    seed: config.seed ?? null,
    datasets: config.datasets.map(({ name }) => name),
    systems: config.systems ?? Object.keys(manifest.systems),
    cost_usd: costOf(summary),
    wall_seconds: summary?.timing?.wallSeconds ?? null,
    parent: manifest.parent?.runId ?? null,
  };
}

function commandOf(invocation: unknown): string | null {
  const { command } = (invocation ?? {}) as { command?: unknown };
  return typeof command === "string" ? command : null;
}

function statusOf(dir: string, summary: StoredSummary | null, planned: number): string {
  if (isRunLocked(join(dir, FILES.lock))) return "running";
  return summary !== null && hasEnded(summary, planned) ? "complete" : "incomplete";
}

function doneOf(summary: StoredSummary | null): number | null {
  return summary?.counts == null ? null : doneIn(summary.counts);
}

function costOf(summary: StoredSummary | null): number | null {
  const costs = Object.entries(summary?.counts ?? {}).map(([system, { costUsd }]) => {
    const figures = flatFigures(ownValue(summary?.summary ?? {}, system) ?? {});
    return (figures.cost_unknown_trials ?? 0) === 0 ? costUsd : null;
  });
  return totalOf(costs);
}

/** A total of which a part is not known is not known. */
function totalOf(parts: readonly (number | null)[]): number | null {
  const known = parts.filter((part) => part !== null);
  return known.length === 0 || known.length < parts.length ? null : known.reduce((sum, part) => sum + part, 0);
}
