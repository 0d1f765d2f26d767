import type { Redis } from "ioredis";
import type { WorkerState } from "./contract.js";
import { KEYS } from "./keys.js";
import { BEAT } from "./lua/beat.js";

/** How often a worker shows that it is there. */
const BEAT_MS = 1000;
/** When the dead are forgotten. */
const FORGET_MS = 3_600_000;

export interface PresenceOptions {
  redis: Redis;
  state: WorkerState;
  /** How long it may be silent before others take over what it holds. */
  leaseMs: number;
  /** Asked before each sign of life for what has changed. */
  look?: () => Partial<WorkerState>;
}

/** Shows that a worker is there, and how it does, until it is stopped or its process ends. */
export class Presence {
  readonly #redis: Redis;
  readonly #leaseMs: number;
  readonly #look: () => Partial<WorkerState>;
  #state: WorkerState;
  #timer: NodeJS.Timeout | undefined;
  /** The sign of life that is on its way; null when there is none. */
  #beating: Promise<void> | null = null;

  constructor({ redis, state, leaseMs, look = () => ({}) }: PresenceOptions) {
    this.#redis = redis;
    this.#state = state;
    this.#leaseMs = leaseMs;
    this.#look = look;
  }

  get state(): WorkerState {
    return this.#state;
  }

  /** Resolves when others can see it. */
  async start(): Promise<void> {
    this.#timer = setInterval(() => void this.#beat().catch(() => {}), BEAT_MS);
    await this.#beat();
  }

  /** What is different from now on; others see it with the next sign of life. */
  update(part: Partial<WorkerState>): void {
    this.#state = { ...this.#state, ...part };
  }

  /** Shows no further sign of life: what it showed last is seen until its lease ends. */
  leave(): void {
    clearInterval(this.#timer);
  }

  /** Leaves: what it holds is free at once. */
  async stop(): Promise<void> {
    this.leave();
    // One that came after would have it seen again for as long as a lease lasts.
    await this.#beating?.catch(() => {});
    const { id } = this.#state;
    await this.#redis.multi().zrem(KEYS.workers, id).del(KEYS.worker(id)).exec();
  }

  /** One at a time: while Redis is away, they would pile up. */
  #beat(): Promise<void> {
    this.#beating ??= this.#show().finally(() => {
      this.#beating = null;
    });
    return this.#beating;
  }

  async #show(): Promise<void> {
    this.update(this.#look());
    const { id } = this.#state;
    const keys = [KEYS.workers, KEYS.pulse, KEYS.worker(id)];
    await BEAT.run(this.#redis, keys, [id, this.#leaseMs, JSON.stringify(this.#state), FORGET_MS]);
  }
}

/** Milliseconds by the clock of Redis, which is the one that all machines share. */
export async function redisTime(redis: Redis): Promise<number> {
  const [seconds, micros] = await redis.time();
  return Number(seconds) * 1000 + Math.floor(Number(micros) / 1000);
}
