import type {
  AgentEventBody,
  FileChange,
  Output,
  Trajectory,
  TrajectoryEvent,
  Usage,
  WorkspaceChanges,
} from "../core/index.js";
import { getErrorMessage } from "../core/index.js";
import { formatDollars, formatPlural, formatSeconds } from "./format.js";
import { toOneLine } from "./markdown.js";
import { indentHanging, TERMINAL_WIDTH, wrapText } from "./text-block.js";

export interface TimelineOptions {
  /** Columns. Default: 100. */
  readonly width?: number;
  /** Show whole texts, and events that are otherwise only counted. */
  readonly isFull?: boolean;
}

const TIME_WIDTH = 9;
const LABEL_WIDTH = 8;
const MIN_TEXT_WIDTH = 20;

/**
 * Renders the events of a trial for a terminal, with the time since the start.
 * @example
 * renderTimeline({ startedAt: 0, events: [{ type: "error", message: "No space.", timestamp: 1500 }] });
 * // ["   +1.5 s  error     No space."]
 */
export function renderTimeline(trajectory: Trajectory, options: TimelineOptions = {}): string[] {
  const { width = TERMINAL_WIDTH, isFull = false } = options;
  const { events, startedAt } = trajectory;
  const told = buildTimelineEntries(events, isFull);
  const start = startedAt ?? events[0]?.timestamp ?? 0;
  const lines = told.entries.flatMap((entry) => renderEntry(entry, { start, width, isFull }));
  return [...lines, ...renderOmittedEvents(told, width)];
}

function renderEntry(
  { timestamp, label, text, maxLines }: TimelineEntry,
  { start, width, isFull }: { start: number; width: number; isFull: boolean },
): string[] {
  const before = formatGutter(formatElapsed(timestamp, start), label);
  return indentHanging(before, wrapText(text, { width: computeTextWidth(before, width), maxLines, isFull }));
}

/** A wrong clock may make a time very long. */
function computeTextWidth(before: string, width: number): number {
  return Math.max(MIN_TEXT_WIDTH, width - before.length);
}

function formatGutter(time: string, label: string): string {
  return `${time.padStart(TIME_WIDTH)}  ${label.padEnd(LABEL_WIDTH)}  `;
}

/** Set-up happens before the start and has negative times. */
function formatElapsed(timestamp: number, start: number): string {
  const seconds = (timestamp - start) / 1000;
  if (!Number.isFinite(seconds)) return "";
  return `${seconds < 0 ? "-" : "+"}${Math.abs(seconds).toFixed(1)} s`;
}

function renderOmittedEvents({ untold }: TimelineContent, width: number): string[] {
  if (untold.size === 0) return [];
  const total = [...untold.values()].reduce((sum, count) => sum + count, 0);
  const names = Array.from(untold, ([name, count]) => `${toOneLine(name)}${count === 1 ? "" : ` ×${count}`}`);
  const text = `${formatPlural(total, "event")} of other types, shown with --full: ${names.join(", ")}`;
  const before = formatGutter("", "other");
  return indentHanging(before, wrapText(text, { width: computeTextWidth(before, width), maxLines: 3, isFull: false }));
}

export interface TrackedToolCall {
  readonly name: string;
  /** Whether it has a result. */
  readonly isAnswered: boolean;
}

/** Matches tool calls with their results while the events are read in order. */
export class ToolCallTracker {
  readonly #calls = new Map<string, { name: string; timestamp: number }>();
  readonly #answered: ReadonlySet<string>;

  constructor(events: readonly TrajectoryEvent[]) {
    this.#answered = new Set(
      events.filter(({ type }) => type === "tool_result").map(({ callId }) => formatAnyValue(callId)),
    );
  }

  addCall({ callId, name, timestamp }: TrajectoryEvent): TrackedToolCall {
    const id = formatAnyValue(callId);
    this.#calls.set(id, { name: formatAnyValue(name), timestamp });
    return { name: formatAnyValue(name), isAnswered: this.#answered.has(id) };
  }

  /** The tool of a result, and its duration if that is relevant: `Bash after 1.2 s`. */
  describeResult({ callId, timestamp }: TrajectoryEvent): string {
    const call = this.#calls.get(formatAnyValue(callId));
    const seconds = call === undefined ? Number.NaN : (timestamp - call.timestamp) / 1000;
    return `${call?.name ?? "a tool"}${seconds >= 0.1 ? ` after ${seconds.toFixed(1)} s` : ""}`;
  }
}

interface TimelineEntry {
  readonly timestamp: number;
  readonly label: string;
  readonly text: string;
  readonly maxLines: number;
}

/** The entries of a timeline, and the number of events left out, by type. */
interface TimelineContent {
  readonly entries: readonly TimelineEntry[];
  readonly untold: ReadonlyMap<string, number>;
}

