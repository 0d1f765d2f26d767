import type {
  Dataset,
  DatasetConfig,
  EvalConfig,
  EvalResult,
  EvalRow,
  Evaluator,
  ExampleSource,
  MetricChoice,
  System,
} from "../core/index.js";
import { RunFolderError } from "../core/index.js";
import { selectMetrics } from "../metrics/index.js";
import { loadTokenizer } from "../models/index.js";
import { RunResult } from "../report/index.js";
import type { Progress } from "../runner/index.js";
import {
  buildTiming,
  describePlanDatasets,
  makePlan,
  type Plan,
  Regrading,
  RowCollector,
  requirePositiveInteger,
  SystemTimer,
} from "../runner/index.js";
import type { Manifest } from "../store/index.js";
import { createRowLookup, openRunStore, type RowLookup, readManifest, readOutputs, readRows } from "../store/index.js";
import { createBudgets, createReceipt, formatSpendingNotes } from "./budgets.js";
import { keepLastRows, resolveRunMetrics } from "./load-run.js";
import {
  buildRunConfig,
  checkMetrics,
  createProgressCallback,
  DEFAULT_MAX_WORKERS,
  describeEfforts,
  prepareEvaluators,
} from "./prepare-run.js";
import { storeResult } from "./store-result.js";

/** Options of `gradeRun`. */
export interface GradeOptions {
  /** The examples of the run. */
  datasets: readonly (ExampleSource | Dataset)[];
  /** Used for every dataset. Default: each dataset's own. */
  evaluators?: readonly Evaluator[];
  /** A list is computed in addition to the run's metrics, and replaces those of the same name; `{ only }` replaces all. */
  metrics?: MetricChoice;
  /** Field that decides pass or fail. Default: each dataset's primary field. */
  scoreField?: string;
  /** Default: the run's threshold. */
  threshold?: number;
  /** Accept a dataset that differs from the run's, such as one with corrected answers. */
  allowChanged?: boolean;
  /** Limit on judging costs, over all starts of the grading. Outputs that might exceed it are not judged. */
  maxCostUsd?: number;
  /** Outputs graded at once. Default: 8. */
  maxWorkers?: number;
  /** Where to store the new run. Without it, the run is not stored. */
  runsDir?: string;
  /** A graded run to continue; its rows are kept. */
  resume?: string;
  signal?: AbortSignal;
  onProgress?: (progress: Progress) => void;
  onNote?: (note: string) => void;
  /** Stored in the new run's manifest. */
  invocation?: unknown;
}

/**
 * Scores the outputs of a stored run again, without calling a system. The result is a new run with the old one as its
 * parent; all measurements are copied.
 * @example
 * const result = await gradeRun(".assay/runs/20261115-213334-gsm8k", { datasets: [dataset], evaluators: [new MathEquivalence()] });
 */
