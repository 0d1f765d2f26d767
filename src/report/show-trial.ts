import { type EvalRow, measureOf } from "../core/row.js";
import type { Output } from "../core/system.js";
import type { Trajectory, TrajectoryEvent } from "../core/trajectory.js";
import { formatNumber, formatSeconds, plural } from "./format.js";
import { oneLine } from "./markdown.js";
import { hanging, TERMINAL_WIDTH, textBlock } from "./text-block.js";
import { renderTimeline, type TimelineOptions } from "./timeline.js";
import { trajectoryOf, workspaceOf } from "./timeline-output.js";
import { trialFacts } from "./trial-facts.js";
import { textsOf } from "./trial-texts.js";
import { renderChanges } from "./workspace-changes.js";

/** A stored trial: its row, what came back, and what evaluators found. */
export interface StoredTrial {
  readonly row: EvalRow;
  /** Null when none is stored. */
  readonly output: Output | null;
  readonly evidence: Readonly<Record<string, string>> | null;
}

export interface ShowTrialOptions extends TimelineOptions {
  /** Passing means at least this score. */
  readonly threshold: number;
}

const ABOUT_WIDTH = 10;
const EVIDENCE_LINES = 10;

/**
 * A trial for people: what came of it and why, then its work event by event or what was answered, then what it changed.
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
    ...section("Attempts that failed", attemptLines(row, options)),
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
  return lines.length === 0 ? ["", "Its output holds no text."] : lines;
}

function noteLines({ notes }: EvalRow, options: TimelineOptions): string[] {
  return notes.flatMap((note) => hanging("- ", block(note, { maxLines: 6, indent: 2 }, options)));
}

function section(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : ["", `## ${title}`, "", ...lines];
}

interface Shape {
  maxLines: number;
  /** Columns that stand before it. */
  indent?: number;
}

function block(text: string, { maxLines, indent = 0 }: Shape, options: TimelineOptions): string[] {
  const { width = TERMINAL_WIDTH, isFull = false } = options;
  return textBlock(text, { width: width - indent, maxLines, isFull });
}

/** Every score with what was found, the one that decides first; then what was found about anything else. */
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
    ...(lines.length === 0 ? ["  It is as it was given."] : lines),
  ]);
}
