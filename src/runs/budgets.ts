import {
  CostBudget,
  estimateMaxCost,
  type Reservation as InnerReservation,
  isFreeSystem,
  RESERVE_MARGIN,
  RESERVE_QUANTILE,
  RunBudget,
  RunningQuantile,
  toDollars,
  toPicoDollars,
} from "../budget/index.js";
import type { BudgetReceipt, DatasetOverrides, System } from "../core/index.js";
import {
  BudgetError,
  computePaidCost,
  describePriceMatch,
  describeValue,
  didYouMean,
  type EvalRow,
  hasOutput,
  type Limits,
  UsageError,
} from "../core/index.js";
import type { QueueBudget } from "../queue/contract.js";
import { formatDollars, formatPlural } from "../report/index.js";
import type {
  BudgetPort,
  CanaryResult,
  Plan,
  RunBudgetPort,
  TrialReservation,
  UnreportedSpend,
} from "../runner/index.js";

/** Limits on what a run may cost. Without them, trials use the limits of their systems and the run has none. */
export interface BudgetOptions {
  /** For the whole run: trials that might exceed it are not started. */
  run?: { maxCostUsd: number };
  /** For each trial, instead of its system's limit. A trial that exceeds it is stopped and graded on what it produced. */
  trial?: { maxCostUsd: number };
}

/** The budgets of a run. */
export interface RunBudgets {
  port: BudgetPort;
  run: RunBudget | null;
  /** Systems that the run budget cannot limit, because they do not declare what they cost. */
  unheld: readonly string[];
}

/** Creates the budgets of a run; throws if they could not be enforced. */
export function createBudgets(
  options: BudgetOptions = {},
  { systems, spentUsd, datasets = [{ dataset: "", terms: null }], rows = [] }: BudgetedRun,
): RunBudgets {
  checkBudget(options);
  for (const system of systems) checkLimits(system);
  const { run, trial } = options;
  if (run !== undefined || trial !== undefined) requirePrices(systems);
  const limitsAt = (system: System, own: DatasetOverrides | null) =>
    applyDatasetLimits(resolveLimits(system, trial?.maxCostUsd), own);
  for (const dataset of datasets)
    for (const system of filterTargetSystems(dataset.terms, systems)) {
      requireDatasetPrice(system, dataset);
      requireCoverage(run?.maxCostUsd ?? Infinity, system, limitsAt(system, dataset.terms));
    }
  const runBudget = run === undefined ? null : new RunBudget({ maxCostUsd: run.maxCostUsd, spentUsd });
  const judging = new RunningQuantile(RESERVE_QUANTILE);
  if (runBudget !== null) learnCosts(rows, runBudget, judging);
  return {
    port: {
      limitsOf: limitsAt,
      open: ({ price, maxCostUsd, maxTokens, isMetered = false }, listeners) =>
        new CostBudget({
          ...listeners,
          price,
          maxCostUsd,
          isMetered,
          ...(maxTokens === undefined ? {} : { maxTokens }),
        }),
      run: runBudget === null ? null : createRunBudgetPort(runBudget, judging),
    },
    run: runBudget,
    unheld: systems
      .filter(({ limits, isRecorded }) => limits === undefined && isRecorded !== true)
      .map(({ name }) => name),
  };
}

type BudgetedDataset = Pick<Plan["datasetPlans"][number], "dataset" | "terms">;

interface BudgetedRun {
  systems: readonly System[];
  spentUsd: number;
  datasets?: readonly BudgetedDataset[];
  /** Rows of an earlier start of the run. */
  rows?: Iterable<EvalRow>;
}

function filterTargetSystems(terms: DatasetOverrides | null, systems: readonly System[]): readonly System[] {
  return systems.filter(({ name }) => terms?.systems?.includes(name) ?? true);
}

/** Applies a dataset's limits, which take precedence over the system's. */
function applyDatasetLimits(limits: Limits | null, terms: DatasetOverrides | null): Limits | null {
  const { maxCostUsd, hardTimeoutMs } = terms ?? {};
  if (maxCostUsd === undefined && hardTimeoutMs === undefined) return limits;
  const isEnforceable = canEnforceDollars(limits);
  return {
    ...(limits ?? { price: null, maxCostUsd: null, hardTimeoutMs: null }),
    ...(maxCostUsd === undefined || !isEnforceable ? {} : { maxCostUsd }),
    ...(hardTimeoutMs === undefined ? {} : { hardTimeoutMs }),
  };
}

function canEnforceDollars(limits: Limits | null): boolean {
  return limits !== null && (limits.price !== null || limits.isMetered === true);
}

