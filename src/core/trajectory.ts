import type { Usage } from "./system.js";

/** The events of one trial, in order. */
export interface Trajectory {
  events: readonly TrajectoryEvent[];
  /** When the work began, in milliseconds since 1970; earlier events belong to the setup. */
  startedAt?: number;
  /** True if it is not known which tools were called, so that their absence means nothing. */
  toolsUnseen?: boolean;
}

/** An event recorded by a system. Agents record `AgentEvent`s. */
export interface TrajectoryEvent {
  type: string;
  /** Milliseconds since 1970. */
  timestamp: number;
  [key: string]: unknown;
}

/** What happened in the work of an agent, in one format for all agents. */
export type AgentEventBody =
  /** `turn` is its number, from 1, where several messages of the user are sent. */
  | { type: "user_message"; text: string; turn?: number }
  /** Consecutive messages of one turn are parts of one text. */
  | { type: "assistant_message"; text: string }
  | { type: "reasoning"; text: string }
  | { type: "tool_call"; name: string; callId: string; arguments: unknown }
  | { type: "tool_result"; callId: string; success: boolean; result: string }
  /** One model request, as metered. */
  | {
      type: "token_usage";
      model: string | null;
      usage: Usage;
      costUsd: number | null;
      durationMs: number | null;
      /** How the answer ended: `stop`, `tool_calls`, `truncated` or `refused`; absent when unknown. */
      finish?: string;
      /** The provider's own word for it. */
      finishReason?: string;
      /** The tool calls of the answer; absent without any, or if unknown. */
      callIds?: readonly string[];
    }
  | { type: "turn_start" }
  | { type: "turn_end" }
  | { type: "skill_activation"; name: string }
  /** Does not necessarily end the work. */
  | { type: "error"; message: string }
  /** A message about the program itself. */
  | { type: "system"; text: string }
  /** Any other event, such as one of an unknown type. */
  | { type: "custom"; name: string; data: unknown };

/** An event of an agent with its time. */
export type AgentEvent = AgentEventBody & {
  timestamp: number;
  /** Which sub-agent or side call it belongs to; absent for the agent itself, or if unknown. */
  thread?: string;
};

// Derived from events on demand, so that nothing is stored twice.

/** Events that the agent produces itself, unlike results and usage. */
const AGENT_EVENT_TYPES = new Set(["assistant_message", "reasoning", "tool_call"]);

/** Events that end an inferred turn. */
const TURN_BOUNDARY_TYPES = new Set(["tool_result", "user_message"]);

/** Tools that write files, as `simplifyToolName` spells them. */
const WRITE_TOOLS = new Set([
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

/** Commands with which an editing tool only reads. */
const READ_COMMANDS = new Set(["view", "read"]);

/**
 * Counts the turns of an agent: its `turn_start` events or, without any, its runs of own events between results; null if
 * the agent produced no events.
 * @example
 * countTurns([{ type: "turn_start", timestamp: 0 }, { type: "assistant_message", text: "Done.", timestamp: 1 }]); // 1
 */
export function countTurns(events: readonly TrajectoryEvent[]): number | null {
  if (!events.some(({ type }) => AGENT_EVENT_TYPES.has(type))) return null;
  const started = events.filter(({ type }) => type === "turn_start").length;
  return started > 0 ? started : countInferredTurns(events);
}

function countInferredTurns(events: readonly TrajectoryEvent[]): number {
  let count = 0;
  let isInside = false;
  for (const { type } of events) {
    if (AGENT_EVENT_TYPES.has(type) && !isInside) count += 1;
    if (AGENT_EVENT_TYPES.has(type)) isInside = true;
    else if (TURN_BOUNDARY_TYPES.has(type)) isInside = false;
  }
  return count;
}

/**
 * Counts tool calls.
 * @example
 * countToolCalls([{ type: "tool_call", name: "Bash", callId: "1", arguments: {}, timestamp: 0 }]); // 1
 */
export function countToolCalls(events: readonly TrajectoryEvent[]): number {
  return events.filter(({ type }) => type === "tool_call").length;
}

/**
 * When an agent first attempted its task, in milliseconds since 1970: its first writing tool call, else its first message;
 * null if it did neither.
 * @example
 * findFirstAttemptTime([{ type: "tool_call", name: "Write", callId: "1", arguments: {}, timestamp: 1200 }]); // 1200
 */
export function findFirstAttemptTime(events: readonly TrajectoryEvent[]): number | null {
  return findFirstWriteTime(events) ?? findFirstTextTime(events);
}

export function findFirstWriteTime(events: readonly TrajectoryEvent[]): number | null {
  return events.find(isWriteCall)?.timestamp ?? null;
}

export function findFirstTextTime(events: readonly TrajectoryEvent[]): number | null {
  return events.find(isNonEmptyMessage)?.timestamp ?? null;
}

function isNonEmptyMessage({ type, text }: TrajectoryEvent): boolean {
  return type === "assistant_message" && typeof text === "string" && text.trim() !== "";
}

function isWriteCall(event: TrajectoryEvent): boolean {
  if (event.type !== "tool_call" || typeof event.name !== "string") return false;
  return WRITE_TOOLS.has(simplifyToolName(event.name)) && !READ_COMMANDS.has(readToolCommand(event.arguments));
}

/** Drops the tool's server (`mcp__files__write_file`), case and separators. */
function simplifyToolName(name: string): string {
  const own = name.split(/__|[./:]/).at(-1) ?? name;
  return own.toLowerCase().replace(/[_\s-]/g, "");
}

/** One tool may have several functions, selected by `command`. */
function readToolCommand(given: unknown): string {
  if (typeof given !== "object" || given === null || !("command" in given)) return "";
  return typeof given.command === "string" ? given.command.toLowerCase() : "";
}
