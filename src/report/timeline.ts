import type { FileChange, WorkspaceChanges } from "../core/environment.js";
import { messageOf } from "../core/errors.js";
import type { Output, Usage } from "../core/system.js";
import type { AgentHappening, Trajectory, TrajectoryEvent } from "../core/trajectory.js";
import { formatDollars, formatSeconds, plural } from "./format.js";
import { oneLine } from "./markdown.js";
import { hanging, TERMINAL_WIDTH, textBlock } from "./text-block.js";

export interface TimelineOptions {
  /** Columns. Default: 100. */
  readonly width?: number;
  /** Show whole texts, and events that are otherwise only counted. */
  readonly isFull?: boolean;
}

const TIME_WIDTH = 9;
const LABEL_WIDTH = 8;
const LEAST_TEXT_WIDTH = 20;

/**
 * Renders the events of a trial for a terminal, with the time since the start.
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

/** A wrong clock may make a time very long. */
function widthBehind(before: string, width: number): number {
  return Math.max(LEAST_TEXT_WIDTH, width - before.length);
}

function gutter(time: string, label: string): string {
  return `${time.padStart(TIME_WIDTH)}  ${label.padEnd(LABEL_WIDTH)}  `;
}

/** Set-up happens before the start and has negative times. */
function since(timestamp: number, start: number): string {
  const seconds = (timestamp - start) / 1000;
  if (!Number.isFinite(seconds)) return "";
  return `${seconds < 0 ? "-" : "+"}${Math.abs(seconds).toFixed(1)} s`;
}

function untoldLines({ untold }: Told, width: number): string[] {
  if (untold.size === 0) return [];
  const total = [...untold.values()].reduce((sum, count) => sum + count, 0);
  const names = Array.from(untold, ([name, count]) => `${oneLine(name)}${count === 1 ? "" : ` ×${count}`}`);
  const text = `${plural(total, "event")} of other types, shown with --full: ${names.join(", ")}`;
  const before = gutter("", "other");
  return hanging(before, textBlock(text, { width: widthBehind(before, width), maxLines: 3, isFull: false }));
}

export interface ToolCall {
  readonly name: string;
  /** Whether it has a result. */
  readonly isAnswered: boolean;
}

/** Matches tool calls with their results while the events are read in order. */
export class ToolCalls {
  readonly #calls = new Map<string, { name: string; timestamp: number }>();
  readonly #answered: ReadonlySet<string>;

  constructor(events: readonly TrajectoryEvent[]) {
    this.#answered = new Set(events.filter(({ type }) => type === "tool_result").map(({ callId }) => shown(callId)));
  }

  call({ callId, name, timestamp }: TrajectoryEvent): ToolCall {
    const id = shown(callId);
    this.#calls.set(id, { name: shown(name), timestamp });
    return { name: shown(name), isAnswered: this.#answered.has(id) };
  }

  /** The tool of a result, and its duration if that is relevant: `Bash after 1.2 s`. */
  result({ callId, timestamp }: TrajectoryEvent): string {
    const call = this.#calls.get(shown(callId));
    const seconds = call === undefined ? Number.NaN : (timestamp - call.timestamp) / 1000;
    return `${call?.name ?? "a tool"}${seconds >= 0.1 ? ` after ${seconds.toFixed(1)} s` : ""}`;
  }
}

interface Entry {
  readonly timestamp: number;
  readonly label: string;
  readonly text: string;
  readonly maxLines: number;
}

/** The entries of a timeline, and the number of events left out, by type. */
interface Told {
  readonly entries: readonly Entry[];
  readonly untold: ReadonlyMap<string, number>;
}

type Tell = (event: TrajectoryEvent) => Omit<Entry, "timestamp"> | null;

/** Events may have any shape: systems write them, and not all are agents. */
function entriesOf(events: readonly TrajectoryEvent[], isFull: boolean): Told {
  return new Telling(events, isFull).told();
}

/** Reads the events in order, because the meaning of one may depend on those before. */
class Telling {
  readonly #events: readonly TrajectoryEvent[];
  readonly #isFull: boolean;
  readonly #calls: ToolCalls;
  readonly #used = new UsageSoFar();
  readonly #untold = new Map<string, number>();
  readonly #tell: Readonly<Record<AgentHappening["type"], Tell>>;
  #turn = 0;

