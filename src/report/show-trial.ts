import type { FileChange, WorkspaceChanges } from "../core/environment.js";
import { type ErrorCategory, type EvalRow, measureOf, scoreOf } from "../core/row.js";
import { type Output, STOP_REASONS, type StopReason } from "../core/system.js";
import { firstAttemptAt, type Trajectory, type TrajectoryEvent, toolCallsOf, turnsOf } from "../core/trajectory.js";
import { formatBytes, formatDollars, formatNumber, formatSeconds, plural } from "./format.js";
import { oneLine } from "./markdown.js";
import { hanging, TERMINAL_WIDTH, textBlock } from "./text-block.js";
import {
  grouped,
  joinedTexts,
  renderTimeline,
  shown,
  type TimelineOptions,
  trajectoryOf,
  usageInWords,
  workspaceOf,
} from "./timeline.js";

/** A stored trial: its row, its output and the evidence of evaluators. */
export interface StoredTrial {
  readonly row: EvalRow;
  /** Null when none is stored. */
  readonly output: Output | null;
  readonly evidence: Readonly<Record<string, string>> | null;
}

export interface ShowTrialOptions extends TimelineOptions {
  /** Minimum score to pass. */
  readonly threshold: number;
}

const ABOUT_WIDTH = 10;
const EVIDENCE_LINES = 10;

/**
 * Renders a trial for people: its outcome and why, then its timeline or its answer, then the changed files.
 * @example
 * renderTrial({ row, output, evidence }, { threshold: 0.7 }).join("\n");
 */
export function renderTrial(trial: StoredTrial, options: ShowTrialOptions): string[] {
  const { row } = trial;
  const trajectory = trajectoryOf(trial.output);
  return [
    `# ${oneLine(`${row.system}: ${row.exampleId}#${row.trial}`)}`,
    "",
    ...factLines(trial, trajectory, options),
    ...section("Scores", scoreLines(trial, options)),
    ...section("Failed attempts", attemptLines(row, options)),
    ...section("Notes", noteLines(row, options)),
    ...outputLines(trial.output, trajectory, options),
  ];
}

function factLines({ row, output }: StoredTrial, trajectory: Trajectory | null, options: ShowTrialOptions): string[] {
  const events = trajectory?.events ?? [];
  const startedAt = trajectory?.startedAt ?? events[0]?.timestamp ?? null;
  const facts = trialFacts({ row, output, events, startedAt, threshold: options.threshold });
  return facts.flatMap(([about, text]) =>
    hanging(about.padEnd(ABOUT_WIDTH), block(text, { maxLines: 3, indent: ABOUT_WIDTH }, options)),
  );
}

function outputLines(output: Output | null, trajectory: Trajectory | null, options: TimelineOptions): string[] {
  if (output === null) return ["", "No output of this trial is stored."];
  const events = trajectory?.events ?? [];
  const lines = [
    ...(trajectory === null ? [] : section(timelineTitle(events), renderTimeline(trajectory, options))),
    ...textsOf(output, events).flatMap(({ heading, text, maxLines }) =>
      section(oneLine(heading), block(text === "" ? "(empty)" : text, { maxLines }, options)),
    ),
    ...workspaceSection(output, options),
  ];
  return lines.length === 0 ? ["", "The output contains no text."] : lines;
}

function noteLines({ notes }: EvalRow, options: TimelineOptions): string[] {
  return notes.flatMap((note) => hanging("- ", block(note, { maxLines: 6, indent: 2 }, options)));
}

function section(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : ["", `## ${title}`, "", ...lines];
}

interface Shape {
  maxLines: number;
  /** Number of columns before the text. */
  indent?: number;
}

function block(text: string, { maxLines, indent = 0 }: Shape, options: TimelineOptions): string[] {
  const { width = TERMINAL_WIDTH, isFull = false } = options;
  return textBlock(text, { width: width - indent, maxLines, isFull });
}

