import { resolve } from "node:path";
import { type BudgetOptions, budgetNotes, budgetsOf } from "./budgets.js";
import type { Dataset } from "./core/dataset.js";
import { BudgetError, messageOf, UsageError } from "./core/errors.js";
import type { Evaluator } from "./core/evaluator.js";
import type { Example, ExampleSource } from "./core/example.js";
import type { Metric } from "./core/metric.js";
import type { EvalConfig, EvalResult, Timing } from "./core/result.js";
import { describe, requireShape } from "./core/shape.js";
import { didYouMean } from "./core/suggest.js";
import type { System } from "./core/system.js";
import type { Tokenizer } from "./core/tokenizer.js";
import { standardMetrics } from "./metrics/index.js";
import { RunResult } from "./result.js";
import { describeDatasets, makePlan, type Plan, requireCount } from "./runner/plan.js";
import type { Progress, RunPorts } from "./runner/ports.js";
import { DEFAULT_RETRY, type RetryPolicy } from "./runner/retry.js";
import { run } from "./runner/run.js";
import { openRun } from "./store/open-run.js";
import { FileOutputCache } from "./store/output-cache.js";
import { storeResult } from "./store-result.js";
import { loadTokenizer, memoTokenizer } from "./tokens/index.js";

export interface EvaluateOptions {
  /** What is measured: one or more, each with a name of its own. */
  systems: readonly System[];
  /** The examples: any sync or async iterable, or a loaded dataset. */
  dataset?: ExampleSource | Dataset;
  /** Several datasets, each with its own evaluators and primary field. */
  datasets?: readonly (ExampleSource | Dataset)[];
  /** Used for every dataset; left out, each dataset's own are. */
  evaluators?: readonly Evaluator[];
  /** Left out: the standard ones for this number of systems and datasets. */
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
}

export const DEFAULT_WORKERS = 8;
/** Texts whose token counts are remembered, by their length. */
const MEMO_CHARS = 16_000_000;

/**
 * Measures systems on a dataset.
 * @example
 * const result = await evaluate({ systems: [mySystem], dataset, evaluators: [new AnswerQuality()], scoreField: "f1" });
 * console.log(result.toTable());
 */
export async function evaluate(options: EvaluateOptions): Promise<EvalResult> {
  checkOptions(options);
  const datasets = datasetsOf(options);
  // The plan says what is wrong with the systems; here they may be missing.
  const metrics = checkMetrics(options.metrics ?? standardMetrics(options.systems?.length ?? 0, datasets.length));
  const { maxWorkers = DEFAULT_WORKERS, signal = new AbortController().signal } = options;
  requireCount("maxWorkers", maxWorkers);
  const tokenizer = tokenizerOf(options.tokenizer);
  const plan = await makePlan({ ...options, datasets, metrics });
  const config = configOf(plan, { metrics, tokenizer, title: options.title });
  const retry = retryOf(options.retry);
  // Before anything is opened or spent: a budget that cannot be kept ends the command.
  const terms = plan.wirings.map((wiring) => wiring.terms);
  budgetsOf(options.budget, { systems: plan.systems, spentUsd: 0, terms });
  await prepareEvaluators(plan);
  if (options.budget?.run !== undefined) await requireGradingPrices(plan);
  const cache = options.cacheDir === undefined ? null : new FileOutputCache(resolve(options.cacheDir));
  const notes = [...plan.notes];
  const store = openRun(plan, config, options);
  const startedAt = new Date();
  try {
    for (const note of store.notes) options.onNote?.(note);
    const budgets = budgetsOf(options.budget, { systems: plan.systems, spentUsd: store.earlier.spentUsd, terms });
    const ports: RunPorts = {
      clock: () => performance.now(),
      tokenizer: memoTokenizer(tokenizer, { maxChars: MEMO_CHARS }),
      cache,
      sink: store.journal,
      signal,
      maxWorkers,
      budget: budgets.port,
      retry,
      whenIdle,
      onProgress: progressTo(options.onProgress, notes) ?? null,
    };
    const rows = await run(plan, ports, store.earlier);
    notes.push(...budgetNotes(rows, budgets));
    const started = rows.filter(({ outcome }) => outcome !== "skipped").length;
    const timing = timingOf(startedAt, { trials: started - store.earlier.rows.size, cachedTrials: cache?.hits ?? 0 });
    const runDir = store.journal?.dir ?? null;
    const result = new RunResult({ rows, metrics, config, timing, runDir, notes });
    if (store.journal !== null) storeResult(store.journal, result);
    return result;
  } finally {
    store.journal?.close();
  }
}

/** What an evaluator lacks is said before anything is opened or spent. */
export async function prepareEvaluators({ wirings }: Plan): Promise<void> {
  const evaluators = new Set(wirings.flatMap((wiring) => wiring.evaluators));
  for (const evaluator of evaluators) await evaluator.prepare?.();
}

/** An evaluator that asks models by the example, and can tell what that costs. */
interface PaidByExample extends Evaluator {
  findPrices(): Promise<void>;
  estimate(example: Example, forecast: { count: () => number; answerTokens: number }): { low: number | null };
}

