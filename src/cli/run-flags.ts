import type { Effort } from "../core/index.js";
import type { Batches, Traffic } from "../models/index.js";
import type { CommandFlags, RunConfig } from "./run-config-schema.js";

/** Flags of `assay run`: settings that override the config, and how to run. */
export interface RunFlags extends RunConfig, CommandFlags {
  /** Headers that the stored run was started with and that are not stored. */
  secretHeaders?: readonly string[];
  eval?: EvalSelection;
  stress?: StressSelection;
  /** For `assay migrate`: the file of the web page. */
  html?: string;
  /** Script of a simulated model that replaces the real ones, also those of agents, judges and readers. */
  mock?: string;
  /** The simulated model while it is running. */
  simulated?: SimulatedModel;
  /** The batches of the run, while it is running. */
  batches?: Batches;
  /** Records the model calls of the run, or answers them, while it is running. */
  traffic?: Traffic;
  /** The folder of the config file; its paths are relative to it. */
  configDir?: string;
  /** Runs all trials here, even if the config file or the resumed run has a queue. */
  withoutQueue?: boolean;
  verbose?: boolean;
}

/** A scripted model on this machine. */
export interface SimulatedModel {
  readonly url: string;
  /** Changes with the script, but not with the port: a run can be resumed, and real outputs are never mixed with simulated ones. */
  readonly id: string;
}

/** What `assay eval` runs and writes, besides the flags of every run. */
export interface EvalSelection {
  /** Eval files, folders that contain some, or patterns. */
  files?: readonly string[];
  suite?: string;
  /** Tag filters that must all match: `area=js`, `!slow`. */
  tags?: readonly string[];
  /** Names of test cases. Default: all. */
  stimuli?: readonly string[];
  /** Trials of each test case. Default: set by the files. */
  runs?: number;
  /** Agents, by name or as a command with {prompt}. */
  executors?: readonly string[];
  models?: readonly string[];
  /** How much the models think, each measured. */
  efforts?: readonly Effort[];
  judgeModel?: string;
  /** Base URL of the judge, and the variable that holds its key. */
  judgeUrl?: string;
  judgeApiKeyEnv?: string;
  /** The minimum weighted score of a passing trial. */
  threshold?: number;
  timeoutMs?: number;
  /** Script for a simulated model that replaces the real ones. */
  mock?: string;
  /** True if every trial has to pass. */
  requirePass?: boolean;
  /** Where all reports are written besides stdout. */
  outputDir?: string;
}

/** What `assay stress` does to its systems. */
export interface StressSelection {
  /** As given: `429=0.1,cut=0.05`. */
  readonly faults?: string;
  readonly perturb?: readonly string[];
  /** The model that writes paraphrases. */
  readonly perturbModel?: string;
  readonly perturbations?: string;
  readonly askConfidence?: boolean;
}

/** Settings that say what a run measures. */
const INPUT_KEYS = ["systems", "replay", "datasets", "models", "agents"] as const;

/** True if flags or a config name something to measure. */
export function describesRun(config: RunConfig): boolean {
  return INPUT_KEYS.some((key) => (config[key] ?? []).length > 0);
}

export type PlanFlags = Pick<RunFlags, "dryRun" | "queue" | "simulated" | "batches" | "traffic">;

/**
 * True if this process calls no system: for a dry run, and for a run whose trials run on queue workers. Systems, agents and
 * judges are then created without keys and programs, with the same fingerprints.
 */
export function isPlanOnly({ dryRun, queue }: PlanFlags): boolean {
  return dryRun === true || queue !== undefined;
}

/** For work that is done on this machine in any case. */
export function dropQueueFlags({ queue: _, sharedDir: __, withoutQueue: ___, ...run }: RunFlags): RunFlags {
  return run;
}
