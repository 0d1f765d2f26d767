import { setMaxListeners } from "node:events";
import { AssayError, TrialError } from "../core/errors.js";
import type { Limits } from "../core/price.js";
import type { EvalRow } from "../core/row.js";
import type { Output } from "../core/system.js";
import { andThen, type Eventually, isThenable } from "../core/thenable.js";
import { admissions, type Trial } from "./admit.js";
import { Alarms } from "./alarms.js";
import { Attempter } from "./attempt.js";
import { type Attempted, openCall, threw } from "./call.js";
import { classify, type Ending } from "./classify.js";
import { type Lane, lanesOf } from "./lanes.js";
import { type Earlier, Ledger, NOTHING_EARLIER } from "./ledger.js";
import type { Plan } from "./plan.js";
import type { RunPorts } from "./ports.js";
import { Purse } from "./purse.js";
import { interruptedRow, toRow } from "./record.js";
import { type Graded, score } from "./score.js";
import { GRACE_MS } from "./trial-stop.js";

/** How often somebody looks whether trials are waiting. */
const WAIT_CHECK_MS = 250;

/** Runs every planned trial that is not done yet, and returns all rows in the plan's order. */
export async function run(plan: Plan, ports: RunPorts, earlier: Earlier = NOTHING_EARLIER): Promise<EvalRow[]> {
  setMaxListeners(0, ports.signal);
  const ledger = new Ledger(plan, ports, earlier);
  const lanes = lanesOf(plan, ports);
  const purse = new Purse(ports.budget.run, ports.signal);
  const chain = trialChain({ plan, ports, ledger, lanes, purse });
  const queues = lanes.map(({ systems }) =>
    admissions(plan, systems, { isDone: (index) => ledger.has(index), signal: ports.signal }),
  );
  const inFlight = new Map<Trial, PromiseLike<void>>();
  const worker = async (queue: Iterable<Trial>) => {
    for (const trial of queue) {
      const admitted = purse.admits(trial, chain.limitsOf(trial));
      if (admitted !== true && !(await admitted)) return;
      const recorded = chain.run(trial);
      if (recorded === undefined) continue;
      inFlight.set(trial, recorded);
      await recorded;
      inFlight.delete(trial);
    }
  };
  const stopTelling = tellWaiting(ledger, () => [...lanes.map(({ gate }) => gate), chain, purse]);
  try {
    const slotsOf = (lane: number) => Math.min(lanes[lane]?.workers ?? ports.maxWorkers, plan.total);
    const startWorkers = () =>
      Promise.all(queues.flatMap((queue, lane) => Array.from({ length: slotsOf(lane) }, () => worker(queue))));
    let workers = startWorkers();
    for (;;) {
      const outcome = await outcomeOf(Promise.all([workers, ...inFlight.values()]), ports, graceOf(plan));
      if (outcome === "stopped" || (outcome === "done" && inFlight.size === 0)) return ledger.close();
      if (outcome === "done") continue;
      for (const trial of chain.giveUp([...inFlight.keys()])) inFlight.delete(trial);
      workers = startWorkers();
    }
  } catch (error) {
    // What is not started yet must not be: nobody would hear of it.
    for (const queue of queues) queue.return();
    ledger.abandon();
    throw error;
  } finally {
    purse.release();
    stopTelling();
  }
}

/** A run that waits ends no trial, so that nothing else would say why. */
function tellWaiting(ledger: Ledger, places: () => readonly ({ waiting(): string | null } | null)[]): () => void {
  const timer = setInterval(() => {
    const reasons = places().flatMap((place) => place?.waiting() ?? []);
    if (reasons.length > 0) ledger.tell(reasons.join("; "));
  }, WAIT_CHECK_MS);
  timer.unref();
  return () => clearInterval(timer);
}

interface TrialChain {
  /** What a trial is held to. */
  limitsOf(trial: Trial): Limits | null;
  /** Takes a trial through all steps. A promise is to be waited for before the slot takes another trial. */
  run(trial: Trial): PromiseLike<void> | undefined;
  /** Why trials are waiting, in words; null when none is. */
  waiting(): string | null;
  /** Records those of the trials whose promises nothing can settle any more, and says which they are. */
  giveUp(trials: readonly Trial[]): readonly Trial[];
}

