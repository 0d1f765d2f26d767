import { join } from "node:path";
import { QUEUE_STATE_FILE, QUEUE_STATE_SCHEMA, type QueueState, type WorkerState } from "../../queue/contract.js";
import { writeAtomically } from "../../utils/files/atomic.js";

/** Creates a busy worker for tests. */
export function createSampleWorker(known: Partial<WorkerState> = {}): WorkerState {
  return {
    id: `${known.host ?? "alpha"}-${known.pid ?? 1}`,
    host: "alpha",
    pid: 1,
    run: "a-run",
    concurrency: 8,
    startedAt: "2026-11-15T21:33:30.000Z",
    active: 8,
    done: 100,
    perSecond: 12.5,
    waiting: null,
    refuses: null,
    ...known,
  };
}

/** Creates the state of a queue for tests, reported just now. */
export function createSampleQueue(known: Partial<QueueState> = {}): QueueState {
  return {
    schema: QUEUE_STATE_SCHEMA,
    at: new Date().toISOString(),
    url: "redis://127.0.0.1:6379",
    isRunning: true,
    waiting: 40,
    active: 8,
    workers: [createSampleWorker()],
    budget: null,
    notes: [],
    ...known,
  };
}

/** Writes a state where and how a coordinator writes it. */
export function writeQueueFile(runDir: string, state: unknown): void {
  writeAtomically(join(runDir, QUEUE_STATE_FILE), `${JSON.stringify(state)}\n`);
}
