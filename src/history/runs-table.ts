import { join } from "node:path";
import { isLocked } from "../files/lock.js";
import { FILES } from "../store/journal.js";
import type { StoredRun } from "./stored-runs.js";
import { flatFigures, readSummary, type StoredSummary } from "./stored-summary.js";

/** Whether a process of another machine lives cannot be seen: it counts as alive. */
const LOCK_RULES = { foreignForMs: Number.POSITIVE_INFINITY, tornForMs: 0 };

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
    status: statusOf(dir, summary),
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

function statusOf(dir: string, summary: StoredSummary | null): string {
  if (isLocked(join(dir, FILES.lock), LOCK_RULES)) return "running";
  return summary?.complete === true ? "complete" : "incomplete";
}

type Figures = Record<string, number | string | null>;

function systemsOf(summary: StoredSummary | null): Figures[] {
  return Object.values(summary?.summary ?? {}).map(flatFigures);
}

function numberIn(figures: Figures, key: string): number | null {
  const value = figures[key];
  return typeof value === "number" ? value : null;
}

function doneOf(summary: StoredSummary | null): number | null {
  return totalOf(systemsOf(summary).map(doneBy));
}

function doneBy(figures: Figures): number | null {
  const planned = numberIn(figures, "num_planned");
  return planned === null ? null : planned - (numberIn(figures, "num_skipped") ?? 0);
}

function costOf(summary: StoredSummary | null): number | null {
  const total = totalOf(systemsOf(summary).map(costBy));
  // Costs are whole pico-dollars; what is taken out of means is not quite.
  return total === null ? null : Math.round(total * 1e12) / 1e12;
}

/** A summary has no total: it is the cost of a pass, times the passes, or the mean cost of trials that have all one. */
function costBy(figures: Figures): number | null {
  const [perPass, mean] = [numberIn(figures, "cost_per_pass_usd"), numberIn(figures, "mean_cost_usd")];
  if (perPass !== null) return perPass * (numberIn(figures, "num_pass") ?? 0);
  const unsure = ["num_error", "num_skipped", "cost_unknown_trials"].some((key) => numberIn(figures, key) !== 0);
  return mean === null || unsure ? null : mean * (numberIn(figures, "num_planned") ?? 0);
}

/** A total of which a part is not known is not known. */
function totalOf(parts: readonly (number | null)[]): number | null {
  const known = parts.filter((part) => part !== null);
  return known.length === 0 || known.length < parts.length ? null : known.reduce((sum, part) => sum + part, 0);
}
