import type { TrajectoryEvent } from "../core/trajectory.js";
import { shown } from "./timeline-text.js";

/** A call of a tool, as its result is told of. */
export interface ToolCall {
  readonly name: string;
  /** Whether it has a result. */
  readonly isAnswered: boolean;
}

/** Brings the calls of tools and their results together, going through the events once. */
export class ToolCalls {
  readonly #calls = new Map<string, { name: string; timestamp: number }>();
  readonly #answered: ReadonlySet<string>;

  constructor(events: readonly TrajectoryEvent[]) {
    this.#answered = new Set(events.filter(({ type }) => type === "tool_result").map(({ callId }) => shown(callId)));
  }

  /** What is called. */
  call({ callId, name, timestamp }: TrajectoryEvent): ToolCall {
    const id = shown(callId);
    this.#calls.set(id, { name: shown(name), timestamp });
    return { name: shown(name), isAnswered: this.#answered.has(id) };
  }

  /** What a result is of, and how long it took where that is worth telling: `Bash after 1.2 s`. */
  result({ callId, timestamp }: TrajectoryEvent): string {
    const call = this.#calls.get(shown(callId));
    const seconds = call === undefined ? Number.NaN : (timestamp - call.timestamp) / 1000;
    return `${call?.name ?? "a tool"}${seconds >= 0.1 ? ` after ${seconds.toFixed(1)} s` : ""}`;
  }
}
