import type { Trajectory } from "../core/trajectory.js";
import { plural } from "./format.js";
import { oneLine } from "./markdown.js";
import { hanging, TERMINAL_WIDTH, textBlock } from "./text-block.js";
import { type Entry, entriesOf, type Told } from "./timeline-entries.js";

export interface TimelineOptions {
  /** Columns; 100 unless told. */
  readonly width?: number;
  /** True for texts as long as they are, and for events that are otherwise only counted. */
  readonly isFull?: boolean;
}

const TIME_WIDTH = 9;
const LABEL_WIDTH = 8;
const LEAST_TEXT_WIDTH = 20;

/**
 * The work of a trial as lines for a terminal, an entry for each event, with the time since the start.
 * @example
 * renderTimeline({ startedAt: 0, events: [{ type: "error", message: "No space.", timestamp: 1500 }] });
 * // ["   +1.5 s  error     No space."]
 */
export function renderTimeline(trajectory: Trajectory, options: TimelineOptions = {}): string[] {
  const { width = TERMINAL_WIDTH, isFull = false } = options;
  const { events, startedAt } = trajectory;
  const told = entriesOf(events, isFull);
  const start = startedAt ?? events[0]?.timestamp ?? 0;
  const lines = told.entries.flatMap((entry) => entryLines(entry, { start, width, isFull }));
  return [...lines, ...untoldLines(told, width)];
}

function entryLines(
  { timestamp, label, text, maxLines }: Entry,
  { start, width, isFull }: { start: number; width: number; isFull: boolean },
): string[] {
  const before = gutter(since(timestamp, start), label);
  return hanging(before, textBlock(text, { width: widthBehind(before, width), maxLines, isFull }));
}

/** A clock that went wrong may make a time very long. */
function widthBehind(before: string, width: number): number {
  return Math.max(LEAST_TEXT_WIDTH, width - before.length);
}

function gutter(time: string, label: string): string {
  return `${time.padStart(TIME_WIDTH)}  ${label.padEnd(LABEL_WIDTH)}  `;
}

/** Work that is set up before the start has a minus. */
function since(timestamp: number, start: number): string {
  const seconds = (timestamp - start) / 1000;
  if (!Number.isFinite(seconds)) return "";
  return `${seconds < 0 ? "-" : "+"}${Math.abs(seconds).toFixed(1)} s`;
}

function untoldLines({ untold }: Told, width: number): string[] {
  if (untold.size === 0) return [];
  const total = [...untold.values()].reduce((sum, count) => sum + count, 0);
  const names = Array.from(untold, ([name, count]) => `${oneLine(name)}${count === 1 ? "" : ` ×${count}`}`);
  const text = `${plural(total, "event")} of other kinds, shown by --full: ${names.join(", ")}`;
  const before = gutter("", "other");
  return hanging(before, textBlock(text, { width: widthBehind(before, width), maxLines: 3, isFull: false }));
}