function requireDatasetPrice({ name, limits }: System, { dataset, terms }: BudgetedDataset): void {
  const { maxCostUsd = 0 } = terms ?? {};
  if (maxCostUsd === 0 || canEnforceDollars(limits ?? null)) return;
  const limited = dataset === "" ? "The dataset" : `"${dataset}"`;
  throw new BudgetError(
    `${limited} limits each trial to ${formatDollars(maxCostUsd)}, but no price is known for the system "${name}", so the limit cannot be enforced. Set \`pricing\` for its model in models.yml, or remove the limit.`,
  );
}

/** The reservation for a trial and for the run budget; `inner` is null if only judging costs anything. */
interface RunReservation extends TrialReservation {
  readonly inner: InnerReservation | null;
}

function createRunBudgetPort(budget: RunBudget, judging: RunningQuantile): RunBudgetPort {
  const held = (inner: InnerReservation | "wait" | "refuse", judgeUsd: number): RunReservation | "wait" | "refuse" => {
    if (typeof inner === "string") return inner;
    return { reservedUsd: inner.reservedUsd, judgeUsd: Math.min(judgeUsd, inner.reservedUsd), inner };
  };
  return {
    reserve({ system, limits, isJudged: saysJudged, judgingCanCost, isStored, prompt }) {
      // An evaluator may cost something without declaring it.
      const isJudged = saysJudged || judging.count > 0;
      if (!isJudged && (isStored || isFreeSystem(system, limits))) return FREE_RESERVATION;
      const judgeUsd = judging.count > 0 ? toDollars(Math.ceil(judging.value * RESERVE_MARGIN)) : judgingCanCost();
      if (isStored) return held(budget.reserve(judgeUsd || null, formatGradingKey(system.name)), judgeUsd);
      const most = limits?.maxCostUsd ?? 0;
      const can = estimateMaxCost(limits, prompt);
      // The cost of a trial without a limit is learned from earlier trials, judging included.
      const canCostUsd = can === null || isFreeSystem(system, limits) ? undefined : can.usd + judgeUsd;
      return held(budget.reserve(most > 0 ? most + judgeUsd : null, system.name, { canCostUsd }), judgeUsd);
    },
    settle(reservation, { costUsd, judgeCostUsd, isTypical }) {
      const { inner } = reservation as RunReservation;
      if (judgeCostUsd > 0) judging.add(toPicoDollars(judgeCostUsd));
      if (inner === null || costUsd === null) budget.spend(judgeCostUsd);
      if (inner !== null) budget.settle(inner, costUsd === null ? null : costUsd + judgeCostUsd, { isTypical });
    },
  };
}

/** The cost of grading stored outputs is learned separately. */
function formatGradingKey(system: string): string {
  return `grading of ${system}`;
}

const FREE_RESERVATION: RunReservation = { reservedUsd: 0, judgeUsd: 0, inner: null };

/** Learns trial costs from an earlier start of the run. */
function learnCosts(rows: Iterable<EvalRow>, budget: RunBudget, judging: RunningQuantile): void {
  for (const row of rows) {
    if (!hasOutput(row)) continue;
    if (row.costUsd !== null && !row.cached) budget.learn(computePaidCost(row), row.system);
    const besidesUsd = (row.judgeCostUsd ?? 0) + (row.cached ? 0 : (row.userCostUsd ?? 0));
    if (besidesUsd > 0) judging.add(toPicoDollars(besidesUsd));
  }
}

function resolveLimits({ limits }: System, maxCostUsd: number | undefined): Limits | null {
  if (limits === undefined) return null;
  return maxCostUsd === undefined || !canEnforceDollars(limits) ? limits : { ...limits, maxCostUsd };
}

/** A trial starts only if its maximum cost is still available: a smaller run budget would start none. */
function requireCoverage(maxCostUsd: number, { name }: System, limits: Limits | null): void {
  const most = estimateMaxCost(limits, { tokens: 0, calls: 1 })?.usd ?? 0;
  if (most <= maxCostUsd) return;
  throw new BudgetError(
    `The run budget (--max-cost, ${formatDollars(maxCostUsd)}) does not cover one trial of "${name}", which can cost ${formatDollars(most)}. Raise the budget, or lower what a trial can cost (--max-tokens, --trial-max-cost, or max_cost_usd in models.yml).`,
  );
}

/** A limit in dollars cannot be enforced without a price. */
function requirePrices(systems: readonly System[]): void {
  const unpriced = systems.filter(isUnpricedSystem).map(({ name }) => name);
  if (unpriced.length === 0) return;
  throw new BudgetError(
    `The run has a budget in dollars, but no price is known for ${unpriced.join(", ")}. Set \`pricing\` in models.yml, try assay prices update, or remove the budget.`,
  );
}

