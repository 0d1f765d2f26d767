import type { EvalResult, EvalRow, Metric } from "./core/index.js";
import { type StandardMetrics, type StandardSummary, standardMetrics } from "./metrics/index.js";
import { memoTokenizer } from "./models/index.js";
import { RunResult } from "./report/index.js";
import type { CanaryResult, EarlierResults, RunPorts, UnreportedSpend } from "./runner/index.js";
import { buildTiming, describeStoppedSystems, listPlanTerms, runPlan, SystemTimer } from "./runner/index.js";
import type { EvaluateOptions, QueueRun } from "./runs/index.js";
import {
  createBudgets,
  createProgressCallback,
  createReceipt,
  describeBatchedTrials,
  describeCanaries,
  describePrices,
  formatBudgetNotes,
  type PreparedRun,
  prepareEvaluators,
  prepareRun,
  type RunBudgets,
  storeResult,
} from "./runs/index.js";
import { type OpenRun, openRunStore } from "./store/index.js";

export type { EvaluateOptions } from "./runs/index.js";

/** Total characters of the texts whose token counts are cached. */
const MAX_MEMO_CHARS = 16_000_000;

/**
 * Evaluates systems on a dataset.
 * @example
 * const result = await evaluate({ systems: [mySystem], dataset, evaluators: [new AnswerQuality()], scoreField: "f1" });
 * console.log(result.toTable());
 */
export function evaluate<SystemName extends string, MetricKey extends string = never>(
  options: EvaluateOptions<SystemName, MetricKey> & { metrics?: readonly Metric<MetricKey>[] },
): Promise<EvalResult<SystemName, StandardSummary<MetricKey>>>;
/** With `metrics: { only }` the summary may have any keys. */
export function evaluate<SystemName extends string>(
  options: EvaluateOptions<SystemName>,
): Promise<EvalResult<SystemName>>;
export function evaluate(options: EvaluateOptions): Promise<EvalResult> {
  return evaluateWith(standardMetrics, options);
}

/** `evaluate` with other standard metrics. */
export async function evaluateWith(standard: StandardMetrics, options: EvaluateOptions): Promise<EvalResult> {
  const prepared = await prepareRun(options, standard);
  const { plan, config, metrics, cache } = prepared;
  // Most runs have no question, and do without its code.
  const sequential = config.until === undefined ? null : await import("./runs/sequential-run.js");
  const queue = options.queue === undefined ? null : await openQueue(options.queue);
  try {
    // With a queue the workers score, so they prepare the evaluators.
    if (queue === null) await prepareEvaluators(plan);
    const baseline = await loadBaseline(prepared, options);
    const notes = [...plan.notes, ...describePrices(plan.systems), ...baseline.notes];
    const store = openRunStore(plan, config, options);
    const startedAt = new Date();
    const times = new SystemTimer(() => performance.now());
    try {
      if (store.journal !== null && options.resume === undefined) baseline.store(store.journal.dir);
      const limits = options.resume === undefined ? sequential?.describeRunLimits(plan, config) : [];
      for (const note of [...store.notes, ...(limits ?? [])]) options.onNote?.(note);
      options.batches?.attach(
        plan.systems.map(({ name }) => name),
        store.journal?.openBatches(),
      );
      const { spentUsd, rows: before } = store.earlier;
      const budgets = createBudgets(options.budget, {
        systems: plan.systems,
        spentUsd,
        datasets: listPlanTerms(plan),
        rows: before.values(),
      });
      const canaries: CanaryResult[] = [];
      const ports = buildRunPorts(prepared, {
        budgets,
        store,
        times,
        stopRule: options.until === "none" ? undefined : sequential?.createStopRule(plan, config, baseline.rows),
        onProgress: createProgressCallback(options.onProgress, notes) ?? null,
        onCanary: (result) => void canaries.push(result),
      });
      const rows =
        queue === null
          ? await runPlan(plan, ports, store.earlier)
          : await queue.run({ prepared, ports, store, options });
      const budget = queue?.budget ?? budgets.run;
      const besides = addCanaries(addQueueSpend(store.earlier, queue), canaries);
      const spent = budget === null ? null : { rows, budget, besides };
      notes.push(...(queue?.notes ?? []), ...describeCanaries(canaries), ...describeStoppedSystems(rows));
      if (options.batches !== undefined) notes.push(...describeBatchedTrials(rows, plan.systems));
      if (spent !== null) notes.push(...formatBudgetNotes(spent, { unheld: budgets.unheld, systems: config.systems }));
      const started = rows.reduce((count, { outcome }) => count + (outcome === "skipped" ? 0 : 1), 0);
      const cachedTrials = queue?.cachedTrials ?? cache?.hits ?? 0;
      const timing = buildTiming(startedAt, { times, trials: started - store.earlier.rows.size, cachedTrials });
      const runDir = store.journal?.dir ?? null;
      const result = new RunResult({
        rows,
        metrics,
        config,
        timing,
        budget: spent === null ? undefined : createReceipt(spent),
        runDir,
        sequential: sequential?.reportSequentialRun({
          config,
          examples: plan.examples,
          rows,
          stored: baseline.rows,
        }),
        notes,
      });
      if (store.journal !== null) storeResult(store.journal, result);
      return result;
    } finally {
      store.journal?.close();
    }
  } finally {
    await queue?.close();
  }
}

