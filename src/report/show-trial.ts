import type { FileChange, WorkspaceChanges } from "../core/index.js";
import {
  countToolCalls,
  countTurns,
  type ErrorCategory,
  type EvalRow,
  type FactUnit,
  findFirstAttemptTime,
  getMeasure,
  getScore,
  type Output,
  ROW_FIELD_LIST,
  STOP_REASONS,
  type StopReason,
  type Trajectory,
  type TrajectoryEvent,
} from "../core/index.js";
import type { QuarantinedTrial, TrialLabel } from "../store/index.js";
import { formatBytes, formatDollars, formatNumber, formatPlural, formatSeconds } from "./format.js";
import { createLayout, type Layout } from "./layout.js";
import type { Tone } from "./markdown.js";
import { type TableColumn, toOneLine } from "./markdown.js";
import { indentHanging, TERMINAL_WIDTH, wrapText } from "./text-block.js";
import {
  formatAnyValue,
  formatThousands,
  formatUsage,
  joinTextEvents,
  readTrajectory,
  readWorkspaceChanges,
  renderTimeline,
  type TimelineOptions,
} from "./timeline.js";

/** A stored trial: its row, its output and the evidence of evaluators. */
interface ShownTrial {
  readonly row: EvalRow;
  /** Null when none is stored. */
  readonly output: Output | null;
  readonly evidence: Readonly<Record<string, string>> | null;
  /** What a person said about it; null if nothing. */
  readonly label: TrialLabel | null;
  /** Why it is put aside; null if it counts. Default: null. */
  readonly quarantined?: QuarantinedTrial | null;
}

interface ShowTrialOptions extends TimelineOptions {
  /** Minimum score to pass. */
  readonly threshold: number;
}

const LABEL_COLUMN_WIDTH = 10;
const MAX_EVIDENCE_LINES = 10;

/**
 * Renders a trial for people: its outcome and why, then its timeline or its answer, then the changed files.
 * @example
 * renderTrial({ row, output, evidence, label }, { threshold: 0.7 }).join("\n");
 */
export function renderTrial(trial: ShownTrial, options: ShowTrialOptions): string[] {
  const { row } = trial;
  const trajectory = readTrajectory(trial.output);
  return [
    `# ${toOneLine(`${row.system}: ${row.exampleId}#${row.trial}`)}`,
    "",
    ...renderFacts(trial, trajectory, options),
    ...renderSection("Scores", renderScores(trial, options)),
    ...renderSection("Failed attempts", renderAttempts(row, options)),
    ...renderSection("Notes", renderNotes(row, options)),
    ...renderOutput(trial.output, trajectory, options),
  ];
}

function renderFacts(
  { row, output, label, quarantined = null }: ShownTrial,
  trajectory: Trajectory | null,
  options: ShowTrialOptions,
): string[] {
  const events = trajectory?.events ?? [];
  const startedAt = trajectory?.startedAt ?? events[0]?.timestamp ?? null;
  const { threshold } = options;
  const facts = listTrialFacts({ row, output, label, quarantined, events, startedAt, threshold });
  return facts.flatMap(([about, text]) =>
    indentHanging(
      about.padEnd(LABEL_COLUMN_WIDTH),
      renderBlock(text, { maxLines: 3, indent: LABEL_COLUMN_WIDTH }, options),
    ),
  );
}

function renderOutput(output: Output | null, trajectory: Trajectory | null, options: TimelineOptions): string[] {
  if (output === null) return ["", "No output of this trial is stored."];
  const events = trajectory?.events ?? [];
  const lines = [
    ...(trajectory === null ? [] : renderSection(formatTimelineTitle(events), renderTimeline(trajectory, options))),
    ...listOutputTexts(output, events).flatMap(({ heading, text, maxLines }) =>
      renderSection(toOneLine(heading), renderBlock(text === "" ? "(empty)" : text, { maxLines }, options)),
    ),
    ...renderWorkspace(output, options),
  ];
  return lines.length === 0 ? ["", "The output contains no text."] : lines;
}

function renderNotes({ notes }: EvalRow, options: TimelineOptions): string[] {
  return notes.flatMap((note) => indentHanging("- ", renderBlock(note, { maxLines: 6, indent: 2 }, options)));
}

function renderSection(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : ["", `## ${title}`, "", ...lines];
}

interface BlockShape {
  maxLines: number;
  /** Number of columns before the text. */
  indent?: number;
}

