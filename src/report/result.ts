import type {
  BudgetReceipt,
  EffortCurve,
  EvalConfig,
  EvalResult,
  FrontierReport,
  JsonReport,
  Metric,
  MetricContext,
  Recommendation,
  RowFilter,
  SequentialReport,
  Summary,
  Timing,
} from "../core/index.js";
import {
  type EvalRow,
  getOwn,
  NO_CONFIDENCE_NOTE,
  OTHER_MODEL_NOTE,
  ROW_FIELDS,
  SENT_WITHOUT_NOTE,
} from "../core/index.js";
import { summarize } from "../metrics/index.js";
import { buildEffortCurves } from "./effort-curves.js";
import { buildFrontier } from "./frontier.js";
import { toJsonReport } from "./json.js";
import { buildRecommendation } from "./recommendation.js";
import { explainMissingBounds, useAnytimeIntervals } from "./sequential.js";
import { renderTable } from "./table.js";

export interface ResultParts {
  rows: readonly EvalRow[];
  metrics: readonly Metric[];
  config: EvalConfig;
  timing: Timing;
  budget?: BudgetReceipt | undefined;
  sequential?: SequentialReport | null | undefined;
  runDir: string | null;
  notes: readonly string[];
}

/** Rows with their summary, computed once; a filtered result computes its own. */
export class RunResult implements EvalResult {
  readonly rows: readonly EvalRow[];
  readonly summary: Readonly<Record<string, Summary>>;
  readonly reasons: Readonly<Record<string, Readonly<Record<string, string>>>>;
  readonly across: Summary;
  readonly acrossReasons: Readonly<Record<string, string>>;
  readonly labels: Readonly<Record<string, string>>;
  readonly timing: Timing;
  declare readonly budget?: BudgetReceipt;
  readonly sequential: SequentialReport | null;
  readonly config: EvalConfig;
  readonly runDir: string | null;
  readonly notes: readonly string[];
  readonly #parts: ResultParts;
  #recommendation: Recommendation | null | undefined;
  #frontier: FrontierReport | null | undefined;
  #effortCurves: readonly EffortCurve[] | undefined;

  constructor(parts: ResultParts) {
    const { scoreField, threshold, seed } = parts.config;
    const datasets = parts.config.datasets.flatMap(({ tags }) => tags);
    const context: MetricContext = { scoreField, threshold, seed, datasets };
    const { summary, reasons, across, acrossReasons, labels, notes } = summarize(parts.rows, parts.metrics, context);
    this.#parts = parts;
    this.rows = parts.rows;
    this.sequential = parts.sequential ?? null;
    // Also for a part of its rows, which has no verdict of its own.
    const isSequential = parts.config.until !== undefined;
    this.summary = isSequential ? useAnytimeIntervals(summary, this.sequential) : summary;
    this.reasons = isSequential
      ? explainAllMissingBounds(this.summary, { reasons, sequential: this.sequential })
      : reasons;
    this.across = across;
    this.acrossReasons = acrossReasons;
    this.labels = labels;
    this.timing = parts.timing;
    if (parts.budget !== undefined) this.budget = parts.budget;
    this.config = parts.config;
    this.runDir = parts.runDir;
    this.notes = [...new Set([...parts.notes, ...notes, ...collectReportedNotes(parts.rows)])];
  }

  /**
   * Null for a run that may stop early, whose verdict stands for it, and for a stress test, whose arms are no alternatives.
   * Computed when it is first read, because comparing systems takes time in large runs.
   */
  get recommendation(): Recommendation | null {
    if (this.#recommendation === undefined) {
      const { until, arms } = this.config;
      this.#recommendation = until === undefined && arms === undefined ? buildRecommendation(this) : null;
    }
    return this.#recommendation;
  }

  /** Null for the same runs: its intervals are those of a fixed sample. */
  get frontier(): FrontierReport | null {
    if (this.#frontier === undefined) {
      const { until, arms } = this.config;
      this.#frontier = until === undefined && arms === undefined ? buildFrontier(this) : null;
    }
    return this.#frontier;
  }

  get effortCurves(): readonly EffortCurve[] {
    this.#effortCurves ??= buildEffortCurves(this);
    return this.#effortCurves;
  }

