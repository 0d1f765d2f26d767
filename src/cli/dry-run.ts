import {
  estimateMaxCost,
  isFreeSystem,
  type MaxCostEstimate,
  MIN_TRIALS,
  RESERVE_MARGIN,
  toDollars,
} from "../budget/index.js";
import {
  type Evaluator,
  type Example,
  hasExampleFiles,
  type Limits,
  type Output,
  type System,
  type Tokenizer,
  type TokenPrices,
} from "../core/index.js";
import type { EstimateOptions, JudgingCost } from "../graders/index.js";
import { formatDollars, formatPlural, formatSeconds, toOneLine } from "../report/index.js";
import type { Plan } from "../runner/index.js";
import { computePromptSize, countInputTokens, countTrialsPerSystem, getExampleTerms } from "../runner/index.js";
import { detectableDifference } from "../stats/index.js";

/** A plan before anything is spent: how much work it is and which differences it can detect. */
interface PlanReport {
  schema: "assay.plan/1";
  planned: number;
  systems: string[];
  datasets: { name: string; examples: number; evaluators: string[]; passField: string | null }[];
  examples: number;
  trials: number;
  threshold: number;
  /** Of text; images and files are counted apart. */
  inputTokens: number;
  /** The most tokens of images and text files; null if there are others, such as PDF files, whose tokens are unknown. */
  fileTokens: number | null;
  /** From prompts alone to every trial at its limit; null if a price or a limit is unknown. */
  costUsd: CostRange;
  /** True if scoring costs money too, which is not part of `costUsd`. */
  isJudged: boolean;
  /** Judging cost without answers, and with answers of maximum length; null if unknown. */
  judgeCostUsd: CostRange;
  /** Dollars for the whole run; null for no limit. */
  maxCostUsd: number | null;
  /** What the run's budget reserves for a trial of each system before it starts; empty without a budget. */
  reservations: readonly PlannedReservation[];
  /** Estimated from the expected time per trial with all workers busy; null in batches, which may take a day. */
  wallSeconds: number | null;
  /** Between two pass rates, at 80 % power and the 5 % level; null if one example can detect nothing. */
  detectableDifference: number | null;
  notes: readonly string[];
}

/** What is reserved for a trial of a system until its first trials show what they cost. */
interface PlannedReservation {
  system: string;
  /** Maximum over the examples; null if unknown: then the first few trials run one by one. */
  usd: number | null;
  /** Set by its prompt and longest answer, or by the limit of a trial. */
  by: MaxCostEstimate["by"] | null;
  /** How many trials the budget lets run at a time at first, in batches: lets be submitted. */
  atOnce: number;
}

interface DryRunOptions {
  tokenizer: Tokenizer;
  maxWorkers: number;
  maxCostUsd: number | null;
  trialMaxCostUsd: number | null;
  /** True if all trials are submitted in batches. */
  isBatched?: boolean;
}

export function describePlan(plan: Plan, options: DryRunOptions & { output: string }): string {
  const report = buildPlanReport(plan, options);
  return options.output === "json"
    ? `${JSON.stringify(report, null, 2)}\n`
    : formatPlanReport(report, { unbounded: listUnboundedSystems(plan), isBatched: options.isBatched === true });
}

/** Systems whose answers have no maximum length. */
function listUnboundedSystems({ systems }: Plan): ReadonlySet<string> {
  return new Set(systems.filter(({ limits }) => limits?.maxOutputTokens === undefined).map(({ name }) => name));
}

