import type { RunFlags } from "./run-flags.js";

/** What says whether a process runs trials, or only plans them. */
export type Planning = Pick<RunFlags, "dryRun" | "queue">;

/**
 * True when this process asks nobody anything: for a dry run, and for a run whose trials are run by the workers of a queue.
 * Systems, agents and judges are then made without their keys and programs, and are the same ones by their fingerprints.
 */
export function isPlannedOnly({ dryRun, queue }: Planning): boolean {
  return dryRun === true || queue !== undefined;
}
