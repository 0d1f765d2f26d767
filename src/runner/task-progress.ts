import type { EvalRow } from "../core/index.js";
import { readNotRun } from "./gate.js";
import { orderTasks, type TaskUnits } from "./order.js";
import { getRowIndex, isPlanned, type Plan } from "./plan.js";
import type { StopRule } from "./ports.js";

/**
 * Follows the tasks of a run in their seeded order, and asks a stop rule after each. A task is shown to the rule only
 * when the tasks before it are complete: otherwise tasks that finish early would count first, and those differ from the
 * others. A group of examples counts as one task.
 */
export class TaskProgress {
  /** How many tasks may be started beyond the first incomplete one. */
  ahead = 1;
  readonly #plan: Plan;
  readonly #rule: StopRule;
  readonly #getRow: (index: number) => EvalRow | undefined;
  readonly #units: TaskUnits;
  /** By position and system: the number of unfinished trials. */
  readonly #left: Uint32Array;
  readonly #dropped = new Set<number>();
  /** The position of the first incomplete task. */
  #first = 0;
  #isDecided = false;
  #isHalted = false;
  #waiting: (() => void)[] = [];

  constructor(plan: Plan, rule: StopRule, getRow: (index: number) => EvalRow | undefined) {
    this.#plan = plan;
    this.#rule = rule;
    this.#getRow = getRow;
    this.#units = orderTasks(plan);
    this.#left = this.#countTrials();
  }

  /** True if no further trial is needed, or none can be admitted. */
  get isOver(): boolean {
    return this.#isDecided || this.#isHalted;
  }

  get isDecided(): boolean {
    return this.#isDecided;
  }

  /** The systems that need no further trials. */
  get dropped(): ReadonlySet<number> {
    return this.#dropped;
  }

  isDropped(systemIndex: number): boolean {
    return this.#dropped.has(systemIndex);
  }

  /** Whether a trial without a row is missing, rather than not needed. */
  isNeeded(systemIndex: number): boolean {
    return !this.#isDecided && !this.#dropped.has(systemIndex);
  }

  mayStart(position: number): boolean {
    return position < this.#first + this.ahead;
  }

  /** Call when a trial has its row. */
  record(index: number, row: EvalRow): void {
    // Interrupted trials continue on resume. Those of a system that was stopped count as missing values.
    if (row.outcome === "skipped" && readNotRun(row) === null) return;
    const place = this.#findPlace(index);
    this.#left[place] = Math.max(0, (this.#left[place] ?? 0) - 1);
    this.#advance();
  }

  /** Call when a row is discarded because its trial runs again. A task that the rule has seen stays seen. */
  discard(index: number): void {
    const place = this.#findPlace(index);
    this.#left[place] = (this.#left[place] ?? 0) + 1;
  }

  /** Admits no further trials: some can no longer be run, so no further task would be complete. */
  halt(): void {
    this.#isHalted = true;
    this.#wake();
  }

  /** Resolves when a task is complete, or no further trial is admitted. */
  waitForChange(signal: AbortSignal): Promise<void> {
    if (this.isOver || signal.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const wake = () => {
        signal.removeEventListener("abort", wake);
        resolve();
      };
      signal.addEventListener("abort", wake, { once: true });
      this.#waiting.push(wake);
    });
  }

  #advance(): void {
    const before = this.#first;
    while (this.#first < this.#units.count && this.#isComplete(this.#first)) {
      const rows = this.#listRows(this.#first);
      this.#first += 1;
      const { isDecided, dropped } = this.#rule.look(rows);
      for (const name of dropped) this.#dropped.add(this.#plan.systems.findIndex((system) => system.name === name));
      this.#isDecided ||= isDecided;
    }
    if (this.#first > before) this.#wake();
  }

  #isComplete(position: number): boolean {
    const { length } = this.#plan.systems;
    for (let system = 0; system < length; system++)
      if (!this.#dropped.has(system) && this.#left[position * length + system] !== 0) return false;
    return true;
  }

  #listRows(position: number): EvalRow[] {
    const { systems, trials } = this.#plan;
    const rows: EvalRow[] = [];
    for (const example of this.#units.listExamples(position))
      for (let system = 0; system < systems.length; system++)
        for (let trial = 0; trial < trials; trial++) {
          const row = this.#getRow(getRowIndex(this.#plan, system, example, trial));
          if (row !== undefined) rows.push(row);
        }
    return rows;
  }

  #countTrials(): Uint32Array {
    const { systems, examples, trials } = this.#plan;
    const left = new Uint32Array(this.#units.count * systems.length);
    for (let exampleIndex = 0; exampleIndex < examples.length; exampleIndex++)
      for (let systemIndex = 0; systemIndex < systems.length; systemIndex++)
        for (let trial = 0; trial < trials; trial++) {
          if (!isPlanned(this.#plan, { systemIndex, exampleIndex, trial })) continue;
          const place = this.#findPlace(getRowIndex(this.#plan, systemIndex, exampleIndex, trial));
          left[place] = (left[place] ?? 0) + 1;
        }
    return left;
  }

  #findPlace(index: number): number {
    const { systems, examples, trials } = this.#plan;
    const pair = Math.floor(index / trials);
    const position = this.#units.positions[pair % examples.length] ?? 0;
    return position * systems.length + Math.floor(pair / examples.length);
  }

  #wake(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const wake of waiting) wake();
  }
}

/** How many tasks may be open beyond the first incomplete one, so that this many workers are never idle for long. */
export function countTasksAhead({ examples, groups }: Pick<Plan, "examples" | "groups">, workers: number): number {
  const perTask = groups === null ? 1 : examples.length / groups.count;
  return Math.max(2, Math.ceil(workers / perTask));
}