function buildPlanReport(
  plan: Plan,
  { tokenizer, maxWorkers: given, maxCostUsd, trialMaxCostUsd, isBatched = false }: DryRunOptions,
): PlanReport {
  const { trials, systems, cells, datasetIndexes } = plan;
  const maxWorkers = isBatched ? plan.total : given;
  const n = plan.examples.length;
  const tasks = countFewestTasks(plan);
  const count = (text: string) => tokenizer.count(text);
  /** By system: the tokens sent over all its trials. */
  const sent = systems.map(() => 0);
  for (const [index, example] of plan.examples.entries()) {
    const cell = cells[datasetIndexes[index] ?? 0];
    // The same for every system without a prompt of its own, and a context may be long.
    let shared: number | undefined;
    for (const at of cell?.systems ?? []) {
      const system: Pick<System, "listInputTexts" | "skips"> = systems[at] ?? {};
      if (system.skips?.(example) === true) continue;
      const tokens = shared ?? countInputTokens({ system, example }, count);
      if (system.listInputTexts === undefined) shared = tokens;
      sent[at] = (sent[at] ?? 0) + tokens * countTrialsPerSystem(plan, index);
    }
  }
  return {
    schema: "assay.plan/1",
    planned: plan.total,
    systems: systems.map(({ name }) => name),
    datasets: plan.datasetPlans.map((datasetPlan) => ({
      name: datasetPlan.dataset || "examples",
      examples: plan.datasetIndexes.filter((index) => plan.datasetPlans[index] === datasetPlan).length,
      evaluators: datasetPlan.evaluators.map(({ name }) => name),
      passField: datasetPlan.forcedField ?? datasetPlan.primaryFields?.[0] ?? null,
    })),
    examples: n,
    trials,
    threshold: plan.threshold,
    inputTokens: sent.reduce((total, tokens) => total + tokens, 0),
    fileTokens: countPlannedFileTokens(plan),
    costUsd: estimateCostRange(plan, { sent, maxCostUsd, trialMaxCostUsd }),
    maxCostUsd,
    reservations: maxCostUsd === null ? [] : planReservations(plan, { count, maxWorkers, maxCostUsd, trialMaxCostUsd }),
    wallSeconds: isBatched ? null : estimateWallSeconds(plan, maxWorkers),
    detectableDifference:
      tasks < 2 ? null : computeTasksForPower(detectableDifference({ n: tasks, trialsA: trials, trialsB: trials })),
    isJudged: plan.datasetPlans.some(({ evaluators }) => evaluators.some(({ isPaid }) => isPaid === true)),
    judgeCostUsd: estimateJudging(plan, count),
    notes: [...plan.notes, ...describeGroups(plan)],
  };
}

function countPlannedFileTokens(plan: Plan): number | null {
  const { examples, systems, cells, datasetIndexes } = plan;
  let total = 0;
  for (const [index, example] of examples.entries()) {
    if (!hasExampleFiles(example)) continue;
    const cell = cells[datasetIndexes[index] ?? 0];
    for (const at of cell?.systems ?? []) {
      const tokens = systems[at]?.countFileTokens?.(example);
      if (tokens === null) return null;
      total += (tokens ?? 0) * countTrialsPerSystem(plan, index);
    }
  }
  return total;
}

/** The fewest tasks that a comparison of two systems is based on; not every system runs every dataset. */
function countFewestTasks({ systems, cells, datasetIndexes }: Plan): number {
  const tasks = systems.map(
    (_, index) => datasetIndexes.filter((datasetPlan) => cells[datasetPlan]?.systems.has(index)).length,
  );
  return Math.min(...tasks);
}

/** Pass rates differ by at most 1. */
function computeTasksForPower(difference: number): number | null {
  return difference <= 1 ? difference : null;
}

/** The detectable difference assumes independent examples. */
function describeGroups({ datasetPlans }: Plan): string[] {
  const fields = [...new Set(datasetPlans.flatMap(({ groupBy }) => groupBy ?? []))];
  return fields.map(
    (field) => `examples with the same ${field} are grouped: with few groups, only larger differences are detectable`,
  );
}

