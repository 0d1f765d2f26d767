import type { Redis } from "ioredis";
import type { WorkerState } from "./contract.js";
import { KEYS } from "./keys.js";

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
  #isGone = false;

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
    this.#isGone = true;
    const { id } = this.#state;
    await this.#redis.multi().zrem(KEYS.workers, id).del(KEYS.worker(id)).exec();
  }

  async #beat(): Promise<void> {
    this.update(this.#look());
    const now = await redisTime(this.#redis);
    // Stopped while it asked for the time: it would be seen again for as long as a lease lasts.
    if (this.#isGone) return;
    const { id } = this.#state;
    const state = JSON.stringify(this.#state);
    await this.#redis
      .multi()
      .zadd(KEYS.workers, now + this.#leaseMs, id)
      .set(KEYS.worker(id), state, "PX", this.#leaseMs)
      .zremrangebyscore(KEYS.workers, 0, now - FORGET_MS)
      .exec();
  }
}

/** Milliseconds by the clock of Redis, which is the one that all machines share. */
export async function redisTime(redis: Redis): Promise<number> {
  const [seconds, micros] = await redis.time();
  return Number(seconds) * 1000 + Math.floor(Number(micros) / 1000);
}