  filter(filter: RowFilter): EvalResult {
    const rows = this.rows.filter(createRowPredicate(filter));
    // Budgets were spent on all rows, not only on the filtered ones.
    return new RunResult({
      ...this.#parts,
      budget: undefined,
      sequential: null,
      rows,
      config: filterConfig(rows, this.config),
    });
  }

  toTable(options: { columns?: readonly string[] } = {}): string {
    return renderTable(this, options);
  }

  toJSON(): JsonReport {
    return toJsonReport(this);
  }

  /** One array for each row field, and one for each score and measure as `scores.<field>` and `measures.<field>`: the format of data frames. */
  toColumns(): Record<string, unknown[]> {
    const columns: Record<string, unknown[]> = {};
    for (const kind of FIGURE_FIELDS) {
      const fields = new Set(this.rows.flatMap((row) => Object.keys(row[kind] ?? {})));
      for (const field of fields)
        columns[`${kind}.${field}`] = this.rows.map((row) => getOwn(row[kind] ?? {}, field) ?? null);
    }
    for (const field of ROW_FIELDS) {
      if (field !== "scores" && field !== "measures") columns[field] = this.rows.map((row) => row[field]);
    }
    return columns;
  }
}

function explainAllMissingBounds(
  summary: Readonly<Record<string, Summary>>,
  {
    reasons,
    sequential,
  }: { reasons: Readonly<Record<string, Readonly<Record<string, string>>>>; sequential: SequentialReport | null },
): Record<string, Record<string, string>> {
  return Object.fromEntries(
    Object.entries(summary).map(([system, own]) => [
      system,
      { ...reasons[system], ...explainMissingBounds(own, sequential) },
    ]),
  );
}

/** The values that evaluators return, by field. */
const FIGURE_FIELDS = ["scores", "measures"] as const;

function createRowPredicate(filter: RowFilter): (row: EvalRow) => boolean {
  if (typeof filter === "function") return filter;
  const wanted = Object.entries(filter) as [keyof EvalRow, unknown][];
  return (row) => wanted.every(([field, value]) => row[field] === value);
}

/** Reduces the config to the systems, examples and trials of the rows. */
function filterConfig(rows: readonly EvalRow[], config: EvalConfig): EvalConfig {
  const systems = new Set(rows.map(({ system }) => system));
  const ids = new Map<string, Set<string>>();
  let trials = 1;
  for (const { dataset, exampleId, trial } of rows) {
    const seen = ids.get(dataset) ?? new Set();
    ids.set(dataset, seen.add(String(exampleId)));
    trials = Math.max(trials, trial + 1);
  }
  const left = config.datasets.map((dataset) => {
    const tags = dataset.tags.filter((tag) => ids.has(tag));
    return { ...dataset, tags, examples: tags.reduce((total, tag) => total + (ids.get(tag)?.size ?? 0), 0) };
  });
  const datasets = left.filter(({ tags }) => tags.length > 0);
  return { ...config, systems: config.systems.filter((name) => systems.has(name)), datasets, trials };
}

/** Notes that change the meaning of a figure, so that reports must show them. */
const REPORTED_NOTE_PREFIXES = [`${OTHER_MODEL_NOTE}:`, `${SENT_WITHOUT_NOTE} `, NO_CONFIDENCE_NOTE];

/** For each system, the row notes to repeat in a report, with the number of trials. */
function collectReportedNotes(rows: readonly EvalRow[]): string[] {
  const counts = new Map<string, Map<string, number>>();
  const totals = new Map<string, number>();
  for (const { system, notes = [] } of rows) {
    totals.set(system, (totals.get(system) ?? 0) + 1);
    for (const note of notes) {
      if (!REPORTED_NOTE_PREFIXES.some((start) => note.startsWith(start))) continue;
      const ofSystem = counts.get(system) ?? new Map<string, number>();
      counts.set(system, ofSystem.set(note, (ofSystem.get(note) ?? 0) + 1));
    }
  }
  return [...counts].flatMap(([system, ofSystem]) =>
    [...ofSystem].map(([note, count]) => `${system}: ${note} (${count} of ${totals.get(system)} trials)`),
  );
}
