import type { AgentEvent, AgentEventBody } from "../core/index.js";

/** Limit for all events of a run, so that endless output does not fill the memory. */
const MAX_TRAJECTORY_CHARS = 64 * 1024 * 1024;

/** Further events are counted but not kept. */
const MAX_EVENTS = 200_000;

/** The events of one run, as far as there is room. */
export class EventLog {
  readonly events: AgentEvent[] = [];
  /** Events that did not fit. */
  unkept = 0;
  #length = 0;

  /** Events may have a time of their own. Returns the event, or null if there was no room. */
  add(body: AgentEventBody, timestamp: number): AgentEvent | null {
    this.#length += measureEventLength(body);
    const hasRoom = this.#length <= MAX_TRAJECTORY_CHARS && this.events.length < MAX_EVENTS;
    if (!hasRoom) {
      this.unkept += 1;
      return null;
    }
    const event = { timestamp, ...body };
    this.events.push(event);
    return event;
  }
}

/** Approximate; short fields are ignored. */
function measureEventLength(body: AgentEventBody): number {
  if ("text" in body) return body.text.length;
  if (body.type === "tool_result") return body.result.length;
  if (body.type === "tool_call") return measureJson(body.arguments);
  return body.type === "custom" ? measureJson(body.data) : 0;
}

/** Values may be nested too deeply to serialize. */
function measureJson(value: unknown): number {
  try {
    return JSON.stringify(value)?.length ?? 0;
  } catch {
    return 0;
  }
}