/** A system that calls a model without declaring prices would spend unseen. */
function isUnpricedSystem({ limits, model, endpoint }: System): boolean {
  if (limits === undefined) return model !== undefined || endpoint !== undefined;
  return limits.price === null && limits.isMetered !== true;
}

function checkLimits({ name, limits }: System): void {
  if (limits === undefined) return;
  const { maxCostUsd, hardTimeoutMs, price, maxTokens, isMetered = false } = limits;
  const isAmount = (value: unknown) => typeof value === "number" && value >= 0 && value < Number.POSITIVE_INFINITY;
  if (maxCostUsd !== null && !isAmount(maxCostUsd)) throw createLimitError(name, "maxCostUsd", maxCostUsd);
  if (hardTimeoutMs !== null && !(isAmount(hardTimeoutMs) && hardTimeoutMs > 0))
    throw createLimitError(name, "hardTimeoutMs", hardTimeoutMs);
  if (maxTokens !== undefined && !(Number.isSafeInteger(maxTokens) && maxTokens > 0))
    throw createLimitError(name, "maxTokens", maxTokens);
  if (price === null && !isMetered && maxCostUsd !== null && maxCostUsd > 0)
    throw new BudgetError(
      `The system "${name}" is limited to $${maxCostUsd} but has no price, so the limit could not be enforced.`,
    );
}

function createLimitError(name: string, limit: string, value: unknown): BudgetError {
  return new BudgetError(`The system "${name}" has an invalid limit ${limit}: ${describeValue(value)}.`);
}

function checkBudget(options: BudgetOptions): void {
  const unknown = Object.keys(options).find((key) => key !== "run" && key !== "trial");
  if (unknown !== undefined)
    throw new UsageError(`\`budget\` has no key "${unknown}".${didYouMean(unknown, ["run", "trial"])}`);
  for (const part of ["run", "trial"] as const) {
    const given = options[part];
    if (given === undefined) continue;
    const { maxCostUsd, ...more } = given;
    const [other] = Object.keys(more);
    if (other !== undefined) throw new UsageError(`budget.${part} has no key "${other}". It takes maxCostUsd.`);
    if (typeof maxCostUsd !== "number" || !(maxCostUsd >= 0 && maxCostUsd < Number.POSITIVE_INFINITY))
      throw new UsageError(
        `budget.${part}.maxCostUsd must be an amount in dollars of 0 or more, but is ${describeValue(maxCostUsd)}.`,
      );
  }
  if (options.run?.maxCostUsd === 0)
    throw new UsageError("budget.run.maxCostUsd (--max-cost) of 0 would start no trial. Omit it for no limit.");
}

/** Prices that are those of a similar name in the price table, and those that are not pinned although others are. */
export function describePrices(systems: readonly System[]): string[] {
  const notes = systems.flatMap(({ name, model = name, limits }) => {
    const { matched, isUnpinned, source } = limits?.price ?? {};
    return [
      ...(matched === undefined
        ? []
        : [`price of ${model} taken from ${matched.model} (matched by ${describePriceMatch(matched.by)})`]),
      ...(isUnpinned === true ? [`price of ${model} is not in prices.lock: taken from ${source}`] : []),
    ];
  });
  // The same model at several efforts has one price.
  return [...new Set(notes)];
}

/** Final spending of a run. */
type RunSpending = Pick<RunBudget, "maxCostUsd" | "spentUsd" | "isRefusing" | "unknownCosts"> &
  Partial<
    Pick<QueueBudget, "lostTrials" | "lostUsd"> &
      Pick<RunBudget, "reservedFor" | "unknownUsd"> & { ungradedUsd: number }
  >;

export interface SpendingReport {
  rows: readonly EvalRow[];
  budget: RunSpending;
  /** Spending of earlier starts of the run that no row accounts for. */
  besides: UnreportedSpend;
}

/** What a run with a budget has spent, by category. The parts add up to `spentUsd`. */
export function createReceipt({ rows, budget, besides }: SpendingReport): BudgetReceipt {
  const { maxCostUsd, spentUsd } = budget;
  const trialsUsd = rows.reduce((total, row) => total + computePaidCost(row), 0);
  const { repeatedUsd, canaryUsd = 0 } = besides;
  const lostUsd = besides.lostUsd + (budget.lostUsd ?? 0);
  const lostTrials = besides.lostTrials + (budget.lostTrials ?? 0);
  const unknownUsd = besides.unknownUsd + (budget.unknownUsd ?? 0);
  const { ungradedUsd = 0 } = budget;
  const known = {
    maxCostUsd,
    spentUsd,
    trialsUsd,
    ungradedUsd,
    repeatedUsd,
    unknownUsd,
    lostUsd,
    lostTrials,
    ...(canaryUsd > 0 && { canaryUsd }),
  };
  const rest = spentUsd - trialsUsd - ungradedUsd - lostUsd - repeatedUsd - unknownUsd - canaryUsd;
  // Tolerates floating-point error.
  if (rest < 1e-9) return known;
  if (budget.unknownUsd !== undefined) return { ...known, ungradedUsd: rest };
  // A queue reports how many costs are unknown, not their amount.
  return budget.unknownCosts > 0
    ? { ...known, unknownUsd: unknownUsd + rest }
    : { ...known, repeatedUsd: repeatedUsd + rest };
}

