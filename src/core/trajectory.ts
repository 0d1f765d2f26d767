import type { Usage } from "./system.js";

/** The events of one trial, in order. */
export interface Trajectory {
  events: readonly TrajectoryEvent[];
  /** When the work began, in milliseconds since 1970; events before it are of the set-up. */
  startedAt?: number;
  /** True when the system does not show which tools it calls: that no call is among the events says nothing then. */
  toolsUnseen?: boolean;
}

/** Whatever a system writes down. Those of agents are `AgentEvent`s. */
export interface TrajectoryEvent {
  type: string;
  /** Milliseconds since 1970. */
  timestamp: number;
  [key: string]: unknown;
}

/** What happened in the work of an agent, in the same words for all of them. */
export type AgentHappening =
  | { type: "user_message"; text: string }
  /** A part of what it says; several that follow each other in one turn are one text. */
  | { type: "assistant_message"; text: string }
  | { type: "reasoning"; text: string }
  | { type: "tool_call"; name: string; callId: string; arguments: unknown }
  | { type: "tool_result"; callId: string; success: boolean; result: string }
  /** One request to a model, as the meter has it. */
  | { type: "token_usage"; model: string | null; usage: Usage; costUsd: number | null; durationMs: number }
  | { type: "turn_start" }
  | { type: "turn_end" }
  | { type: "skill_activation"; name: string }
  /** Not necessarily the end of it. */
  | { type: "error"; message: string }
  /** What the program says of itself, in words. */
  | { type: "system"; text: string }
  /** An event that has no other place, such as one of a type that is not known. */
  | { type: "custom"; name: string; data: unknown };

/** A happening, and when. */
export type AgentEvent = AgentHappening & { timestamp: number };

// What is known of a trial's work from its events. Derived whenever it is asked for, so that it is stored nowhere twice.

/** What an agent does by itself; what comes back, and what is counted, is not its own. */
const OWN = new Set(["assistant_message", "reasoning", "tool_call"]);

/** What a stretch of an agent's own events ends with. */
const ENDS_STRETCH = new Set(["tool_result", "user_message"]);

/** Tools that write files, by their names in small letters and without marks between the words. */
const WRITING = new Set([
  "write",
  "writefile",
  "edit",
  "editfile",
  "multiedit",
  "notebookedit",
  "applypatch",
  "patch",
  "filechange",
  "create",
  "createfile",
  "insert",
  "replace",
  "strreplace",
  "strreplaceeditor",
  "strreplacebasededittool",
]);

/** What a tool that edits can be told besides editing. */
const LOOKING = new Set(["view", "read"]);

/**
 * How many turns an agent took: its turn starts or, where none are told, its stretches of own events until something
 * comes back; null when there is no event of an agent at all.
 * @example
 * turnsOf([{ type: "turn_start", timestamp: 0 }, { type: "assistant_message", text: "Done.", timestamp: 1 }]); // 1
 */
export function turnsOf(events: readonly TrajectoryEvent[]): number | null {
  if (!events.some(({ type }) => OWN.has(type))) return null;
  const started = events.filter(({ type }) => type === "turn_start").length;
  return started > 0 ? started : stretchesOf(events);
}

function stretchesOf(events: readonly TrajectoryEvent[]): number {
  let count = 0;
  let isInside = false;
  for (const { type } of events) {
    if (OWN.has(type) && !isInside) count += 1;
    if (OWN.has(type)) isInside = true;
    else if (ENDS_STRETCH.has(type)) isInside = false;
  }
  return count;
}

/**
 * How many times an agent called a tool.
 * @example
 * toolCallsOf([{ type: "tool_call", name: "Bash", callId: "1", arguments: {}, timestamp: 0 }]); // 1
 */
export function toolCallsOf(events: readonly TrajectoryEvent[]): number {
  return events.filter(({ type }) => type === "tool_call").length;
}

/**
 * When an agent first tried to solve its task, in milliseconds since 1970: its first tool call that writes, else the
 * first thing it said; null when it did neither.
 * @example
 * firstAttemptAt([{ type: "tool_call", name: "Write", callId: "1", arguments: {}, timestamp: 1200 }]); // 1200
 */
export function firstAttemptAt(events: readonly TrajectoryEvent[]): number | null {
  return firstWriteAt(events) ?? firstTextAt(events);
}

/** When an agent first called a tool that writes, in milliseconds since 1970; null when it called none. */
export function firstWriteAt(events: readonly TrajectoryEvent[]): number | null {
  return events.find(isWritingCall)?.timestamp ?? null;
}

/** When an agent first said something, in milliseconds since 1970; null when it said nothing. */
export function firstTextAt(events: readonly TrajectoryEvent[]): number | null {
  return events.find(isText)?.timestamp ?? null;
}

function isText({ type, text }: TrajectoryEvent): boolean {
  return type === "assistant_message" && typeof text === "string" && text.trim() !== "";
}

function isWritingCall(event: TrajectoryEvent): boolean {
  if (event.type !== "tool_call" || typeof event.name !== "string") return false;
  return WRITING.has(plainName(event.name)) && !LOOKING.has(commandOf(event.arguments));
}

/** Without the server a tool belongs to (`mcp__files__write_file`), without case, without marks between words. */
function plainName(name: string): string {
  const own = name.split(/__|[./:]/).at(-1) ?? name;
  return own.toLowerCase().replace(/[_\s-]/g, "");
}

/** One tool may do several things, which its `command` tells apart. */
function commandOf(given: unknown): string {
  if (typeof given !== "object" || given === null || !("command" in given)) return "";
  return typeof given.command === "string" ? given.command.toLowerCase() : "";
}
