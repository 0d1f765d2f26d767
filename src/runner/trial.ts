import type { Attempt, Limits, Output, TrialStats } from "../core/index.js";
import { AssayError, computePaidCost, TrialError } from "../core/index.js";
import type { Trial } from "./admit.js";
import { SystemCaller } from "./attempt.js";
import {
  type AttemptResult,
  type AttemptSuccess,
  createTrialSeeder,
  openCall,
  restoreAttempt,
  type SystemCallOptions,
  toAttemptFailure,
  type UngradedOutput,
} from "./call.js";
import { classifyAttempt, type TrialEnding } from "./classify.js";
import { computeUserSpend, resolveCost } from "./cost.js";
import type { TrialGate } from "./gate.js";
import { BudgetWarnings } from "./limits.js";
import { getExampleTerms, listPlanTerms, type Plan } from "./plan.js";
import type { ChainPorts, FinishedTrial } from "./ports.js";
import { type TokenCounter, toInterruptedRow, toNotRunRow, toTrialRow } from "./record.js";
import { createPassProbe, type Graded, scoreOutput } from "./score.js";

export interface TrialRunner {
  limitsOf(trial: Trial): Limits | null;
  /** Runs all steps of a trial. */
  run(trial: Trial): Promise<void>;
  /** Describes why trials are waiting; null if none is. */
  waiting(): string | null;
  /** Records a trial as failed without calling its system. */
  fail(trial: Trial, error: TrialError): void;
  /** Records trials whose promises can never settle as failed, and returns them. */
  giveUp(trials: readonly Trial[]): readonly Trial[];
}

/** Records finished trials: the row collector of the run, or a worker that sends them to it. */
export interface TrialRecorder {
  readonly tokens: TokenCounter;
  /** Failed attempts of earlier starts of the same run. */
  getAttempts(trial: Trial): readonly Attempt[];
  /** The stored, ungraded output of an earlier start of the same run; null if there is none. */
  getStoredOutput(trial: Trial): UngradedOutput | null;
  /** Stores an output until it is graded. Returns false if it would be lost with this process. */
  saveOutput(trial: Trial, returned: AttemptSuccess): boolean;
  /** Marks a trial without a row as finished for now: it continues on resume. */
  release(trial: Trial): void;
  /** True if a call that is cut off loses nothing, because it continues on resume. */
  keepsCall(trial: Trial, by: "system" | "judge"): boolean;
  record(trial: Trial, finished: FinishedTrial): void;
  /** Reports which trial is close to its budget; null if none is. */
  warn(warning: string | null): void;
}

/** Settles the cost of trials. */
export interface TrialSettler {
  /** Call when a trial is finished, with the cost of scoring it and of its simulated user. */
  settle(trial: Trial, attempted: AttemptResult, judgeCostUsd: number): void;
}

export interface TrialRunnerOptions {
  plan: Plan;
  ports: ChainPorts;
  book: TrialRecorder;
  /** By system: the gate of its endpoint. */
  gates: readonly (TrialGate | null)[];
  budgetGate: TrialSettler;
  /** By system: why its trials are not run; null for those that are. */
  barred?: readonly (string | null)[];
}

interface AttemptEnd {
  attempted: AttemptResult;
  ending: TrialEnding;
  /** Omitted if there was nothing to score. */
  graded?: Graded | null;
  /** Tokens that the system produced. */
  produced?: number;
  /** True if the output is stored: it is graded on resume and not paid for twice. */
  isStored?: boolean;
}

