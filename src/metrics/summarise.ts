import { describeError } from "../core/error-place.js";
import { ShapeError } from "../core/errors.js";
import type { Comparison, Estimate, Metric, MetricContext } from "../core/metric.js";
import type { Summary } from "../core/result.js";
import type { EvalRow } from "../core/row.js";
import { isThenable } from "../core/shape.js";
import { withAlways } from "./built-in.js";
import { SummarySheet } from "./summary-sheet.js";
import { taskFinder } from "./tasks.js";

/** The numbers of a run, by system, and why some are missing. */
export interface Summaries {
  summary: Record<string, Summary>;
  reasons: Record<string, Record<string, string>>;
  across: Summary;
  acrossReasons: Record<string, string>;
  /** Words that stand in the summary of every system. */
  labels: Record<string, string>;
  notes: string[];
}

/** Reduces rows to one summary a system. A metric that throws costs its own keys only. */
export function summarise(rows: readonly EvalRow[], metrics: readonly Metric[], context: MetricContext): Summaries {
  const book = new SummaryBook();
  const all = withAlways(metrics);
  for (const [system, own] of bySystem(rows)) {
    const note = (text: string) => void book.notes.add(text);
    book.addSystem(system, all, { rows: own, context: { ...context, tasksOf: taskFinder(own), note } });
  }
  if (book.systems.size > 1) book.compare(all, { rows, context });
  const { systems, across } = book;
  return {
    summary: book.summaries(),
    reasons: Object.fromEntries(Array.from(systems, ([system, sheet]) => [system, sheet.reasons()])),
    across: across.summary(),
    acrossReasons: across.reasons(),
    labels: Object.fromEntries(book.labels),
    notes: [...book.notes],
  };
}

interface Measured {
  rows: readonly EvalRow[];
  context: MetricContext;
}

/** The sheets of all systems, and the one of what they give together. */
class SummaryBook {
  readonly systems = new Map<string, SummarySheet>();
  readonly across = new SummarySheet();
  readonly labels = new Map<string, string>();
  /** A set, because two metrics that give the same key do so for every system. */
  readonly notes = new Set<string>();

  addSystem(system: string, metrics: readonly Metric[], { rows, context }: Measured): void {
    const sheet = new SummarySheet();
    this.systems.set(system, sheet);
    for (const metric of metrics) {
      this.#try(metric, system, () => sheet.add(metric, estimatesOf(metric, rows, context)));
    }
  }

  /** Every metric sees the summaries as they were before any of them compared. */
  compare(metrics: readonly Metric[], { rows, context }: Measured): void {
    const summaries = this.summaries();
    for (const metric of metrics) {
      this.#try(metric, "all systems", () => this.#enter(metric, metric.compare?.(summaries, rows, context) ?? {}));
    }
  }

  summaries(): Record<string, Summary> {
    return Object.fromEntries(Array.from(this.systems, ([system, sheet]) => [system, sheet.summary()]));
  }

  #enter(metric: Metric, comparison: Comparison): string[] {
    if (isThenable(comparison)) refusePromise("compare", comparison);
    const { bySystem: own = {}, across = {}, labels = {} } = comparison;
    const unknown = Object.keys(own).find((system) => !this.systems.has(system));
    if (unknown !== undefined) throw new ShapeError(`compare() names the system "${unknown}", which has no rows`);
    for (const [key, text] of Object.entries(labels)) if (!this.labels.has(key)) this.labels.set(key, String(text));
    return [
      ...Object.entries(own).flatMap(
        ([system, estimates]) => this.systems.get(system)?.replace(metric, estimates) ?? [],
      ),
      ...this.across.add(metric, across),
    ];
  }

  #try(metric: Metric, about: string, step: () => string[]): void {
    try {
      for (const note of step()) this.notes.add(note);
    } catch (error) {
      this.notes.add(`metric ${metric.name} failed for ${about}: ${describeError(error)}`);
    }
  }
}

function estimatesOf(metric: Metric, rows: readonly EvalRow[], context: MetricContext): Record<string, Estimate> {
  if (metric.estimate !== undefined) return metric.estimate(rows, context);
  const values = metric.compute(rows, context);
  if (isThenable(values)) return refusePromise("compute", values);
  return Object.fromEntries(Object.entries(values).map(([key, value]) => [key, { value }]));
}

/** A promise has no keys, so that its numbers would be missing without a word. */
function refusePromise(method: string, late: PromiseLike<unknown>): never {
  // Somebody has to look at its failure, or the process ends with it.
  late.then(undefined, () => {});
  throw new ShapeError(`${method}() returned a promise; it must return the numbers themselves`);
}

function bySystem(rows: readonly EvalRow[]): Map<string, readonly EvalRow[]> {
  const [first] = rows;
  // A long run of one system needs no second list.
  if (first !== undefined && rows.every(({ system }) => system === first.system))
    return new Map([[first.system, rows]]);
  const systems = new Map<string, EvalRow[]>();
  for (const row of rows) {
    const own = systems.get(row.system);
    if (own === undefined) systems.set(row.system, [row]);
    else own.push(row);
  }
  return systems;
}
