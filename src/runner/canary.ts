import { getErrorMessage, isScored, type Limits, type System } from "../core/index.js";
import type { Trial } from "./admit.js";
import { SystemCaller } from "./attempt.js";
import type { BudgetGate } from "./budget-gate.js";
import type { AttemptResult } from "./call.js";
import { computeTrialSpend } from "./cost.js";
import type { TrialGate } from "./gate.js";
import { BudgetWarnings } from "./limits.js";
import { isPlanned, type Plan } from "./plan.js";
import type { CanaryResult, RunPorts } from "./ports.js";
import type { RowCollector } from "./row-collector.js";

/** With fewer open trials, canaries would cost too much beside the trials themselves. */
const MIN_TRIALS = 10;

/** A trivial task takes no longer, whatever the trials may take. */
const MAX_CANARY_MS = 300_000;

export interface CanaryOptions {
  readonly plan: Plan;
  readonly ports: RunPorts;
  readonly collector: RowCollector;
  readonly budgetGate: BudgetGate;
  /** By system: the gate of its endpoint. */
  readonly gates: readonly (TrialGate | null)[];
}

/**
 * Runs the canary of each system that has one, before any trial. Returns by system why its trials are not run, and null for
 * all others. Systems that have worked in an earlier start of the run need none.
 */
export async function runCanaries(options: CanaryOptions): Promise<(string | null)[]> {
  const { plan, ports, collector } = options;
  const wanted = listWantedCanaries(plan, collector);
  const reasons = plan.systems.map((): string | null => null);
  if (wanted.length === 0 || ports.signal.aborted) return reasons;
  const names = wanted.map((index) => plan.systems[index]?.name ?? "");
  const tell = () => collector.reportProgress(`canary: ${names.join(", ")} with a trivial task`);
  const timer = setInterval(tell, PROGRESS_MS).unref();
  tell();
  try {
    const results = await Promise.all(wanted.map((index) => runCanary(index, options)));
    for (const [place, result] of results.entries()) {
      const index = wanted[place];
      if (result === null || index === undefined) continue;
      if (result.problem !== null)
        for (const barred of listTestedSystems(plan, index)) reasons[barred] = `its canary failed: ${result.problem}`;
      ports.onCanary?.(result);
    }
  } finally {
    clearInterval(timer);
  }
  return reasons;
}

const PROGRESS_MS = 250;

/** The systems with a canary and open trials, unless there are few in all. */
function listWantedCanaries(plan: Plan, collector: RowCollector): number[] {
  const open = plan.systems.map((system, index) =>
    system.canary === undefined ? 0 : countTestedTrials(plan, index, collector),
  );
  const total = open.reduce((sum, count) => sum + count, 0);
  return plan.systems.flatMap(({ canary }, index) => {
    const isWanted = canary !== undefined && (canary.isAlways === true || total >= MIN_TRIALS);
    return isWanted && (open[index] ?? 0) > 0 && !collector.hasRowOf(index, isScored) ? [index] : [];
  });
}

/** A system with a canary and, in a stress test, the other arms of the same system: what it cannot do, they cannot. */
function listTestedSystems({ systems }: Plan, index: number): number[] {
  const arm = systems[index]?.arm;
  return systems.flatMap((system, other) => {
    const isArm = arm !== undefined && system.arm?.system === arm.system && system.canary === undefined;
    return other === index || isArm ? [other] : [];
  });
}

function countTestedTrials(plan: Plan, index: number, collector: RowCollector): number {
  return listTestedSystems(plan, index).reduce((sum, each) => sum + countOpenTrials(plan, each, collector), 0);
}

function countOpenTrials(plan: Plan, systemIndex: number, collector: RowCollector): number {
  let count = 0;
  for (let exampleIndex = 0; exampleIndex < plan.examples.length; exampleIndex++)
    for (let trial = 0; trial < plan.trials; trial++) {
      const place = { systemIndex, exampleIndex, trial };
      if (isPlanned(plan, place) && !collector.hasRowAt(place)) count += 1;
    }
  return count;
}

/** Null if it was not run, because the budget is spent. */
async function runCanary(systemIndex: number, options: CanaryOptions): Promise<CanaryResult | null> {
  const { plan, ports, collector, budgetGate, gates } = options;
  const system = plan.systems[systemIndex];
  const [datasetPlan] = plan.datasetPlans;
  const [first] = plan.examples;
  if (system?.canary === undefined || datasetPlan === undefined || first === undefined) return null;
  const trial: Trial = {
    // Below the indexes of rows.
    index: -1 - systemIndex,
    system,
    systemIndex,
    example: system.canary.adapt?.(first) ?? system.canary.example,
    exampleIndex: -1 - systemIndex,
    trial: 0,
    datasetPlan: { ...datasetPlan, evaluators: [], canWatch: false, terms: null },
  };
  const limits = limitTime(ports.budget.limitsOf(system, null));
  if (!(await budgetGate.admit(trial, limits))) return null;
  const caller = new SystemCaller(
    { ...ports, cache: null },
    {
      seed: plan.seed,
      gates,
      limitsOf: () => limits,
      createPassProbe: () => undefined,
      warnings: new BudgetWarnings(() => {}),
    },
  );
  const attempted = await caller.attempt(trial);
  try {
    const costUsd = computeTrialSpend(attempted);
    const spentUsd = budgetGate.settleCanary(trial, costUsd);
    collector.recordCanary(trial, spentUsd);
    const costs = { system: system.name, costUsd, spentUsd };
    if (ports.signal.aborted) return { ...costs, end: "interrupted", problem: null };
    const problem = findProblem(system, attempted);
    return { ...costs, end: problem === null ? "passed" : "failed", problem };
  } finally {
    caller.forget(trial);
    await Promise.allSettled((attempted.call.atEnd ?? []).map(async (task) => task()));
  }
}

function limitTime(limits: Limits | null): Limits | null {
  if (limits === null) return null;
  return { ...limits, hardTimeoutMs: Math.min(limits.hardTimeoutMs ?? MAX_CANARY_MS, MAX_CANARY_MS) };
}

function findProblem({ canary }: System, attempted: AttemptResult): string | null {
  if (attempted.kind === "threw") return getErrorMessage(attempted.error);
  try {
    return canary?.findProblem(attempted.output) ?? null;
  } catch (error) {
    return getErrorMessage(error);
  }
}
