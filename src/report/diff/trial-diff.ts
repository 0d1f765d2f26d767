import type { EvalRow, Output, Price, Trajectory, TrajectoryEvent, Usage } from "../../core/index.js";
import { listCallUsages, selectRowPrice } from "../../core/index.js";
import { toPico, toUsd } from "../cost/split.js";
import { type AlignedSteps, alignSteps } from "../dashboard/align.js";
import { sumTokenClasses } from "../dashboard/charts/token-costs.js";
import type { TimelineStep } from "../dashboard/contract.js";
import { groupRequests, pairSteps, type RequestBlock, type TimelineEntry } from "../dashboard/steps.js";
import { buildTimeline } from "../dashboard/timeline.js";
import { addTimelineMarks } from "../dashboard/timeline-marks.js";
import { readTrajectory } from "../timeline.js";

/** A stored trial to compare. */
export interface DiffedTrial {
  /** The run folder. */
  readonly run: string;
  readonly row: EvalRow;
  /** Null if none is stored. */
  readonly output: Output | null;
  /** The price of its system; null if unknown. */
  readonly price: Price | null;
}

/**
 * How two steps compare: the same, in other words, changed in what was done, or only on one side.
 * Words alone decide nothing between trials with tool calls: a model rarely says the same twice.
 */
export type DiffSign = "same" | "words" | "changed" | "a" | "b";

/** A pair of steps, or one with a gap beside it. */
export interface DiffLine extends AlignedSteps {
  readonly sign: DiffSign;
}

/** One of the two trials. */
export interface DiffSide {
  readonly run: string;
  readonly row: EvalRow;
  /** Null if unknown. */
  readonly costUsd: number | null;
  readonly tokens: number | null;
  readonly requests: number;
  /** From the first divergence on; null without one, or if unknown. */
  readonly rest: { readonly costUsd: number | null; readonly tokens: number | null; readonly requests: number } | null;
}

/** Two trials with their steps aligned. */
export interface TrialDiff {
  readonly a: DiffSide;
  readonly b: DiffSide;
  readonly lines: readonly DiffLine[];
  /** The index of the line where the trials part; null if they do the same. */
  readonly divergence: number | null;
}

/** Requests and turns are in the costs, and the rest says nothing about what was done. */
const ALIGNED_KINDS: ReadonlySet<TimelineStep["kind"]> = new Set([
  "user",
  "says",
  "thinks",
  "call",
  "result",
  "skill",
  "error",
  "pass",
  "kill",
]);

/** Steps that are done, not only said. */
const DEED_KINDS: ReadonlySet<TimelineStep["kind"]> = new Set(["user", "call", "result", "skill", "error"]);

/**
 * Aligns the steps of two trials as the page does, and finds where they part and what was spent from there on.
 * @example
 * diffTrials({ run, row: a, output: outputA, price }, { run, row: b, output: outputB, price }).divergence;
 */
export function diffTrials(first: DiffedTrial, second: DiffedTrial): TrialDiff {
  const [a, b] = [readSteps(first), readSteps(second)];
  const hasDeeds = [...a, ...b].some(({ step }) => step.kind === "call");
  const lines = alignSteps(a.filter(isAligned), b.filter(isAligned)).map(
    (pair): DiffLine => ({ ...pair, sign: comparePair(pair) }),
  );
  const found = lines.findIndex((line) => isDivergent(line, hasDeeds));
  const divergence = found < 0 ? null : found;
  const rest = divergence === null ? null : lines.slice(divergence);
  return {
    a: describeSide(first, a, rest?.map((line) => line.a) ?? null),
    b: describeSide(second, b, rest?.map((line) => line.b) ?? null),
    lines,
    divergence,
  };
}

/** True if neither trial has anything to align. */
export function hasNothingToAlign({ lines }: TrialDiff): boolean {
  return lines.length === 0;
}

function isAligned({ step }: TimelineEntry): boolean {
  return ALIGNED_KINDS.has(step.kind);
}

function readSteps(trial: DiffedTrial): TimelineEntry[] {
  const trajectory = readTrajectory(trial.output) ?? buildModelTrajectory(trial);
  const steps = buildTimeline(trajectory, { maxSteps: Number.POSITIVE_INFINITY, hasDiffs: false });
  return pairSteps(addTimelineMarks(steps, trial.row, { maxCostUsd: null, maxMs: null }));
}

/** The answers of a plain model as events: one turn for each, with its usage if it is known. */
function buildModelTrajectory({ row, output, price }: DiffedTrial): Trajectory {
  if (output === null) return { events: [] };
  const { response = "", replies, tool_calls: calls } = output;
  const texts: readonly unknown[] = Array.isArray(replies) ? replies : [response];
  const usages = row.usage === null ? [] : listCallUsages(row, row.usage);
  const costs = listAnswerCosts(usages, { row, price });
  const isByTurn = usages.length === texts.length;
  const events = texts.flatMap((text, index): TrajectoryEvent[] => {
    const isLast = index === texts.length - 1;
    return [
      { type: "turn_start", timestamp: 0 },
      ...(text === "" ? [] : [{ type: "assistant_message", text, timestamp: 0 }]),
      ...(isLast && Array.isArray(calls) ? calls.map(toCallEvent) : []),
      ...(isByTurn ? [toUsageEvent(usages[index], costs[index] ?? null)] : []),
      ...(isLast && !isByTurn ? [toUsageEvent(row.usage ?? undefined, row.costUsd)] : []),
    ];
  });
  return { startedAt: 0, events };
}

