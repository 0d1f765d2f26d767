import type { Dataset } from "../core/dataset.js";
import { RunFolderError } from "../core/errors.js";
import type { Evaluator } from "../core/evaluator.js";
import type { ExampleSource } from "../core/example.js";
import type { Metric } from "../core/metric.js";
import type { EvalResult } from "../core/result.js";
import type { EvalRow } from "../core/row.js";
import type { System } from "../core/system.js";
import { withStandard } from "../metrics/index.js";
import { loadTokenizer } from "../models/tokens/index.js";
import { RunResult } from "../report/result.js";
import { Grading } from "../runner/grading.js";
import { Ledger } from "../runner/ledger.js";
import { describeDatasets, makePlan, type Plan, requireCount } from "../runner/plan.js";
import type { Progress } from "../runner/ports.js";
import { SystemTimes, timingOf } from "../runner/system-times.js";
import { readManifest, readRows } from "../store/journal.js";
import type { Manifest } from "../store/manifest.js";
import { openRun, type RowFinder, rowFinder } from "../store/open-run.js";
import { readOutputs } from "../store/outputs.js";
import { budgetsOf, createReceipt, spendingNotes } from "./budgets.js";
import { lastOfEach, metricsOf } from "./load-run.js";
import { checkMetrics, configOf, DEFAULT_WORKERS, prepareEvaluators } from "./prepared-run.js";
import { progressTo } from "./progress.js";
import { storeResult } from "./store-result.js";

/** Options of `gradeRun`. */
export interface GradeOptions {
  /** The examples that the run was made with. */
  datasets: readonly (ExampleSource | Dataset)[];
  /** Used for every dataset; left out, each dataset's own are. */
  evaluators?: readonly Evaluator[];
  /** Computed beside those of the run; one of the same name takes the place of the run's. */
  metrics?: readonly Metric[];
  /** The field that decides pass or fail; left out, each dataset's primary field. */
  scoreField?: string;
  /** Left out: that of the run. */
  threshold?: number;
  /** Take a dataset that is not the one the run was made with, such as one with corrected answers. */
  allowChanged?: boolean;
  /** What judging may cost, over all starts of the grading: an output that might exceed it is not judged. */
  maxCostUsd?: number;
  /** Outputs at a time; 8 unless given. */
  maxWorkers?: number;
  /** Where the new run goes; left out, it is not kept. */
  runsDir?: string;
  /** A graded run that was stopped: what it has is kept. */
  resume?: string;
  signal?: AbortSignal;
  onProgress?: (progress: Progress) => void;
  onNote?: (note: string) => void;
  /** Kept in the new run's manifest. */
  invocation?: unknown;
}

/**
 * Scores the outputs of a stored run again, calling no system. The result is a new run that names the old one as its
 * parent; everything that was measured is taken over.
 * @example
 * const result = await gradeRun(".assay/runs/20261115-213334-gsm8k", { datasets: [dataset], evaluators: [new MathEquivalence()] });
 */
