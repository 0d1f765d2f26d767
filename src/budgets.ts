import { CostBudget } from "./budget/cost-budget.js";
import { dollars, picoDollars } from "./budget/price.js";
import { type Reservation, RunBudget } from "./budget/run-budget.js";
import { RunningQuantile } from "./budget/running-quantile.js";
import type { RunTerms } from "./core/dataset.js";
import { BudgetError, UsageError } from "./core/errors.js";
import type { Limits } from "./core/price.js";
import type { EvalRow } from "./core/row.js";
import { describe } from "./core/shape.js";
import { didYouMean } from "./core/suggest.js";
import type { System } from "./core/system.js";
import type { QueueBudget } from "./queue/contract.js";
import { formatDollars } from "./report/format.js";
import type { BudgetPort, RunBudgetPort } from "./runner/ports.js";

/** What a run may cost. Left out, trials are held to what their systems say, and the run to nothing. */
export interface BudgetOptions {
  /** For the whole run: trials that might exceed it are not started. */
  run?: { maxCostUsd: number };
  /** For each trial, instead of what its system says. A trial that exceeds it is stopped and graded on what it left. */
  trial?: { maxCostUsd: number };
}

/** The budgets of a run, and the part of them that is asked about afterwards. */
export interface Budgets {
  port: BudgetPort;
  run: RunBudget | null;
  /** Systems that the budget of the run cannot hold back, because they do not say what they cost. */
  unheld: readonly string[];
}

/** Makes the budgets of a run, or says why they could not be kept. */
export function budgetsOf(options: BudgetOptions = {}, { systems, spentUsd, terms = [null] }: BudgetedRun): Budgets {
  checkBudget(options);
  for (const system of systems) checkLimits(system);
  const { run, trial } = options;
  if (run !== undefined || trial !== undefined) requirePrices(systems);
  const limitsAt = (system: System, own: RunTerms | null) => termed(system, limitsOf(system, trial?.maxCostUsd), own);
  for (const own of terms)
    for (const system of askedBy(own, systems)) requireRoom(run?.maxCostUsd ?? Infinity, system, limitsAt(system, own));
  const runBudget = run === undefined ? null : new RunBudget({ maxCostUsd: run.maxCostUsd, spentUsd });
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
      run: runBudget === null ? null : runPort(runBudget),
    },
    run: runBudget,
    unheld: systems
      .filter(({ limits, isRecorded }) => limits === undefined && isRecorded !== true)
      .map(({ name }) => name),
  };
}

/** What budgets are made for. */
interface BudgetedRun {
  systems: readonly System[];
  spentUsd: number;
  /** Of each dataset; null for one that is run as the systems say. */
  terms?: readonly (RunTerms | null)[];
}

/** The systems that the examples of a dataset are run on. */
function askedBy(terms: RunTerms | null, systems: readonly System[]): readonly System[] {
  return systems.filter(({ name }) => terms?.systems?.includes(name) ?? true);
}

/** A system's limits with the terms of a dataset, which win. */
function termed({ name }: System, limits: Limits | null, terms: RunTerms | null): Limits | null {
  const { maxCostUsd, hardTimeoutMs } = terms ?? {};
  if (maxCostUsd === undefined && hardTimeoutMs === undefined) return limits;
  const isEnforceable = limits !== null && (limits.price !== null || limits.isMetered === true);
  if ((maxCostUsd ?? 0) > 0 && !isEnforceable)
    throw new BudgetError(
      `A dataset limits each trial to ${formatDollars(maxCostUsd ?? 0)}, but no price is known for ${name}: the limit could never fire. Give \`pricing\` in models.yml, or leave the limit out.`,
    );
  return {
    ...(limits ?? { price: null, maxCostUsd: null, hardTimeoutMs: null }),
    ...(maxCostUsd === undefined || !isEnforceable ? {} : { maxCostUsd }),
    ...(hardTimeoutMs === undefined ? {} : { hardTimeoutMs }),
  };
}

function runPort(budget: RunBudget): RunBudgetPort {
  /** What judging one trial costs, at most of the time. */
  const judging = new RunningQuantile(0.99);
  return {
    reserve(system, limits, saysJudged) {
      // An evaluator may spend without saying so beforehand.
      const isJudged = saysJudged || judging.count > 0;
      if (!isJudged && isFree(system, limits)) return FREE;
      const most = limits?.maxCostUsd ?? 0;
      const more = judging.count === 0 ? 0 : dollars(Math.ceil(judging.value));
      if (isJudged && most > 0) return budget.reserve(most + more, system.name);
      // What a trial without a limit costs is learnt, judging included.
      return budget.reserve(most || null, system.name);
    },
    settle(reservation, { costUsd, judgeCostUsd, isTypical }) {
      if (judgeCostUsd > 0) judging.add(picoDollars(judgeCostUsd));
      const isApart = reservation === FREE || costUsd === null;
      if (isApart) budget.spend(judgeCostUsd);
      if (reservation === FREE) return;
      budget.settle(reservation as Reservation, costUsd === null ? null : costUsd + judgeCostUsd, { isTypical });
    },
  };
}

/** The reservation of trials that cost nothing. */
const FREE: Reservation = { reservedUsd: 0 };

function isFree({ isRecorded }: System, limits: Limits | null): boolean {
  const price = limits?.price;
  return (
    isRecorded === true ||
    (price != null && Object.values(price).every((each) => typeof each !== "number" || each === 0))
  );
}

