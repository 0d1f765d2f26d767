import type { EvalRow } from "../../core/index.js";
import { formatDollars, formatPlural, formatSeconds, formatShare } from "../format.js";
import type { TimelineStep } from "./contract.js";

/** What a trial was allowed to spend; null where there was no limit, or it is not known. */
export interface TrialLimits {
  readonly maxCostUsd: number | null;
  readonly maxMs: number | null;
}

type MarkedRow = Pick<
  EvalRow,
  "successAtMs" | "errorCategory" | "costKilledAt" | "costUsd" | "overshootUsd" | "latency"
>;

/**
 * Adds two events that no system reports itself: the first state that would have passed, with what was spent after it,
 * and the stop of a trial that reached its limit.
 * @example
 * addTimelineMarks(buildTimeline(trajectory), row, { maxCostUsd: 0.05, maxMs: null });
 */
export function addTimelineMarks(
  steps: readonly TimelineStep[],
  row: MarkedRow,
  limits: TrialLimits,
): readonly TimelineStep[] {
  const kill = createKillStep(steps, row, limits);
  const all = kill === null ? steps : [...steps, kill];
  if (row.successAtMs === null || steps.length === 0) return all;
  const place = findPlace(all, row.successAtMs);
  return [...all.slice(0, place), createPassStep(all, place, row.successAtMs), ...all.slice(place)];
}

/** After the last step that began by then. */
function findPlace(steps: readonly TimelineStep[], atMs: number): number {
  const last = steps.findLastIndex((step) => step.kind !== "kill" && step.atMs <= atMs);
  return last + 1;
}

function createPassStep(steps: readonly TimelineStep[], place: number, atMs: number): TimelineStep {
  const before = steps[place - 1];
  const spent = { costUsd: before?.costUsd ?? null, tokens: before?.tokens ?? null };
  const rest = steps.slice(place).filter(({ kind }) => kind !== "kill");
  const text = rest.length === 0 ? "Nothing came after it." : describeRest(rest, { atMs, ...spent });
  return createMark({ kind: "pass", atMs, title: "First passing state", text, ...spent });
}

function describeRest(
  rest: readonly TimelineStep[],
  { atMs, costUsd, tokens }: Pick<TimelineStep, "atMs" | "costUsd" | "tokens">,
): string {
  const last = rest.at(-1);
  const seconds = Math.max(0, (last?.atMs ?? atMs) - atMs) / 1000;
  const parts = [
    formatSeconds(seconds),
    ...describeRestCost(costUsd ?? (rest.some((step) => step.costUsd !== null) ? 0 : null), last?.costUsd ?? null),
    ...describeRestTokens(tokens ?? 0, last?.tokens ?? null),
    formatPlural(rest.length, "event"),
  ];
  return `Spent after it: ${parts.join(", ")}.`;
}

function describeRestCost(before: number | null, total: number | null): string[] {
  if (before === null || total === null || total <= 0) return [];
  return [`${formatDollars(total - before)} (${formatShare((total - before) / total)} of the cost)`];
}

function describeRestTokens(before: number, total: number | null): string[] {
  return total === null || total <= before ? [] : [`${Math.round(total - before).toLocaleString("en-US")} tokens`];
}

function createKillStep(
  steps: readonly TimelineStep[],
  row: MarkedRow,
  { maxCostUsd, maxMs }: TrialLimits,
): TimelineStep | null {
  const last = steps.at(-1);
  if (last === undefined) return null;
  const { costUsd, tokens } = last;
  if (row.errorCategory === "cost_killed") {
    const spent = row.costKilledAt > 0 ? row.costKilledAt : row.costUsd;
    const limit =
      maxCostUsd ?? (row.costUsd !== null && row.overshootUsd !== null ? row.costUsd - row.overshootUsd : null);
    const text = `${describeSpent(spent, formatDollars)}${describeLimit(limit, formatDollars)}.`;
    return createMark({ kind: "kill", atMs: last.atMs, title: "Stopped: cost limit reached", text, costUsd, tokens });
  }
  if (row.errorCategory !== "time_killed") return null;
  const tookMs = row.latency === null ? last.atMs : row.latency * 1000;
  const text = `Ran ${formatMs(tookMs)}${describeLimit(maxMs, formatMs)}.`;
  // The limit may be reached long after the last event.
  const atMs = Math.max(last.atMs, maxMs ?? last.atMs);
  return createMark({ kind: "kill", atMs, title: "Stopped: time limit reached", text, costUsd, tokens });
}

function describeSpent(spent: number | null, format: (value: number) => string): string {
  return spent === null ? "The cost is not known" : `Spent ${format(spent)}`;
}

function describeLimit(limit: number | null, format: (value: number) => string): string {
  return limit === null ? "" : `, limit ${format(limit)}`;
}

function formatMs(ms: number): string {
  return formatSeconds(ms / 1000);
}

function createMark(mark: Pick<TimelineStep, "kind" | "atMs" | "title" | "text" | "costUsd" | "tokens">): TimelineStep {
  const nothing = { callId: null, isSuccess: null, diff: null, stepCostUsd: null, stepTokens: null, durationMs: null };
  return { ...mark, length: mark.text.length, ...nothing };
}