export async function gradeRun(dir: string, options: GradeOptions): Promise<EvalResult> {
  const parent = readManifest(dir);
  const { config: before } = parent;
  const metrics = withStandard(checkMetrics(options.metrics ?? []), (await metricsOf(parent)).known);
  const { signal = new AbortController().signal, maxWorkers = DEFAULT_WORKERS } = options;
  requireCount("maxWorkers", maxWorkers);
  const plan = await makePlan({
    systems: before.systems.map((name) => storedSystem(name, parent)),
    datasets: options.datasets,
    metrics,
    trials: before.trials,
    seed: before.seed,
    threshold: options.threshold ?? before.threshold,
    ...(options.evaluators === undefined ? {} : { evaluators: options.evaluators }),
    ...(options.scoreField === undefined ? {} : { scoreField: options.scoreField }),
  });
  const notes = [`graded again from the outputs of ${parent.runId}`, ...plan.notes];
  notes.push(...sameExamples(plan, parent, options.allowChanged === true));
  const title = `${before.title.replace(GRADED, "")}${GRADED_AGAIN}`;
  const config = { ...configOf(plan, { metrics, tokenizer: { count: () => 0 }, title }), tokenizer: before.tokenizer };
  const rows = lastOfEach(readRows(dir));
  const indexOf = rowFinder(plan);
  requireKnown(rows, indexOf, parent);
  await prepareEvaluators(plan);
  const { maxCostUsd } = options;
  const store = openRun(plan, config, { ...options, parent: { runId: parent.runId } });
  const startedAt = new Date();
  const times = new SystemTimes(() => performance.now());
  try {
    for (const note of store.notes) options.onNote?.(note);
    const { spentUsd, besides, rows: earlier } = store.earlier;
    const limits = maxCostUsd === undefined ? {} : { run: { maxCostUsd } };
    // Systems are not called, so that nothing has to be known of what they cost.
    const budgets = budgetsOf(limits, { systems: [], spentUsd, rows: earlier.values() });
    const ports = {
      clock: () => performance.now(),
      // For what judging can cost: the figures of rows stand.
      tokenizer: budgets.run === null ? { count: () => 0 } : loadTokenizer("cl100k_base"),
      sink: store.journal,
      times,
      onProgress: progressTo(options.onProgress, notes) ?? null,
    };
    const formerEvaluators = before.datasets.flatMap(({ evaluators }) => Object.keys(evaluators));
    const ledger = new Ledger(plan, ports, store.earlier);
    const grading = new Grading({
      plan,
      ledger,
      indexOf,
      formerEvaluators,
      rows,
      signal,
      budget: budgets.port.run,
    });
    await grading.run(readOutputs(dir), maxWorkers);
    const graded = ledger.close();
    const spent = budgets.run === null ? null : { rows: graded, budget: budgets.run, besides };
    notes.push(...grading.notes(), ...(spent === null ? [] : spendingNotes(spent, { unheld: [], systems: [] })));
    const timing = timingOf(startedAt, { times, trials: grading.graded, cachedTrials: 0 });
    const runDir = store.journal?.dir ?? null;
    const budget = spent === null ? undefined : createReceipt(spent);
    const result = new RunResult({ rows: graded, metrics, config, timing, budget, runDir, notes });
    if (store.journal !== null) storeResult(store.journal, result);
    return result;
  } finally {
    store.journal?.close();
  }
}

/** A run that would grade nothing is a mistake in what was named. */
function requireKnown(rows: readonly EvalRow[], indexOf: RowFinder, { runId, config }: Manifest): void {
  if (rows.some((row) => indexOf(row) !== undefined)) return;
  const names = config.datasets.map(({ name }) => name || "examples").join(", ");
  throw new RunFolderError(
    `None of the examples is one that ${runId} was made with (${names}). They are told apart by their dataset's name and their id.`,
  );
}

const GRADED_AGAIN = ", graded again";
const GRADED = new RegExp(`${GRADED_AGAIN}$`);

/** A system that is known by what it did. */
function storedSystem(name: string, { systems }: Manifest): System {
  const record = systems[name];
  return {
    name,
    isRecorded: true,
    process: () => ({}),
    fingerprint: () => record?.fingerprint ?? name,
    ...(record?.model === undefined ? {} : { model: record.model }),
    ...(record?.limits === undefined ? {} : { limits: record.limits }),
  };
}

/** Outputs answer the examples they were made for: others are taken only when they are asked for. */
function sameExamples(plan: Plan, { config, runId }: Manifest, allowChanged: boolean): string[] {
  return describeDatasets(plan).flatMap(({ name, fingerprint }) => {
    const before = config.datasets.find((dataset) => dataset.name === name);
    if (before?.fingerprint === fingerprint) return [];
    const shown = name || "the dataset";
    if (before === undefined && config.datasets.length > 0 && !allowChanged)
      throw new RunFolderError(
        `${runId} was not run on ${shown}, but on ${config.datasets.map((dataset) => dataset.name).join(", ")}.`,
      );
    if (!allowChanged)
      throw new RunFolderError(
        `${shown} is not what it was when ${runId} was made. To grade its outputs by the examples of now, name them: --dataset FILE (allowChanged: true).`,
      );
    return [`${shown} is not what it was when ${runId} was made: its outputs are graded by the examples of now`];
  });
}
