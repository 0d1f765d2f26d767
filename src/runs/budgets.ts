import { CostBudget } from "../budget/cost-budget.js";
import { canCost, dollars, isFree, picoDollars } from "../budget/price.js";

import { type Reservation as InnerReservation, RunBudget, USUAL_MARGIN, USUAL_QUANTILE } from "../budget/run-budget.js";
import { RunningQuantile } from "../budget/running-quantile.js";
import type { RunTerms } from "../core/dataset.js";
import { BudgetError, UsageError } from "../core/errors.js";
import { type Limits, paidFor } from "../core/price.js";

import type { BudgetReceipt } from "../core/result.js";
import { type EvalRow, hasOutput } from "../core/row.js";
import { describe } from "../core/shape.js";
import { didYouMean } from "../core/suggest.js";
import type { System } from "../core/system.js";
import type { QueueBudget } from "../queue/contract.js";
import { formatDollars, plural } from "../report/format.js";
import type { BesideRows } from "../runner/ledger.js";
import type { BudgetPort, Reservation, RunBudgetPort } from "../runner/ports.js";

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
export function budgetsOf(
  options: BudgetOptions = {},
  { systems, spentUsd, terms = [null], rows = [] }: BudgetedRun,
): Budgets {
  checkBudget(options);
  for (const system of systems) checkLimits(system);
  const { run, trial } = options;
  if (run !== undefined || trial !== undefined) requirePrices(systems);
  const limitsAt = (system: System, own: RunTerms | null) => termed(system, limitsOf(system, trial?.maxCostUsd), own);
  for (const own of terms)
    for (const system of askedBy(own, systems)) requireRoom(run?.maxCostUsd ?? Infinity, system, limitsAt(system, own));
  const runBudget = run === undefined ? null : new RunBudget({ maxCostUsd: run.maxCostUsd, spentUsd });
  const judging = new RunningQuantile(USUAL_QUANTILE);
  if (runBudget !== null) learnFrom(rows, runBudget, judging);
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
      run: runBudget === null ? null : runPort(runBudget, judging),
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
  /** Those of an earlier start of the run. */
  rows?: Iterable<EvalRow>;
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

/** What is held for a trial, and for the budget of the run itself; null when it costs nothing but for judging. */
interface Held extends Reservation {
  readonly inner: InnerReservation | null;
}

function runPort(budget: RunBudget, judging: RunningQuantile): RunBudgetPort {
  const held = (inner: InnerReservation | "wait" | "refuse", judgeUsd: number): Held | "wait" | "refuse" => {
    if (typeof inner === "string") return inner;
    return { reservedUsd: inner.reservedUsd, judgeUsd: Math.min(judgeUsd, inner.reservedUsd), inner };
  };
  return {
    reserve({ system, limits, isJudged: saysJudged, judgingCanCost, isStored, prompt }) {
      // An evaluator may spend without saying so beforehand.
      const isJudged = saysJudged || judging.count > 0;
      if (!isJudged && (isStored || isFree(system, limits))) return FREE;
      const judgeUsd = judging.count > 0 ? dollars(Math.ceil(judging.value * USUAL_MARGIN)) : judgingCanCost();
      if (isStored) return held(budget.reserve(judgeUsd || null, describeGrading(system.name)), judgeUsd);
      const most = limits?.maxCostUsd ?? 0;
      const can = canCost(limits, prompt);
      // What a trial without a limit costs is learnt, judging included.
      const canCostUsd = can === null || isFree(system, limits) ? undefined : can.usd + judgeUsd;
      return held(budget.reserve(most > 0 ? most + judgeUsd : null, system.name, { canCostUsd }), judgeUsd);
    },
    settle(reservation, { costUsd, judgeCostUsd, isTypical }) {
      const { inner } = reservation as Held;
      if (judgeCostUsd > 0) judging.add(picoDollars(judgeCostUsd));
      if (inner === null || costUsd === null) budget.spend(judgeCostUsd);
      if (inner !== null) budget.settle(inner, costUsd === null ? null : costUsd + judgeCostUsd, { isTypical });
    },
  };
}

/** What grading outputs that are paid for costs is learnt apart. */
function describeGrading(system: string): string {
  return `grading of ${system}`;
}

/** The reservation of trials that cost nothing. */
const FREE: Held = { reservedUsd: 0, judgeUsd: 0, inner: null };

/** Trials of an earlier start of the run have shown what they cost. */
function learnFrom(rows: Iterable<EvalRow>, budget: RunBudget, judging: RunningQuantile): void {
  for (const row of rows) {
    if (!hasOutput(row)) continue;
    if (row.costUsd !== null && !row.cached) budget.learn(paidFor(row), row.system);
    if (row.judgeCostUsd !== null && row.judgeCostUsd > 0) judging.add(picoDollars(row.judgeCostUsd));
  }
}

function limitsOf({ limits }: System, maxCostUsd: number | undefined): Limits | null {
  if (limits === undefined) return null;
  const isEnforceable = limits.price !== null || limits.isMetered === true;
  return maxCostUsd === undefined || !isEnforceable ? limits : { ...limits, maxCostUsd };
}

/** A trial starts only when what it can cost is left: a run that could not pay for one would start none. */
function requireRoom(maxCostUsd: number, { name }: System, limits: Limits | null): void {
  const most = canCost(limits, { tokens: 0, calls: 1 })?.usd ?? 0;
  if (most <= maxCostUsd) return;
  throw new BudgetError(
    `The budget of the run (--max-cost, ${formatDollars(maxCostUsd)}) does not cover one trial of ${name}, which can cost ${formatDollars(most)}. Raise it, or lower what a trial can cost (--max-tokens, --trial-max-cost, or max_cost_usd in models.yml).`,
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
  Partial<
    Pick<QueueBudget, "lostTrials" | "lostUsd"> &
      Pick<RunBudget, "reservedFor" | "unknownUsd"> & { ungradedUsd: number }
  >;

/** What the receipt of a run is made of. */
export interface Spent {
  rows: readonly EvalRow[];
  budget: Spending;
  /** What earlier starts of the run have spent that no row of the report tells of. */
  besides: BesideRows;
}

/** What a run with a budget has spent, and on what. The parts add up to `spentUsd`. */
export function createReceipt({ rows, budget, besides }: Spent): BudgetReceipt {
  const { maxCostUsd, spentUsd } = budget;
  const trialsUsd = rows.reduce((total, row) => total + paidFor(row), 0);
  const { repeatedUsd } = besides;
  const lostUsd = besides.lostUsd + (budget.lostUsd ?? 0);
  const lostTrials = besides.lostTrials + (budget.lostTrials ?? 0);
  const unknownUsd = besides.unknownUsd + (budget.unknownUsd ?? 0);
  const { ungradedUsd = 0 } = budget;
  const known = { maxCostUsd, spentUsd, trialsUsd, ungradedUsd, repeatedUsd, unknownUsd, lostUsd, lostTrials };
  const rest = spentUsd - trialsUsd - ungradedUsd - lostUsd - repeatedUsd - unknownUsd;
  // Sums of fractions of a cent differ in their last digits.
  if (rest < 1e-9) return known;
  if (budget.unknownUsd !== undefined) return { ...known, ungradedUsd: rest };
  // A queue tells how many costs are not known, and not what they count as.
  return budget.unknownCosts > 0
    ? { ...known, unknownUsd: unknownUsd + rest }
    : { ...known, repeatedUsd: repeatedUsd + rest };
}

/** What the reader of a report has to know about the run's budget. */
export function budgetNotes(spent: Spent, names: BudgetedNames): string[] {
  const { rows, budget } = spent;
  const figures = spendingNotes(spent, names);
  if (!budget.isRefusing) return figures;
  const taskOf = ({ system, dataset, exampleId }: EvalRow) => JSON.stringify([system, dataset, exampleId]);
  const tasks = new Set(rows.map(taskOf));
  const tried = new Set(rows.filter(({ outcome }) => outcome !== "skipped").map(taskOf));
  return [`budget stopped: ${tried.size} of ${tasks.size} tasks have at least one trial`, ...figures];
}

/** What was spent of the run's budget, and on what. */
export function spendingNotes({ rows, budget, besides }: Spent, { unheld, systems }: BudgetedNames): string[] {
  const loose = unheld.map((name) => `${name} says nothing of its costs beforehand: only what it reports counts`);
  const receipt = createReceipt({ rows, budget, besides });
  const spent = `spent ${formatDollars(receipt.spentUsd)} of ${formatDollars(receipt.maxCostUsd)}`;
  const reserved = systems.flatMap((name) => reservedNote(name, budget) ?? []);
  return [...loose, ...reserved, ...receiptNotes(receipt, besides), ...lostNotes(budget), spent];
}

interface BudgetedNames extends Pick<Budgets, "unheld"> {
  systems: readonly string[];
}

/** How much of the budget trials have held while they ran, which bounds how many ran at a time. */
function reservedNote(name: string, budget: Spending): string | null {
  const { firstUsd = null, learntUsd = null } = budget.reservedFor?.(name) ?? {};
  const first = firstUsd === null || firstUsd === 0 ? null : `at most ${formatDollars(firstUsd)} (what it can cost)`;
  const learnt =
    learntUsd === null ? null : `${formatDollars(learntUsd)} (half as much again as 95 % of its trials have cost)`;
  const parts = [first, learnt].filter((part) => part !== null);
  return parts.length === 0 ? null : `set aside for a trial of ${name}: ${parts.join(", then ")}`;
}

/** What was not spent on the trials of the report. */
function receiptNotes(
  { repeatedUsd, ungradedUsd, unknownUsd }: BudgetReceipt,
  { lostUsd, lostTrials }: BesideRows,
): string[] {
  const notes: string[] = [];
  const tell = (usd: number, what: string) => usd > 0 && notes.push(`${formatDollars(usd)} of what was spent ${what}`);
  const cut = lostTrials === 0 ? "" : `: ${plural(lostTrials, "trial")} cut off, at what was set aside`;
  tell(lostUsd, `was lost to interruptions${cut}`);
  tell(repeatedUsd, "went to trials that failed and were run again");
  tell(ungradedUsd, "is for outputs that are stored and not graded yet: --resume grades them");
  tell(unknownUsd, "was set aside for trials whose cost nobody knows");
  return notes;
}

/** Nobody knows what they have cost. */
function lostNotes({ lostTrials = 0, lostUsd = 0 }: Spending): string[] {
  if (lostTrials === 0) return [];
  const usd = formatDollars(lostUsd);
  if (lostTrials === 1) return [`1 trial was lost with its worker; the ${usd} set aside for it counts as spent`];
  return [`${lostTrials} trials were lost with their workers; the ${usd} set aside for them counts as spent`];
}