type EntryBuilder = (event: TrajectoryEvent) => Omit<TimelineEntry, "timestamp"> | null;

/** Events may have any shape: systems write them, and not all are agents. */
function buildTimelineEntries(events: readonly TrajectoryEvent[], isFull: boolean): TimelineContent {
  return new TimelineEntryBuilder(events, isFull).build();
}

/** Reads the events in order, because the meaning of one may depend on those before. */
class TimelineEntryBuilder {
  readonly #events: readonly TrajectoryEvent[];
  readonly #isFull: boolean;
  readonly #calls: ToolCallTracker;
  readonly #used = new RunningUsage();
  readonly #untold = new Map<string, number>();
  readonly #tell: Readonly<Record<AgentEventBody["type"], EntryBuilder>>;
  #turn = 0;

  constructor(events: readonly TrajectoryEvent[], isFull: boolean) {
    this.#events = joinTextEvents(events);
    this.#isFull = isFull;
    this.#calls = new ToolCallTracker(events);
    this.#tell = {
      user_message: ({ text }) => ({ label: "user", text: formatAnyValue(text), maxLines: 8 }),
      assistant_message: ({ text }) => ({ label: "says", text: formatAnyValue(text), maxLines: 12 }),
      reasoning: ({ text }) => ({ label: "thinks", text: formatAnyValue(text), maxLines: 4 }),
      tool_call: (event) => this.#buildCall(event),
      tool_result: (event) => this.#buildResult(event),
      token_usage: (event) => ({ label: "tokens", text: this.#used.add(event), maxLines: 3 }),
      turn_start: () => this.#buildTurnStart(),
      turn_end: () => null,
      skill_activation: ({ name }) => ({ label: "skill", text: formatAnyValue(name), maxLines: 1 }),
      error: ({ message }) => ({ label: "error", text: formatAnyValue(message), maxLines: 8 }),
      system: ({ text }) => ({ label: "system", text: formatAnyValue(text), maxLines: 3 }),
      custom: (event) => this.#countOther(formatAnyValue(event.name), event.data),
    };
  }

  build(): TimelineContent {
    const entries = this.#events.flatMap((event) => {
      const { type, timestamp } = event;
      const known = Object.hasOwn(this.#tell, type)
        ? this.#tell[type as AgentEventBody["type"]](event)
        : this.#buildUnknown(event);
      return known === null ? [] : { timestamp, ...known };
    });
    return { entries, untold: this.#untold };
  }

  #buildTurnStart(): Omit<TimelineEntry, "timestamp"> {
    this.#turn += 1;
    return { label: `turn ${this.#turn}`, text: "", maxLines: 1 };
  }

  #buildCall(event: TrajectoryEvent): Omit<TimelineEntry, "timestamp"> {
    const { name, isAnswered } = this.#calls.addCall(event);
    const given = this.#isFull ? formatToolArguments(event.arguments) : summarizeToolCall(event.arguments);
    return {
      label: "calls",
      text: `${formatThread(event)}${name}${isAnswered ? "" : " (no result)"}${given === "" ? "" : `: ${given}`}`,
      maxLines: 3,
    };
  }

  #buildResult(event: TrajectoryEvent): Omit<TimelineEntry, "timestamp"> {
    const head = this.#calls.describeResult(event);
    const text = formatAnyValue(event.result).trim();
    return {
      label: event.success === false ? "failed" : "ok",
      text: text === "" ? head : `${head}: ${text}`,
      maxLines: 6,
    };
  }

  #buildUnknown({ type, timestamp: _, ...data }: TrajectoryEvent): Omit<TimelineEntry, "timestamp"> | null {
    return this.#countOther(type, data);
  }

  #countOther(name: string, data: unknown): Omit<TimelineEntry, "timestamp"> | null {
    if (this.#isFull) return { label: "other", text: `${name}: ${formatAnyValue(data)}`, maxLines: 1 };
    this.#untold.set(name, (this.#untold.get(name) ?? 0) + 1);
    return null;
  }
}

/** `sub-agent 2: ` before what a sub-agent does; "" for the agent itself. */
export function formatThread({ thread }: TrajectoryEvent): string {
  return typeof thread === "string" ? `${thread}: ` : "";
}

/** How an answer ended, if it was cut off or declined; null if it ended as usual. */
export function describeAnswerEnd({ finish, finishReason }: TrajectoryEvent): string | null {
  if (finish !== "truncated" && finish !== "refused") return null;
  return typeof finishReason === "string" ? `${finish} (${finishReason})` : finish;
}

