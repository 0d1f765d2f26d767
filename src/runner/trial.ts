import { AssayError, TrialError } from "../core/errors.js";
import type { TrialFigures } from "../core/evaluator.js";
import type { Limits } from "../core/price.js";
import type { Attempt } from "../core/row.js";
import type { Output } from "../core/system.js";
import type { Trial } from "./admit.js";
import { Attempter } from "./attempt.js";
import {
  Alarms,
  type Attempted,
  type CallOptions,
  openCall,
  type Returned,
  restored,
  threw,
  trialSeeds,
  type UngradedOutput,
} from "./call.js";
import { classify, type Ending } from "./classify.js";
import { billed } from "./cost.js";
import type { TrialGate } from "./gate.js";
import type { Plan } from "./plan.js";
import type { ChainPorts, FinishedTrial } from "./ports.js";
import { interruptedRow, notRunRow, type TokenCounter, toRow } from "./record.js";
import { type Graded, score } from "./score.js";

export interface TrialChain {
  /** What a trial is held to. */
  limitsOf(trial: Trial): Limits | null;
  /** Takes a trial through all steps. */
  run(trial: Trial): Promise<void>;
  /** Why trials are waiting, in words; null when none is. */
  waiting(): string | null;
  /** Records a trial as failed without asking its system. */
  fail(trial: Trial, error: TrialError): void;
  /** Records those of the trials whose promises nothing can settle any more, and says which they are. */
  giveUp(trials: readonly Trial[]): readonly Trial[];
}

/** Where finished trials are written down: the ledger of the run, or what brings them to it. */
export interface TrialBook {
  readonly tokens: TokenCounter;
  /** Failed attempts of earlier starts of the same run. */
  attemptsOf(trial: Trial): readonly Attempt[];
  /** What an earlier start of the same run has stored of the trial and not graded; null when there is nothing. */
  storedOutput(trial: Trial): UngradedOutput | null;
  /** Stores an output until it is graded. False when it would be lost with this process. */
  keepOutput(trial: Trial, returned: Returned): boolean;
  /** Says that a trial is over that has no row: it goes on on resume. */
  release(trial: Trial): void;
  /** Keeps a finished trial. */
  record(trial: Trial, finished: FinishedTrial): void;
  /** Says which trial is about to exceed its budget; null when none is any more. */
  warn(warning: string | null): void;
}

/** What is to be paid for trials. */
export interface TrialPurse {
  /** Call when a trial is over, with what scoring it has cost. */
  settle(trial: Trial, attempted: Attempted, judgeCostUsd: number): void;
}

export interface ChainParts {
  plan: Plan;
  ports: ChainPorts;
  book: TrialBook;
  /** By system: what its endpoint takes at a time. */
  gates: readonly (TrialGate | null)[];
  purse: TrialPurse;
}

interface TrialEnd {
  attempted: Attempted;
  ending: Ending;
  /** Left out when there was nothing to score. */
  graded?: Graded | null;
  /** Tokens of what the system produced. */
  produced?: number;
  /** True when the output is stored: it is graded on resume, and paid for once. */
  isStored?: boolean;
}

