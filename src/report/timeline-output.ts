import type { FileChange, WorkspaceChanges } from "../core/environment.js";
import type { Output } from "../core/system.js";
import type { Trajectory, TrajectoryEvent } from "../core/trajectory.js";

/** The events of an output. Any system may write into its fields: what has not their shape is left to the JSON. */
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

/** A time that is not a number cannot be counted with: it becomes NaN, so that figures made of it show as unknown. */
function withTime(event: TrajectoryEvent): TrajectoryEvent {
  return typeof event.timestamp === "number" ? event : { ...event, timestamp: Number.NaN };
}

/** What the work of an output changed, as far as it has that shape; null when it tells of none. */
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
