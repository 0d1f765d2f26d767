import { basename } from "node:path";
import { RunFolderError, type UntilConfig } from "../core/index.js";
import { describeMarginHeadroom, describeRunHeadroom, describeUntilHeadroom } from "../metrics/index.js";
import type { Plan } from "../runner/index.js";
import { readCountedRows } from "../runs/index.js";
import { findLatestRun, readManifest } from "../store/index.js";
import { DEFAULT_RUNS_DIR, type RunConfig } from "./run-config.js";

type HeadroomConfig = Pick<RunConfig, "margin" | "runsDir">;

/** The one-sided level of non-inferiority, as the level of a two-sided test. */
const NON_INFERIORITY_ALPHA = 0.1;

/**
 * What a run has no room to show, before anything is spent: a difference or precision that all its tasks cannot give, and
 * what the latest run of the first system on the same datasets says about ceilings and scores that never vary.
 */
export function describePlanHeadroom(
  plan: Plan,
  { until, config }: { until: UntilConfig | null; config: HeadroomConfig },
): string[] {
  const asked = describeAsked(plan, { until, margin: config.margin });
  return [...asked, ...describeStored(plan, config.runsDir ?? DEFAULT_RUNS_DIR)];
}

function describeAsked(
  { examples, systems, trials }: Plan,
  { until, margin }: { until: UntilConfig | null; margin: number | undefined },
): string[] {
  const tasks = examples.length;
  if (until !== null) return describeUntilHeadroom(until, { tasks, trials });
  if (margin === undefined || systems.length < 2 || tasks < 2) return [];
  return describeMarginHeadroom(margin, { tasks, trials, alpha: NON_INFERIORITY_ALPHA });
}

function describeStored({ systems, datasetPlans }: Plan, runsDir: string): string[] {
  const names = systems.map(({ name }) => name);
  const datasets = new Set(datasetPlans.map(({ dataset }) => dataset));
  const isAbout = (dir: string) => {
    const { config } = readManifest(dir);
    if (config.arms !== undefined || !config.systems.includes(names[0] ?? "")) return false;
    return config.datasets.length === datasets.size && config.datasets.every(({ name }) => datasets.has(name));
  };
  try {
    const dir = findLatestRun(runsDir, isAbout);
    const { rows } = readCountedRows(dir, readManifest(dir));
    return describeRunHeadroom(rows, names).map((words) => `in ${basename(dir)}, ${words}`);
  } catch (error) {
    // There is no such run, or a damaged one.
    if (error instanceof RunFolderError) return [];
    throw error;
  }
}