interface ChainParts {
  plan: Plan;
  ports: RunPorts;
  ledger: Ledger;
  lanes: readonly Lane[];
  purse: Purse;
}

/** The steps that every trial goes through. */
function trialChain({ plan, ports, ledger, lanes, purse }: ChainParts): TrialChain {
  const gates = plan.systems.map((_, index) => lanes.find(({ systems }) => systems.includes(index))?.gate ?? null);
  const limitsOf = limitsByTrial(plan, ports);
  const { tokens } = ledger;
  const { threshold } = plan;
  const alarms = new Alarms((warning) => ledger.warn(warning));
  const attempter = new Attempter(ports, { seed: plan.seed, gates, limitsOf, threshold, alarms });
  /** A trial that is run again on resume has cost what it has cost. */
  const recordInterrupted = (trial: Trial, attempted: Attempted, graded: Graded | null = null): void => {
    const row = interruptedRow(trial, attempted, graded);
    if ((row.costUsd ?? 0) + (row.judgeCostUsd ?? 0) > 0)
      ledger.record(trial, { row, output: null, evidence: null, grades: null });
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
      const earlier = ledger.attemptsOf(trial);
      const row = toRow({ trial, ending, graded, threshold, tokens, produced, earlier, limits: limitsOf(trial) });
      const { evidence = null, grades = null } = graded ?? {};
      ledger.record(trial, { row, output: output ?? leftBy(ending), evidence, grades });
    };
    return output === null ? record(null) : andThen(score(trial, output, ports.signal), record);
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
    return finish(trial, threw(error, attempted));
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
      if (isThenable(finished)) return finished.then(() => ledger.written());
      return ledger.turnIsLong() ? ledger.written() : undefined;
    },
    giveUp(trials) {
      // Those that wait for a place at their endpoint get one from those that are given up.
      const called = trials.filter((trial) => attempter.callOf(trial) !== null);
      const stuck = called.length === 0 ? trials : called;
      for (const trial of stuck) {
        const error = new TrialError("system_error", "nothing is left that could settle the promise it waits for");
        const call =
          attempter.callOf(trial) ?? openCall({ trial, runSeed: plan.seed, ...NO_LIMITS, signal: ports.signal });
        void finish(trial, threw(error, { durationMs: 0, call }));
        call.leaveGate?.("failed");
      }
      return stuck;
    },
  };
}

/** What each trial is held to: its system's limits, with the terms of its dataset. */
function limitsByTrial({ systems, wirings }: Plan, { budget }: RunPorts): TrialChain["limitsOf"] {
  if (wirings.every(({ terms }) => terms === null)) {
    const limits = systems.map((each) => budget.limitsOf(each, null));
    return ({ systemIndex }) => limits[systemIndex] ?? null;
  }
  const known = new Map(wirings.map((wiring) => [wiring, systems.map((each) => budget.limitsOf(each, wiring.terms))]));
  return ({ wiring, systemIndex }) => known.get(wiring)?.[systemIndex] ?? null;
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

/** How long trials in flight may go on after the run was told to stop. */
function graceOf({ systems }: Plan): number {
  return Math.max(GRACE_MS, ...systems.map(({ graceMs }) => graceMs ?? 0));
}

type RunOutcome = "done" | "stopped" | "stalled";

/** Waits for the workers; once the signal is aborted, no longer than the grace; and not at all when nothing can go on. */
async function outcomeOf(
  workers: Promise<unknown>,
  { signal, whenIdle }: RunPorts,
  graceMs: number,
): Promise<RunOutcome> {
  let timer: NodeJS.Timeout | undefined;
  const onAbort = (resolve: (outcome: RunOutcome) => void) => () => {
    timer = setTimeout(resolve, graceMs, "stopped");
  };
  const undo: (() => void)[] = [];
  const stopped = new Promise<RunOutcome>((resolve) => {
    const stop = onAbort(resolve);
    if (signal.aborted) stop();
    else signal.addEventListener("abort", stop, { once: true });
    undo.push(() => signal.removeEventListener("abort", stop));
  });
  const stalled = new Promise<RunOutcome>((resolve) => {
    undo.push(whenIdle(() => resolve("stalled")));
  });
  try {
    return await Promise.race([workers.then((): RunOutcome => "done"), stopped, stalled]);
  } finally {
    clearTimeout(timer);
    for (const each of undo) each();
  }
}