function renderBlock(text: string, { maxLines, indent = 0 }: BlockShape, options: TimelineOptions): string[] {
  const { width = TERMINAL_WIDTH, isFull = false } = options;
  return wrapText(text, { width: width - indent, maxLines, isFull });
}

/** Scores with their evidence, the deciding one first; then other evidence. */
function renderScores({ row, evidence }: ShownTrial, options: TimelineOptions): string[] {
  const found = new Map(Object.entries(evidence ?? {}));
  const fields = Object.entries(row.scores).toSorted(([a], [b]) => rankField(a, row) - rankField(b, row));
  const scored = fields.flatMap(([field, score]) => {
    const decides = field === row.primaryField ? " (decides)" : "";
    return [`- ${toOneLine(field)} = ${formatNumber(score)}${decides}`, ...renderEvidence(found.get(field), options)];
  });
  const measured = Object.entries(row.measures ?? {}).flatMap(([field, value]) => [
    `- ${toOneLine(field)} = ${formatNumber(value)} (a measure)`,
    ...renderEvidence(found.get(field), options),
  ]);
  const others = [...found].filter(([field]) => getMeasure(row, field) === undefined);
  return [
    ...scored,
    ...measured,
    ...others.flatMap(([field, text]) => [`- ${toOneLine(field)}`, ...renderEvidence(text, options)]),
  ];
}

function rankField(field: string, { primaryField }: EvalRow): number {
  return field === primaryField ? 0 : 1;
}

function renderEvidence(text: string | undefined, options: TimelineOptions): string[] {
  return text === undefined || text === ""
    ? []
    : indentHanging("  ", renderBlock(text, { maxLines: MAX_EVIDENCE_LINES, indent: 2 }, options));
}

function renderAttempts({ attempts }: EvalRow, options: TimelineOptions): string[] {
  return attempts.flatMap(({ errorCategory, message, durationMs }) =>
    indentHanging(
      "- ",
      renderBlock(
        `${errorCategory} after ${formatSeconds(durationMs / 1000)}: ${message}`,
        { maxLines: 8, indent: 2 },
        options,
      ),
    ),
  );
}

function formatTimelineTitle(events: readonly TrajectoryEvent[]): string {
  return `Timeline: ${formatPlural(events.length, "event")}`;
}

function renderWorkspace(output: Output, options: TimelineOptions): string[] {
  const workspace = readWorkspaceChanges(output);
  if (workspace === null) return [];
  const { changes } = workspace;
  const lines = renderChanges(workspace, options);
  return renderSection(
    `Workspace: ${changes.length === 0 ? "nothing" : formatPlural(changes.length, "file")} changed`,
    [...(lines.length === 0 ? ["  unchanged"] : lines)],
  );
}

interface TrialText {
  readonly heading: string;
  readonly text: string;
  readonly maxLines: number;
}