/** Notes on the run budget for the report. */
export function formatBudgetNotes(spent: SpendingReport, names: BudgetNoteNames): string[] {
  const { rows, budget } = spent;
  const figures = formatSpendingNotes(spent, names);
  if (!budget.isRefusing) return figures;
  const taskOf = ({ system, dataset, exampleId }: EvalRow) => JSON.stringify([system, dataset, exampleId]);
  const tasks = new Set(rows.map(taskOf));
  const tried = new Set(rows.filter(({ outcome }) => outcome !== "skipped").map(taskOf));
  return [`budget stopped: ${tried.size} of ${tasks.size} tasks have at least one trial`, ...figures];
}

/** One note on all canaries of a run, with what each cost; none if there were none. */
export function describeCanaries(canaries: readonly CanaryResult[]): string[] {
  if (canaries.length === 0) return [];
  const each = canaries.map(({ system, end, costUsd }) => {
    const cost = costUsd === null ? "cost unknown" : formatDollars(costUsd);
    return `${system} ${end} (${cost})`;
  });
  return [`canary, a trivial task before the trials: ${each.join(", ")}`];
}

/** Notes on what was spent, by category. */
export function formatSpendingNotes(
  { rows, budget, besides }: SpendingReport,
  { unheld, systems }: BudgetNoteNames,
): string[] {
  const loose = unheld.map((name) => `${name} does not declare its costs beforehand: only what it reports counts`);
  const receipt = createReceipt({ rows, budget, besides });
  const spent = `spent ${formatDollars(receipt.spentUsd)} of ${formatDollars(receipt.maxCostUsd)}`;
  const reserved = systems.flatMap((name) => formatReservedNote(name, budget) ?? []);
  return [...loose, ...reserved, ...formatReceiptNotes(receipt, besides), ...formatLostNotes(budget), spent];
}

interface BudgetNoteNames extends Pick<RunBudgets, "unheld"> {
  systems: readonly string[];
}

/** How much budget trials reserved while running, which limits how many run at once. */
function formatReservedNote(name: string, budget: RunSpending): string | null {
  const { firstUsd = null, learntUsd = null } = budget.reservedFor?.(name) ?? {};
  const first = firstUsd === null || firstUsd === 0 ? null : `at most ${formatDollars(firstUsd)} (its maximum cost)`;
  const learnt =
    learntUsd === null ? null : `${formatDollars(learntUsd)} (1.5 times the 95th percentile of its trials)`;
  const parts = [first, learnt].filter((part) => part !== null);
  return parts.length === 0 ? null : `reserved for a trial of ${name}: ${parts.join(", then ")}`;
}

/** Spending other than on the trials of the report. */
function formatReceiptNotes(
  { repeatedUsd, ungradedUsd, unknownUsd, canaryUsd = 0 }: BudgetReceipt,
  { lostUsd, lostTrials }: UnreportedSpend,
): string[] {
  const notes: string[] = [];
  const tell = (usd: number, what: string) => usd > 0 && notes.push(`${formatDollars(usd)} of what was spent ${what}`);
  const cut = lostTrials === 0 ? "" : `: ${formatPlural(lostTrials, "trial")} cut off, counted at the reserved amount`;
  tell(lostUsd, `was lost to interruptions${cut}`);
  tell(repeatedUsd, "went to trials that failed and were run again");
  tell(ungradedUsd, "is for outputs that are stored but not graded yet: --resume grades them");
  tell(unknownUsd, "was reserved for trials of unknown cost");
  tell(canaryUsd, "went to canaries");
  return notes;
}

/** The actual cost of lost trials is unknown. */
function formatLostNotes({ lostTrials = 0, lostUsd = 0 }: RunSpending): string[] {
  if (lostTrials === 0) return [];
  const usd = formatDollars(lostUsd);
  if (lostTrials === 1) return [`1 trial was lost with its worker; the ${usd} reserved for it counts as spent`];
  return [`${lostTrials} trials were lost with their workers; the ${usd} reserved for them counts as spent`];
}
