import { setMaxListeners } from "node:events";
import type { EvalRow } from "../core/row.js";
import { Admissions, lanesOf, type Trial } from "./admit.js";
import { GRACE_MS } from "./call.js";
import { type Earlier, Ledger, NOTHING_EARLIER } from "./ledger.js";
import type { Plan } from "./plan.js";
import type { RunPorts } from "./ports.js";
import { Purse } from "./purse.js";
import { trialChain } from "./trial.js";

/** How often to check whether trials are waiting. */
const WAIT_CHECK_MS = 250;

/** Runs every planned trial that is not finished yet, and returns all rows in the plan's order. */
export async function run(plan: Plan, ports: RunPorts, earlier: Earlier = NOTHING_EARLIER): Promise<EvalRow[]> {
  setMaxListeners(0, ports.signal);
  const ledger = new Ledger(plan, ports, earlier);
  const lanes = lanesOf(plan, ports);
  const purse = new Purse(ports.budget.run, ports.signal, ledger);
  const gates = plan.systems.map((_, index) => lanes.find(({ systems }) => systems.includes(index))?.gate ?? null);
  const chain = trialChain({ plan, ports, book: ledger, gates, purse });
  const isDone = (index: number) => ledger.has(index);
  const queues = lanes.map(({ systems }) => new Admissions(plan, systems, { isDone, signal: ports.signal }));
  // A list, because a Map that every trial enters and leaves is copied every few trials, and V8 keeps the copies, with the
  // trials in them, until its next full collection.
  const inFlight: { trial: Trial; recorded: Promise<void> }[] = [];
  const leave = (trial: Trial) => {
    const place = inFlight.findIndex((each) => each.trial === trial);
    if (place !== -1) inFlight.splice(place, 1);
  };
  const worker = async (queue: Admissions) => {
    try {
      for (let trial = queue.take(); trial !== null; trial = queue.take()) {
        if (!(await purse.admits(trial, chain.limitsOf(trial)))) return;
        ports.times?.start(trial.system.name);
        const recorded = chain.run(trial);
        inFlight.push({ trial, recorded });
        await recorded;
        leave(trial);
        await ledger.giveTurn();
      }
    } finally {
      // If one worker stops early, stop the whole queue.
      queue.end();
    }
  };
  const stopTelling = tellWaiting(ledger, () => [...lanes.map(({ gate }) => gate), chain, purse]);
  try {
    const slotsOf = (lane: number) => Math.min(lanes[lane]?.workers ?? ports.maxWorkers, plan.total);
    const startWorkers = () =>
      Promise.all(queues.flatMap((queue, lane) => Array.from({ length: slotsOf(lane) }, () => worker(queue))));
    let workers = startWorkers();
    for (;;) {
      const pending = inFlight.map(({ recorded }) => recorded);
      const outcome = await outcomeOf(Promise.all([workers, ...pending]), ports, graceOf(plan));
      if (outcome === "stopped" || (outcome === "done" && inFlight.length === 0)) return ledger.close();
      if (outcome === "done") continue;
      for (const trial of chain.giveUp(inFlight.map(({ trial }) => trial))) leave(trial);
      workers = startWorkers();
    }
  } catch (error) {
    // Don't start more trials: their results would be lost.
    for (const queue of queues) queue.end();
    ledger.abandon();
    throw error;
  } finally {
    purse.release();
    stopTelling();
  }
}

/** While all trials wait, none finishes and reports progress, so a timer does. */
function tellWaiting(ledger: Ledger, places: () => readonly ({ waiting(): string | null } | null)[]): () => void {
  const timer = setInterval(() => {
    const reasons = places().flatMap((place) => place?.waiting() ?? []);
    if (reasons.length > 0) ledger.tell(reasons.join("; "));
  }, WAIT_CHECK_MS);
  timer.unref();
  return () => clearInterval(timer);
}

/** How long running trials may continue after the run was stopped. */
function graceOf({ systems }: Plan): number {
  return Math.max(GRACE_MS, ...systems.map(({ graceMs }) => graceMs ?? 0));
}

type RunOutcome = "done" | "stopped" | "stalled";

/** Waits for the workers: after an abort at most for the grace period, and not at all once the process is idle. */
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
