import { type HeldMemory, heldMemory, type MemoryPool, WaitingLine } from "./held-memory.js";
import type { MemorySystem } from "./memory-system.js";

/** One memory for all conversations: one trial at a time, and told anew when the conversation changes. */
export class SingleMemory implements MemoryPool {
  readonly #held: HeldMemory;
  readonly #line = new WaitingLine();
  #isBusy = false;

  constructor(memory: MemorySystem) {
    this.#held = heldMemory(memory, "");
  }

  async acquire(conversation: string, signal: AbortSignal): Promise<HeldMemory> {
    while (this.#isBusy) await this.#line.wait(signal);
    signal.throwIfAborted();
    this.#isBusy = true;
    if (this.#held.conversation !== conversation) this.#held.isIngested = false;
    this.#held.conversation = conversation;
    return this.#held;
  }

  release(): void {
    this.#isBusy = false;
    this.#line.callAll();
  }

  /** There is no other: those who come next wait. */
  abandon(): void {}

  /** The memory belongs to whoever made it. */
  async close(): Promise<void> {}
}
