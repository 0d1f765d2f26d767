import type { RunFlags } from "./run-flags.js";

export type PlanFlags = Pick<RunFlags, "dryRun" | "queue">;

/**
 * True if this process calls no system: for a dry run, and for a run whose trials run on queue workers. Systems, agents and
 * judges are then created without keys and programs, with the same fingerprints.
 */
export function isPlanOnly({ dryRun, queue }: PlanFlags): boolean {
  return dryRun === true || queue !== undefined;
}