/** Fields that are shown elsewhere, or are not text. */
const HIDDEN_FIELDS = new Set([
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
const MAX_RESPONSE_LINES = 40;
const MAX_OTHER_LINES = 12;

/** The last message of an agent is included only if its timeline does not have it. */
function listOutputTexts(output: Output, events: readonly TrajectoryEvent[]): TrialText[] {
  const { response } = output;
  const isTold = typeof response === "string" && joinTextEvents(events).some((event) => hasSameText(event, response));
  return [...(isTold ? [] : listResponses(output)), ...listOtherTexts(output)];
}

function hasSameText({ type, text }: TrajectoryEvent, response: string): boolean {
  return type === "assistant_message" && typeof text === "string" && text.trim() === response.trim();
}

/** Each reply of a conversation; the last one is the response. */
function listResponses({ response, replies }: Output): TrialText[] {
  if (Array.isArray(replies) && replies.length > 1)
    return replies.map((reply, i) => ({
      heading: `Response ${i + 1} of ${replies.length}`,
      text: formatAnyValue(reply),
      maxLines: MAX_RESPONSE_LINES,
    }));
  return typeof response === "string" ? [{ heading: "Response", text: response, maxLines: MAX_RESPONSE_LINES }] : [];
}

function listOtherTexts(output: Output): TrialText[] {
  return Object.entries(output).flatMap(([field, value]) =>
    typeof value === "string" && !HIDDEN_FIELDS.has(field)
      ? [{ heading: field, text: value, maxLines: MAX_OTHER_LINES }]
      : [],
  );
}

/** Maximum number of files to list, unless all are requested. */
const MAX_FILES = 40;

const STATUS_WIDTH = "modified".length;

/**
 * Renders the changed files of a trial, one line each.
 * @example
 * renderChanges({ changes: [{ path: "a.js", status: "added", content: "1\n2\n" }] }); // ["  added     a.js (+2 lines)"]
 */
export function renderChanges(workspace: WorkspaceChanges, options: TimelineOptions = {}): string[] {
  const { width = TERMINAL_WIDTH, isFull = false } = options;
  const { changes, incomplete } = workspace;
  const shown = isFull ? changes : changes.slice(0, MAX_FILES);
  const more = changes.length - shown.length;
  const left = width - STATUS_WIDTH - 4;
  return [
    ...shown.flatMap((change) =>
      indentHanging(
        `  ${change.status.padEnd(STATUS_WIDTH)}  `,
        wrapText(describeFileChange(change), { width: left, maxLines: 2, isFull }),
      ),
    ),
    ...(more > 0 ? [`  and ${formatPlural(more, "more file")}: --full`] : []),
    ...(incomplete === undefined
      ? []
      : indentHanging("  ", wrapText(`Some changes are missing: ${incomplete}`, { width, maxLines: 4, isFull }))),
  ];
}

function describeFileChange(change: FileChange): string {
  const path = toOneLine(change.path);
  switch (change.status) {
    case "deleted":
      return path;
    case "folder":
      return `${path}/ (empty)`;
    case "linked":
      return `${path} → ${toOneLine(change.target)}`;
    case "added":
    case "modified":
      return `${path} (${formatChangeSize(change)}${change.executable === true ? ", executable" : ""})`;
  }
}

/** The content before is not stored, so for a modified file only the current size is known. */
function formatChangeSize({ status, content, encoding }: Extract<FileChange, { content: string }>): string {
  if (encoding === "base64") return `${formatBytes(Buffer.byteLength(content, "base64"))}, not text`;
  const lines = formatPlural(countTextLines(content), "line");
  return status === "added" ? `+${lines}` : `${lines} now`;
}

function countTextLines(text: string): number {
  const feeds = text.split("\n").length - 1;
  return text === "" || text.endsWith("\n") ? feeds : feeds + 1;
}

/** A line at the top of a trial: a label and a text. */
type TrialFact = readonly [about: string, text: string];

interface TrialFactParts {
  readonly row: EvalRow;
  readonly output: Output | null;
  readonly label: TrialLabel | null;
  readonly quarantined: QuarantinedTrial | null;
  readonly events: readonly TrajectoryEvent[];
  readonly startedAt: number | null;
  /** Minimum score to pass. */
  readonly threshold: number;
}

/** Leaves out what was not measured. */
function listTrialFacts(parts: TrialFactParts): TrialFact[] {
  const { row } = parts;
  const facts: [string, string | null][] = [
    ["system", row.system],
    ["example", `${row.exampleId}${row.dataset === "" ? "" : ` of ${row.dataset}`}, trial ${row.trial}`],
    ["outcome", describeOutcome(row, parts.threshold)],
    ["label", describeLabel(parts.label)],
    ["put aside", describeReason(parts.quarantined)],
    ["stopped", describeStop(parts)],
    ["cost", describeCost(row)],
    ...listFieldFacts(row),
    ["tokens", describeTokens(row)],
    ["turns", describeTurns(parts)],
    ["time", describeTime(parts)],
    ["metadata", row.metadata === null ? null : JSON.stringify(row.metadata)],
  ];
  return facts.flatMap(([about, text]) => (text === null ? [] : [[about, text] as const]));
}

const FACT_FORMATS: Readonly<Record<FactUnit, (value: number) => string>> = {
  usd: formatDollars,
  seconds: formatSeconds,
  ms: (value) => formatSeconds(value / 1000),
  count: formatThousands,
  rate: (value) => `${formatNumber(value, 1)}/s`,
};

/** The fields that have a line of their own. */
function listFieldFacts(row: EvalRow): [string, string][] {
  return ROW_FIELD_LIST.flatMap(({ name, neutral, fact }): [string, string][] => {
    const value = row[name];
    if (fact?.show === undefined || typeof value !== "number" || value === neutral) return [];
    return [[fact.show, FACT_FORMATS[fact.unit](value)]];
  });
}

function describeOutcome(row: EvalRow, threshold: number): string {
  const category = row.errorCategory === "none" || row.errorCategory === row.outcome ? "" : ` (${row.errorCategory})`;
  const why = explainOutcome(row, threshold);
  return `${row.outcome}${category}${why === null ? "" : `: ${why}`}`;
}

function explainOutcome(row: EvalRow, threshold: number): string | null {
  if (row.outcome === "error") return row.attempts.at(-1)?.message ?? null;
  if (row.outcome === "unscored") return row.notes.at(-1) ?? null;
  const score = getScore(row, "score");
  if (score === undefined) return null;
  const field = row.primaryField ?? "score";
  // If something other than the threshold decided, only the score is shown.
  if (row.passed !== score >= threshold) return `${field} = ${formatNumber(score)}`;
  return `${field} = ${formatNumber(score)}, ${row.passed ? "at least" : "less than"} ${formatNumber(threshold)}`;
}

function describeReason(quarantined: QuarantinedTrial | null): string | null {
  return quarantined === null ? null : `on ${formatDay(quarantined.at)}, not counted: ${quarantined.reason}`;
}

function formatDay(date: string): string {
  return date.slice(0, "2026-11-18".length);
}

/** Such as "right, by Ann on 2026-11-18, blind [odd]: also a capital". */
function describeLabel(label: TrialLabel | null): string | null {
  if (label === null) return null;
  const { verdict, labeler, at, blind, tags, note } = label;
  const facts = [
    verdict ?? "no verdict",
    `${labeler === null ? "" : `by ${labeler} `}on ${formatDay(at)}`,
    ...(blind ? ["blind"] : []),
  ];
  return `${facts.join(", ")}${tags.length === 0 ? "" : ` [${tags.join(", ")}]`}${note === "" ? "" : `: ${note}`}`;
}

const STOP_DESCRIPTIONS: Readonly<Record<StopReason, string>> = {
  cost_killed: "it exceeded its cost limit",
  time_killed: "it exceeded its time limit",
  refused: "the model declined",
  truncated: "it reached a limit on its length or its turns",
};

function describeStop({ row, output }: TrialFactParts): string | null {
  const reason = output?.stopped ?? row.errorCategory;
  if (!isStopReason(reason)) return null;
  const at = row.costKilledAt > 0 ? `, at ${formatDollars(row.costKilledAt)}` : "";
  const over = row.overshootUsd === null ? "" : `, ${formatDollars(row.overshootUsd)} over its limit in the end`;
  return `${reason}: ${STOP_DESCRIPTIONS[reason]}${at}${over}`;
}

function isStopReason(reason: ErrorCategory | StopReason): reason is StopReason {
  return (STOP_REASONS as readonly string[]).includes(reason);
}

const COST_SOURCES: Readonly<Record<EvalRow["costSource"], string>> = {
  provider: "reported by the provider",
  priced: "tokens × price",
  batch: "tokens × batch price",
  estimated: "estimated",
  unknown: "source unknown",
};

function describeCost({ costUsd, costSource, partial, cached }: EvalRow): string | null {
  const remarks = [...(partial ? ["incomplete"] : []), ...(cached ? ["replayed output"] : [])];
  if (costUsd === null) return remarks.length === 0 ? null : `unknown (${remarks.join(", ")})`;
  return `${formatDollars(costUsd)} (${[COST_SOURCES[costSource], ...remarks].join(", ")})`;
}

/** As billed, or counted locally if nothing was reported. */
function describeTokens({ usage, inputTokens, outputTokens }: EvalRow): string | null {
  if (usage !== null) return formatUsage(usage);
  if (inputTokens === 0 && outputTokens === 0) return null;
  return `${formatThousands(inputTokens)} in, ${formatThousands(outputTokens)} out, counted locally`;
}

function describeTurns({ row, output, events }: TrialFactParts): string | null {
  const count = row.turns ?? countTurns(events);
  if (count === null) return null;
  if (events.length === 0) return String(count);
  if (output?.trajectory?.toolsUnseen === true || row.metadata?.toolCalls === null)
    return `${count}; which tools were called was not observed`;
  return `${count}, with ${formatPlural(countToolCalls(events), "tool call")}`;
}

function describeTime({ row, events, startedAt }: TrialFactParts): string | null {
  const facts = [
    ...formatMeasured(row.durationMs ?? convertSecondsToMs(row.latency), (text) => text),
    ...formatMeasured(row.ttftMs, (text) => `first token after ${text}`),
    ...formatMeasured(
      row.firstAttemptMs ?? deriveFirstAttempt(events, startedAt),
      (text) => `first attempt after ${text}`,
    ),
    ...formatMeasured(row.successAtMs, (text) => `success after ${text}`),
    ...(row.tokensPerSec === null ? [] : [`${formatNumber(row.tokensPerSec, 1)} tokens/s`]),
  ];
  return facts.length === 0 ? null : facts.join(", ");
}

function formatMeasured(ms: number | null, inWords: (text: string) => string): string[] {
  return ms === null ? [] : [inWords(formatSeconds(ms / 1000))];
}

function convertSecondsToMs(seconds: number | null): number | null {
  return seconds === null ? null : seconds * 1000;
}

function deriveFirstAttempt(events: readonly TrajectoryEvent[], startedAt: number | null): number | null {
  const at = findFirstAttemptTime(events);
  const elapsed = at === null || startedAt === null ? Number.NaN : at - startedAt;
  return Number.isFinite(elapsed) ? Math.max(0, elapsed) : null;
}

interface TrialTableOptions {
  readonly layout?: Layout;
  /** Finds what a person said about a trial. */
  readonly findLabel?: (row: EvalRow) => TrialLabel | undefined;
}

/**
 * The trials of a run, one line each, named as `assay show` accepts them. Empty columns are left out.
 * @example
 * renderTrialTable([makeRow({ system: "s", exampleId: "fr", outcome: "pass" })]);
 */
export function renderTrialTable(rows: readonly EvalRow[], options: TrialTableOptions = {}): string {
  const { layout = createLayout(), findLabel = () => undefined } = options;
  const has = (test: (row: EvalRow) => boolean): boolean => rows.some(test);
  const columns: TableColumn<EvalRow>[] = [
    { title: "system", cell: ({ system }) => system },
    ...(has(({ dataset }) => dataset !== rows[0]?.dataset) ? [datasetColumn] : []),
    { title: "trial", cell: formatTrialName },
    { title: "outcome", cell: ({ outcome }) => outcome, tone: ({ outcome }) => OUTCOME_TONES[outcome] },
    ...(has((row) => findLabel(row) !== undefined)
      ? [{ title: "label", cell: (row: EvalRow) => formatLabelCell(findLabel(row)) }]
      : []),
    ...(has(({ errorCategory }) => errorCategory !== "none") ? [categoryColumn] : []),
    { title: "score", align: "right", cell: (row) => formatNumber(getScore(row, "score")) },
    ...(has(({ turns }) => turns !== null) ? [turnsColumn] : []),
    ...(has(({ costUsd }) => costUsd !== null) ? [costColumn] : []),
    {
      title: "time",
      align: "right",
      cell: ({ durationMs, latency }) => formatSeconds(chooseSeconds(durationMs, latency)),
    },
  ];
  return layout.table(columns, rows);
}

function formatLabelCell(label: TrialLabel | undefined): string {
  return label === undefined ? "–" : (label.verdict ?? "note");
}

const OUTCOME_TONES: Readonly<Record<EvalRow["outcome"], Tone | null>> = {
  pass: "good",
  fail: "bad",
  error: "warning",
  unscored: "warning",
  skipped: null,
};

const datasetColumn: TableColumn<EvalRow> = { title: "dataset", cell: ({ dataset }) => dataset };
const categoryColumn: TableColumn<EvalRow> = {
  title: "category",
  cell: ({ errorCategory }) => (errorCategory === "none" ? "–" : errorCategory),
};
const turnsColumn: TableColumn<EvalRow> = { title: "turns", align: "right", cell: ({ turns }) => formatNumber(turns) };
const costColumn: TableColumn<EvalRow> = {
  title: "cost",
  align: "right",
  cell: ({ costUsd }) => formatDollars(costUsd),
};

/**
 * The example's id and the trial's index from 0.
 * @example
 * formatTrialName({ exampleId: "fr", trial: 2 }); // "fr#2"
 */
export function formatTrialName({ exampleId, trial }: Pick<EvalRow, "exampleId" | "trial">): string {
  return `${exampleId}#${trial}`;
}

function chooseSeconds(durationMs: number | null, latency: number | null): number | null {
  return durationMs === null ? latency : durationMs / 1000;
}
