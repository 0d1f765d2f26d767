import { setMaxListeners } from "node:events";
import { AssayError, TrialError } from "../core/errors.js";
import type { EvalRow } from "../core/row.js";
import { andThen, type Eventually, isThenable } from "../core/thenable.js";
import { admissions, type Trial } from "./admit.js";
import { type Attempted, Attempter, threw } from "./attempt.js";
import { classify } from "./classify.js";
import { type Earlier, Ledger, NOTHING_EARLIER } from "./ledger.js";
import type { Plan } from "./plan.js";
import type { RunPorts } from "./ports.js";
import { toRow } from "./record.js";
import { type Graded, score } from "./score.js";

/** How long trials in flight may go on after the run was told to stop. */
const GRACE_MS = 2000;

/** Runs every planned trial that is not done yet, and returns all rows in the plan's order. */
export async function run(plan: Plan, ports: RunPorts, earlier: Earlier = NOTHING_EARLIER): Promise<EvalRow[]> {
  setMaxListeners(0, ports.signal);
  const ledger = new Ledger(plan, ports, earlier);
  const chain = trialChain(plan, ports, ledger);
  const queue = admissions(plan, (index) => ledger.has(index), ports.signal);
  const inFlight = new Set<Trial>();
  const worker = async () => {
    for (const trial of queue) {
      const recorded = chain.run(trial);
      if (recorded === undefined) continue;
      inFlight.add(trial);
      await recorded;
      inFlight.delete(trial);
    }
  };
  try {
    const slots = Math.min(ports.maxWorkers, plan.total);
    for (;;) {
      const workers = Promise.all(Array.from({ length: slots }, worker));
      if ((await outcomeOf(workers, ports)) !== "stalled") return ledger.close();
      for (const trial of inFlight) chain.giveUp(trial);
      inFlight.clear();
    }
  } catch (error) {
    ledger.abandon();
    throw error;
  }
}

interface TrialChain {
  /** Takes a trial through all steps. A promise is to be waited for before the slot takes another trial. */
  run(trial: Trial): PromiseLike<void> | undefined;
  /** Records a trial whose promise nothing can settle any more. */
  giveUp(trial: Trial): void;
}

/** The steps that every trial goes through. */
function trialChain(plan: Plan, ports: RunPorts, ledger: Ledger): TrialChain {
  const attempter = new Attempter(ports, plan.seed);
  const { tokens } = ledger;
  const { threshold } = plan;
  const scoreContext = { signal: ports.signal };

  const finish = (trial: Trial, attempted: Attempted): Eventually<void> => {
    const ending = classify(attempted, ports.signal);
    if (ending.kind === "skipped") return;
    const output = ending.kind === "gradable" ? ending.returned.output : null;
    // Counted before evaluators see the output: what they do to it is not the system's work.
    const produced = output === null ? 0 : tokens.output(trial.example, output);
    const record = (graded: Graded | null) => {
      // An evaluator that was told to stop has not failed: the trial is run again on resume.
      if (graded !== null && !graded.complete && ports.signal.aborted) return;
      const earlier = ledger.attemptsOf(trial);
      const row = toRow({ trial, ending, graded, threshold, tokens, produced, earlier });
      ledger.record(trial, { row, output, evidence: graded?.evidence ?? null });
    };
    return output === null ? record(null) : andThen(score(trial, output, scoreContext), record);
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
    run(trial) {
      const finished = andThen(attempter.attempt(trial), (attempted) => finishSafely(trial, attempted));
      if (isThenable(finished)) return finished.then(() => ledger.written());
      return ledger.turnIsLong() ? ledger.written() : undefined;
    },
    giveUp(trial) {
      const error = new TrialError("system_error", "nothing is left that could settle the promise it waits for");
      void finish(trial, threw(error, { durationMs: 0, log: [] }));
    },
  };
}

type RunOutcome = "done" | "stopped" | "stalled";

/** Waits for the workers; once the signal is aborted, no longer than the grace; and not at all when nothing can go on. */
async function outcomeOf(workers: Promise<unknown>, { signal, whenIdle }: RunPorts): Promise<RunOutcome> {
  let timer: NodeJS.Timeout | undefined;
  const onAbort = (resolve: (outcome: RunOutcome) => void) => () => {
    timer = setTimeout(resolve, GRACE_MS, "stopped");
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
