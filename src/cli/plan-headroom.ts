import { basename } from "node:path";
import { RunFolderError } from "../core/index.js";
import { describeRunHeadroom } from "../metrics/index.js";
import { formatNumber } from "../report/index.js";
import type { Plan } from "../runner/index.js";
import { readCountedRows } from "../runs/index.js";
import { detectableDifference, requiredTasks, wilsonInterval } from "../stats/index.js";
import { findLatestRun, readManifest } from "../store/index.js";
import { DEFAULT_RUNS_DIR, type RunConfig } from "./run-config.js";

type HeadroomConfig = Pick<RunConfig, "margin" | "until" | "quality" | "population" | "confidence" | "runsDir">;

/** The one-sided level of non-inferiority, as the level of a two-sided test. */
const NON_INFERIORITY_ALPHA = 0.1;

/**
 * What a run has no room to show, before anything is spent: a difference or precision that all its tasks cannot give, and
 * what the latest run of the first system on the same datasets says about ceilings and scores that never vary.
 */
export async function describePlanHeadroom(plan: Plan, config: HeadroomConfig): Promise<string[]> {
  return [...(await describeAsked(plan, config)), ...describeStored(plan, config.runsDir ?? DEFAULT_RUNS_DIR)];
}

async function describeAsked(plan: Plan, config: HeadroomConfig): Promise<string[]> {
  const tasks = plan.examples.length;
  if (tasks < 2) return [];
  if (config.margin !== undefined) return plan.systems.length < 2 ? [] : describeMargin(plan, config.margin);
  const halfWidth = await readPrecision(plan, config);
  if (halfWidth === null) return [];
  const { low, high } = wilsonInterval(tasks / 2, tasks);
  const least = (high - low) / 2;
  if (least <= halfWidth) return [];
  return [
    `all ${tasks} tasks tell a pass rate of one half to ±${formatNumber(least)}, not to the ±${halfWidth} that is asked for: about ${Math.ceil(tasks * (least / halfWidth) ** 2)} tasks could`,
  ];
}

function describeMargin({ examples, trials }: Plan, margin: number): string[] {
  const design = { trialsA: trials, alpha: NON_INFERIORITY_ALPHA };
  const least = detectableDifference({ n: examples.length, ...design });
  if (least <= margin) return [];
  return [
    `all ${examples.length} tasks can tell a loss of ${formatNumber(least)} at 80 % power, not the margin of ${margin} that is asked for: about ${requiredTasks({ difference: margin, ...design })} tasks could, or more trials of each`,
  ];
}

/** Most runs have no question, and do without its code. */
async function readPrecision({ systems }: Plan, config: HeadroomConfig): Promise<number | null> {
  const { until, quality, population, confidence } = config;
  if (until === undefined) return null;
  const { resolveUntil, toSequentialQuestion } = await import("../metrics/sequential/question.js");
  const asked = resolveUntil(
    { question: until, quality, population, confidence },
    systems.map(({ name }) => name),
  );
  const question = asked === null ? null : toSequentialQuestion(asked);
  return question !== null && question !== "race" && question.kind === "precision" ? question.halfWidth : null;
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
