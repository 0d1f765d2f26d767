import { type CanCost, canCost, dollars, isFree } from "../budget/price.js";

import { ENOUGH_TRIALS, USUAL_MARGIN } from "../budget/run-budget.js";
import type { Limits, TokenPrices } from "../core/price.js";
import type { Tokenizer } from "../core/tokenizer.js";
import { formatDollars, formatSeconds, plural } from "../report/format.js";
import { oneLine } from "../report/markdown.js";
import type { Plan } from "../runner/plan.js";
import { promptSize } from "../runner/purse.js";
import { inputTokens } from "../runner/record.js";
import { detectableDifference } from "../stats/index.js";
import { type CostRange, judgingInWords, judgingOf } from "./judging-estimate.js";

/** A plan before anything is spent: how much work it is, and what it will be able to tell apart. */
interface PlanReport {
  schema: "assay.plan/1";
  planned: number;
  systems: string[];
  datasets: { name: string; examples: number; evaluators: string[]; passField: string | null }[];
  examples: number;
  trials: number;
  threshold: number;
  inputTokens: number;
  /** From prompts alone to every trial at its limit; null when a price or a limit is not known. */
  costUsd: CostRange;
  /** True when scoring costs money besides, which is not in `costUsd`. */
  isJudged: boolean;
  /** What judging costs: what judges are sent without the answers, and with answers at their longest; null when nobody knows. */
  judgeCostUsd: CostRange;
  /** Dollars for the whole run; null when it is not limited. */
  maxCostUsd: number | null;
  /** What the budget of the run holds back for a trial of each system before it starts; empty without such a budget. */
  reservations: readonly PlannedReservation[];
  /** About, at the expected time of each trial and all places taken. */
  wallSeconds: number;
  /** Between two pass rates, at 80 % power and the 5 % level; null when one example can tell nothing apart. */
  detectableDifference: number | null;
  notes: readonly string[];
}

/** What is set aside for a trial of a system until its others have shown what they cost. */
interface PlannedReservation {
  system: string;
  /** At most, over the examples; null when nothing says what a trial can cost: then the first few run one by one. */
  usd: number | null;
  /** Its prompt and its longest answer, or the limit of a trial. */
  by: CanCost["by"] | null;
  /** How many trials the budget lets run at a time at first. */
  atOnce: number;
}

export interface DryRunOptions {
  tokenizer: Tokenizer;
  maxWorkers: number;
  maxCostUsd: number | null;
  trialMaxCostUsd: number | null;
}

/** The plan as text for people, or as JSON when that is the output asked for. */
export function describePlan(plan: Plan, options: DryRunOptions & { output: string }): string {
  const report = reportOf(plan, options);
  return options.output === "json" ? `${JSON.stringify(report, null, 2)}\n` : inWords(report);
}

function reportOf(plan: Plan, { tokenizer, maxWorkers, maxCostUsd, trialMaxCostUsd }: DryRunOptions): PlanReport {
  const { trials, systems, cells, wiringOf } = plan;
  const n = plan.examples.length;
  const tasks = fewestTasks(plan);
  const count = (text: string) => tokenizer.count(text);
  /** By system: what it is sent over all its trials. */
  const sent = systems.map(() => 0);
  for (const [index, example] of plan.examples.entries()) {
    const cell = cells[wiringOf[index] ?? 0];
    const tokens = inputTokens(example, count) * (cell?.trials ?? 0);
    for (const system of cell?.systems ?? []) sent[system] = (sent[system] ?? 0) + tokens;
  }
  return {
    schema: "assay.plan/1",
    planned: plan.total,
    systems: systems.map(({ name }) => name),
    datasets: plan.wirings.map((wiring) => ({
      name: wiring.dataset || "examples",
      examples: plan.wiringOf.filter((index) => plan.wirings[index] === wiring).length,
      evaluators: wiring.evaluators.map(({ name }) => name),
      passField: wiring.forcedField ?? wiring.primaryFields?.[0] ?? null,
    })),
    examples: n,
    trials,
    threshold: plan.threshold,
    inputTokens: sent.reduce((total, tokens) => total + tokens, 0),
    costUsd: costRange(plan, { sent, maxCostUsd, trialMaxCostUsd }),
    maxCostUsd,
    reservations: maxCostUsd === null ? [] : reservationsOf(plan, { count, maxWorkers, maxCostUsd, trialMaxCostUsd }),
    wallSeconds: wallSeconds(plan, maxWorkers),
    detectableDifference:
      tasks < 2 ? null : findable(detectableDifference({ n: tasks, trialsA: trials, trialsB: trials })),
    isJudged: plan.wirings.some(({ evaluators }) => evaluators.some(({ isPaid }) => isPaid === true)),
    judgeCostUsd: judgingOf(plan, count),
    notes: [...plan.notes, ...groupNotes(plan)],
  };
}