/** Minimum and maximum cost of the plan; systems without known prices are not counted. */
function estimateCostRange(
  plan: Plan,
  given: { sent: readonly number[]; maxCostUsd: number | null; trialMaxCostUsd: number | null },
): PlanReport["costUsd"] {
  const priced = plan.systems.flatMap(({ limits }, index) => (limits === undefined ? [] : { limits, index }));
  if (priced.length === 0 || priced.some(({ limits }) => limits.price === null)) return { low: null, high: null };
  const low = priced.reduce(
    (total, { limits, index }) => total + toDollars((given.sent[index] ?? 0) * (limits.price?.input ?? 0)),
    0,
  );
  const most = priced.map(({ limits, index }) => estimateMaxTrialCosts(plan, { limits, index, ...given }));
  const isBounded = most.every((limit) => limit !== null);
  const all = most.reduce<number>((total, limit) => total + (limit ?? 0), 0);
  const high = isBounded ? Math.max(low, all) : null;
  return { low, high: given.maxCostUsd === null ? high : Math.min(high ?? given.maxCostUsd, given.maxCostUsd) };
}

interface ReservationOptions {
  count: (text: string) => number;
  maxWorkers: number;
  maxCostUsd: number;
  trialMaxCostUsd: number | null;
}

function planReservations(plan: Plan, options: ReservationOptions): PlannedReservation[] {
  const { count, maxWorkers, maxCostUsd, trialMaxCostUsd } = options;
  return plan.systems.flatMap((system, index) => {
    const { name, limits, maxParallel = maxWorkers } = system;
    if (limits === undefined || isFreeSystem(system, limits)) return [];
    let most: MaxCostEstimate | null = null;
    for (const [at, example] of plan.examples.entries()) {
      const datasetPlan = plan.datasetIndexes[at] ?? 0;
      if (plan.cells[datasetPlan]?.systems.has(index) !== true || system.skips?.(example) === true) continue;
      const limit = getExampleTerms(plan, at)?.maxCostUsd ?? trialMaxCostUsd ?? limits.maxCostUsd;
      const can = estimateMaxCost(
        { ...limits, maxCostUsd: limit },
        computePromptSize({ example, system }, countInputTokens({ system, example }, count)),
      );
      if (can !== null && can.usd >= (most?.usd ?? 0)) most = can;
    }
    const places = Math.min(maxWorkers, maxParallel);
    const atOnce = most === null ? 1 : Math.min(places, Math.floor(maxCostUsd / (most.usd || maxCostUsd)));
    return { system: name, usd: most?.usd ?? null, by: most?.by ?? null, atOnce };
  });
}

/** What the words of a plan depend on besides its figures. */
interface PlanWording {
  readonly unbounded: ReadonlySet<string>;
  readonly isBatched: boolean;
}

function describeReservation(
  { system, usd, by, atOnce }: PlannedReservation,
  { unbounded, isBatched }: PlanWording,
): string {
  const then = `after ${MIN_TRIALS} trials, ${RESERVE_MARGIN} × the 95th percentile of their cost`;
  const trials = atOnce === 1 ? "1 trial" : `${atOnce} trials`;
  if (usd === null)
    return `reserved per trial of ${system}: as much as earlier trials have cost; the first ones run one by one`;
  const why =
    by === "tokens"
      ? "its prompt and its longest answer"
      : `its limit${unbounded.has(system) ? ", since max_tokens is not set" : ""}`;
  return `reserved per trial of ${system}: at most ${formatDollars(usd)} (${why}), so ${trials} may ${isBatched ? "be submitted" : "run"} at a time; ${then}`;
}

interface TrialCostOptions {
  limits: Limits;
  index: number;
  trialMaxCostUsd: number | null;
}

/** The cost of all trials of a system if each reaches its limit; null if one has no limit. */
function estimateMaxTrialCosts(plan: Plan, { limits, index, trialMaxCostUsd }: TrialCostOptions): number | null {
  if (lacksPrice(limits.price)) return 0;
  /** By limit in dollars. */
  const trials = new Map<number, number>();
  for (const [at, datasetPlan] of plan.datasetIndexes.entries()) {
    if (plan.cells[datasetPlan]?.systems.has(index) !== true) continue;
    const limit = getExampleTerms(plan, at)?.maxCostUsd ?? trialMaxCostUsd ?? limits.maxCostUsd;
    if (limit === null || limit === 0) return null;
    trials.set(limit, (trials.get(limit) ?? 0) + countTrialsPerSystem(plan, at));
  }
  return [...trials].reduce((total, [limit, count]) => total + limit * count, 0);
}