  constructor(events: readonly TrajectoryEvent[], isFull: boolean) {
    this.#events = joinedTexts(events);
    this.#isFull = isFull;
    this.#calls = new ToolCalls(events);
    this.#tell = {
      user_message: ({ text }) => ({ label: "user", text: shown(text), maxLines: 8 }),
      assistant_message: ({ text }) => ({ label: "says", text: shown(text), maxLines: 12 }),
      reasoning: ({ text }) => ({ label: "thinks", text: shown(text), maxLines: 4 }),
      tool_call: (event) => this.#call(event),
      tool_result: (event) => this.#result(event),
      token_usage: (event) => ({ label: "tokens", text: this.#used.add(event), maxLines: 3 }),
      turn_start: () => this.#turnStart(),
      turn_end: () => null,
      skill_activation: ({ name }) => ({ label: "skill", text: shown(name), maxLines: 1 }),
      error: ({ message }) => ({ label: "error", text: shown(message), maxLines: 8 }),
      system: ({ text }) => ({ label: "system", text: shown(text), maxLines: 3 }),
      custom: (event) => this.#other(shown(event.name), event.data),
    };
  }

  told(): Told {
    const entries = this.#events.flatMap((event) => {
      const { type, timestamp } = event;
      const known = Object.hasOwn(this.#tell, type)
        ? this.#tell[type as AgentHappening["type"]](event)
        : this.#odd(event);
      return known === null ? [] : { timestamp, ...known };
    });
    return { entries, untold: this.#untold };
  }

  #turnStart(): Omit<Entry, "timestamp"> {
    this.#turn += 1;
    return { label: `turn ${this.#turn}`, text: "", maxLines: 1 };
  }

  #call(event: TrajectoryEvent): Omit<Entry, "timestamp"> {
    const { name, isAnswered } = this.#calls.call(event);
    const given = this.#isFull ? argumentsText(event.arguments) : gistOf(event.arguments);
    return {
      label: "calls",
      text: `${name}${isAnswered ? "" : " (no result)"}${given === "" ? "" : `: ${given}`}`,
      maxLines: 3,
    };
  }

  #result(event: TrajectoryEvent): Omit<Entry, "timestamp"> {
    const head = this.#calls.result(event);
    const text = shown(event.result).trim();
    return {
      label: event.success === false ? "failed" : "ok",
      text: text === "" ? head : `${head}: ${text}`,
      maxLines: 6,
    };
  }

  #odd({ type, timestamp: _, ...data }: TrajectoryEvent): Omit<Entry, "timestamp"> | null {
    return this.#other(type, data);
  }

  #other(name: string, data: unknown): Omit<Entry, "timestamp"> | null {
    if (this.#isFull) return { label: "other", text: `${name}: ${shown(data)}`, maxLines: 1 };
    this.#untold.set(name, (this.#untold.get(name) ?? 0) + 1);
    return null;
  }
}

/** Null if the field does not have the shape of a trajectory; any system may write into it. */
export function trajectoryOf(output: Output | null): Trajectory | null {
  const { events, startedAt, toolsUnseen }: Partial<Trajectory> = output?.trajectory ?? {};
  if (!Array.isArray(events)) return null;
  const known = (events as readonly unknown[]).filter(isEvent).map(withTime);
  return {
    events: known,
    ...(typeof startedAt === "number" ? { startedAt } : {}),
    ...(toolsUnseen === true ? { toolsUnseen } : {}),
  };
}

function isEvent(value: unknown): value is TrajectoryEvent {
  return typeof value === "object" && value !== null && "type" in value && typeof value.type === "string";
}

