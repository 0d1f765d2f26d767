import { type HeldMemory, heldMemory, type MemoryPool, WaitingLine } from "./held-memory.js";
import { type MemoryFactory, type MemorySystem, memoryFailure } from "./memory-system.js";

/** A slot for one conversation: its memory and the number of trials using it. */
interface Place {
  readonly held: Promise<HeldMemory>;
  users: number;
  /** True if the last of its trials must close it. */
  isAbandoned: boolean;
}

export interface FactoryPoolOptions {
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
  readonly #places = new Map<string, Place>();
  readonly #placeOf = new WeakMap<HeldMemory, Place>();
  readonly #line = new WaitingLine();
  #spare: MemorySystem | null;

  constructor({ factory, first, maxOpen }: FactoryPoolOptions) {
    this.#factory = factory;
    this.#spare = first;
    this.#maxOpen = maxOpen;
  }

  async acquire(conversation: string, signal: AbortSignal): Promise<HeldMemory> {
    let place = this.#places.get(conversation);
    while (place === undefined && !this.#hasRoom()) {
      await this.#line.wait(signal);
      place = this.#places.get(conversation);
    }
    signal.throwIfAborted();
    return this.#use(conversation, place ?? { held: this.#open(conversation), users: 0, isAbandoned: false });
  }

  release(held: HeldMemory): void {
    const place = this.#placeOf.get(held);
    if (place === undefined) return;
    place.users -= 1;
    if (place.isAbandoned && place.users === 0) void closed(held.memory);
    this.#line.callAll();
  }

  abandon(held: HeldMemory): void {
    const place = this.#placeOf.get(held);
    if (place === undefined || this.#places.get(held.conversation) !== place) return;
    place.isAbandoned = true;
    this.#places.delete(held.conversation);
    this.#line.callAll();
  }

  async close(): Promise<void> {
    const places = [...this.#places.values()];
    this.#places.clear();
    const failures = [await closed(this.#spare)];
    this.#spare = null;
    for (const { held } of places) failures.push(await closed((await settled(held))?.memory));
    const failure = failures.find((one) => one !== null);
    if (failure !== undefined) throw failure;
  }

  async #use(conversation: string, place: Place): Promise<HeldMemory> {
    place.users += 1;
    this.#places.delete(conversation);
    this.#places.set(conversation, place);
    try {
      const held = await place.held;
      this.#placeOf.set(held, place);
      return held;
    } catch (error) {
      // The next caller makes it again.
      if (this.#places.get(conversation) === place) this.#places.delete(conversation);
      this.#line.callAll();
      throw error;
    }
  }

  #hasRoom(): boolean {
    return this.#places.size < this.#maxOpen || this.#idle() !== undefined;
  }

  #idle(): string | undefined {
    for (const [conversation, { users }] of this.#places) if (users === 0) return conversation;
    return undefined;
  }

  /** Makes a memory, replacing an idle one if the pool is full. The caller occupies the slot at once. */
  #open(conversation: string): Promise<HeldMemory> {
    const idle = this.#places.size < this.#maxOpen ? undefined : this.#idle();
    const leaving = idle === undefined ? undefined : this.#places.get(idle);
    if (idle !== undefined) this.#places.delete(idle);
    return this.#make(conversation, leaving);
  }

  async #make(conversation: string, leaving: Place | undefined): Promise<HeldMemory> {
    // An error here is not the fault of the trial that needs the slot.
    await closed((await settled(leaving?.held))?.memory);
    const spare = this.#spare;
    this.#spare = null;
    return heldMemory(spare ?? (await this.#factory()), conversation);
  }
}

/** Closes a memory; returns the error, if any. */
async function closed(memory: MemorySystem | null | undefined): Promise<Error | null> {
  try {
    await memory?.close?.();
    return null;
  } catch (error) {
    return memory == null ? null : memoryFailure(memory, "close", error);
  }
}

/** Null if the memory could not be made; its callers got the error already. */
async function settled(held: Promise<HeldMemory> | undefined): Promise<HeldMemory | null> {
  try {
    return (await held) ?? null;
  } catch {
    return null;
  }
}
