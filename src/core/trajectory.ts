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