/** A time that is not a number becomes NaN, so that figures based on it are shown as unknown. */
function withTime(event: TrajectoryEvent): TrajectoryEvent {
  return typeof event.timestamp === "number" ? event : { ...event, timestamp: Number.NaN };
}

/** Null if the field does not have that shape. */
export function workspaceOf(output: Output): WorkspaceChanges | null {
  const { changes, incomplete }: Partial<WorkspaceChanges> = output.workspace ?? {};
  if (!Array.isArray(changes)) return null;
  const known = (changes as readonly unknown[]).filter(isChange);
  return { changes: known, ...(typeof incomplete === "string" ? { incomplete } : {}) };
}

function isChange(value: unknown): value is FileChange {
  const { path, status, content, target } = (value ?? {}) as Readonly<Record<string, unknown>>;
  if (typeof path !== "string") return false;
  if (status === "added" || status === "modified") return typeof content === "string";
  return status === "deleted" || status === "folder" || (status === "linked" && typeof target === "string");
}

/** A string as it is, anything else as JSON. */
export function shown(value: unknown): string {
  return typeof value === "string" ? value : jsonText(value);
}

/** Or why it cannot be serialized: values read from JSON may be too deeply nested to write. */
export function jsonText(value: unknown, indent = 0): string {
  try {
    return JSON.stringify(value, null, indent) ?? "";
  } catch (error) {
    return `(cannot be shown: ${messageOf(error)})`;
  }
}

/** Joins consecutive parts of a text, even with usage events between them. */
export function joinedTexts(events: readonly TrajectoryEvent[]): TrajectoryEvent[] {
  const found: TrajectoryEvent[] = [];
  let last = -1;
  for (const event of events) {
    const before = found[last];
    const isPart = event.type === "assistant_message" || event.type === "reasoning";
    if (isPart && before?.type === event.type) {
      found[last] = { ...before, text: shown(before.text) + shown(event.text) };
      continue;
    }
    if (event.type !== "token_usage") last = found.length;
    found.push(event);
  }
  return found;
}

/** Names that tools use for the command to run; the first one present counts. */
const COMMANDS = ["command", "cmd", "script"];
const PATHS = ["file_path", "filePath", "path", "notebook_path", "filename", "file", "dir_path", "directory"];
const TEXTS = ["content", "new_string", "newString", "new_str", "newText", "file_text"];
const OTHERS = ["pattern", "query", "url", "prompt", "description", "name"];
const PATCHES = ["patch", "input", "patchText"];
const PATCHED_FILE = /^\*\*\* (?:Add|Update|Delete) File: (.+)$/gm;

export type Arguments = Readonly<Record<string, unknown>>;

/**
 * Summarizes a tool call: its command, its file and first line, or another argument.
 * @example
 * summarizeToolCall({ file_path: "add.js", content: "export const add = 1;\n" }); // "add.js: export const add = 1;"
 */
export function gistOf(given: unknown): string {
  const known = objectOf(given);
  if (known === null) return shown(given);
  return commandIn(known) ?? pathsIn(known) ?? firstOf(known, OTHERS) ?? shown(known);
}

/** All arguments; a single string as it is, because JSON would escape its line breaks. */
export function argumentsText(given: unknown): string {
  const known = objectOf(given);
  if (known === null) return shown(given);
  const [only, ...others] = Object.values(known);
  return others.length === 0 && typeof only === "string" ? only : jsonText(known, 2);
}

function commandIn(known: Arguments): string | null {
  for (const key of COMMANDS) {
    const value = known[key];
    if (Array.isArray(value) && value.length > 0) return value.map(String).join(" ");
    // The command of an editor tool says what to do with its file.
    const path = firstOf(known, PATHS);
    if (typeof value === "string" && value !== "") return path === null ? value : `${value} ${pathsIn(known) ?? path}`;
  }
  return null;
}

