import { messageOf } from "../core/errors.js";
import type { TrajectoryEvent } from "../core/trajectory.js";

/** Any value as text: a text as it is, anything else as JSON. */
export function shown(value: unknown): string {
  return typeof value === "string" ? value : jsonText(value);
}

/** A value as JSON, or why it cannot be: what JSON can be read from may be too deep to be written again. */
export function jsonText(value: unknown, indent = 0): string {
  try {
    return JSON.stringify(value, null, indent) ?? "";
  } catch (error) {
    return `(cannot be shown: ${messageOf(error)})`;
  }
}

/** Parts of what is said that follow each other are one text, also when the meter's word comes between them. */
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
