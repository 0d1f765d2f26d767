import type { AgentEvent, Output, Trajectory } from "../core/index.js";
import { GraderError } from "./grader-error.js";
import { getAnswerText } from "./output-text.js";

/** A tool call with its result. */
export interface ObservedToolCall {
  readonly name: string;
  readonly arguments: unknown;
  /** Null without a result. */
  readonly result: string | null;
  /** The number of its turn, from 1. */
  readonly turn: number;
}

/** Returns the trajectory of an output; throws if it has none. */
export function requireTrajectory({ trajectory }: Output): Trajectory {
  if (Array.isArray(trajectory?.events)) return trajectory;
  throw new GraderError("the output has no trajectory, so what was done is unknown");
}

/** Like `requireTrajectory`, but also throws if the system does not show its tool calls. */
export function requireObservedTrajectory(output: Output): Trajectory {
  const trajectory = requireTrajectory(output);
  if (hasHiddenTools(output)) throw new GraderError("this system does not show which tools it calls");
  return trajectory;
}

/** Whether tools may have been called without an event. Runs of version 0.1 record this for skills only. */
export function hasHiddenTools({ trajectory, metadata }: Output): boolean {
  const { observable } = (metadata?.skills ?? {}) as { observable?: unknown };
  return trajectory?.toolsUnseen === true || observable === false;
}

export function listToolCalls({ events }: Trajectory): ObservedToolCall[] {
  const calls = new Map<string, ObservedToolCall & { result: string | null }>();
  const counter = new TurnCounter();
  for (const [index, event] of (events as readonly AgentEvent[]).entries()) {
    counter.add(event);
    if (event.type === "tool_call") {
      const { name, arguments: given, callId } = event;
      const key = calls.has(callId) ? `${callId}\0${index}` : callId;
      calls.set(key, { name, arguments: given, result: null, turn: counter.turns });
    } else if (event.type === "tool_result") {
      const call = calls.get(event.callId);
      if (call !== undefined) call.result = event.result;
    }
  }
  return [...calls.values()];
}

export function countAgentTurns({ events }: Trajectory): number {
  const counter = new TurnCounter();
  for (const event of events as readonly AgentEvent[]) counter.add(event);
  return counter.turns;
}

/**
 * Counts the agent's steps: each tool call, and each turn without one. A turn with three calls is three steps; a turn with
 * only text is one.
 */
export function countSteps({ events }: Trajectory): number {
  const counter = new TurnCounter();
  const acting = new Set<number>();
  let calls = 0;
  for (const event of events as readonly AgentEvent[]) {
    counter.add(event);
    if (event.type !== "tool_call") continue;
    calls += 1;
    acting.add(counter.turns);
  }
  return calls + counter.turns - acting.size;
}

/** Lists failed tool results and errors reported by the program. */
export function listErrors({ events }: Trajectory): string[] {
  return (events as readonly AgentEvent[]).flatMap((event) => {
    if (event.type === "error") return [event.message];
    return event.type === "tool_result" && !event.success ? [event.result] : [];
  });
}

/** A turn is everything an agent says and calls until tool results or a user message arrive. */
class TurnCounter {
  turns = 0;
  #isOpen = false;

  add({ type }: AgentEvent): void {
    if (type === "tool_result" || type === "user_message") this.#isOpen = false;
    else if ((type === "assistant_message" || type === "reasoning" || type === "tool_call") && !this.#isOpen) {
      this.turns += 1;
      this.#isOpen = true;
    }
  }
}

/**
 * Lists what the agent said, and the arguments and results of its tools. User messages are left out: they contain the
 * words of the task.
 */
export function listTranscriptTexts(output: Output): string[] {
  const texts = [getAnswerText(output)];
  let said = "";
  for (const event of (output.trajectory?.events ?? []) as readonly AgentEvent[]) {
    // Consecutive parts are one text.
    if (event.type === "assistant_message") {
      said += event.text;
      continue;
    }
    if (said !== "" && TEXT_ENDING_EVENTS.has(event.type)) {
      texts.push(said);
      said = "";
    }
    if (event.type === "reasoning") texts.push(event.text);
    else if (event.type === "tool_call") texts.push(event.name, ...listCallTexts(event.arguments));
    else if (event.type === "tool_result") texts.push(event.result);
  }
  return [...texts, said].filter((text) => text !== "");
}

const TEXT_ENDING_EVENTS: ReadonlySet<string> = new Set([
  "user_message",
  "reasoning",
  "tool_call",
  "tool_result",
  "turn_start",
  "turn_end",
]);

/** The strings in a value, and all of it as JSON: one may look for a command, or for a key with its value. */
function listCallTexts(value: unknown): string[] {
  if (typeof value === "string") return [value];
  const json = JSON.stringify(value) ?? "";
  return typeof value === "object" && value !== null ? [json, ...Object.values(value).flatMap(collectStrings)] : [json];
}

function collectStrings(value: unknown): string[] {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(collectStrings) : [];
}
