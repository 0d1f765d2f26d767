import type { MemorySystem } from "./memory-system.js";

/** A memory in use, and the state of its ingest. */
export interface PooledMemory {
  readonly memory: MemorySystem;
  /** The id of its conversation. */
  conversation: string;
  isIngested: boolean;
  /** The ingest in progress. */
  ingesting: Promise<void> | null;
  /** Duration of the last ingest, until it is reported on a row. */
  ingestMs: number | null;
}

export function createPooledMemory(memory: MemorySystem, conversation: string): PooledMemory {
  return { memory, conversation, isIngested: false, ingesting: null, ingestMs: null };
}

export interface MemoryPool {
  /** Returns the memory for a conversation; waits until one is free. */
  acquire(conversation: string, signal: AbortSignal): Promise<PooledMemory>;
  release(held: PooledMemory): void;
  /** For a trial that does not stop after an abort: no other trial should wait for its memory. */
  abandon(held: PooledMemory): void;
  close(): Promise<void>;
}

/** Waiters for a free resource, in order of arrival. */
export class WaitQueue {
  readonly #waiting = new Set<() => void>();

  /** Waits for a notification; throws if the signal is aborted. */
  async wait(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    let wake = () => {};
    let onAbort = () => {};
    try {
      await new Promise<void>((resolve, reject) => {
        wake = resolve;
        onAbort = () => reject(signal.reason as Error);
        this.#waiting.add(wake);
        signal.addEventListener("abort", onAbort, { once: true });
      });
    } finally {
      this.#waiting.delete(wake);
      signal.removeEventListener("abort", onAbort);
    }
  }

  notifyAll(): void {
    for (const wake of this.#waiting) wake();
  }
}