/** Scores with their evidence, the deciding one first; then other evidence. */
function scoreLines({ row, evidence }: StoredTrial, options: TimelineOptions): string[] {
  const found = new Map(Object.entries(evidence ?? {}));
  const fields = Object.entries(row.scores).toSorted(([a], [b]) => rank(a, row) - rank(b, row));
  const scored = fields.flatMap(([field, score]) => {
    const decides = field === row.primaryField ? " (decides)" : "";
    return [`- ${oneLine(field)} = ${formatNumber(score)}${decides}`, ...evidenceLines(found.get(field), options)];
  });
  const measured = Object.entries(row.measures ?? {}).flatMap(([field, value]) => [
    `- ${oneLine(field)} = ${formatNumber(value)} (a measure)`,
    ...evidenceLines(found.get(field), options),
  ]);
  const others = [...found].filter(([field]) => measureOf(row, field) === undefined);
  return [
    ...scored,
    ...measured,
    ...others.flatMap(([field, text]) => [`- ${oneLine(field)}`, ...evidenceLines(text, options)]),
  ];
}

function rank(field: string, { primaryField }: EvalRow): number {
  return field === primaryField ? 0 : 1;
}

function evidenceLines(text: string | undefined, options: TimelineOptions): string[] {
  return text === undefined || text === ""
    ? []
    : hanging("  ", block(text, { maxLines: EVIDENCE_LINES, indent: 2 }, options));
}

function attemptLines({ attempts }: EvalRow, options: TimelineOptions): string[] {
  return attempts.flatMap(({ errorCategory, message, durationMs }) =>
    hanging(
      "- ",
      block(
        `${errorCategory} after ${formatSeconds(durationMs / 1000)}: ${message}`,
        { maxLines: 8, indent: 2 },
        options,
      ),
    ),
  );
}

function timelineTitle(events: readonly TrajectoryEvent[]): string {
  return `Timeline: ${plural(events.length, "event")}`;
}

function workspaceSection(output: Output, options: TimelineOptions): string[] {
  const workspace = workspaceOf(output);
  if (workspace === null) return [];
  const { changes } = workspace;
  const lines = renderChanges(workspace, options);
  return section(`Workspace: ${changes.length === 0 ? "nothing" : plural(changes.length, "file")} changed`, [
    ...(lines.length === 0 ? ["  unchanged"] : lines),
  ]);
}

interface TrialText {
  readonly heading: string;
  readonly text: string;
  readonly maxLines: number;
}

/** Fields that are shown elsewhere, or are not text. */
const TOLD = new Set([
  "response",
  "replies",
  "trajectory",
  "workspace",
  "stopped",
  "id",
  "dataset",
  "metadata",
  "usage",
]);
const RESPONSE_LINES = 40;
const OTHER_LINES = 12;

/** The last message of an agent is included only if its timeline does not have it. */
function textsOf(output: Output, events: readonly TrajectoryEvent[]): TrialText[] {
  const { response } = output;
  const isTold = typeof response === "string" && joinedTexts(events).some((event) => says(event, response));
  return [...(isTold ? [] : responses(output)), ...otherTexts(output)];
}

function says({ type, text }: TrajectoryEvent, response: string): boolean {
  return type === "assistant_message" && typeof text === "string" && text.trim() === response.trim();
}

/** Each reply of a conversation; the last one is the response. */
function responses({ response, replies }: Output): TrialText[] {
  if (Array.isArray(replies) && replies.length > 1)
    return replies.map((reply, i) => ({
      heading: `Response ${i + 1} of ${replies.length}`,
      text: shown(reply),
      maxLines: RESPONSE_LINES,
    }));
  return typeof response === "string" ? [{ heading: "Response", text: response, maxLines: RESPONSE_LINES }] : [];
}

function otherTexts(output: Output): TrialText[] {
  return Object.entries(output).flatMap(([field, value]) =>
    typeof value === "string" && !TOLD.has(field) ? [{ heading: field, text: value, maxLines: OTHER_LINES }] : [],
  );
}

