import { type BudgetOptions, type Budgets, budgetNotes, budgetsOf, createReceipt } from "./budgets.js";
import type { Dataset } from "./core/dataset.js";
import { messageOf } from "./core/errors.js";
import type { Evaluator } from "./core/evaluator.js";
import type { ExampleSource } from "./core/example.js";
import type { Metric } from "./core/metric.js";
import type { EvalResult, Timing } from "./core/result.js";
import type { System } from "./core/system.js";
import type { Tokenizer } from "./core/tokenizer.js";
import { type StandardMetrics, standardMetrics } from "./metrics/index.js";
import { type PreparedRun, prepareEvaluators, prepareRun, termsOf } from "./prepared-run.js";
import type { QueueOptions, QueueRun } from "./queue-run.js";
import { RunResult } from "./result.js";
import type { BesideRows, Earlier } from "./runner/ledger.js";
import { stopNotes } from "./runner/not-run.js";
import type { OutagePolicy } from "./runner/outage.js";
import type { Progress, RunPorts } from "./runner/ports.js";
import type { RetryPolicy } from "./runner/retry.js";
import { run } from "./runner/run.js";
import { SystemTimes } from "./runner/system-times.js";
import { type OpenRun, openRun } from "./store/open-run.js";
import { storeResult } from "./store-result.js";
import { memoTokenizer } from "./tokens/index.js";

export interface EvaluateOptions {
  /** What is measured: one or more, each with a name of its own. */
  systems: readonly System[];
  /** The examples: any sync or async iterable, or a loaded dataset. */
  dataset?: ExampleSource | Dataset;
  /** Several datasets, each with its own evaluators and primary field. */
  datasets?: readonly (ExampleSource | Dataset)[];
  /** Used for every dataset; left out, each dataset's own are. */
  evaluators?: readonly Evaluator[];
  /**
   * Computed beside the standard ones for this number of systems and datasets; one of the same name takes the place of
   * the standard one. There is no way to leave the standard ones out: read the keys you need.
   */
  metrics?: readonly Metric[];
  /** The field that decides pass or fail; left out, each dataset's primary field. */
  scoreField?: string;
  /** Passing means at least this much; 0.7 unless given. */
  threshold?: number;
  trials?: number;
  seed?: number;
  /** Trials at a time; 8 unless given. */
  maxWorkers?: number;
  /** What the run and each of its trials may cost, in dollars. */
  budget?: BudgetOptions;
  /** How calls that fail before any output are made again; five times within two minutes of waiting unless given. */
  retry?: Partial<RetryPolicy>;
  /** What is done about an endpoint that is down: given up after 60 s (`giveUpAfterMs`) unless given. */
  outage?: Partial<OutagePolicy>;
  /** Where outputs are kept by content, so that running again does the missing work only. */
  cacheDir?: string;
  /** Where run folders go; left out, the run is not kept. */
  runsDir?: string;
  /** A run folder to go on with: only its missing and failed trials are run. */
  resume?: string;
  title?: string;
  /** "cl100k_base" unless given. */
  tokenizer?: string | Tokenizer;
  /** Leave out examples that cannot be run instead of stopping at the first. */
  skipBadRows?: boolean;
  /** Stops the run: what is finished is kept, the rest is skipped. */
  signal?: AbortSignal;
  onProgress?: (progress: Progress) => void;
  /** Told what happened on the way that says nothing about the result, such as a torn line that was dropped on resume. */
  onNote?: (note: string) => void;
  /** Kept in the run's manifest, for whoever wants to start it again. */
  invocation?: unknown;
  /** The address of a Redis: the trials are run by workers, on any number of machines. */
  queue?: string | QueueOptions;
}

/** Texts whose token counts are remembered, by their length. */
const MEMO_CHARS = 16_000_000;

/**
 * Measures systems on a dataset.
 * @example
 * const result = await evaluate({ systems: [mySystem], dataset, evaluators: [new AnswerQuality()], scoreField: "f1" });
 * console.log(result.toTable());
 */
export function evaluate(options: EvaluateOptions): Promise<EvalResult> {
  return evaluateWith(standardMetrics, options);
}

