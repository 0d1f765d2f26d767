import type { EvalRow } from "../../core/index.js";
import type { PairedSample } from "./compare-sample.js";

/** A value of each task under each system: the sum and the number of the trials that have one. */
export interface TaskValues {
  /** Whether all systems have the same tasks, scored or not. */
  readonly isSamePlan: boolean;
  pair(systemA: string, systemB: string): PairedSample;
}

interface SystemValues {
  readonly sums: number[];
  readonly counts: number[];
  /** Whether every value is 0 or 1. */
  isBinary: boolean;
  /** Tasks with a row. */
  tasks: number;
}

/**
 * Reads a value of every row once, so that many pairs of systems can be compared without pairing their rows again.
 * @example
 * collectTaskValues(rows, readPass).pair("cheap", "good");
 */
export function collectTaskValues(rows: readonly EvalRow[], read: (row: EvalRow) => number | undefined): TaskValues {
  const numbers = new Map<string, Map<string, number>>();
  const groups: string[] = [];
  const bySystem = new Map<string, SystemValues>();
  let hasGroups = false;
  for (const row of rows) {
    const task = numberTask(numbers, row, groups.length);
    if (task === groups.length) groups.push(nameGroup(row, task));
    hasGroups ||= row.group != null;
    const own = bySystem.get(row.system) ?? { sums: [], counts: [], isBinary: true, tasks: 0 };
    bySystem.set(row.system, own);
    addValue(own, task, read(row));
  }
  const isSamePlan = [...bySystem.values()].every(({ tasks }) => tasks === groups.length);
  return {
    isSamePlan,
    pair: (a, b) => pairValues([bySystem.get(a), bySystem.get(b)], hasGroups ? groups : null),
  };
}

/** The number of a task; the next one if it is new. */
function numberTask(numbers: Map<string, Map<string, number>>, { dataset, exampleId }: EvalRow, next: number): number {
  const ofDataset = numbers.get(dataset) ?? new Map<string, number>();
  numbers.set(dataset, ofDataset);
  const id = String(exampleId);
  const known = ofDataset.get(id);
  if (known === undefined) ofDataset.set(id, next);
  return known ?? next;
}

/** A task without a group is its own group. */
function nameGroup({ dataset, group }: EvalRow, task: number): string {
  return group == null ? `task\u0000${task}` : `group\u0000${dataset}\u0000${typeof group}\u0000${group}`;
}

function addValue(own: SystemValues, task: number, value: number | undefined): void {
  if (own.counts[task] === undefined) {
    own.tasks += 1;
    own.sums[task] = 0;
    own.counts[task] = 0;
  }
  if (value === undefined || !Number.isFinite(value)) return;
  own.sums[task] = (own.sums[task] ?? 0) + value;
  own.counts[task] = (own.counts[task] ?? 0) + 1;
  own.isBinary &&= value === 0 || value === 1;
}

function pairValues(
  [ofA, ofB]: readonly [SystemValues | undefined, SystemValues | undefined],
  groups: readonly string[] | null,
): PairedSample {
  const sample: PairedSample = { a: [], b: [], groups: null, trialsA: 0, trialsB: 0, isBinary: true };
  if (ofA === undefined || ofB === undefined) return sample;
  const shared: string[] = [];
  for (let task = 0; task < ofA.counts.length; task++) {
    const [inA, inB] = [ofA.counts[task] ?? 0, ofB.counts[task] ?? 0];
    if (inA === 0 || inB === 0) continue;
    sample.a.push((ofA.sums[task] ?? 0) / inA);
    sample.b.push((ofB.sums[task] ?? 0) / inB);
    sample.trialsA += inA;
    sample.trialsB += inB;
    if (groups !== null) shared.push(groups[task] ?? "");
  }
  const isSingle = sample.trialsA === sample.a.length && sample.trialsB === sample.b.length;
  const isGrouped = groups !== null && new Set(shared).size < shared.length;
  return { ...sample, isBinary: isSingle && ofA.isBinary && ofB.isBinary, groups: isGrouped ? shared : null };
}
