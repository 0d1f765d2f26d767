import type { Redis } from "ioredis";
import type { Announcement } from "./contract.js";
import { KEYS } from "./keys.js";
import { redisTime } from "./presence.js";

/** How long a coordinator may be silent before workers stop taking trials that nobody would record. */
const LEASE_MS = 15_000;

/** Tells workers of a run, and that its coordinator is there. */
export class Announcer {
  readonly #redis: Redis;
  readonly #announcement: Announcement;

  constructor(redis: Redis, announcement: Announcement) {
    this.#redis = redis;
    this.#announcement = announcement;
  }

  /** True when Redis knew of the run before. */
  async announce(): Promise<boolean> {
    const { key } = this.#announcement;
    const wasThere = (await this.#redis.exists(KEYS.run(key))) === 1;
    const until = (await redisTime(this.#redis)) + LEASE_MS;
    await this.#redis
      .multi()
      .set(KEYS.run(key), JSON.stringify(this.#announcement))
      .zadd(KEYS.runs, until, key)
      // What was delivered while Redis knew of no such run would go by itself.
      .persist(KEYS.results(key))
      .persist(KEYS.delivered(key))
      .publish(KEYS.news, key)
      .exec();
    return wasThere;
  }

  /** Says that the coordinator is there; false when Redis knows nothing of the run any more. */
  async renew(): Promise<boolean> {
    const { key } = this.#announcement;
    const until = (await redisTime(this.#redis)) + LEASE_MS;
    const [there] = (await this.#redis.multi().exists(KEYS.run(key)).zadd(KEYS.runs, until, key).exec()) ?? [];
    return there?.[1] === 1;
  }

  /** Says that the coordinator is gone; what is in the queue stays for its next start. */
  async leave(): Promise<void> {
    const { key } = this.#announcement;
    await this.#redis.multi().zadd(KEYS.runs, 0, key).publish(KEYS.news, key).exec();
  }
}