function lacksPrice(price: TokenPrices | null): boolean {
  return price !== null && price.input === 0 && price.output === 0;
}

/** Expected time of a model call if the models file has none. */
const DEFAULT_TRIAL_MS = 5000;

/** Expected time of an agent's trial if the models file has none. */
const DEFAULT_AGENT_TRIAL_MS = 60_000;

/** Endpoints are called in parallel, so the slowest decides. Systems without an endpoint count as instant. */
function estimateWallSeconds(plan: Plan, maxWorkers: number): number {
  const { systems, cells, datasetIndexes } = plan;
  const byEndpoint = new Map<string, number>();
  for (const [index, system] of systems.entries()) {
    const { endpoint, limits, maxParallel = maxWorkers, worksInPhases = false } = system;
    if (endpoint === undefined) continue;
    const each = (limits?.expectedSolutionMs ?? (worksInPhases ? DEFAULT_AGENT_TRIAL_MS : DEFAULT_TRIAL_MS)) / 1000;
    const trials = datasetIndexes.reduce(
      (total, datasetPlan, at) =>
        total + (cells[datasetPlan]?.systems.has(index) === true ? countTrialsPerSystem(plan, at) : 0),
      0,
    );
    const all = (each * trials) / maxParallel;
    byEndpoint.set(endpoint, (byEndpoint.get(endpoint) ?? 0) + all);
  }
  return Math.max(0, ...byEndpoint.values());
}

function formatPlanReport(report: PlanReport, wording: PlanWording): string {
  const { systems, datasets, examples, trials, planned, threshold, detectableDifference: difference } = report;
  const isWhole = planned === systems.length * examples * trials;
  const lines = [
    isWhole
      ? `${formatPlural(systems.length, "system")} × ${formatPlural(examples, "example")} × ${formatPlural(trials, "trial")} = ${formatPlural(planned, "planned trial")}`
      : `${formatPlural(systems.length, "system")}, ${formatPlural(examples, "example")} in total, at most ${formatPlural(trials, "trial")} of each: ${formatPlural(planned, "planned trial")}`,
    `systems: ${systems.join(", ")}`,
    ...datasets.map((dataset) => {
      const field = dataset.passField ?? "the first evaluator's first field";
      return `dataset ${dataset.name}: ${formatPlural(dataset.examples, "example")}, evaluators ${dataset.evaluators.join(", ") || "none"}, pass = ${field} ≥ ${threshold}`;
    }),
    `input: about ${report.inputTokens} tokens${describeFileTokens(report.fileTokens)}`,
    ...describePlanCost(report, wording),
    ...(report.isJudged ? [describeJudgingCost(report.judgeCostUsd)] : []),
    ...describeWallTime(report.wallSeconds),
    difference === null
      ? "too few examples to detect any difference between systems"
      : `minimum detectable difference between two pass rates (80 % power, 5 % level): ${(difference * 100).toFixed(1)} points`,
    ...report.notes,
  ];
  return `${lines.map((line) => `- ${toOneLine(line)}`).join("\n")}\n`;
}

function describeFileTokens(tokens: number | null): string {
  if (tokens === null) return " of text, and files whose tokens only the provider can count";
  return tokens === 0 ? "" : ` of text, and at most ${tokens} of images and files`;
}

function describeWallTime(seconds: number | null): string[] {
  if (seconds === null) return ["wall time: up to a day, in batches"];
  return seconds === 0 ? [] : [`wall time: about ${formatSeconds(seconds)}`];
}