interface LoadedBaseline {
  rows: readonly EvalRow[];
  notes: readonly string[];
  /** Copies the rows into the folder of the run. */
  store: (dir: string) => void;
}

/** The rows of the stored run that this one is compared with; none for most. */
async function loadBaseline(
  { plan, config }: PreparedRun,
  { until, resume }: EvaluateOptions,
): Promise<LoadedBaseline> {
  const against = config.until?.against;
  if (against === undefined) return { rows: [], notes: [], store: () => {} };
  const { loadStoredBaseline, readBaselineRows, storeBaselineRows } = await import("./runs/stored-baseline.js");
  if (resume !== undefined) return { rows: readBaselineRows(resume), notes: [], store: () => {} };
  const from = typeof until === "object" ? (until.against ?? "") : "";
  const { rows, notes } = loadStoredBaseline(from, { plan, config, against });
  return { rows, notes, store: (dir) => storeBaselineRows(dir, rows) };
}

async function openQueue(queue: NonNullable<EvaluateOptions["queue"]>): Promise<QueueRun> {
  const { QueueRun } = await import("./runs/queue-run.js");
  return QueueRun.open(typeof queue === "string" ? { url: queue } : queue);
}

function addQueueSpend({ besides }: EarlierResults, queue: QueueRun | null): UnreportedSpend {
  return { ...besides, repeatedUsd: besides.repeatedUsd + (queue?.repeatedUsd ?? 0) };
}

function addCanaries(besides: UnreportedSpend, canaries: readonly CanaryResult[]): UnreportedSpend {
  const canaryUsd = canaries.reduce((sum, { spentUsd }) => sum + spentUsd, besides.canaryUsd ?? 0);
  return { ...besides, canaryUsd };
}

interface RunPortsOptions {
  budgets: RunBudgets;
  store: OpenRun;
  times: SystemTimer;
  stopRule: RunPorts["stopRule"];
  onProgress: RunPorts["onProgress"];
  onCanary: RunPorts["onCanary"];
}

function buildRunPorts(
  { tokenizer, cache, signal, maxWorkers, retry, outage }: PreparedRun,
  around: RunPortsOptions,
): RunPorts {
  return {
    clock: () => performance.now(),
    tokenizer: memoTokenizer(tokenizer, { maxChars: MAX_MEMO_CHARS }),
    cache,
    sink: around.store.journal,
    signal,
    maxWorkers,
    budget: around.budgets.port,
    retry,
    outage,
    whenIdle: registerIdleCallback,
    onProgress: around.onProgress,
    times: around.times,
    stopRule: around.stopRule,
    onCanary: around.onCanary,
  };
}

/** Node ends a process with an empty event loop even if promises are pending. */
function registerIdleCallback(callback: () => void): () => void {
  process.on("beforeExit", callback);
  return () => process.off("beforeExit", callback);
}