/** Null if the field does not have the shape of a trajectory; any system may write into it. */
export function readTrajectory(output: Output | null): Trajectory | null {
  const { events, startedAt, toolsUnseen }: Partial<Trajectory> = output?.trajectory ?? {};
  if (!Array.isArray(events)) return null;
  const known = (events as readonly unknown[]).filter(isTrajectoryEvent).map(normalizeTimestamp);
  return {
    events: known,
    ...(typeof startedAt === "number" ? { startedAt } : {}),
    ...(toolsUnseen === true ? { toolsUnseen } : {}),
  };
}

function isTrajectoryEvent(value: unknown): value is TrajectoryEvent {
  return typeof value === "object" && value !== null && "type" in value && typeof value.type === "string";
}

/** A time that is not a number becomes NaN, so that figures based on it are shown as unknown. */
function normalizeTimestamp(event: TrajectoryEvent): TrajectoryEvent {
  return typeof event.timestamp === "number" ? event : { ...event, timestamp: Number.NaN };
}

/** Null if the field does not have that shape. */
export function readWorkspaceChanges(output: Output): WorkspaceChanges | null {
  const { changes, incomplete }: Partial<WorkspaceChanges> = output.workspace ?? {};
  if (!Array.isArray(changes)) return null;
  const known = (changes as readonly unknown[]).filter(isFileChange);
  return { changes: known, ...(typeof incomplete === "string" ? { incomplete } : {}) };
}

function isFileChange(value: unknown): value is FileChange {
  const { path, status, content, target } = (value ?? {}) as Readonly<Record<string, unknown>>;
  if (typeof path !== "string") return false;
  if (status === "added" || status === "modified") return typeof content === "string";
  return status === "deleted" || status === "folder" || (status === "linked" && typeof target === "string");
}

/** A string as it is, anything else as JSON. */
export function formatAnyValue(value: unknown): string {
  return typeof value === "string" ? value : formatJson(value);
}

/** Or why it cannot be serialized: values read from JSON may be too deeply nested to write. */
export function formatJson(value: unknown, indent = 0): string {
  try {
    return JSON.stringify(value, null, indent) ?? "";
  } catch (error) {
    return `(cannot be shown: ${getErrorMessage(error)})`;
  }
}

/** Joins consecutive parts of a text, even with usage events between them. */
export function joinTextEvents(events: readonly TrajectoryEvent[]): TrajectoryEvent[] {
  const found: TrajectoryEvent[] = [];
  let last = -1;
  for (const event of events) {
    const before = found[last];
    const isPart = event.type === "assistant_message" || event.type === "reasoning";
    if (isPart && before?.type === event.type) {
      found[last] = { ...before, text: formatAnyValue(before.text) + formatAnyValue(event.text) };
      continue;
    }
    if (event.type !== "token_usage") last = found.length;
    found.push(event);
  }
  return found;
}

/** Names that tools use for the command to run; the first one present counts. */
const COMMAND_KEYS = ["command", "cmd", "script"];
const PATH_KEYS = ["file_path", "filePath", "path", "notebook_path", "filename", "file", "dir_path", "directory"];
const TEXT_KEYS = ["content", "new_string", "newString", "new_str", "newText", "file_text"];
const OTHER_KEYS = ["pattern", "query", "url", "prompt", "description", "name"];
const PATCH_KEYS = ["patch", "input", "patchText"];
const PATCHED_FILE = /^\*\*\* (?:Add|Update|Delete) File: (.+)$/gm;

export type ToolArguments = Readonly<Record<string, unknown>>;

/**
 * Summarizes a tool call: its command, its file and first line, or another argument.
 * @example
 * summarizeToolCall({ file_path: "add.js", content: "export const add = 1;\n" }); // "add.js: export const add = 1;"
 */
export function summarizeToolCall(given: unknown): string {
  const known = parseToolArguments(given);
  if (known === null) return formatAnyValue(given);
  return findCommand(known) ?? findPaths(known) ?? findFirstArgument(known, OTHER_KEYS) ?? formatAnyValue(known);
}

/** All arguments; a single string as it is, because JSON would escape its line breaks. */
export function formatToolArguments(given: unknown): string {
  const known = parseToolArguments(given);
  if (known === null) return formatAnyValue(given);
  const [only, ...others] = Object.values(known);
  return others.length === 0 && typeof only === "string" ? only : formatJson(known, 2);
}

function findCommand(known: ToolArguments): string | null {
  for (const key of COMMAND_KEYS) {
    const value = known[key];
    if (Array.isArray(value) && value.length > 0) return value.map(String).join(" ");
    // The command of an editor tool says what to do with its file.
    const path = findFirstArgument(known, PATH_KEYS);
    if (typeof value === "string" && value !== "")
      return path === null ? value : `${value} ${findPaths(known) ?? path}`;
  }
  return null;
}

