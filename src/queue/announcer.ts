import { randomUUID } from "node:crypto";
import type { Redis } from "ioredis";
import { QueueError } from "../core/index.js";
import type { Announcement } from "./contract.js";
import { KEYS } from "./keys.js";
import { getBudgetKeys } from "./lua/budget.js";
import type { QueueSigner } from "./signer.js";
import { readRedisTime } from "./worker-heartbeat.js";

/** How long a coordinator may be silent before workers stop taking trials. */
const LEASE_MS = 15_000;
/** How often the announcement is signed again, so that an old copy of it becomes worthless. */
const SIGN_INTERVAL_MS = 60_000;

/** What Redis knows about a run. */
export interface RunPresence {
  isAnnounced: boolean;
  /** Also true if the run has no budget. */
  hasBudget: boolean;
}

export interface RunAnnouncerOptions {
  redis: Redis;
  announcement: Announcement;
  /** The run folder and its machine. A run has one coordinator; the lock of the folder ensures it on one machine. */
  owner: string;
  signer: QueueSigner;
}

/** Announces a run to workers, and shows that its coordinator is alive. */
export class RunAnnouncer {
  readonly #redis: Redis;
  readonly #announcement: Announcement;
  readonly #owner: string;
  readonly #signer: QueueSigner;
  readonly #start = randomUUID();
  #signedAt = 0;
  /** False while another coordinator may own the run: nothing of it is changed. */
  #isOurs = false;

  constructor({ redis, announcement, owner, signer }: RunAnnouncerOptions) {
    this.#redis = redis;
    this.#announcement = announcement;
    this.#owner = owner;
    this.#signer = signer;
  }

  /** Returns true if Redis already knew the run. */
  async announce(): Promise<boolean> {
    const { key } = this.#announcement;
    await this.#claim();
    const wasThere = (await this.#redis.exists(KEYS.run(key))) === 1;
    const until = (await readRedisTime(this.#redis)) + LEASE_MS;
    const change = this.#redis.multi().set(KEYS.run(key), this.#sign()).set(KEYS.start(key), this.#start);
    // Results delivered before the announcement would expire.
    for (const kept of [KEYS.results(key), KEYS.delivered(key), KEYS.outputs(key), ...getBudgetKeys(key)])
      change.persist(kept);
    await change.zadd(KEYS.runs, until, key).publish(KEYS.news, key).exec();
    return wasThere;
  }

  /** Renews the lease, and returns what Redis still knows about the run. */
  async renew(): Promise<RunPresence> {
    const { key, budget } = this.#announcement;
    await this.#claim();
    const until = (await readRedisTime(this.#redis)) + LEASE_MS;
    const [run, max] =
      (await this.#redis
        .multi()
        .exists(KEYS.run(key))
        .hexists(KEYS.budget(key), "max")
        .zadd(KEYS.runs, until, key)
        .exec()) ?? [];
    // What Redis has lost is announced again elsewhere.
    if (Date.now() - this.#signedAt > SIGN_INTERVAL_MS) await this.#redis.set(KEYS.run(key), this.#sign(), "XX");
    return { isAnnounced: run?.[1] === 1, hasBudget: budget.run === undefined || max?.[1] === 1 };
  }

  /** Ends the lease; the contents of the queue stay for the next start. */
  async leave(): Promise<void> {
    if (!this.#isOurs) return;
    const { key } = this.#announcement;
    await this.#redis.multi().zadd(KEYS.runs, 0, key).del(KEYS.coordinator(key)).publish(KEYS.news, key).exec();
  }

  #sign(): string {
    this.#signedAt = Date.now();
    return this.#signer.signAnnouncement(this.#announcement, this.#signedAt);
  }

  /** Two coordinators of one run would take each other's results. */
  async #claim(): Promise<void> {
    const name = KEYS.coordinator(this.#announcement.key);
    const isFree = (await this.#redis.set(name, this.#owner, "PX", LEASE_MS, "NX")) !== null;
    const owner = isFree ? this.#owner : await this.#redis.get(name);
    this.#isOurs = owner === null || owner === this.#owner;
    if (!this.#isOurs)
      throw new QueueError(
        `This run is already running, from ${owner}; this folder is a copy of that one. Stop the other with Ctrl-C, wait ${LEASE_MS / 1000} s if it was killed, or start a new run.`,
      );
    if (!isFree) await this.#redis.set(name, this.#owner, "PX", LEASE_MS);
  }
}