function describePlanCost(
  { costUsd: { low, high }, maxCostUsd, reservations }: PlanReport,
  wording: PlanWording,
): string[] {
  const budget = maxCostUsd === null ? [] : [`budget of the run: ${formatDollars(maxCostUsd)}`];
  const limit = [...budget, ...reservations.map((reservation) => describeReservation(reservation, wording))];
  if (low === null) return limit;
  const most = high === null ? "no upper limit" : `at most ${formatDollars(high)}`;
  return [`cost: at least ${formatDollars(low)} (prompts alone), ${most}`, ...limit];
}

/** Minimum and maximum in dollars; null if a price or a limit is unknown. */
export interface CostRange {
  low: number | null;
  high: number | null;
}

/** An evaluator that can estimate its cost in advance, such as a judge. */
interface EstimatingEvaluator extends Evaluator {
  estimate(example: Example, options: EstimateOptions): JudgingCost;
}

/** Looks up prices for evaluators that call models, as far as possible. */
export async function findJudgingPrices({ datasetPlans }: Plan): Promise<void> {
  for (const evaluator of new Set(datasetPlans.flatMap(({ evaluators }) => evaluators)))
    await (evaluator as { findPrices?(): Promise<void> }).findPrices?.();
}

/** The cost of judging every trial of a plan. */
function estimateJudging(plan: Plan, count: (text: string) => number): CostRange {
  const { examples, datasetPlans, datasetIndexes, systems, cells } = plan;
  const range: CostRange = { low: 0, high: 0 };
  const limits = systems.map(getMaxAnswerTokens);
  examples.forEach((example, at) => {
    const { evaluators = [] } = datasetPlans[datasetIndexes[at] ?? 0] ?? {};
    const cell = cells[datasetIndexes[at] ?? 0];
    if (cell === undefined) return;
    for (const system of cell.systems)
      addCostRange(
        range,
        estimateScoringCost(example, evaluators, { count, answerTokens: limits[system] ?? null }),
        countTrialsPerSystem(plan, at),
      );
  });
  return range;
}

/** The cost of judging one stored output. */
export function estimateOutputJudging(
  { example, output }: { example: Example; output: Output },
  evaluators: readonly Evaluator[],
  count: (text: string) => number,
): CostRange {
  return estimateScoringCost(example, evaluators, { count, answerTokens: 0, output });
}

export function addCostRange(range: CostRange, { low, high }: CostRange, times = 1): void {
  range.low = range.low === null || low === null ? null : range.low + low * times;
  range.high = range.high === null || high === null ? null : range.high + high * times;
}

function estimateScoringCost(example: Example, evaluators: readonly Evaluator[], options: EstimateOptions): CostRange {
  const range: CostRange = { low: 0, high: 0 };
  for (const evaluator of evaluators.filter(({ isPaid }) => isPaid === true)) {
    addCostRange(range, canEstimate(evaluator) ? evaluator.estimate(example, options) : { low: null, high: null });
  }
  return range;
}

function canEstimate(evaluator: Evaluator): evaluator is EstimatingEvaluator {
  return "estimate" in evaluator && typeof evaluator.estimate === "function";
}

/** The answer limit is part of a model's fingerprint; null if it has none. */
function getMaxAnswerTokens(system: System): number | null {
  const { maxTokens } = Object(system.fingerprint?.()) as { maxTokens?: unknown };
  return typeof maxTokens === "number" ? maxTokens : null;
}

/** `prompts` names what the minimum covers. */
export function describeJudgingCost({ low, high }: CostRange, prompts = "its prompts without the answers"): string {
  if (low === null)
    return "judging costs extra; the amount is unknown, because the judge has no price. Set `pricing` for its model in models.yml";
  const least = `judging costs extra: at least ${formatDollars(low)} (${prompts})`;
  return high === null
    ? `${least}; the maximum is unknown, because answers have no length limit (--max-tokens)`
    : `${least}, about ${formatDollars(high)} at most`;
}