/** Creates the steps that every trial goes through, in any process. */
export function createTrialRunner(options: TrialRunnerOptions): TrialRunner {
  const { plan, ports, book, gates, budgetGate, barred = [] } = options;
  const limitsOf = createLimitsLookup(plan, ports);
  const { tokens } = book;
  const { threshold } = plan;
  const seedOf = createTrialSeeder(plan.seed);
  const warnings = new BudgetWarnings((warning) => book.warn(warning));
  const attempter = new SystemCaller(ports, {
    seed: plan.seed,
    gates,
    limitsOf,
    createPassProbe: (trial) => createPassProbe(trial, threshold, ports.signal),
    warnings,
    barred,
  });
  /** An interrupted trial continues on resume, but its cost so far counts. The cost of a stored output is stored with it. */
  const recordInterrupted = (trial: Trial, { attempted, graded = null, isStored = false }: AttemptEnd): void => {
    const row = toInterruptedRow(trial, isStored ? null : attempted, graded);
    if (computePaidCost(row) > 0) book.record(trial, { row, output: null, evidence: null, grades: null });
    else book.release(trial);
  };

  const record = (trial: Trial, end: AttemptEnd): void => {
    const { attempted, ending, graded = null, produced = 0 } = end;
    attempted.call.wasCut =
      ending.kind === "skipped" && attempter.getCall(trial) !== null && !book.keepsCall(trial, "system");
    budgetGate.settle(trial, attempted, (graded?.spent?.costUsd ?? 0) + computeUserSpend(attempted));
    // An evaluator that was stopped has not failed: the trial continues on resume.
    const isCutOff = graded !== null && !graded.complete && ports.signal.aborted;
    if (ending.kind === "skipped" && ending.reason !== null) {
      const row = toNotRunRow(trial, ending.reason, book.getAttempts(trial));
      book.record(trial, { row, output: null, evidence: null, grades: null });
      return;
    }
    if (ending.kind === "skipped" || isCutOff) {
      recordInterrupted(trial, end);
      return;
    }
    const earlier = book.getAttempts(trial);
    const row = toTrialRow({ trial, ending, graded, threshold, tokens, produced, earlier, limits: limitsOf(trial) });
    const output = ending.kind === "gradable" ? ending.returned.output : getFailedOutput(ending);
    const { evidence = null, grades = null } = graded ?? {};
    book.record(trial, { row, output, evidence, grades });
  };

  const finish = async (trial: Trial, attempted: AttemptResult): Promise<void> => {
    const ending = classifyAttempt(attempted, ports.signal);
    if (ending.kind !== "gradable") {
      record(trial, { attempted, ending });
      return;
    }
    const { output } = ending.returned;
    // Grading may take longer than the work, so the output is stored first: an interrupted trial is not paid for twice.
    const isStored = attempted.call.wasStored || book.saveOutput(trial, ending.returned);
    if (attempted.call.cacheKey !== null) await attempter.cacheOutput(ending.returned);
    // Counted before evaluators see the output, because they might change it.
    const counted = tokens.countOutput(trial.example, output);
    const produced = typeof counted === "number" ? counted : await counted;
    const figures = toTrialFigures(attempted, output);
    const graded = await scoreOutput(trial, output, { signal: ports.signal, figures });
    record(trial, { attempted, ending, graded, produced, isStored });
  };

  /** An output that throws when it is read is an error of its system and affects only this trial. */
  const finishSafely = async (trial: Trial, attempted: AttemptResult): Promise<void> => {
    try {
      await finish(trial, attempted);
    } catch (error) {
      if (error instanceof AssayError || attempted.kind === "threw") throw error;
      await finish(trial, toAttemptFailure(error, { durationMs: attempted.durationMs ?? 0, call: attempted.call }));
    }
  };

  const callWithoutLimits = (trial: Trial): SystemCallOptions => {
    return { trial, seed: seedOf(trial), budget: null, stop: null, signal: ports.signal };
  };

  const attempt = (trial: Trial): Promise<AttemptResult> | AttemptResult => {
    const stored = book.getStoredOutput(trial);
    return stored === null ? attempter.attempt(trial) : restoreAttempt(stored, callWithoutLimits(trial));
  };

  const failed = (trial: Trial, error: TrialError): void => {
    const call = attempter.getCall(trial) ?? openCall(callWithoutLimits(trial));
    const attempted = toAttemptFailure(error, { durationMs: 0, call });
    record(trial, { attempted, ending: classifyAttempt(attempted, ports.signal) });
    call.leaveGate?.("failed");
  };

  return {
    limitsOf,
    waiting: () => attempter.waiting(),
    async run(trial) {
      const attempted = await attempt(trial);
      warnings.clear(trial);
      try {
        await finishSafely(trial, attempted);
      } finally {
        attempter.forget(trial);
        // Cleanup tasks of the system. Their failures no longer matter.
        const { atEnd } = attempted.call;
        if (atEnd !== null) await Promise.allSettled(atEnd.map(async (task) => task()));
      }
    },
    fail: failed,
    giveUp(trials) {
      // Trials waiting at the gate get the slots of those that are given up.
      const called = trials.filter((trial) => attempter.getCall(trial) !== null);
      const stuck = called.length === 0 ? trials : called;
      for (const trial of stuck) failed(trial, new TrialError("system_error", "its promise never settled"));
      return stuck;
    },
  };
}

/** The limits of each trial: those of its system, with the overrides of its dataset and its example. */
function createLimitsLookup(plan: Plan, { budget }: ChainPorts): TrialRunner["limitsOf"] {
  const known = new Map(
    [{ terms: null }, ...listPlanTerms(plan)].map(({ terms }) => [
      terms,
      plan.systems.map((each) => budget.limitsOf(each, terms)),
    ]),
  );
  return ({ exampleIndex, systemIndex }) => known.get(getExampleTerms(plan, exampleIndex))?.[systemIndex] ?? null;
}

/** What the row will say about the trial, for evaluators of time and cost. */
function toTrialFigures({ call, durationMs }: AttemptResult, output: Output): TrialStats {
  const { costUsd, partial } = resolveCost(output, call.budget);
  return { durationMs: durationMs === null ? null : call.lostMs + durationMs, costUsd, partial };
}

/** The trajectory of a failed trial is kept, but not graded. */
function getFailedOutput(ending: TrialEnding): Output | null {
  const trajectory = ending.kind === "error" ? ending.spent?.trajectory : undefined;
  return trajectory === undefined ? null : { trajectory };
}
