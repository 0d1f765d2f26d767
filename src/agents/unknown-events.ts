import type { AgentHappening } from "../core/trajectory.js";
import { fieldsOf, textOf } from "../models/dialects/fields.js";

/** Counts the events that a reader does not know, so that a change of a program's stream is seen. */
export class UnknownEvents {
  readonly counts = new Map<string, number>();

  /** Counts it by its type, or by the name that it is better known by, and tells it as it is. */
  tell(event: unknown, name = textOf(fieldsOf(event)?.type)): AgentHappening[] {
    const known = name || "untyped";
    this.counts.set(known, (this.counts.get(known) ?? 0) + 1);
    return [{ type: "custom", name: known, data: event }];
  }
}
