import type { Redis } from "ioredis";
import type { WorkerState } from "./contract.js";
import { KEYS } from "./keys.js";
import { HEARTBEAT } from "./lua/heartbeat.js";

const HEARTBEAT_MS = 1000;
/** When expired workers are removed. */
const EXPIRY_MS = 3_600_000;

export interface WorkerHeartbeatOptions {
  redis: Redis;
  state: WorkerState;
  /** How long a worker may be silent before others take over its trials. */
  leaseMs: number;
  /** Called before each heartbeat for what has changed. */
  look?: () => Partial<WorkerState>;
}

/** Publishes that a worker is alive, and its state, until it is stopped or its process ends. */
export class WorkerHeartbeat {
  readonly #redis: Redis;
  readonly #leaseMs: number;
  readonly #look: () => Partial<WorkerState>;
  #state: WorkerState;
  #timer: NodeJS.Timeout | undefined;
  /** The heartbeat being sent; null if there is none. */
  #beating: Promise<void> | null = null;

  constructor({ redis, state, leaseMs, look = () => ({}) }: WorkerHeartbeatOptions) {
    this.#redis = redis;
    this.#state = state;
    this.#leaseMs = leaseMs;
    this.#look = look;
  }

  get state(): WorkerState {
    return this.#state;
  }

  /** Resolves when others can see the worker. */
  async start(): Promise<void> {
    this.#timer = setInterval(() => void this.#beat().catch(() => {}), HEARTBEAT_MS);
    await this.#beat();
  }

  /** Changes the state; others see it with the next heartbeat. */
  update(part: Partial<WorkerState>): void {
    this.#state = { ...this.#state, ...part };
  }

  /** Sends no further heartbeat: the last state is visible until its lease ends. */
  pause(): void {
    clearInterval(this.#timer);
  }

  /** Removes the worker: its reservations and slots are freed at once. */
  async stop(): Promise<void> {
    this.pause();
    // A later heartbeat would make it visible again for a whole lease.
    await this.#beating?.catch(() => {});
    const { id } = this.#state;
    await this.#redis.multi().zrem(KEYS.workers, id).del(KEYS.worker(id)).exec();
  }

  /** One at a time: while Redis is away, heartbeats would pile up. */
  #beat(): Promise<void> {
    this.#beating ??= this.#sendHeartbeat().finally(() => {
      this.#beating = null;
    });
    return this.#beating;
  }

  async #sendHeartbeat(): Promise<void> {
    this.update(this.#look());
    const { id } = this.#state;
    const keys = [KEYS.workers, KEYS.pulse, KEYS.worker(id)];
    await HEARTBEAT.run(this.#redis, keys, [id, this.#leaseMs, JSON.stringify(this.#state), EXPIRY_MS]);
  }
}

/** Milliseconds on the clock of Redis, which all machines share. */
export async function readRedisTime(redis: Redis): Promise<number> {
  const [seconds, micros] = await redis.time();
  return Number(seconds) * 1000 + Math.floor(Number(micros) / 1000);
}
