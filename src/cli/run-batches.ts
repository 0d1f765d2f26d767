import { EXIT, parseDuration, type System, UsageError } from "../core/index.js";
import { Batches } from "../models/index.js";
import type { PrintReport } from "./report.js";
import type { RunFlags } from "./run-flags.js";
import { printNote } from "./streams.js";

/** The batches of a run with a flag about batches. */
export function createRunBatches(config: RunFlags): Batches {
  const { batch, batchDeadline, batchLate, batchNoWait, queue, mock, serviceTier } = config;
  if (batch !== true) throw new UsageError(describeLoneBatchFlag(config));
  if (queue !== undefined) throw new UsageError("--batch cannot be combined with --queue. Remove one of them.");
  if (serviceTier !== undefined)
    throw new UsageError(
      "--batch cannot be combined with --service-tier: batches are a tier of their own. Remove one of them.",
    );
  if (mock !== undefined && (batchNoWait === true || batchLate === "leave"))
    throw new UsageError(
      `${batchNoWait === true ? "--batch-no-wait" : "--batch-late leave"} cannot be combined with --mock: the simulated model ends with the command.`,
    );
  const deadlineMs = batchDeadline === undefined ? null : parseDuration(batchDeadline);
  return new Batches({ deadlineMs, late: batchLate ?? "live", isAwaited: batchNoWait !== true });
}

function describeLoneBatchFlag({ batchDeadline, batchLate, batchNoWait }: RunFlags): string {
  const given = { "--batch-deadline": batchDeadline, "--batch-late": batchLate, "--batch-no-wait": batchNoWait };
  const [flag = "--batch-deadline"] = Object.entries(given).find(([, value]) => value !== undefined) ?? [];
  return `${flag} needs --batch. Add it, or remove ${flag}.`;
}

/** Fails for systems that cannot be sent in batches. Recorded outputs need no requests. */
export function requireBatchedSystems(systems: readonly System[]): void {
  const others = systems.filter(({ harness, isRecorded }) => harness !== "api" && isRecorded !== true);
  if (others.length === 0) return;
  const names = others.map(({ name }) => name).join(", ");
  throw new UsageError(
    `--batch is for models that are called through their API, but these are not: ${names}. Run them apart, without --batch.`,
  );
}

/** Ends a run whose requests are submitted. The rows so far would be an incomplete report. */
export function reportSubmitted(batches: Batches, goOn: string): PrintReport {
  const { isLate } = batches;
  const status = batches.describe();
  return async () => {
    if (status !== null) printNote(`${isLate ? "The deadline of the batches is over" : "Submitted"}: ${status}.`);
    printNote(`Collect the results with: ${goOn}`);
    if (isLate) printNote("To wait longer, add --batch-deadline 24h; to send the rest one by one, --batch-late live.");
    return isLate ? EXIT.infrastructure : EXIT.fine;
  };
}