/** `evaluate` for runs of a kind that has other standard metrics. */
export async function evaluateWith(standard: StandardMetrics, options: EvaluateOptions): Promise<EvalResult> {
  const prepared = await prepareRun(options, standard);
  const { plan, config, metrics, cache } = prepared;
  const queue = options.queue === undefined ? null : await openQueue(options.queue);
  try {
    // Over a queue, workers score, and what scoring needs has to be there.
    if (queue === null) await prepareEvaluators(plan);
    const notes = [...plan.notes];
    const store = openRun(plan, config, options);
    const startedAt = new Date();
    const times = new SystemTimes(() => performance.now());
    try {
      for (const note of store.notes) options.onNote?.(note);
      const { spentUsd, rows: before } = store.earlier;
      const budgets = budgetsOf(options.budget, {
        systems: plan.systems,
        spentUsd,
        terms: termsOf(plan),
        rows: before.values(),
      });
      const ports = portsOf(prepared, {
        budgets,
        store,
        times,
        onProgress: progressTo(options.onProgress, notes) ?? null,
      });
      const rows =
        queue === null ? await run(plan, ports, store.earlier) : await queue.run({ prepared, ports, store, options });
      const budget = queue?.budget ?? budgets.run;
      const spent = budget === null ? null : { rows, budget, besides: besidesOf(store.earlier, queue) };
      notes.push(...(queue?.notes ?? []), ...stopNotes(rows));
      if (spent !== null) notes.push(...budgetNotes(spent, { unheld: budgets.unheld, systems: config.systems }));
      const started = rows.reduce((count, { outcome }) => count + (outcome === "skipped" ? 0 : 1), 0);
      const cachedTrials = queue?.cachedTrials ?? cache?.hits ?? 0;
      const timing = timingOf(startedAt, { times, trials: started - store.earlier.rows.size, cachedTrials });
      const runDir = store.journal?.dir ?? null;
      const result = new RunResult({
        rows,
        metrics,
        config,
        timing,
        budget: spent === null ? undefined : createReceipt(spent),
        runDir,
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

async function openQueue(queue: NonNullable<EvaluateOptions["queue"]>): Promise<QueueRun> {
  const { QueueRun } = await import("./queue-run.js");
  return QueueRun.open(typeof queue === "string" ? { url: queue } : queue);
}

function besidesOf({ besides }: Earlier, queue: QueueRun | null): BesideRows {
  return { ...besides, repeatedUsd: besides.repeatedUsd + (queue?.repeatedUsd ?? 0) };
}

/** What goes with a run besides its plan. */
interface Surroundings {
  budgets: Budgets;
  store: OpenRun;
  times: SystemTimes;
  onProgress: RunPorts["onProgress"];
}

function portsOf({ tokenizer, cache, signal, maxWorkers, retry, outage }: PreparedRun, around: Surroundings): RunPorts {
  return {
    clock: () => performance.now(),
    tokenizer: memoTokenizer(tokenizer, { maxChars: MEMO_CHARS }),
    cache,
    sink: around.store.journal,
    signal,
    maxWorkers,
    budget: around.budgets.port,
    retry,
    outage,
    whenIdle,
    onProgress: around.onProgress,
    times: around.times,
  };
}

/** Node ends a process that waits for nothing, whatever promises are open. */
function whenIdle(callback: () => void): () => void {
  process.on("beforeExit", callback);
  return () => process.off("beforeExit", callback);
}

/** Tells the caller how far a run is. A callback that throws is not called again, and costs a note instead of the run. */
export function progressTo(
  callback: EvaluateOptions["onProgress"],
  notes: string[],
): EvaluateOptions["onProgress"] | null {
  let isBroken = callback === undefined;
  return (progress) => {
    if (isBroken) return;
    try {
      callback?.(progress);
    } catch (error) {
      isBroken = true;
      notes.push(`onProgress failed and was not called again: ${messageOf(error)}`);
    }
  };
}

interface Timed {
  times: SystemTimes;
  trials: number;
  cachedTrials: number;
}

export function timingOf(started: Date, { times, trials, cachedTrials }: Timed): Timing {
  const wallSeconds = times.elapsedSeconds();
  return {
    startedAt: started.toISOString(),
    finishedAt: new Date().toISOString(),
    wallSeconds,
    wallSecondsBySystem: times.secondsBySystem(),
    trialsPerSecond: wallSeconds === 0 ? trials : trials / wallSeconds,
    cachedTrials,
  };
}
