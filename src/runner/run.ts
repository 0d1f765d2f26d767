import { setMaxListeners } from "node:events";
import type { EvalRow } from "../core/index.js";
import { createEndpointPools, type Trial, TrialQueue } from "./admit.js";
import { BudgetGate } from "./budget-gate.js";
import { runCanaries } from "./canary.js";
import { DEFAULT_GRACE_MS } from "./limits.js";
import type { Plan } from "./plan.js";
import type { RunPorts } from "./ports.js";
import { type EarlierResults, NO_EARLIER_RESULTS, RowCollector } from "./row-collector.js";
import { countTasksAhead } from "./task-progress.js";
import { createTrialRunner } from "./trial.js";

/** How often to check whether trials are waiting. */
const WAIT_CHECK_MS = 250;

/** Runs every planned trial that is not finished yet, and returns all rows in the plan's order. */
export async function runPlan(
  plan: Plan,
  ports: RunPorts,
  earlier: EarlierResults = NO_EARLIER_RESULTS,
): Promise<EvalRow[]> {
  setMaxListeners(0, ports.signal);
  const collector = new RowCollector(plan, ports, earlier);
  const pools = createEndpointPools(plan, ports);
  const budgetGate = new BudgetGate(ports.budget.run, ports.signal, collector);
  const gates = plan.systems.map((_, index) => pools.find(({ systems }) => systems.includes(index))?.gate ?? null);
  const barred = await runCanaries({ plan, ports, collector, budgetGate, gates });
  const chain = createTrialRunner({ plan, ports, book: collector, gates, budgetGate, barred });
  const isDone = (index: number) => collector.has(index);
  const { tasks } = collector;
  if (tasks !== null) tasks.ahead = countTasksAhead(plan, Math.max(...pools.map(({ workers }) => workers)));
  const queues = pools.map(({ systems }) => new TrialQueue(plan, systems, { isDone, signal: ports.signal, tasks }));
  // A list, because a Map that every trial enters and leaves is copied every few trials, and V8 keeps the copies, with the
  // trials in them, until its next full collection.
  const inFlight: { trial: Trial; recorded: Promise<void> }[] = [];
  const leave = (trial: Trial) => {
    const place = inFlight.findIndex((each) => each.trial === trial);
    if (place !== -1) inFlight.splice(place, 1);
  };
  const worker = async (queue: TrialQueue) => {
    try {
      for (let trial = queue.take(); trial !== null; trial = queue.take()) {
        if (trial === "wait") {
          await tasks?.waitForChange(ports.signal);
          continue;
        }
        if (!(await budgetGate.admit(trial, chain.limitsOf(trial)))) {
          tasks?.halt();
          return;
        }
        ports.times?.start(trial.system.name);
        const recorded = chain.run(trial);
        inFlight.push({ trial, recorded });
        await recorded;
        leave(trial);
        await collector.yieldIfBusy();
      }
    } finally {
      // If one worker stops early, stop the whole queue.
      queue.end();
    }
  };
  const stopTelling = reportWaiting(collector, () => [...pools.map(({ gate }) => gate), chain, budgetGate]);
  try {
    const slotsOf = (pool: number) => Math.min(pools[pool]?.workers ?? ports.maxWorkers, plan.total);
    const startWorkers = () =>
      Promise.all(queues.flatMap((queue, pool) => Array.from({ length: slotsOf(pool) }, () => worker(queue))));
    let workers = startWorkers();
    for (;;) {
      const pending = inFlight.map(({ recorded }) => recorded);
      const outcome = await waitForWorkers(Promise.all([workers, ...pending]), ports, getGraceMs(plan));
      if (outcome === "stopped" || (outcome === "done" && inFlight.length === 0)) return collector.close();
      if (outcome === "done") continue;
      for (const trial of chain.giveUp(inFlight.map(({ trial }) => trial))) leave(trial);
      workers = startWorkers();
    }
  } catch (error) {
    // Don't start more trials: their results would be lost.
    for (const queue of queues) queue.end();
    collector.abandon();
    throw error;
  } finally {
    budgetGate.release();
    stopTelling();
  }
}

/** While all trials wait, none finishes and reports progress, so a timer does. */
function reportWaiting(
  collector: RowCollector,
  places: () => readonly ({ waiting(): string | null } | null)[],
): () => void {
  const timer = setInterval(() => {
    const reasons = places().flatMap((place) => place?.waiting() ?? []);
    if (reasons.length > 0) collector.reportProgress(reasons.join("; "));
  }, WAIT_CHECK_MS);
  timer.unref();
  return () => clearInterval(timer);
}

/** How long running trials may continue after the run was stopped. */
function getGraceMs({ systems }: Plan): number {
  return Math.max(DEFAULT_GRACE_MS, ...systems.map(({ graceMs }) => graceMs ?? 0));
}

type WorkersOutcome = "done" | "stopped" | "stalled";

/** Waits for the workers: after an abort at most for the grace period, and not at all once the process is idle. */
async function waitForWorkers(
  workers: Promise<unknown>,
  { signal, whenIdle }: RunPorts,
  graceMs: number,
): Promise<WorkersOutcome> {
  let timer: NodeJS.Timeout | undefined;
  const onAbort = (resolve: (outcome: WorkersOutcome) => void) => () => {
    timer = setTimeout(resolve, graceMs, "stopped");
  };
  const undo: (() => void)[] = [];
  const stopped = new Promise<WorkersOutcome>((resolve) => {
    const stop = onAbort(resolve);
    if (signal.aborted) stop();
    else signal.addEventListener("abort", stop, { once: true });
    undo.push(() => signal.removeEventListener("abort", stop));
  });
  const stalled = new Promise<WorkersOutcome>((resolve) => {
    undo.push(whenIdle(() => resolve("stalled")));
  });
  try {
    return await Promise.race([workers.then((): WorkersOutcome => "done"), stopped, stalled]);
  } finally {
    clearTimeout(timer);
    for (const each of undo) each();
  }
}
