import { AssayError, TrialError } from "../core/errors.js";
import type { TrialFigures } from "../core/evaluator.js";
import type { Limits } from "../core/price.js";
import type { Attempt } from "../core/row.js";
import type { Output } from "../core/system.js";
import { andThen, type Eventually, isThenable } from "../core/thenable.js";
import type { Trial } from "./admit.js";
import { Alarms } from "./alarms.js";
import { Attempter } from "./attempt.js";
import { billed } from "./billed.js";
import { type Attempted, openCall, threw, trialSeeds } from "./call.js";
import { classify, type Ending } from "./classify.js";
import type { TrialGate } from "./gate.js";
import type { Plan } from "./plan.js";
import type { ChainPorts, FinishedTrial } from "./ports.js";
import { interruptedRow, type TokenCounter, toRow } from "./record.js";
import { type Graded, score } from "./score.js";

export interface TrialChain {
  /** What a trial is held to. */
  limitsOf(trial: Trial): Limits | null;
  /** Takes a trial through all steps. A promise is to be waited for before the slot takes another trial. */
  run(trial: Trial): PromiseLike<void> | undefined;
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
  /** Keeps a finished trial. */
  record(trial: Trial, finished: FinishedTrial): void;
  /** Resolves when everything recorded so far is written down. */
  written(): Promise<void>;
  /** True when systems that never wait have kept the event loop for so long that it has to be given a turn. */
  turnIsLong(): boolean;
  /** True when something that was recorded has waited to be written down for longer than a turn should take. */
  isLate(): boolean;
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

/** The steps that every trial goes through, wherever it is run. */
export function trialChain({ plan, ports, book, gates, purse }: ChainParts): TrialChain {
  const limitsOf = limitsByTrial(plan, ports);
  const { tokens } = book;
  const { threshold } = plan;
  const alarms = new Alarms((warning) => book.warn(warning));
  const attempter = new Attempter(ports, { seed: plan.seed, gates, limitsOf, threshold, alarms });
  /** A trial that is run again on resume has cost what it has cost. */
  const recordInterrupted = (trial: Trial, attempted: Attempted, graded: Graded | null = null): void => {
    const row = interruptedRow(trial, attempted, graded);
    if ((row.costUsd ?? 0) + (row.judgeCostUsd ?? 0) > 0)
      book.record(trial, { row, output: null, evidence: null, grades: null });
  };

  const finish = (trial: Trial, attempted: Attempted): Eventually<void> => {
    const ending = classify(attempted, ports.signal);
    if (ending.kind === "skipped") {
      purse.settle(trial, attempted, 0);
      return recordInterrupted(trial, attempted);
    }
    const output = ending.kind === "gradable" ? ending.returned.output : null;
    // Counted before evaluators see the output: what they do to it is not the system's work.
    const produced = output === null ? 0 : tokens.output(trial.example, output);
    const record = (graded: Graded | null) => {
      purse.settle(trial, attempted, graded?.spent?.costUsd ?? 0);
      // An evaluator that was told to stop has not failed: the trial is run again on resume.
      if (graded !== null && !graded.complete && ports.signal.aborted)
        return recordInterrupted(trial, attempted, graded);
      const earlier = book.attemptsOf(trial);
      const row = toRow({ trial, ending, graded, threshold, tokens, produced, earlier, limits: limitsOf(trial) });
      const { evidence = null, grades = null } = graded ?? {};
      book.record(trial, { row, output: output ?? leftBy(ending), evidence, grades });
    };
    if (output === null) return record(null);
    const figures = figuresOf(attempted, output);
    return andThen(score(trial, output, { signal: ports.signal, figures }), record);
  };

  /** An output that throws when it is looked at is a fault of its system, and costs this trial alone. */
  const finishSafely = (trial: Trial, attempted: Attempted): Eventually<void> => {
    try {
      const finished = finish(trial, attempted);
      if (!isThenable(finished)) return finished;
      return finished.then(undefined, (error: unknown) => blame(trial, attempted, error));
    } catch (error) {
      return blame(trial, attempted, error);
    }
  };

  const blame = (trial: Trial, attempted: Attempted, error: unknown): Eventually<void> => {
    if (error instanceof AssayError || attempted.kind === "threw") throw error;
    return finish(trial, threw(error, { durationMs: attempted.durationMs ?? 0, call: attempted.call }));
  };

  const failed = (trial: Trial, error: TrialError): void => {
    const call =
      attempter.callOf(trial) ??
      openCall({ trial, seed: trialSeeds(plan.seed)(trial), ...NO_LIMITS, signal: ports.signal });
    void finish(trial, threw(error, { durationMs: 0, call }));
    call.leaveGate?.("failed");
  };

  return {
    limitsOf,
    waiting: () => attempter.waiting(),
    run(trial) {
      const finished = andThen(attempter.attempt(trial), (attempted) => {
        alarms.clear(trial);
        const recorded = finishSafely(trial, attempted);
        const { atEnd } = attempted.call;
        return atEnd === null ? recorded : clearedAway(recorded, atEnd);
      });
      if (isThenable(finished))
        // The slot does not wait for the end of the turn, when all that was recorded in it is written: its system would
        // wait with it. Promises that settle without a turn of the event loop would go on for ever.
        return finished.then(() => {
          attempter.forget(trial);
          return book.isLate() ? book.written() : undefined;
        });
      return book.turnIsLong() ? book.written() : undefined;
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

const NO_LIMITS = { budget: null, stop: null } as const;

/** What a trial that failed has to show for it: how far it came is kept, and not graded. */
function leftBy(ending: Ending): Output | null {
  const trajectory = ending.kind === "error" ? ending.spent?.trajectory : undefined;
  return trajectory === undefined ? null : { trajectory };
}

/** Waits until a trial is recorded, then does what its system left to be done. What fails there costs nothing any more. */
async function clearedAway(recorded: Eventually<void>, tasks: readonly (() => void | Promise<void>)[]): Promise<void> {
  try {
    await recorded;
  } finally {
    await Promise.allSettled(tasks.map(async (task) => task()));
  }
}
