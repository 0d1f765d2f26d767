import type { Attempt, TrialKey } from "../core/row.js";
import type { Output, TrialBill } from "../core/system.js";
import { billed } from "./billed.js";
import { type CallOptions, openCall, type Returned } from "./call.js";

/** An output that is not graded yet, with all that its row will say of the call. */
export interface UngradedOutput extends TrialKey {
  readonly output: Output;
  readonly call: StoredCall;
}

/** What the row of a trial says of the calls that gave its output. */
export interface StoredCall {
  readonly latency: number | null;
  readonly durationMs: number | null;
  /** Left out when no call failed before. */
  readonly lostMs?: number;
  readonly attempts?: readonly Attempt[];
  /** Left out when the system said nothing. */
  readonly notes?: readonly string[];
  /** Left out when nothing is known of what the system costs. */
  readonly bill?: StoredBill;
}

type StoredBill = Omit<TrialBill, "bill"> & { readonly costUsd: number };

/** What is to be stored of a call that gave an output. */
export function storedCall({ latency, durationMs, call }: Returned): StoredCall {
  return {
    latency,
    durationMs,
    ...(call.failed.length > 0 && { lostMs: call.lostMs, attempts: call.failed }),
    ...(call.messages.length > 0 && { notes: call.messages }),
    ...(call.budget !== null && { bill: storedBill(call.budget) }),
  };
}

function storedBill({ bill, usage, costKilledAt, isEstimated, isPriced, maxCostUsd }: TrialBill): StoredBill {
  return { costUsd: bill.costUsd, usage: { ...usage }, costKilledAt, isEstimated, isPriced, maxCostUsd };
}

/** An output that an earlier start of the run has stored, as if its system had returned it just now. */
export function restored({ output, call: stored }: UngradedOutput, options: CallOptions): Returned {
  const { latency, durationMs, lostMs = 0, attempts = [], notes = [], bill } = stored;
  const budget = bill === undefined ? null : restoredBill(bill);
  const call = {
    ...openCall(options),
    messages: notes,
    budget,
    failed: attempts,
    lostMs,
    wasPaid: false,
    wasStored: true,
  };
  return { kind: "returned", output, latency, durationMs, call };
}

function restoredBill({ costUsd, ...rest }: StoredBill): TrialBill {
  return { ...rest, bill: { costUsd, exceeded: rest.costKilledAt > 0 } };
}

/** What the calls that gave a stored output have cost; null when nobody knows. */
export function storedCost(output: Output, { bill }: StoredCall): number | null {
  return billed(output, bill === undefined ? null : restoredBill(bill)).costUsd;
}
