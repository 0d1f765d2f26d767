import type { WorkerState } from "../../../../src/queue/contract.js";

/** A worker that is running trials. */
export function createSampleWorker(known: Partial<WorkerState> = {}): WorkerState {
  return {
    id: "a",
    host: "alpha",
    pid: 7,
    run: "r",
    concurrency: 8,
    startedAt: "2026-11-15T21:33:30.000Z",
    active: 3,
    done: 100,
    perSecond: 12.5,
    waiting: null,
    refuses: null,
    ...known,
  };
}