export async function gradeRun(dir: string, options: GradeOptions): Promise<EvalResult> {
  const parent = readManifest(dir);
  const { config: before } = parent;
  const metrics = selectMetrics(checkMetrics(options.metrics ?? []), (await resolveRunMetrics(parent)).known);
  const { signal = new AbortController().signal, maxWorkers = DEFAULT_MAX_WORKERS } = options;
  requirePositiveInteger("maxWorkers", maxWorkers);
  const plan = await makePlan({
    systems: before.systems.map((name) => createStoredSystem(name, parent)),
    datasets: options.datasets,
    metrics,
    trials: before.trials,
    seed: before.seed,
    threshold: options.threshold ?? before.threshold,
    ...(options.evaluators === undefined ? {} : { evaluators: options.evaluators }),
    ...(options.scoreField === undefined ? {} : { scoreField: options.scoreField }),
  });
  const notes = [`graded again from the outputs of ${parent.runId}`, ...plan.notes];
  notes.push(...checkSameExamples(plan, parent, options.allowChanged === true));
  const title = `${before.title.replace(GRADED_PATTERN, "")}${GRADED_SUFFIX}`;
  const described = buildRunConfig(plan, { metrics, tokenizer: { count: () => 0 }, title });
  const config = {
    ...described,
    datasets: described.datasets.map((dataset) => keepExpertCost(dataset, before)),
    tokenizer: before.tokenizer,
    ...describeEfforts(before.systems.map((name) => [name, parent.systems[name]?.effort])),
  };
  const rows = keepLastRows(readRows(dir));
  const indexOf = createRowLookup(plan);
  requireKnownExamples(rows, indexOf, parent);
  await prepareEvaluators(plan);
  const { maxCostUsd } = options;
  const store = openRunStore(plan, config, { ...options, parent: { runId: parent.runId } });
  const startedAt = new Date();
  const times = new SystemTimer(() => performance.now());
  try {
    for (const note of store.notes) options.onNote?.(note);
    const { spentUsd, besides, rows: earlier } = store.earlier;
    const limits = maxCostUsd === undefined ? {} : { run: { maxCostUsd } };
    // Systems are not called, so their costs do not matter.
    const budgets = createBudgets(limits, { systems: [], spentUsd, rows: earlier.values() });
    const ports = {
      clock: () => performance.now(),
      // Only for estimating judging costs: token counts of rows are kept.
      tokenizer: budgets.run === null ? { count: () => 0 } : loadTokenizer("cl100k_base"),
      sink: store.journal,
      times,
      onProgress: createProgressCallback(options.onProgress, notes) ?? null,
    };
    const formerEvaluators = before.datasets.flatMap(({ evaluators }) => Object.keys(evaluators));
    const collector = new RowCollector(plan, ports, store.earlier);
    const grading = new Regrading({
      plan,
      collector,
      indexOf,
      formerEvaluators,
      rows,
      signal,
      budget: budgets.port.run,
    });
    await grading.run(readOutputs(dir), maxWorkers);
    const graded = collector.close();
    const spent = budgets.run === null ? null : { rows: graded, budget: budgets.run, besides };
    notes.push(
      ...grading.listNotes(),
      ...(spent === null ? [] : formatSpendingNotes(spent, { unheld: [], systems: [] })),
    );
    const timing = buildTiming(startedAt, { times, trials: grading.graded, cachedTrials: 0 });
    const runDir = store.journal?.dir ?? null;
    const budget = spent === null ? undefined : createReceipt(spent);
    const result = new RunResult({ rows: graded, metrics, config, timing, budget, runDir, notes });
    if (store.journal !== null) storeResult(store.journal, result);
    return result;
  } finally {
    store.journal?.close();
  }
}

/** Fails if no example matches a row: nothing would be graded. */
/** It may have been given to the command that started the run. */
function keepExpertCost(dataset: DatasetConfig, { datasets }: EvalConfig): DatasetConfig {
  const cost = datasets.find(({ name }) => name === dataset.name)?.expertCostUsd;
  return cost === undefined ? dataset : { ...dataset, expertCostUsd: cost };
}

function requireKnownExamples(rows: readonly EvalRow[], indexOf: RowLookup, { runId, config }: Manifest): void {
  if (rows.some((row) => indexOf(row) !== undefined)) return;
  const names = config.datasets.map(({ name }) => name || "examples").join(", ");
  throw new RunFolderError(`No example belongs to ${runId} (${names}). Examples are matched by dataset name and id.`);
}

const GRADED_SUFFIX = ", graded again";
const GRADED_PATTERN = new RegExp(`${GRADED_SUFFIX}$`);

/** A system known only from its stored rows. */
function createStoredSystem(name: string, { systems }: Manifest): System {
  const record = systems[name];
  return {
    name,
    isRecorded: true,
    process: () => ({}),
    // Its outputs exist, whatever it was asked.
    listInputTexts: () => [],
    fingerprint: () => record?.fingerprint ?? name,
    ...(record?.model === undefined ? {} : { model: record.model }),
    ...(record?.prompt === undefined ? {} : { prompt: record.prompt }),
    ...(record?.limits === undefined ? {} : { limits: record.limits }),
  };
}

/** Outputs belong to the examples they were made for: changed examples require `allowChanged`. */
function checkSameExamples(plan: Plan, { config, runId }: Manifest, allowChanged: boolean): string[] {
  return describePlanDatasets(plan).flatMap(({ name, fingerprint }) => {
    const before = config.datasets.find((dataset) => dataset.name === name);
    if (before?.fingerprint === fingerprint) return [];
    const shown = name || "the dataset";
    if (before === undefined && config.datasets.length > 0 && !allowChanged)
      throw new RunFolderError(
        `${runId} was not run on ${shown}, but on ${config.datasets.map((dataset) => dataset.name).join(", ")}.`,
      );
    if (!allowChanged)
      throw new RunFolderError(
        `${shown} has changed since ${runId} was made. To grade its outputs with the current examples, pass --dataset FILE (allowChanged: true).`,
      );
    return [`${shown} has changed since ${runId} was made: its outputs are graded with the current examples`];
  });
}
