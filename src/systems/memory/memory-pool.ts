import { type MemoryFactory, type MemorySystem, toMemoryError } from "./memory-system.js";

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

/** A slot for one conversation: its memory and the number of trials using it. */
interface PoolSlot {
  readonly held: Promise<PooledMemory>;
  users: number;
  /** True if the last of its trials must close it. */
  isAbandoned: boolean;
}

interface FactoryPoolOptions {
  factory: MemoryFactory;
  /** A memory that already exists, for the first conversation. */
  first: MemorySystem;
  /** Maximum number of open conversations. */
  maxOpen: number;
}

/** One memory per conversation, shared by its trials; the least recently used one is closed to make room. */
export class FactoryPool implements MemoryPool {
  readonly #factory: MemoryFactory;
  readonly #maxOpen: number;
  /** By conversation, least recently used first. */
  readonly #slots = new Map<string, PoolSlot>();
  readonly #slotByMemory = new WeakMap<PooledMemory, PoolSlot>();
  readonly #line = new WaitQueue();
  #spare: MemorySystem | null;

  constructor({ factory, first, maxOpen }: FactoryPoolOptions) {
    this.#factory = factory;
    this.#spare = first;
    this.#maxOpen = maxOpen;
  }

  async acquire(conversation: string, signal: AbortSignal): Promise<PooledMemory> {
    let place = this.#slots.get(conversation);
    while (place === undefined && !this.#hasRoom()) {
      await this.#line.wait(signal);
      place = this.#slots.get(conversation);
    }
    signal.throwIfAborted();
    return this.#use(conversation, place ?? { held: this.#open(conversation), users: 0, isAbandoned: false });
  }

  release(held: PooledMemory): void {
    const place = this.#slotByMemory.get(held);
    if (place === undefined) return;
    place.users -= 1;
    if (place.isAbandoned && place.users === 0) void tryCloseMemory(held.memory);
    this.#line.notifyAll();
  }

  abandon(held: PooledMemory): void {
    const place = this.#slotByMemory.get(held);
    if (place === undefined || this.#slots.get(held.conversation) !== place) return;
    place.isAbandoned = true;
    this.#slots.delete(held.conversation);
    this.#line.notifyAll();
  }

  async close(): Promise<void> {
    const places = [...this.#slots.values()];
    this.#slots.clear();
    const failures = [await tryCloseMemory(this.#spare)];
    this.#spare = null;
    for (const { held } of places) failures.push(await tryCloseMemory((await waitForMemory(held))?.memory));
    const failure = failures.find((one) => one !== null);
    if (failure !== undefined) throw failure;
  }

  async #use(conversation: string, place: PoolSlot): Promise<PooledMemory> {
    place.users += 1;
    this.#slots.delete(conversation);
    this.#slots.set(conversation, place);
    try {
      const held = await place.held;
      this.#slotByMemory.set(held, place);
      return held;
    } catch (error) {
      // The next caller makes it again.
      if (this.#slots.get(conversation) === place) this.#slots.delete(conversation);
      this.#line.notifyAll();
      throw error;
    }
  }

  #hasRoom(): boolean {
    return this.#slots.size < this.#maxOpen || this.#findIdle() !== undefined;
  }

  #findIdle(): string | undefined {
    for (const [conversation, { users }] of this.#slots) if (users === 0) return conversation;
    return undefined;
  }

  /** Makes a memory, replacing an idle one if the pool is full. The caller occupies the slot at once. */
  #open(conversation: string): Promise<PooledMemory> {
    const idle = this.#slots.size < this.#maxOpen ? undefined : this.#findIdle();
    const leaving = idle === undefined ? undefined : this.#slots.get(idle);
    if (idle !== undefined) this.#slots.delete(idle);
    return this.#make(conversation, leaving);
  }

  async #make(conversation: string, leaving: PoolSlot | undefined): Promise<PooledMemory> {
    // An error here is not the fault of the trial that needs the slot.
    await tryCloseMemory((await waitForMemory(leaving?.held))?.memory);
    const spare = this.#spare;
    this.#spare = null;
    return createPooledMemory(spare ?? (await this.#factory()), conversation);
  }
}

/** Closes a memory; returns the error, if any. */
async function tryCloseMemory(memory: MemorySystem | null | undefined): Promise<Error | null> {
  try {
    await memory?.close?.();
    return null;
  } catch (error) {
    return memory == null ? null : toMemoryError(memory, "close", error);
  }
}

/** Null if the memory could not be made; its callers got the error already. */
async function waitForMemory(held: Promise<PooledMemory> | undefined): Promise<PooledMemory | null> {
  try {
    return (await held) ?? null;
  } catch {
    return null;
  }
}
