import type { AgentHappening } from "../core/trajectory.js";
import { fieldsOf, textOf } from "../dialects/fields.js";

/** Counts the events that a reader does not know, so that a change of a program's stream is seen. */
export class UnknownEvents {
  readonly counts = new Map<string, number>();

  /** Counts it by its type, and tells it as it is. */
  tell(event: unknown): readonly AgentHappening[] {
    const name = textOf(fieldsOf(event)?.type) || "(no type)";
    this.counts.set(name, (this.counts.get(name) ?? 0) + 1);
    return [{ type: "custom", name, data: event }];
  }
}