function findPaths(known: ToolArguments): string | null {
  const path = findFirstArgument(known, PATH_KEYS);
  if (path !== null) return appendFirstLine(path, findFirstArgument(known, TEXT_KEYS));
  const changed = Array.isArray(known.changes)
    ? known.changes.flatMap((change) => getToolChangePath(change) ?? [])
    : [];
  const patched = Array.from(
    findFirstArgument(known, PATCH_KEYS)?.matchAll(PATCHED_FILE) ?? [],
    ([, name = ""]) => name,
  );
  const paths = [...changed, ...patched];
  return paths.length === 0 ? null : paths.join(", ");
}

function getToolChangePath(change: unknown): string | null {
  const known = parseToolArguments(change);
  return known === null ? null : findFirstArgument(known, PATH_KEYS);
}

function appendFirstLine(path: string, text: string | null): string {
  const line = text?.split("\n", 5).find((each) => each.trim() !== "");
  return line === undefined ? path : `${path}: ${line.trim()}`;
}

function findFirstArgument(known: ToolArguments, keys: readonly string[]): string | null {
  for (const key of keys) {
    const value = known[key];
    if (typeof value === "string" && value !== "") return value;
  }
  return null;
}

/** Null when the arguments name no file. */
export function findToolFile(known: ToolArguments): string | null {
  return findFirstArgument(known, PATH_KEYS);
}

/** Some agents pass arguments as the JSON text that the model wrote. */
export function parseToolArguments(given: unknown): ToolArguments | null {
  if (typeof given === "string" && given.trimStart().startsWith("{")) return parseJsonArguments(given);
  return typeof given === "object" && given !== null && !Array.isArray(given) ? (given as ToolArguments) : null;
}

function parseJsonArguments(text: string): ToolArguments | null {
  try {
    return parseToolArguments(JSON.parse(text));
  } catch {
    return null;
  }
}

/** Sums the requests of a trial, and describes each with the total so far. */
export class RunningUsage {
  #tokens = 0;
  #costUsd = 0;
  #hasUnknownCost = false;

  add(event: TrajectoryEvent): string {
    const { input, output } = this.addUsage(event);
    const { model, durationMs } = event;
    const end = describeAnswerEnd(event);
    const facts = [
      `${formatThousands(input)} in, ${formatThousands(output)} out`,
      `so far ${formatThousands(this.#tokens)} tokens, ${this.#formatCost()}`,
      ...(typeof model === "string" ? [model] : []),
      ...(typeof durationMs === "number" ? [formatSeconds(durationMs / 1000)] : []),
      ...(end === null ? [] : [end]),
    ];
    return facts.join(" · ");
  }

  /** Adds a request to the total and returns its tokens. */
  addUsage({ usage, costUsd }: TrajectoryEvent): { input: number; output: number } {
    const sides = countInputAndOutput(usage);
    this.#tokens += sides.input + sides.output;
    if (typeof costUsd === "number") this.#costUsd += costUsd;
    else this.#hasUnknownCost = true;
    return sides;
  }

  /** Of all requests so far. */
  get tokens(): number {
    return this.#tokens;
  }

  /** Of all requests so far; null when one is unknown. */
  get costUsd(): number | null {
    return this.#hasUnknownCost ? null : this.#costUsd;
  }

  /** An incomplete sum must not look complete. */
  #formatCost(): string {
    if (!this.#hasUnknownCost) return formatDollars(this.#costUsd);
    return this.#costUsd === 0 ? "cost unknown" : `at least ${formatDollars(this.#costUsd)}`;
  }
}

function countInputAndOutput(usage: unknown): { input: number; output: number } {
  const { input, output, cacheRead, cacheWrite } = (usage ?? {}) as Partial<Record<keyof Usage, unknown>>;
  return {
    input: toTokenCount(input) + toTokenCount(cacheRead) + toTokenCount(cacheWrite),
    output: toTokenCount(output),
  };
}

function toTokenCount(value: unknown): number {
  return typeof value === "number" && Number.isFinite(value) ? value : 0;
}

export function formatUsage(usage: Usage): string {
  const { input, output, cacheRead, cacheWrite, cacheWrite1h, reasoning } = usage;
  const parts = [
    `${formatThousands(input)} in`,
    ...formatOptionalCount(cacheRead, "read from the cache"),
    ...formatOptionalCount(cacheWrite, `written to the cache${formatInnerCount(cacheWrite1h, "for an hour")}`),
    `${formatThousands(output)} out${formatInnerCount(reasoning, "reasoning")}`,
  ];
  return parts.join(", ");
}

function formatOptionalCount(count: number | undefined, what: string): string[] {
  return count === undefined || count === 0 ? [] : [`${formatThousands(count)} ${what}`];
}

function formatInnerCount(count: number | undefined, what: string): string {
  return count === undefined || count === 0 ? "" : ` (${formatThousands(count)} ${what})`;
}

export function formatThousands(count: number): string {
  return count.toLocaleString("en");
}