function limitsOf({ limits }: System, maxCostUsd: number | undefined): Limits | null {
  if (limits === undefined) return null;
  const isEnforceable = limits.price !== null || limits.isMetered === true;
  return maxCostUsd === undefined || !isEnforceable ? limits : { ...limits, maxCostUsd };
}

/** A trial starts only when the most it may cost is left: a run that could not pay for one would start none. */
function requireRoom(maxCostUsd: number, { name }: System, limits: Limits | null): void {
  const most = limits?.maxCostUsd ?? 0;
  if (most <= maxCostUsd) return;
  throw new BudgetError(
    `The budget of the run (--max-cost, ${formatDollars(maxCostUsd)}) does not cover one trial of ${name}, which may cost ${formatDollars(most)}. Raise it, or lower what a trial may cost (--trial-max-cost, or max_cost_usd in models.yml).`,
  );
}

/** A limit in dollars on a model whose price nobody knows could never be kept. */
function requirePrices(systems: readonly System[]): void {
  const unpriced = systems.filter(isUnpriced).map(({ name }) => name);
  if (unpriced.length === 0) return;
  throw new BudgetError(
    `There is a budget in dollars, but no price is known for ${unpriced.join(", ")}. Give \`pricing\` in models.yml, or leave the budget out.`,
  );
}

/** What calls a model and says nothing of prices would spend unseen. */
function isUnpriced({ limits, model, endpoint }: System): boolean {
  if (limits === undefined) return model !== undefined || endpoint !== undefined;
  return limits.price === null && limits.isMetered !== true;
}

function checkLimits({ name, limits }: System): void {
  if (limits === undefined) return;
  const { maxCostUsd, hardTimeoutMs, price, maxTokens, isMetered = false } = limits;
  const isAmount = (value: unknown) => typeof value === "number" && value >= 0 && value < Number.POSITIVE_INFINITY;
  if (maxCostUsd !== null && !isAmount(maxCostUsd)) throw badLimit(name, "maxCostUsd", maxCostUsd);
  if (hardTimeoutMs !== null && !(isAmount(hardTimeoutMs) && hardTimeoutMs > 0))
    throw badLimit(name, "hardTimeoutMs", hardTimeoutMs);
  if (maxTokens !== undefined && !(Number.isSafeInteger(maxTokens) && maxTokens > 0))
    throw badLimit(name, "maxTokens", maxTokens);
  if (price === null && !isMetered && maxCostUsd !== null && maxCostUsd > 0)
    throw new BudgetError(
      `The system "${name}" is limited to $${maxCostUsd} but has no price: the limit could never fire.`,
    );
}

function badLimit(name: string, limit: string, value: unknown): BudgetError {
  return new BudgetError(`The system "${name}" has the limit ${limit}: ${describe(value)}, which cannot be kept.`);
}

function checkBudget(options: BudgetOptions): void {
  const unknown = Object.keys(options).find((key) => key !== "run" && key !== "trial");
  if (unknown !== undefined)
    throw new UsageError(`\`budget\` has no part "${unknown}".${didYouMean(unknown, ["run", "trial"])}`);
  for (const part of ["run", "trial"] as const) {
    const given = options[part];
    if (given === undefined) continue;
    const { maxCostUsd, ...more } = given;
    const [other] = Object.keys(more);
    if (other !== undefined) throw new UsageError(`budget.${part} has no limit "${other}". It has maxCostUsd.`);
    if (typeof maxCostUsd !== "number" || !(maxCostUsd >= 0 && maxCostUsd < Number.POSITIVE_INFINITY))
      throw new UsageError(
        `budget.${part}.maxCostUsd must be a number of dollars from 0 up, but is ${describe(maxCostUsd)}.`,
      );
  }
  if (options.run?.maxCostUsd === 0)
    throw new UsageError("budget.run.maxCostUsd (--max-cost) of 0 would start nothing. Leave it out for no limit.");
}

/** What a run has spent in the end. */
type Spending = Pick<RunBudget, "maxCostUsd" | "spentUsd" | "isRefusing" | "unknownCosts"> &
  Partial<Pick<QueueBudget, "lostTrials" | "lostUsd">>;

/** What the reader of a report has to know about the run's budget. */
export function budgetNotes(
  rows: readonly EvalRow[],
  { run: budget, unheld }: Pick<Budgets, "unheld"> & { run: Spending | null },
): string[] {
  if (budget === null) return [];
  const loose = unheld.map((name) => `${name} says nothing of its costs beforehand: only what it reports counts`);
  const spent = `spent ${formatDollars(budget.spentUsd)} of ${formatDollars(budget.maxCostUsd)}`;
  const figures = [...loose, ...lostNotes(budget), spent];
  if (!budget.isRefusing) return figures;
  const taskOf = ({ system, dataset, exampleId }: EvalRow) => JSON.stringify([system, dataset, exampleId]);
  const tasks = new Set(rows.map(taskOf));
  const tried = new Set(rows.filter(({ outcome }) => outcome !== "skipped").map(taskOf));
  return [`budget stopped: ${tried.size} of ${tasks.size} tasks have at least one trial`, ...figures];
}

/** Nobody knows what they have cost. */
function lostNotes({ lostTrials = 0, lostUsd = 0 }: Spending): string[] {
  if (lostTrials === 0) return [];
  const usd = formatDollars(lostUsd);
  if (lostTrials === 1) return [`1 trial was lost with its worker; the ${usd} set aside for it counts as spent`];
  return [`${lostTrials} trials were lost with their workers; the ${usd} set aside for them counts as spent`];
}