/** What a judge without a price spends could not be held to the budget of the run. */
async function requireGradingPrices({ wirings, examples, wiringOf }: Plan): Promise<void> {
  for (const [wiring, { evaluators, dataset }] of wirings.entries()) {
    for (const evaluator of evaluators.filter(isPaidByExample)) {
      await evaluator.findPrices();
      const costOf = (example: Example) => evaluator.estimate(example, { count: () => 0, answerTokens: 0 }).low;
      const unpriced = examples.find(
        (example, i) => example !== null && wiringOf[i] === wiring && costOf(example) === null,
      );
      if (unpriced == null) continue;
      throw new BudgetError(
        `There is a budget in dollars, but no price is known for a model that grades "${unpriced.id}" of ${dataset || "the dataset"}. Give \`pricing\` in models.yml, or leave the budget out.`,
      );
    }
  }
}

function isPaidByExample(evaluator: Evaluator): evaluator is PaidByExample {
  return evaluator.isPaid === true && "findPrices" in evaluator && "estimate" in evaluator;
}

/** Node ends a process that waits for nothing, whatever promises are open. */
function whenIdle(callback: () => void): () => void {
  process.on("beforeExit", callback);
  return () => process.off("beforeExit", callback);
}

const OPTIONS: Readonly<Record<keyof EvaluateOptions, true>> = {
  systems: true,
  dataset: true,
  datasets: true,
  evaluators: true,
  metrics: true,
  scoreField: true,
  threshold: true,
  trials: true,
  seed: true,
  maxWorkers: true,
  budget: true,
  retry: true,
  cacheDir: true,
  runsDir: true,
  resume: true,
  title: true,
  tokenizer: true,
  skipBadRows: true,
  signal: true,
  onProgress: true,
  onNote: true,
  invocation: true,
};

/** An option that is not known would be a limit or a setting silently ignored. */
function checkOptions(options: EvaluateOptions): void {
  const unknown = Object.keys(options).find((key) => !Object.hasOwn(OPTIONS, key));
  if (unknown !== undefined) {
    throw new UsageError(`evaluate() has no option "${unknown}".${didYouMean(unknown, Object.keys(OPTIONS))}`);
  }
}

function datasetsOf({ dataset, datasets }: EvaluateOptions): readonly (ExampleSource | Dataset)[] {
  const given = [...(dataset === undefined ? [] : [dataset]), ...(datasets ?? [])];
  if (given.length === 0)
    throw new UsageError("There is no dataset. Give `dataset` (or `datasets`): anything that yields examples.");
  return given;
}

export function checkMetrics(metrics: readonly Metric[]): readonly Metric[] {
  const names = new Set<string>();
  for (const metric of metrics) {
    requireShape<Metric>("A metric", metric, ["compute"]);
    if (names.has(metric.name)) throw new UsageError(`Two metrics have the name "${metric.name}". Leave one out.`);
    names.add(metric.name);
  }
  return metrics;
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

function retryOf(given: Partial<RetryPolicy> = {}): RetryPolicy {
  const unknown = Object.keys(given).find((key) => !Object.hasOwn(DEFAULT_RETRY, key));
  if (unknown !== undefined)
    throw new UsageError(`\`retry\` has no part "${unknown}".${didYouMean(unknown, Object.keys(DEFAULT_RETRY))}`);
  const policy = { ...DEFAULT_RETRY, ...given };
  for (const [key, value] of Object.entries(policy)) {
    if (!(Number.isInteger(value) && value >= 0))
      throw new UsageError(`retry.${key} must be a whole number from 0 up, but is ${describe(value)}.`);
  }
  return policy;
}

function tokenizerOf(tokenizer: string | Tokenizer = "cl100k_base"): Tokenizer {
  if (typeof tokenizer === "string") return loadTokenizer(tokenizer);
  if (typeof tokenizer?.count === "function") return tokenizer;
  throw new UsageError("The tokenizer must be a name or an object with a method count(text).");
}

export function configOf(
  plan: Plan,
  extra: { metrics: readonly Metric[]; tokenizer: Tokenizer; title: string | undefined },
): EvalConfig {
  const datasets = describeDatasets(plan);
  const names = datasets.map(({ name }) => name || "examples").join(" + ");
  const evaluators = new Set(plan.wirings.flatMap((wiring) => wiring.evaluators.map(({ name }) => name)));
  return {
    title: extra.title ?? `${names}: ${plan.systems.map(({ name }) => name).join(", ")}`,
    systems: plan.systems.map(({ name }) => name),
    datasets,
    evaluators: [...evaluators],
    metrics: extra.metrics.map(({ name }) => name),
    scoreField: plan.scoreField,
    threshold: plan.threshold,
    trials: plan.trials,
    seed: plan.seed,
    tokenizer: extra.tokenizer.name ?? "custom",
  };
}

export function timingOf(started: Date, { trials, cachedTrials }: { trials: number; cachedTrials: number }): Timing {
  const finished = new Date();
  const wallSeconds = (finished.getTime() - started.getTime()) / 1000;
  return {
    startedAt: started.toISOString(),
    finishedAt: finished.toISOString(),
    wallSeconds,
    trialsPerSecond: wallSeconds === 0 ? trials : trials / wallSeconds,
    cachedTrials,
  };
}