/** The cost of each answer, where the price explains the bill; of a single answer, the bill. */
function listAnswerCosts(usages: readonly Usage[], { row, price }: Pick<DiffedTrial, "row" | "price">) {
  if (usages.length === 1) return [row.costUsd];
  if (price === null || row.costUsd === null) return [];
  const priced = usages.map((usage) =>
    sumTokenClasses([{ usage, metadata: null }], selectRowPrice(price, row)).reduce(
      (sum, { costUsd }) => sum + toPico(costUsd ?? 0),
      0,
    ),
  );
  return priced.reduce((sum, pico) => sum + pico, 0) === toPico(row.costUsd) ? priced.map(toUsd) : [];
}

function toUsageEvent(usage: Usage | undefined, costUsd: number | null): TrajectoryEvent {
  return { type: "token_usage", model: null, usage, costUsd, durationMs: null, timestamp: 0 };
}

function toCallEvent(call: unknown, index: number): TrajectoryEvent {
  const { name, arguments: given, function: inner } = (call ?? {}) as Readonly<Record<string, unknown>>;
  const { name: innerName, arguments: innerGiven } = (inner ?? {}) as Readonly<Record<string, unknown>>;
  const fields = { name: name ?? innerName ?? "a tool", arguments: given ?? innerGiven ?? {} };
  return { type: "tool_call", callId: String(index), ...fields, timestamp: 0 };
}

/** Each trial has a folder of its own, which must not make its commands different. */
const WORKSPACE = /[^\s"'`=:]*\/assay-workspace-\w+/g;

/** A text without the folder of its trial. */
export function hideWorkspace(text: string): string {
  return text.replace(WORKSPACE, "…");
}

function comparePair({ a, b }: AlignedSteps): DiffSign {
  if (a === null) return "b";
  if (b === null) return "a";
  const isSaid = !DEED_KINDS.has(a.step.kind);
  if (normalize(a.step) !== normalize(b.step)) return isSaid ? "words" : "changed";
  if (a.result?.isSuccess !== b.result?.isSuccess) return "changed";
  return normalize(a.result) === normalize(b.result) ? "same" : "words";
}

function normalize(step: TimelineStep | null): string {
  if (step === null) return "";
  // The title of a call says whether it has a result.
  const name = step.kind === "call" ? (step.tool ?? "") : step.kind === "skill" ? step.title : "";
  return `${step.thread ?? ""} ${name} ${step.length === step.text.length ? hideWorkspace(step.text).trim() : `${step.length} ${hideWorkspace(step.text)}`}`;
}

function isDivergent({ a, b, sign }: DiffLine, hasDeeds: boolean): boolean {
  if (sign === "changed") return true;
  if (sign === "same") return false;
  const kind = (a ?? b)?.step.kind;
  if (kind === undefined || kind === "pass" || kind === "kill" || kind === "thinks") return false;
  // A result in other words is one of the tool, not of the trial.
  if (sign === "words") return !hasDeeds && kind === "says";
  return DEED_KINDS.has(kind) || !hasDeeds;
}

function describeSide(
  { run, row }: DiffedTrial,
  entries: readonly TimelineEntry[],
  restSteps: readonly (TimelineEntry | null)[] | null,
): DiffSide {
  const requests = groupRequests(entries).flatMap((turn) => turn.requests);
  const from = restSteps?.find((entry) => entry !== null)?.place ?? null;
  return {
    run,
    row,
    costUsd: row.costUsd,
    tokens: row.usage === null ? null : sumTokens(requests),
    requests: requests.length,
    rest: restSteps === null ? null : sumRest(requests, from),
  };
}

/** The requests whose answer led to the step at `from` or to a later one. Without such a step nothing is left. */
function sumRest(requests: readonly RequestBlock[], from: number | null): NonNullable<DiffSide["rest"]> {
  const rest =
    from === null ? [] : requests.filter(({ actions, request }) => (actions.at(-1) ?? request).place >= from);
  const isKnown = rest.every(({ costUsd }) => costUsd !== null);
  const pico = rest.reduce((sum, { costUsd }) => sum + toPico(costUsd ?? 0), 0);
  return {
    costUsd: isKnown && requests.length > 0 ? toUsd(pico) : null,
    tokens: requests.length > 0 ? sumTokens(rest) : null,
    requests: rest.length,
  };
}

function sumTokens(requests: readonly RequestBlock[]): number {
  return requests.reduce((sum, { tokens }) => sum + (tokens ?? 0), 0);
}
