import { type ErrorCategory, type EvalRow, scoreOf } from "../core/row.js";
import { type Output, STOP_REASONS, type StopReason } from "../core/system.js";
import type { TrajectoryEvent } from "../core/trajectory.js";
import { firstAttemptAt, toolCallsOf, turnsOf } from "../core/trajectory-figures.js";
import { formatDollars, formatNumber, formatSeconds, plural } from "./format.js";
import { grouped, usageInWords } from "./usage-so-far.js";

/** A line at the top of a trial: what it is about, and what is to be said. */
export type Fact = readonly [about: string, text: string];

/** What the top of a trial is made from. */
export interface FactParts {
  readonly row: EvalRow;
  readonly output: Output | null;
  readonly events: readonly TrajectoryEvent[];
  readonly startedAt: number | null;
  /** Passing means at least this score. */
  readonly threshold: number;
}

/** Everything that is known of a trial in a line each; what was not measured is left out. */
export function trialFacts(parts: FactParts): Fact[] {
  const { row } = parts;
  const facts: [string, string | null][] = [
    ["system", row.system],
    ["example", `${row.exampleId}${row.dataset === "" ? "" : ` of ${row.dataset}`}, trial ${row.trial}`],
    ["outcome", outcomeOf(row, parts.threshold)],
    ["stopped", stopped(parts)],
    ["cost", cost(row)],
    ["judging", row.judgeCostUsd === null ? null : formatDollars(row.judgeCostUsd)],
    ["tokens", tokens(row)],
    ["turns", turns(parts)],
    ["time", time(parts)],
    ["metadata", row.metadata === null ? null : JSON.stringify(row.metadata)],
  ];
  return facts.flatMap(([about, text]) => (text === null ? [] : [[about, text] as const]));
}

function outcomeOf(row: EvalRow, threshold: number): string {
  const category = row.errorCategory === "none" || row.errorCategory === row.outcome ? "" : ` (${row.errorCategory})`;
  const why = whyOf(row, threshold);
  return `${row.outcome}${category}${why === null ? "" : `: ${why}`}`;
}

function whyOf(row: EvalRow, threshold: number): string | null {
  if (row.outcome === "error") return row.attempts.at(-1)?.message ?? null;
  if (row.outcome === "unscored") return row.notes.at(-1) ?? null;
  const score = scoreOf(row, "score");
  if (score === undefined) return null;
  const field = row.primaryField ?? "score";
  // A row that was decided by something else than the threshold says only what its score is.
  if (row.passed !== score >= threshold) return `${field} = ${formatNumber(score)}`;
  return `${field} = ${formatNumber(score)}, ${row.passed ? "at least" : "less than"} ${formatNumber(threshold)}`;
}

const WHY_STOPPED: Readonly<Record<StopReason, string>> = {
  cost_killed: "it had cost more than it may",
  time_killed: "it took longer than it may",
  refused: "the model declined",
  truncated: "a limit on its length or its turns was reached",
};

function stopped({ row, output }: FactParts): string | null {
  const reason = output?.stopped ?? row.errorCategory;
  if (!isStopReason(reason)) return null;
  const at = row.costKilledAt > 0 ? `, at ${formatDollars(row.costKilledAt)}` : "";
  const over = row.overshootUsd === null ? "" : `, ${formatDollars(row.overshootUsd)} over its limit in the end`;
  return `${reason}: ${WHY_STOPPED[reason]}${at}${over}`;
}

function isStopReason(reason: ErrorCategory | StopReason): reason is StopReason {
  return (STOP_REASONS as readonly string[]).includes(reason);
}

const COST_SOURCES: Readonly<Record<EvalRow["costSource"], string>> = {
  provider: "as the provider says",
  priced: "tokens × price",
  estimated: "estimated",
  unknown: "source unknown",
};

function cost({ costUsd, costSource, partial, cached }: EvalRow): string | null {
  const remarks = [...(partial ? ["incomplete"] : []), ...(cached ? ["not paid for in this run"] : [])];
  if (costUsd === null) return remarks.length === 0 ? null : ["unknown", ...remarks].join(", ");
  return `${formatDollars(costUsd)} (${[COST_SOURCES[costSource], ...remarks].join(", ")})`;
}

/** As billed; where nobody said, as counted in the texts. */
function tokens({ usage, inputTokens, outputTokens }: EvalRow): string | null {
  if (usage !== null) return usageInWords(usage);
  if (inputTokens === 0 && outputTokens === 0) return null;
  return `${grouped(inputTokens)} in, ${grouped(outputTokens)} out, counted in the texts`;
}

function turns({ row, output, events }: FactParts): string | null {
  const count = row.turns ?? turnsOf(events);
  if (count === null) return null;
  if (events.length === 0) return String(count);
  if (output?.trajectory?.toolsUnseen === true || row.metadata?.toolCalls === null)
    return `${count}; which tools were called was not observed`;
  return `${count}, with ${plural(toolCallsOf(events), "tool call")}`;
}

function time({ row, events, startedAt }: FactParts): string | null {
  const facts = [
    ...measured(row.durationMs ?? inMs(row.latency), (text) => text),
    ...measured(row.ttftMs, (text) => `first token after ${text}`),
    ...measured(row.firstAttemptMs ?? derivedAttempt(events, startedAt), (text) => `first attempt after ${text}`),
    ...measured(row.successAtMs, (text) => `success after ${text}`),
    ...(row.tokensPerSec === null ? [] : [`${formatNumber(row.tokensPerSec, 1)} tokens/s`]),
  ];
  return facts.length === 0 ? null : facts.join(", ");
}

function measured(ms: number | null, inWords: (text: string) => string): string[] {
  return ms === null ? [] : [inWords(formatSeconds(ms / 1000))];
}

function inMs(seconds: number | null): number | null {
  return seconds === null ? null : seconds * 1000;
}

function derivedAttempt(events: readonly TrajectoryEvent[], startedAt: number | null): number | null {
  const at = firstAttemptAt(events);
  const elapsed = at === null || startedAt === null ? Number.NaN : at - startedAt;
  return Number.isFinite(elapsed) ? Math.max(0, elapsed) : null;
}
