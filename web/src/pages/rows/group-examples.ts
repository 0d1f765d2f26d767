import { isFailedOutcome, isShownBefore } from "../../../../src/report/dashboard/choose-trial.js";
import type { RowTable } from "./row-table.js";

/** The trials of one system on one example. */
export interface OutputCell {
  /** The row of the trial shown: the first that failed, or the first. */
  place: number;
  trials: number;
  passed: number;
  failed: number;
}

/** One example, with a cell for each system that has it, by its index in the head. */
export interface ExampleGroup {
  readonly dataset: string;
  readonly id: string | number;
  readonly cells: Map<number, OutputCell>;
}

const ROWS_PER_STEP = 4096;

/** Groups rows by dataset and example, in the order of the table. A generator, for `runInSlices`. */
export function* groupExamples(table: RowTable): Generator<void, ExampleGroup[]> {
  const groups = new Map<string, ExampleGroup>();
  for (let place = 0; place < table.length; place++) {
    const { dataset, exampleId: id } = table.getKey(place);
    const name = JSON.stringify([dataset, id]);
    const group = groups.get(name) ?? { dataset, id, cells: new Map() };
    groups.set(name, group);
    addTrial(table, group, place);
    if (place % ROWS_PER_STEP === ROWS_PER_STEP - 1) yield;
  }
  return [...groups.values()];
}

function addTrial(table: RowTable, { cells }: ExampleGroup, place: number): void {
  const system = table.columns.system[place] ?? 0;
  const cell = cells.get(system) ?? { place, trials: 0, passed: 0, failed: 0 };
  cells.set(system, cell);
  const outcome = table.getOutcome(place);
  cell.trials++;
  if (outcome === "pass") cell.passed++;
  if (isFailedOutcome(outcome)) cell.failed++;
  if (isShownBefore(getTrial(table, place), getTrial(table, cell.place))) cell.place = place;
}

function getTrial(table: RowTable, place: number) {
  return { outcome: table.getOutcome(place), trial: table.columns.trial[place] ?? 0 };
}

/** `differ`: some systems passed more of its trials than others; `failed`: a trial failed. Anything else is all. */
export function filterExamples(groups: readonly ExampleGroup[], show: string | undefined): readonly ExampleGroup[] {
  if (show === "failed") return groups.filter(({ cells }) => [...cells.values()].some(({ failed }) => failed > 0));
  if (show !== "differ") return groups;
  return groups.filter(
    ({ cells }) => new Set([...cells.values()].map(({ passed, trials }) => passed / trials)).size > 1,
  );
}
