import { resolve } from "node:path";
import type {
  Dataset,
  Effort,
  EvalConfig,
  Evaluator,
  Example,
  ExampleSource,
  ExpertCosts,
  Metric,
  MetricChoice,
  RetryPolicy,
  StoredBaseline,
  Tokenizer,
  UntilConfig,
} from "../core/index.js";
import {
  addExpertCosts,
  BudgetError,
  DEFAULT_RETRY,
  describeValue,
  didYouMean,
  getErrorMessage,
  listChosenMetrics,
  requireShape,
  UsageError,
} from "../core/index.js";
import { type StandardMetrics, selectMetrics, standardMetrics, type UntilOptions } from "../metrics/index.js";
import { resolveTokenizer } from "../models/index.js";
import {
  DEFAULT_OUTAGE,
  describePlanDatasets,
  listPlanTerms,
  makePlan,
  type OutagePolicy,
  type Plan,
  requirePositiveInteger,
} from "../runner/index.js";
import { FileOutputCache, readManifest } from "../store/index.js";
import { createBudgets } from "./budgets.js";
import { checkEvaluateOptions, type EvaluateOptions } from "./options.js";

export const DEFAULT_MAX_WORKERS = 8;

/** A checked and planned run, before anything is opened or spent. */
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

/** Checks the options of a run and creates its plan. */
export async function prepareRun(
  options: EvaluateOptions,
  standard: StandardMetrics = standardMetrics,
): Promise<PreparedRun> {
  checkEvaluateOptions(options);
  const datasets = listRunDatasets(options);
  // `makePlan` reports missing systems.
  const always = standard(options.systems?.length ?? 0, datasets.length);
  const metrics = selectMetrics(checkMetrics(options.metrics ?? []), always);
  const { maxWorkers = DEFAULT_MAX_WORKERS, signal = new AbortController().signal } = options;
  requirePositiveInteger("maxWorkers", maxWorkers);
  const tokenizer = resolveTokenizer(options.tokenizer);
  const until = await resolveRunUntil(options);
  const order = until === null ? "rounds" : "tasks";
  const plan = await makePlan({ ...options, datasets, metrics, order });
  const { title, expertCostUsd } = options;
  const config = buildRunConfig(plan, { metrics, tokenizer, title, expertCostUsd, until });
  const retry = resolveRetryPolicy(options.retry);
  const outage = resolveOutagePolicy(options.outage);
  // Fails if the budget cannot be enforced.
  createBudgets(options.budget, { systems: plan.systems, spentUsd: 0, datasets: listPlanTerms(plan) });
  if (options.budget?.run !== undefined) await requireGradingPrices(plan);
  const cache = options.cacheDir === undefined ? null : new FileOutputCache(resolve(options.cacheDir));
  return { plan, config, metrics, tokenizer, retry, outage, cache, maxWorkers, signal };
}

/** Fail fast: evaluators report missing requirements before the run starts. */
export async function prepareEvaluators({ datasetPlans }: Plan): Promise<void> {
  const evaluators = new Set(datasetPlans.flatMap((datasetPlan) => datasetPlan.evaluators));
  for (const evaluator of evaluators) await evaluator.prepare?.();
}

/** An evaluator that calls models per example and can estimate the cost. */
interface PricedEvaluator extends Evaluator {
  findPrices(): Promise<void>;
  estimate: NonNullable<Evaluator["estimate"]>;
}

/** A judge without a price could not be held to the run budget. */
async function requireGradingPrices({ datasetPlans, examples, datasetIndexes }: Plan): Promise<void> {
  for (const [datasetPlan, { evaluators, dataset }] of datasetPlans.entries()) {
    for (const evaluator of evaluators.filter(isPricedEvaluator)) {
      await evaluator.findPrices();
      const costOf = (example: Example) => evaluator.estimate(example, { count: () => 0, answerTokens: 0 }).low;
      const unpriced = examples.find((example, i) => datasetIndexes[i] === datasetPlan && costOf(example) === null);
      if (unpriced === undefined) continue;
      throw new BudgetError(
        `The run has a budget in dollars, but no price is known for a model that grades "${unpriced.id}" of ${dataset || "the dataset"}. Set \`pricing\` in models.yml, or remove the budget.`,
      );
    }
  }
}

function isPricedEvaluator(evaluator: Evaluator): evaluator is PricedEvaluator {
  return evaluator.isPaid === true && "findPrices" in evaluator && "estimate" in evaluator;
}

/** A run that goes on to its last task keeps its question, so that its report keeps the guarantee. */
export async function resolveRunUntil({
  until,
  resume,
  systems,
  batches,
}: Pick<EvaluateOptions, "until" | "resume" | "systems" | "batches">): Promise<UntilConfig | null> {
  if (until === undefined) return null;
  if (until === "none" && resume !== undefined) return readManifest(resume).config.until ?? null;
  const names = systems.map(({ name }) => name);
  // Most runs have no question, and do without its code.
  const { resolveUntil } = await import("../metrics/sequential/question.js");
  const asked = typeof until === "string" ? { question: until } : until;
  const resolved = resolveUntil(asked, names, await chooseBaseline(asked, { resume, systems: names }));
  if (resolved !== null && batches !== undefined)
    throw new UsageError(
      "--until cannot be combined with --batch, which sends all trials at once. Remove one of them.",
    );
  return resolved;
}

/** A resumed run keeps the baseline that it was started with. */
async function chooseBaseline(
  { against, againstSystem }: UntilOptions,
  { resume, systems }: { resume: string | undefined; systems: readonly string[] },
): Promise<StoredBaseline | undefined> {
  if (resume !== undefined) return readManifest(resume).config.until?.against;
  if (against === undefined) return undefined;
  const { chooseStoredBaseline } = await import("./stored-baseline.js");
  return chooseStoredBaseline(against, { system: againstSystem, systems });
}

