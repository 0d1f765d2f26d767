import type { Comparison, Estimate, EvalRow, Metric, MetricContext, Summary } from "../core/index.js";
import { describeError, isThenable, ShapeError } from "../core/index.js";
import { addCoreMetrics } from "./built-in.js";
import { SummaryTable } from "./summary-table.js";
import { createTaskIndexer } from "./tasks.js";

/** The summary values of a run by system, and why some are missing. */
export interface Summaries {
  summary: Record<string, Summary>;
  reasons: Record<string, Record<string, string>>;
  across: Summary;
  acrossReasons: Record<string, string>;
  /** Text added to the summary of every system. */
  labels: Record<string, string>;
  notes: string[];
}

/** Reduces rows to one summary per system. If a metric throws, only its own keys are missing. */
export function summarize(rows: readonly EvalRow[], metrics: readonly Metric[], context: MetricContext): Summaries {
  const book = new SummaryBuilder();
  const all = addCoreMetrics(metrics);
  for (const [system, own] of splitRowsBySystem(rows)) {
    const note = (text: string) => void book.notes.add(text);
    book.addSystem(system, all, { rows: own, context: { ...context, tasksOf: createTaskIndexer(own), note } });
  }
  if (book.systems.size > 1) book.compare(all, { rows, context });
  const { systems, across } = book;
  return {
    summary: book.toSummaries(),
    reasons: Object.fromEntries(Array.from(systems, ([system, sheet]) => [system, sheet.toReasons()])),
    across: across.toSummary(),
    acrossReasons: across.toReasons(),
    labels: Object.fromEntries(book.labels),
    notes: [...book.notes],
  };
}

interface MeasuredRows {
  rows: readonly EvalRow[];
  context: MetricContext;
}

/** Builds the summaries of all systems and the values across them. */
class SummaryBuilder {
  readonly systems = new Map<string, SummaryTable>();
  readonly across = new SummaryTable();
  readonly labels = new Map<string, string>();
  /** A set, because two metrics with the same key collide for every system. */
  readonly notes = new Set<string>();

  addSystem(system: string, metrics: readonly Metric[], { rows, context }: MeasuredRows): void {
    const sheet = new SummaryTable();
    this.systems.set(system, sheet);
    for (const metric of metrics) {
      this.#try(metric, system, () => sheet.add(metric, computeEstimates(metric, rows, context)));
    }
  }

  /** Every metric sees the summaries before any of them compared. */
  compare(metrics: readonly Metric[], { rows, context }: MeasuredRows): void {
    const summaries = this.toSummaries();
    for (const metric of metrics) {
      this.#try(metric, "all systems", () =>
        this.#addComparison(metric, metric.compare?.(summaries, rows, context) ?? {}),
      );
    }
  }

  toSummaries(): Record<string, Summary> {
    return Object.fromEntries(Array.from(this.systems, ([system, sheet]) => [system, sheet.toSummary()]));
  }

  #addComparison(metric: Metric, comparison: Comparison): string[] {
    if (isThenable(comparison)) rejectPromise("compare", comparison);
    const { bySystem: own = {}, across = {}, labels = {} } = comparison;
    const unknown = Object.keys(own).find((system) => !this.systems.has(system));
    if (unknown !== undefined) throw new ShapeError(`compare() returned the unknown system "${unknown}"`);
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

function computeEstimates(metric: Metric, rows: readonly EvalRow[], context: MetricContext): Record<string, Estimate> {
  if (metric.estimate !== undefined) return metric.estimate(rows, context);
  const values = metric.compute(rows, context);
  if (isThenable(values)) return rejectPromise("compute", values);
  return Object.fromEntries(Object.entries(values).map(([key, value]) => [key, { value }]));
}

/** A promise has no keys, so its values would silently be missing. */
function rejectPromise(method: string, late: PromiseLike<unknown>): never {
  // Handle a rejection, which would otherwise end the process.
  late.then(undefined, () => {});
  throw new ShapeError(`${method}() returned a promise; return the values directly`);
}

function splitRowsBySystem(rows: readonly EvalRow[]): Map<string, readonly EvalRow[]> {
  const [first] = rows;
  // Avoids a second list for a run of one system.
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