/** How many tasks a comparison of two systems stands on, where not each is asked everything. */
function fewestTasks({ systems, cells, wiringOf }: Plan): number {
  const tasks = systems.map((_, index) => wiringOf.filter((wiring) => cells[wiring]?.systems.has(index)).length);
  return Math.min(...tasks);
}

/** Pass rates differ by no more than 1. */
function findable(difference: number): number | null {
  return difference <= 1 ? difference : null;
}

/** The smallest difference is worked out as if examples were independent. */
function groupNotes({ wirings }: Plan): string[] {
  const fields = [...new Set(wirings.flatMap(({ groupBy }) => groupBy ?? []))];
  return fields.map(
    (field) =>
      `examples with the same ${field} belong together: where groups are few, only larger differences are found`,
  );
}

/** What the plan costs at least and at most; systems that say nothing of prices cost nothing that is known. */
function costRange(
  plan: Plan,
  given: { sent: readonly number[]; maxCostUsd: number | null; trialMaxCostUsd: number | null },
): PlanReport["costUsd"] {
  const priced = plan.systems.flatMap(({ limits }, index) => (limits === undefined ? [] : { limits, index }));
  if (priced.length === 0 || priced.some(({ limits }) => limits.price === null)) return { low: null, high: null };
  const low = priced.reduce(
    (total, { limits, index }) => total + dollars((given.sent[index] ?? 0) * (limits.price?.input ?? 0)),
    0,
  );
  const most = priced.flatMap(({ limits, index }) => atMost(plan, { limits, index, ...given }));
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

function reservationsOf(plan: Plan, options: ReservationOptions): PlannedReservation[] {
  const { count, maxWorkers, maxCostUsd, trialMaxCostUsd } = options;
  return plan.systems.flatMap((system, index) => {
    const { name, limits, maxParallel = maxWorkers } = system;
    if (limits === undefined || isFree(system, limits)) return [];
    let most: CanCost | null = null;
    for (const [at, example] of plan.examples.entries()) {
      const wiring = plan.wiringOf[at] ?? 0;
      if (plan.cells[wiring]?.systems.has(index) !== true) continue;
      const limit = plan.wirings[wiring]?.terms?.maxCostUsd ?? trialMaxCostUsd ?? limits.maxCostUsd;
      const can = canCost({ ...limits, maxCostUsd: limit }, promptSize(example, inputTokens(example, count)));
      if (can !== null && can.usd >= (most?.usd ?? 0)) most = can;
    }
    const places = Math.min(maxWorkers, maxParallel);
    const atOnce = most === null ? 1 : Math.min(places, Math.floor(maxCostUsd / (most.usd || maxCostUsd)));
    return { system: name, usd: most?.usd ?? null, by: most?.by ?? null, atOnce };
  });
}

function reservationInWords({ system, usd, by, atOnce }: PlannedReservation): string {
  const then = `after ${ENOUGH_TRIALS} trials, ${USUAL_MARGIN} × the 95th percentile of what they cost`;
  const trials = atOnce === 1 ? "1 trial" : `${atOnce} trials`;
  if (usd === null) return `set aside for a trial of ${system}: as much as others have cost; the first run one by one`;
  const why = by === "tokens" ? "its prompt and its longest answer" : "its limit, as its longest answer is not known";
  return `set aside for a trial of ${system}: at most ${formatDollars(usd)} (${why}), so that ${trials} may run at a time; ${then}`;
}

interface AtMost {
  limits: Limits;
  index: number;
  trialMaxCostUsd: number | null;
}

/** By dataset: what all its trials of a system cost when each is at its limit; null when there is none. */
function atMost({ cells, wirings, wiringOf }: Plan, { limits, index, trialMaxCostUsd }: AtMost): (number | null)[] {
  return cells.map(({ systems, trials }, wiring) => {
    if (hasNoPrice(limits.price) || !systems.has(index)) return 0;
    const limit = wirings[wiring]?.terms?.maxCostUsd ?? trialMaxCostUsd ?? limits.maxCostUsd;
    const examples = wiringOf.filter((each) => each === wiring).length;
    return limit === null || limit === 0 ? null : limit * examples * trials;
  });
}

function hasNoPrice(price: TokenPrices | null): boolean {
  return price !== null && price.input === 0 && price.output === 0;
}

/** What a call of a model takes when nobody says. */
const USUAL_TRIAL_MS = 5000;

/** What the work of an agent takes when nobody says. */
const USUAL_WORK_MS = 60_000;

/** Endpoints are called side by side: the slowest decides. Work that calls none is taken to be done at once. */
function wallSeconds({ systems, cells, wiringOf }: Plan, maxWorkers: number): number {
  const byEndpoint = new Map<string, number>();
  for (const [index, system] of systems.entries()) {
    const { endpoint, limits, maxParallel = maxWorkers, worksInPhases = false } = system;
    if (endpoint === undefined) continue;
    const each = (limits?.expectedSolutionMs ?? (worksInPhases ? USUAL_WORK_MS : USUAL_TRIAL_MS)) / 1000;
    const trials = wiringOf.reduce((total, wiring) => {
      const cell = cells[wiring];
      return total + (cell?.systems.has(index) === true ? cell.trials : 0);
    }, 0);
    const all = (each * trials) / maxParallel;
    byEndpoint.set(endpoint, (byEndpoint.get(endpoint) ?? 0) + all);
  }
  return Math.max(0, ...byEndpoint.values());
}

function inWords(report: PlanReport): string {
  const { systems, datasets, examples, trials, planned, threshold, detectableDifference: difference } = report;
  const isWhole = planned === systems.length * examples * trials;
  const lines = [
    isWhole
      ? `${plural(systems.length, "system")} × ${plural(examples, "example")} × ${plural(trials, "trial")} = ${plural(planned, "planned trial")}`
      : `${plural(systems.length, "system")}, ${plural(examples, "example")} in all, at most ${plural(trials, "trial")} of each: ${plural(planned, "planned trial")}`,
    `systems: ${systems.join(", ")}`,
    ...datasets.map((dataset) => {
      const field = dataset.passField ?? "the first evaluator's first field";
      return `dataset ${dataset.name}: ${plural(dataset.examples, "example")}, evaluators ${dataset.evaluators.join(", ") || "none"}, pass = ${field} ≥ ${threshold}`;
    }),
    `input: about ${report.inputTokens} tokens`,
    ...costInWords(report),
    ...(report.isJudged ? [judgingInWords(report.judgeCostUsd)] : []),
    ...(report.wallSeconds === 0 ? [] : [`wall time: about ${formatSeconds(report.wallSeconds)}`]),
    difference === null
      ? "so few examples: no difference between systems can be told from chance"
      : `smallest difference between two pass rates that this design finds (80 % power, 5 % level): ${(difference * 100).toFixed(1)} points`,
    ...report.notes,
  ];
  return `${lines.map((line) => `- ${oneLine(line)}`).join("\n")}\n`;
}

function costInWords({ costUsd: { low, high }, maxCostUsd, reservations }: PlanReport): string[] {
  const budget = maxCostUsd === null ? [] : [`budget of the run: ${formatDollars(maxCostUsd)}`];
  const limit = [...budget, ...reservations.map(reservationInWords)];
  if (low === null) return limit;
  const most = high === null ? "no upper limit" : `at most ${formatDollars(high)}`;
  return [`cost: at least ${formatDollars(low)} (prompts alone), ${most}`, ...limit];
}