function listRunDatasets({ dataset, datasets }: EvaluateOptions): readonly (ExampleSource | Dataset)[] {
  const given = [...(dataset === undefined ? [] : [dataset]), ...(datasets ?? [])];
  if (given.length === 0)
    throw new UsageError("No dataset given. Set `dataset` (or `datasets`) to any iterable of examples.");
  return given;
}

export function checkMetrics(choice: MetricChoice): MetricChoice {
  requireMetricChoice(choice);
  const names = new Set<string>();
  for (const metric of listChosenMetrics(choice)) {
    requireShape<Metric>("A metric", metric, ["compute"]);
    if (names.has(metric.name)) throw new UsageError(`Two metrics are named "${metric.name}". Remove one.`);
    names.add(metric.name);
  }
  return choice;
}

/** Options come from programs without type checks, too. */
function requireMetricChoice(choice: unknown): void {
  if (Array.isArray(choice)) return;
  const keys = typeof choice === "object" && choice !== null ? Object.keys(choice) : [];
  const only = keys.length === 1 && keys[0] === "only" ? (choice as { only: unknown }).only : undefined;
  if (!Array.isArray(only))
    throw new UsageError(
      `\`metrics\` must be a list of metrics, or { only: [...] } to replace the standard ones, but is ${describeValue(choice)}.`,
    );
  if (only.length === 0) throw new UsageError("`metrics.only` names no metric. Name one, or leave `metrics` out.");
}

function resolveRetryPolicy(given: Partial<RetryPolicy> = {}): RetryPolicy {
  const unknown = Object.keys(given).find((key) => !Object.hasOwn(DEFAULT_RETRY, key));
  if (unknown !== undefined)
    throw new UsageError(`\`retry\` has no key "${unknown}".${didYouMean(unknown, Object.keys(DEFAULT_RETRY))}`);
  const policy = { ...DEFAULT_RETRY, ...given };
  for (const [key, value] of Object.entries(policy)) {
    if (!(Number.isInteger(value) && value >= 0))
      throw new UsageError(`retry.${key} must be a whole number of 0 or more, but is ${describeValue(value)}.`);
  }
  return policy;
}

function resolveOutagePolicy(given: Partial<OutagePolicy> = {}): OutagePolicy {
  const policy = { ...DEFAULT_OUTAGE, ...given };
  const { giveUpAfterMs, ...others } = policy;
  const [unknown] = Object.keys(others);
  if (unknown !== undefined)
    throw new UsageError(`\`outage\` has no key "${unknown}".${didYouMean(unknown, Object.keys(DEFAULT_OUTAGE))}`);
  if (!(typeof giveUpAfterMs === "number" && giveUpAfterMs >= 0))
    throw new UsageError(
      `outage.giveUpAfterMs must be a number of milliseconds of 0 or more, or Infinity, but is ${describeValue(giveUpAfterMs)}.`,
    );
  return policy;
}

export function buildRunConfig(
  plan: Plan,
  extra: {
    metrics: readonly Metric[];
    tokenizer: Tokenizer;
    until?: UntilConfig | null;
    title: string | undefined;
    expertCostUsd?: ExpertCosts | undefined;
  },
): EvalConfig {
  const described = describePlanDatasets(plan);
  const datasets =
    extra.expertCostUsd === undefined
      ? described
      : addExpertCosts(described, extra.expertCostUsd, "--expert-cost (expertCostUsd)");
  const names = datasets.map(({ name }) => name || "examples").join(" + ");
  const evaluators = new Set(
    plan.datasetPlans.flatMap((datasetPlan) => datasetPlan.evaluators.map(({ name }) => name)),
  );
  return {
    title: extra.title ?? `${names}: ${describePlanSystems(plan)}`,
    systems: plan.systems.map(({ name }) => name),
    datasets,
    evaluators: [...evaluators],
    metrics: extra.metrics.map(({ name }) => name),
    scoreField: plan.scoreField,
    threshold: plan.threshold,
    trials: plan.trials,
    seed: plan.seed,
    tokenizer: extra.tokenizer.name ?? "custom",
    ...describeEfforts(plan.systems.map(({ name, effort }) => [name, effort])),
    ...(extra.until == null ? {} : { until: extra.until }),
    ...describeArms(plan),
  };
}

/** The efforts of the systems, for the config of a run; empty if none was set. */
export function describeEfforts(
  systems: readonly (readonly [name: string, effort: Effort | undefined])[],
): Pick<EvalConfig, "efforts"> {
  const known = systems.flatMap(([name, effort]) => (effort === undefined ? [] : [[name, effort] as const]));
  return known.length === 0 ? {} : { efforts: Object.fromEntries(known) };
}

function describePlanSystems({ systems }: Plan): string {
  const stressed = new Set(systems.flatMap(({ arm }) => arm?.system ?? []));
  return stressed.size === 0
    ? systems.map(({ name }) => name).join(", ")
    : `stress test of ${[...stressed].join(", ")}`;
}

function describeArms({ systems }: Plan): Pick<EvalConfig, "arms"> {
  const arms = systems.flatMap(({ name, arm }) => (arm === undefined ? [] : [[name, arm] as const]));
  return arms.length === 0 ? {} : { arms: Object.fromEntries(arms) };
}

/** Wraps the progress callback. If it throws, it is not called again, and a note is added instead of failing the run. */
export function createProgressCallback(
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
      notes.push(`onProgress failed and was not called again: ${getErrorMessage(error)}`);
    }
  };
}