function pathsIn(known: Arguments): string | null {
  const path = firstOf(known, PATHS);
  if (path !== null) return withFirstLine(path, firstOf(known, TEXTS));
  const changed = Array.isArray(known.changes) ? known.changes.flatMap((change) => pathOf(change) ?? []) : [];
  const patched = Array.from(firstOf(known, PATCHES)?.matchAll(PATCHED_FILE) ?? [], ([, name = ""]) => name);
  const paths = [...changed, ...patched];
  return paths.length === 0 ? null : paths.join(", ");
}

function pathOf(change: unknown): string | null {
  const known = objectOf(change);
  return known === null ? null : firstOf(known, PATHS);
}

function withFirstLine(path: string, text: string | null): string {
  const line = text?.split("\n", 5).find((each) => each.trim() !== "");
  return line === undefined ? path : `${path}: ${line.trim()}`;
}

function firstOf(known: Arguments, keys: readonly string[]): string | null {
  for (const key of keys) {
    const value = known[key];
    if (typeof value === "string" && value !== "") return value;
  }
  return null;
}

/** Null when the arguments name no file. */
export function fileIn(known: Arguments): string | null {
  return firstOf(known, PATHS);
}

/** Some agents pass arguments as the JSON text that the model wrote. */
export function objectOf(given: unknown): Arguments | null {
  if (typeof given === "string" && given.trimStart().startsWith("{")) return parsed(given);
  return typeof given === "object" && given !== null && !Array.isArray(given) ? (given as Arguments) : null;
}

function parsed(text: string): Arguments | null {
  try {
    return objectOf(JSON.parse(text));
  } catch {
    return null;
  }
}

/** Sums the requests of a trial, and describes each with the total so far. */
export class UsageSoFar {
  #tokens = 0;
  #costUsd = 0;
  #hasUnknownCost = false;

  add(event: TrajectoryEvent): string {
    const { input, output } = this.take(event);
    const { model, durationMs } = event;
    const facts = [
      `${grouped(input)} in, ${grouped(output)} out`,
      `so far ${grouped(this.#tokens)} tokens, ${this.#cost()}`,
      ...(typeof model === "string" ? [model] : []),
      ...(typeof durationMs === "number" ? [formatSeconds(durationMs / 1000)] : []),
    ];
    return facts.join(" · ");
  }

  /** Adds a request to the total and returns its tokens. */
  take({ usage, costUsd }: TrajectoryEvent): { input: number; output: number } {
    const sides = sidesOf(usage);
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
  #cost(): string {
    if (!this.#hasUnknownCost) return formatDollars(this.#costUsd);
    return this.#costUsd === 0 ? "cost unknown" : `at least ${formatDollars(this.#costUsd)}`;
  }
}

function sidesOf(usage: unknown): { input: number; output: number } {
  const { input, output, cacheRead, cacheWrite } = (usage ?? {}) as Partial<Record<keyof Usage, unknown>>;
  return { input: amount(input) + amount(cacheRead) + amount(cacheWrite), output: amount(output) };
}

function amount(value: unknown): number {
  return typeof value === "number" && Number.isFinite(value) ? value : 0;
}

export function usageInWords(usage: Usage): string {
  const { input, output, cacheRead, cacheWrite, cacheWrite1h, reasoning } = usage;
  const parts = [
    `${grouped(input)} in`,
    ...optional(cacheRead, "read from the cache"),
    ...optional(cacheWrite, `written to the cache${inner(cacheWrite1h, "for an hour")}`),
    `${grouped(output)} out${inner(reasoning, "reasoning")}`,
  ];
  return parts.join(", ");
}

function optional(count: number | undefined, what: string): string[] {
  return count === undefined || count === 0 ? [] : [`${grouped(count)} ${what}`];
}

function inner(count: number | undefined, what: string): string {
  return count === undefined || count === 0 ? "" : ` (${grouped(count)} ${what})`;
}

export function grouped(count: number): string {
  return count.toLocaleString("en");
}
