import { diffArrays } from "diff";
import type { TimelineEntry } from "./steps.js";

/** Two steps that correspond, or one with a gap beside it. */
export interface AlignedSteps {
  readonly a: TimelineEntry | null;
  readonly b: TimelineEntry | null;
}

/** More differences take too long to find; the rest is then shown one beside the other. */
const MAX_DIFFERENCES = 2000;

/**
 * Aligns the steps of two trials by their longest common sequence. Steps correspond when they are of the same kind and,
 * for calls, use the same tool.
 * @example
 * alignSteps(pairSteps(a.timeline), pairSteps(b.timeline)); // [{ a, b }, { a, b: null }, …]
 */
export function alignSteps(first: readonly TimelineEntry[], second: readonly TimelineEntry[]): AlignedSteps[] {
  const parts = diffArrays(first.map(getSignature), second.map(getSignature), { maxEditLength: MAX_DIFFERENCES });
  const aligned: AlignedSteps[] = [];
  let [a, b] = [0, 0];
  for (const { count = 0, added, removed } of parts ?? [])
    for (let step = 0; step < count; step++)
      aligned.push({ a: added ? null : (first[a++] ?? null), b: removed ? null : (second[b++] ?? null) });
  while (a < first.length || b < second.length) aligned.push({ a: first[a++] ?? null, b: second[b++] ?? null });
  return aligned;
}

function getSignature({ step }: TimelineEntry): string {
  const tool =
    step.kind === "call" || step.kind === "skill" ? ` ${step.tool ?? step.title.split(/[:(]/, 1)[0]?.trim()}` : "";
  return step.kind + tool;
}
