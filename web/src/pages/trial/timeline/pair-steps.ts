import type { TimelineStep } from "../../../../../src/report/dashboard/contract.js";

/** A step of the work; a call has its result with it, when it got one. */
export interface TimelineEntry {
  readonly step: TimelineStep;
  readonly result: TimelineStep | null;
  /** Among all steps. */
  readonly place: number;
}

/** The steps with each result at its call: by the id of the call, or the next one after it where there are none. */
export function pairSteps(steps: readonly TimelineStep[]): TimelineEntry[] {
  const results = matchResults(steps);
  const taken = new Set(results.values());
  return steps.flatMap((step, place) => {
    if (taken.has(place)) return [];
    return [{ step, result: steps[results.get(place) ?? -1] ?? null, place }];
  });
}

/** For each call the place of its result. Ids may come again, so that each result goes to the latest call that waits. */
function matchResults(steps: readonly TimelineStep[]): Map<number, number> {
  const waiting = new Map<string | null, number[]>();
  const results = new Map<number, number>();
  for (const [place, { kind, callId }] of steps.entries()) {
    const calls = waiting.get(callId) ?? [];
    waiting.set(callId, calls);
    if (kind === "call") calls.push(place);
    if (kind !== "result") continue;
    // Without ids, results come in the order of their calls.
    const call = callId === null ? calls.shift() : calls.pop();
    if (call !== undefined) results.set(call, place);
  }
  return results;
}

/** Kinds of steps, in the order in which people want to see them. */
const STEP_KINDS = [
  "user",
  "says",
  "thinks",
  "call",
  "result",
  "skill",
  "error",
  "turn",
  "tokens",
  "system",
  "other",
] as const satisfies readonly TimelineStep["kind"][];

/** How many entries there are of each kind that occurs. */
export function countKinds(entries: readonly TimelineEntry[]): [kind: TimelineStep["kind"], count: number][] {
  return STEP_KINDS.flatMap((kind) => {
    const count = entries.filter(({ step }) => step.kind === kind).length;
    return count === 0 ? [] : [[kind, count] as [TimelineStep["kind"], number]];
  });
}