/** The steps that every trial goes through, wherever it is run. */
export function trialChain({ plan, ports, book, gates, purse }: ChainParts): TrialChain {
  const limitsOf = limitsByTrial(plan, ports);
  const { tokens } = book;
  const { threshold } = plan;
  const seedOf = trialSeeds(plan.seed);
  const alarms = new Alarms((warning) => book.warn(warning));
  const attempter = new Attempter(ports, { seed: plan.seed, gates, limitsOf, threshold, alarms });
  /** A trial that goes on on resume has cost what it has cost; what a stored output has cost is stored with it. */
  const recordInterrupted = (trial: Trial, { attempted, graded = null, isStored = false }: TrialEnd): void => {
    const row = interruptedRow(trial, isStored ? null : attempted, graded);
    if ((row.costUsd ?? 0) + (row.judgeCostUsd ?? 0) > 0)
      book.record(trial, { row, output: null, evidence: null, grades: null });
    else book.release(trial);
  };

  const record = (trial: Trial, end: TrialEnd): void => {
    const { attempted, ending, graded = null, produced = 0 } = end;
    attempted.call.wasCut = ending.kind === "skipped" && attempter.callOf(trial) !== null;
    purse.settle(trial, attempted, graded?.spent?.costUsd ?? 0);
    // An evaluator that was told to stop has not failed: the trial goes on on resume.
    const isCutOff = graded !== null && !graded.complete && ports.signal.aborted;
    if (ending.kind === "skipped" && ending.reason !== null) {
      const row = notRunRow(trial, ending.reason, book.attemptsOf(trial));
      book.record(trial, { row, output: null, evidence: null, grades: null });
      return;
    }
    if (ending.kind === "skipped" || isCutOff) {
      recordInterrupted(trial, end);
      return;
    }
    const earlier = book.attemptsOf(trial);
    const row = toRow({ trial, ending, graded, threshold, tokens, produced, earlier, limits: limitsOf(trial) });
    const output = ending.kind === "gradable" ? ending.returned.output : leftBy(ending);
    const { evidence = null, grades = null } = graded ?? {};
    book.record(trial, { row, output, evidence, grades });
  };

  const finish = async (trial: Trial, attempted: Attempted): Promise<void> => {
    const ending = classify(attempted, ports.signal);
    if (ending.kind !== "gradable") {
      record(trial, { attempted, ending });
      return;
    }
    const { output } = ending.returned;
    // Grading may take longer than the work: what it is interrupted in is not paid for again.
    const isStored = attempted.call.wasStored || book.keepOutput(trial, ending.returned);
    if (attempted.call.cacheKey !== null) await attempter.remember(ending.returned);
    // Counted before evaluators see the output: what they do to it is not the system's work.
    const counted = tokens.output(trial.example, output);
    const produced = typeof counted === "number" ? counted : await counted;
    const figures = figuresOf(attempted, output);
    const graded = await score(trial, output, { signal: ports.signal, figures });
    record(trial, { attempted, ending, graded, produced, isStored });
  };

  /** An output that throws when it is looked at is a fault of its system, and costs this trial alone. */
  const finishSafely = async (trial: Trial, attempted: Attempted): Promise<void> => {
    try {
      await finish(trial, attempted);
    } catch (error) {
      if (error instanceof AssayError || attempted.kind === "threw") throw error;
      await finish(trial, threw(error, { durationMs: attempted.durationMs ?? 0, call: attempted.call }));
    }
  };

  const callWithoutLimits = (trial: Trial): CallOptions => {
    return { trial, seed: seedOf(trial), budget: null, stop: null, signal: ports.signal };
  };

  const attempt = (trial: Trial): Promise<Attempted> | Attempted => {
    const stored = book.storedOutput(trial);
    return stored === null ? attempter.attempt(trial) : restored(stored, callWithoutLimits(trial));
  };

  const failed = (trial: Trial, error: TrialError): void => {
    const call = attempter.callOf(trial) ?? openCall(callWithoutLimits(trial));
    const attempted = threw(error, { durationMs: 0, call });
    record(trial, { attempted, ending: classify(attempted, ports.signal) });
    call.leaveGate?.("failed");
  };

  return {
    limitsOf,
    waiting: () => attempter.waiting(),
    async run(trial) {
      const attempted = await attempt(trial);
      alarms.clear(trial);
      try {
        await finishSafely(trial, attempted);
      } finally {
        attempter.forget(trial);
        // What its system left to be done. What fails there costs nothing any more.
        const { atEnd } = attempted.call;
        if (atEnd !== null) await Promise.allSettled(atEnd.map(async (task) => task()));
      }
    },
    fail: failed,
    giveUp(trials) {
      // Those that wait for a place at their endpoint get one from those that are given up.
      const called = trials.filter((trial) => attempter.callOf(trial) !== null);
      const stuck = called.length === 0 ? trials : called;
      for (const trial of stuck)
        failed(trial, new TrialError("system_error", "nothing is left that could settle the promise it waits for"));
      return stuck;
    },
  };
}

/** What each trial is held to: its system's limits, with the terms of its dataset. */
function limitsByTrial({ systems, wirings }: Plan, { budget }: ChainPorts): TrialChain["limitsOf"] {
  if (wirings.every(({ terms }) => terms === null)) {
    const limits = systems.map((each) => budget.limitsOf(each, null));
    return ({ systemIndex }) => limits[systemIndex] ?? null;
  }
  const known = new Map(wirings.map((wiring) => [wiring, systems.map((each) => budget.limitsOf(each, wiring.terms))]));
  return ({ wiring, systemIndex }) => known.get(wiring)?.[systemIndex] ?? null;
}

/** What the row will say of the trial, for evaluators of time and cost. */
function figuresOf({ call, durationMs }: Attempted, output: Output): TrialFigures {
  const { costUsd, partial } = billed(output, call.budget);
  return { durationMs: durationMs === null ? null : call.lostMs + durationMs, costUsd, partial };
}

/** What a trial that failed has to show for it: how far it came is kept, and not graded. */
function leftBy(ending: Ending): Output | null {
  const trajectory = ending.kind === "error" ? ending.spent?.trajectory : undefined;
  return trajectory === undefined ? null : { trajectory };
}
