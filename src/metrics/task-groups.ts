import type { EvalRow } from "../core/row.js";

/**
 * The group of each task, by number. Groups are told apart by dataset, and a task without one is a group of its own.
 * Null when no row has a group, as with most datasets.
 */
export function findGroups(rows: readonly EvalRow[], taskOf: Uint32Array | null, size: number): Uint32Array | null {
  // Copied rows may lack the field.
  if (rows.every((row) => row.group == null)) return null;
  const groupOf = new Uint32Array(size);
  const ids = new Map<string, number>();
  for (let i = 0; i < rows.length; i++) {
    const { dataset, group } = rows[i] as EvalRow;
    if (group == null) continue;
    const key = `${dataset}\u0000${typeof group}\u0000${group}`;
    const id = ids.get(key) ?? ids.size + 1;
    ids.set(key, id);
    groupOf[taskOf === null ? i : (taskOf[i] ?? 0)] = id;
  }
  let last = ids.size;
  return groupOf.map((id) => {
    if (id === 0) last += 1;
    return id === 0 ? last : id;
  });
}

/** The groups, if any two tasks share one; null where each task stands for itself. */
export function sharedGroups(groups: Uint32Array): Uint32Array | null {
  return new Set(groups).size < groups.length ? groups : null;
}
