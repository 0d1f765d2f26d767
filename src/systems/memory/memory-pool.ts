import { type HeldMemory, heldMemory, type MemoryPool, WaitingLine } from "./held-memory.js";
import { type MemoryFactory, type MemorySystem, memoryFailure } from "./memory-system.js";

/** A place for one conversation: its memory, once it is made, and how many trials use it. */
interface Place {
  readonly held: Promise<HeldMemory>;
  users: number;
  /** True when the last of its trials is to close it. */
  isAbandoned: boolean;
}

export interface FactoryPoolOptions {
  factory: MemoryFactory;
  /** A memory that was made already, for the first conversation. */
  first: MemorySystem;
  /** Conversations held at a time. */
  maxOpen: number;
}

/** A memory for each conversation, shared by its trials; the one that was used least recently makes room for another. */
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
      // Whoever asks next has it made again.
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

  /** Makes a memory, in the place of another where all are taken. The place is taken at once, by the caller. */
  #open(conversation: string): Promise<HeldMemory> {
    const idle = this.#places.size < this.#maxOpen ? undefined : this.#idle();
    const leaving = idle === undefined ? undefined : this.#places.get(idle);
    if (idle !== undefined) this.#places.delete(idle);
    return this.#make(conversation, leaving);
  }

  async #make(conversation: string, leaving: Place | undefined): Promise<HeldMemory> {
    // What fails there is no fault of the trial that needs the place.
    await closed((await settled(leaving?.held))?.memory);
    const spare = this.#spare;
    this.#spare = null;
    return heldMemory(spare ?? (await this.#factory()), conversation);
  }
}

/** Closes a memory; gives back what it threw. */
async function closed(memory: MemorySystem | null | undefined): Promise<Error | null> {
  try {
    await memory?.close?.();
    return null;
  } catch (error) {
    return memory == null ? null : memoryFailure(memory, "close", error);
  }
}

/** What a memory that could not be made gave to those who asked for it is not asked for twice. */
async function settled(held: Promise<HeldMemory> | undefined): Promise<HeldMemory | null> {
  try {
    return (await held) ?? null;
  } catch {
    return null;
  }
}