/** Maximum number of files to list, unless all are requested. */
const MOST_SHOWN = 40;

const STATUS_WIDTH = "modified".length;

/**
 * Renders the changed files of a trial, one line each.
 * @example
 * renderChanges({ changes: [{ path: "a.js", status: "added", content: "1\n2\n" }] }); // ["  added     a.js (+2 lines)"]
 */
export function renderChanges(workspace: WorkspaceChanges, options: TimelineOptions = {}): string[] {
  const { width = TERMINAL_WIDTH, isFull = false } = options;
  const { changes, incomplete } = workspace;
  const shown = isFull ? changes : changes.slice(0, MOST_SHOWN);
  const more = changes.length - shown.length;
  const left = width - STATUS_WIDTH - 4;
  return [
    ...shown.flatMap((change) =>
      hanging(
        `  ${change.status.padEnd(STATUS_WIDTH)}  `,
        textBlock(about(change), { width: left, maxLines: 2, isFull }),
      ),
    ),
    ...(more > 0 ? [`  and ${plural(more, "more file")}: --full`] : []),
    ...(incomplete === undefined
      ? []
      : hanging("  ", textBlock(`Some changes are missing: ${incomplete}`, { width, maxLines: 4, isFull }))),
  ];
}

function about(change: FileChange): string {
  const path = oneLine(change.path);
  switch (change.status) {
    case "deleted":
      return path;
    case "folder":
      return `${path}/ (empty)`;
    case "linked":
      return `${path} → ${oneLine(change.target)}`;
    case "added":
    case "modified":
      return `${path} (${sizeOf(change)}${change.executable === true ? ", executable" : ""})`;
  }
}

/** The content before is not stored, so for a modified file only the current size is known. */
function sizeOf({ status, content, encoding }: Extract<FileChange, { content: string }>): string {
  if (encoding === "base64") return `${formatBytes(Buffer.byteLength(content, "base64"))}, not text`;
  const lines = plural(linesIn(content), "line");
  return status === "added" ? `+${lines}` : `${lines} now`;
}

function linesIn(text: string): number {
  const feeds = text.split("\n").length - 1;
  return text === "" || text.endsWith("\n") ? feeds : feeds + 1;
}

/** A line at the top of a trial: a label and a text. */
type Fact = readonly [about: string, text: string];

interface FactParts {
  readonly row: EvalRow;
  readonly output: Output | null;
  readonly events: readonly TrajectoryEvent[];
  readonly startedAt: number | null;
  /** Minimum score to pass. */
  readonly threshold: number;
}

/** Leaves out what was not measured. */
function trialFacts(parts: FactParts): Fact[] {
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
  // If something other than the threshold decided, only the score is shown.
  if (row.passed !== score >= threshold) return `${field} = ${formatNumber(score)}`;
  return `${field} = ${formatNumber(score)}, ${row.passed ? "at least" : "less than"} ${formatNumber(threshold)}`;
}

const WHY_STOPPED: Readonly<Record<StopReason, string>> = {
  cost_killed: "it exceeded its cost limit",
  time_killed: "it exceeded its time limit",
  refused: "the model declined",
  truncated: "it reached a limit on its length or its turns",
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
  provider: "reported by the provider",
  priced: "tokens × price",
  estimated: "estimated",
  unknown: "source unknown",
};

function cost({ costUsd, costSource, partial, cached }: EvalRow): string | null {
  const remarks = [...(partial ? ["incomplete"] : []), ...(cached ? ["not paid for in this run"] : [])];
  if (costUsd === null) return remarks.length === 0 ? null : ["unknown", ...remarks].join(", ");
  return `${formatDollars(costUsd)} (${[COST_SOURCES[costSource], ...remarks].join(", ")})`;
}

/** As billed, or counted in the texts if nothing was reported. */
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
