import { resolve } from "node:path";
import type { Dataset } from "../core/dataset.js";
import { BudgetError, UsageError } from "../core/errors.js";
import type { Evaluator } from "../core/evaluator.js";
import type { Example, ExampleSource } from "../core/example.js";
import type { Metric } from "../core/metric.js";
import type { EvalConfig } from "../core/result.js";
import { describe, requireShape } from "../core/shape.js";
import { didYouMean } from "../core/suggest.js";
import type { Tokenizer } from "../core/tokenizer.js";
import { type StandardMetrics, standardMetrics, withStandard } from "../metrics/index.js";
import { loadTokenizer } from "../models/tokens/index.js";
import { DEFAULT_OUTAGE, type OutagePolicy } from "../runner/gate.js";
import { describeDatasets, makePlan, type Plan, requireCount } from "../runner/plan.js";
import { DEFAULT_RETRY, type RetryPolicy } from "../runner/retry.js";
import { FileOutputCache } from "../store/output-cache.js";
import { budgetsOf } from "./budgets.js";
import type { EvaluateOptions } from "./options.js";

export const DEFAULT_WORKERS = 8;

/** A run as its options describe it, checked and laid out, before anything is opened or spent. */
export interface PreparedRun {
  plan: Plan;
  config: EvalConfig;
  metrics: readonly Metric[];
  tokenizer: Tokenizer;
  retry: RetryPolicy;
  outage: OutagePolicy;
  cache: FileOutputCache | null;
  maxWorkers: number;
  signal: AbortSignal;
}

/** Checks the options of a run and makes its plan. */
export async function prepareRun(
  options: EvaluateOptions,
  standard: StandardMetrics = standardMetrics,
): Promise<PreparedRun> {
  checkOptions(options);
  const datasets = datasetsOf(options);
  // The plan says what is wrong with the systems; here they may be missing.
  const always = standard(options.systems?.length ?? 0, datasets.length);
  const metrics = withStandard(checkMetrics(options.metrics ?? []), always);
  const { maxWorkers = DEFAULT_WORKERS, signal = new AbortController().signal } = options;
  requireCount("maxWorkers", maxWorkers);
  const tokenizer = tokenizerOf(options.tokenizer);
  const plan = await makePlan({ ...options, datasets, metrics });
  const config = configOf(plan, { metrics, tokenizer, title: options.title });
  const retry = retryOf(options.retry);
  const outage = outageOf(options.outage);
  // A budget that cannot be kept ends the command.
  budgetsOf(options.budget, { systems: plan.systems, spentUsd: 0, terms: termsOf(plan) });
  if (options.budget?.run !== undefined) await requireGradingPrices(plan);
  const cache = options.cacheDir === undefined ? null : new FileOutputCache(resolve(options.cacheDir));
  return { plan, config, metrics, tokenizer, retry, outage, cache, maxWorkers, signal };
}

/** The terms of each dataset of a plan; null for one that is run as the systems say. */
export function termsOf({ wirings }: Plan): Plan["wirings"][number]["terms"][] {
  return wirings.map(({ terms }) => terms);
}

/** What an evaluator lacks is said before anything is opened or spent. */
export async function prepareEvaluators({ wirings }: Plan): Promise<void> {
  const evaluators = new Set(wirings.flatMap((wiring) => wiring.evaluators));
  for (const evaluator of evaluators) await evaluator.prepare?.();
}

/** An evaluator that asks models by the example, and can tell what that costs. */
interface PaidByExample extends Evaluator {
  findPrices(): Promise<void>;
  estimate: NonNullable<Evaluator["estimate"]>;
}

/** What a judge without a price spends could not be held to the budget of the run. */
async function requireGradingPrices({ wirings, examples, wiringOf }: Plan): Promise<void> {
  for (const [wiring, { evaluators, dataset }] of wirings.entries()) {
    for (const evaluator of evaluators.filter(isPaidByExample)) {
      await evaluator.findPrices();
      const costOf = (example: Example) => evaluator.estimate(example, { count: () => 0, answerTokens: 0 }).low;
      const unpriced = examples.find((example, i) => wiringOf[i] === wiring && costOf(example) === null);
      if (unpriced === undefined) continue;
      throw new BudgetError(
        `There is a budget in dollars, but no price is known for a model that grades "${unpriced.id}" of ${dataset || "the dataset"}. Give \`pricing\` in models.yml, or leave the budget out.`,
      );
    }
  }
}

function isPaidByExample(evaluator: Evaluator): evaluator is PaidByExample {
  return evaluator.isPaid === true && "findPrices" in evaluator && "estimate" in evaluator;
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
  outage: true,
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
  queue: true,
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

function outageOf(given: Partial<OutagePolicy> = {}): OutagePolicy {
  const policy = { ...DEFAULT_OUTAGE, ...given };
  const { giveUpAfterMs, ...others } = policy;
  const [unknown] = Object.keys(others);
  if (unknown !== undefined)
    throw new UsageError(`\`outage\` has no part "${unknown}".${didYouMean(unknown, Object.keys(DEFAULT_OUTAGE))}`);
  if (!(typeof giveUpAfterMs === "number" && giveUpAfterMs >= 0))
    throw new UsageError(
      `outage.giveUpAfterMs must be milliseconds from 0 up, or Infinity, but is ${describe(giveUpAfterMs)}.`,
    );
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
