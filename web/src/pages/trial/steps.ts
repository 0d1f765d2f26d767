import type { TimelineStep } from "../../../../src/report/dashboard/contract.js";
import { hasFailed, type TimelineEntry } from "../../../../src/report/dashboard/steps.js";

/** In the order of the page. */
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

export function countKinds(entries: readonly TimelineEntry[]): [kind: TimelineStep["kind"], count: number][] {
  return STEP_KINDS.flatMap((kind) => {
    const count = entries.filter(({ step }) => step.kind === kind).length;
    return count === 0 ? [] : [[kind, count] as [TimelineStep["kind"], number]];
  });
}

export interface StepFilter {
  readonly hidden: readonly string[];
  readonly isFailedOnly: boolean;
  readonly text: string;
}

/**
 * The entries that match a filter. The first passing state and the stop of a trial have no kind to hide.
 * @example
 * filterEntries(entries, { hidden: ["tokens"], isFailedOnly: false, text: "npm test" });
 */
export function filterEntries(
  entries: readonly TimelineEntry[],
  { hidden, isFailedOnly, text }: StepFilter,
): readonly TimelineEntry[] {
  const wanted = text.trim().toLowerCase();
  return entries.filter(
    (entry) =>
      !hidden.includes(entry.step.kind) &&
      (!isFailedOnly || hasFailed(entry)) &&
      (wanted === "" || hasText(entry, wanted)),
  );
}

function hasText({ step, result }: TimelineEntry, wanted: string): boolean {
  return [step.title, step.text, result?.text ?? "", ...(step.diff ?? [])].some((text) =>
    text.toLowerCase().includes(wanted),
  );
}
