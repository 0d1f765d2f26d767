import type { MemorySystem } from "./memory-system.js";

/** A memory in use, and what it holds. */
export interface HeldMemory {
  readonly memory: MemorySystem;
  /** The id of the conversation that it is for. */
  conversation: string;
  isIngested: boolean;
  /** The ingest that is under way. */
  ingesting: Promise<void> | null;
  /** How long the last ingest took, until a row has told it. */
  ingestMs: number | null;
}

/** A memory that holds nothing yet. */
export function heldMemory(memory: MemorySystem, conversation: string): HeldMemory {
  return { memory, conversation, isIngested: false, ingesting: null, ingestMs: null };
}

/** Gives memories to trials. */
export interface MemoryPool {
  /** The memory for a conversation; waits while none is free. */
  acquire(conversation: string, signal: AbortSignal): Promise<HeldMemory>;
  release(held: HeldMemory): void;
  /** Of a trial that was told to stop and does not: nobody else is to wait for its memory. */
  abandon(held: HeldMemory): void;
  close(): Promise<void>;
}

/** Those who wait for something to become free, served in the order they came. */
export class WaitingLine {
  readonly #waiting = new Set<() => void>();

  /** Waits until called; throws as soon as the signal is aborted. */
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

  callAll(): void {
    for (const wake of this.#waiting) wake();
  }
}
