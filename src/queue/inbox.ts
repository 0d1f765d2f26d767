import { isAbsolute, join } from "node:path";
import type { Redis } from "ioredis";
import { QueueError } from "../core/errors.js";
import type { EvalRow } from "../core/row.js";
import { makeRow, plainRow } from "../core/row.js";
import type { Earlier, Ledger } from "../runner/ledger.js";
import type { Plan } from "../runner/plan.js";
import type { EncodedTrial } from "../runner/ports.js";
import { decodeRow, encodeRow } from "../store/row-codec.js";
import type { Announcement } from "./contract.js";
import type { Feeder } from "./feeder.js";
import { KEYS } from "./keys.js";
import { type Parcel, type TrialNews, unpack } from "./parcel.js";

export interface InboxOptions {
  redis: Redis;
  announcement: Announcement;
  plan: Plan;
  ledger: Ledger;
  earlier: Earlier;
  feeder: Feeder;
}

/** Parcels that are read at a time, and how long to wait for the first. */
const PARCELS = 64;
const WAIT_MS = 1000;

/** Takes what workers deliver into the ledger. An entry is removed when what it brought is on disk, not before. */
export class Inbox {
  readonly #options: InboxOptions;
  /** What was recorded here has cost. */
  spentUsd = 0;
  /** By worker: trials that it has delivered. */
  readonly done = new Map<string, number>();
  #fault: string | null = null;
  #repeated = 0;
  #repeatedUsd = 0;

  constructor(options: InboxOptions) {
    this.#options = options;
  }

  /** Takes what is there already; from now on, what workers deliver is marked as delivered. */
  async empty(): Promise<void> {
    const { redis, announcement } = this.#options;
    await redis.del(KEYS.delivered(announcement.key));
    const key = KEYS.results(announcement.key);
    for (;;) {
      const entries = entriesOf(await redis.xreadBuffer("COUNT", PARCELS, "STREAMS", key, "0"));
      if (entries.length === 0) return;
      await this.#takeAll(entries);
    }
  }

  /** Waits for parcels, on a connection of its own, and takes them. */
  async read(reader: Redis): Promise<void> {
    const { announcement, feeder } = this.#options;
    const key = KEYS.results(announcement.key);
    const entries = entriesOf(await reader.xreadBuffer("COUNT", PARCELS, "BLOCK", WAIT_MS, "STREAMS", key, "0"));
    if (entries.length === 0) return;
    await this.#takeAll(entries);
    await feeder.fill();
  }

  async #takeAll(entries: readonly Entry[]): Promise<void> {
    const { redis, announcement, ledger } = this.#options;
    for (const [, fields] of entries) this.#open(unpack(parcelOf(fields)));
    await ledger.written();
    await redis.xdel(KEYS.results(announcement.key), ...entries.map(([id]) => id));
    // Told once: the next start of the run finds out for itself.
    if (this.#fault !== null) throw new QueueError(`A worker cannot go on with the run: ${this.#fault}`);
  }

  /** What the reader of a report has to know of what happened on the way. */
  notes(): string[] {
    if (this.#repeated === 0) return [];
    const cost = this.#repeatedUsd === 0 ? "" : `; the second time cost $${this.#repeatedUsd.toFixed(4)} besides`;
    const trials = this.#repeated === 1 ? "1 trial was" : `${this.#repeated} trials were`;
    return [`${trials} run twice because a worker was cut off: the first result counts${cost}`];
  }

  #open({ worker, news }: Parcel): void {
    this.done.set(worker, (this.done.get(worker) ?? 0) + news.length);
    for (const each of news) this.#take(each);
  }

  #take(news: TrialNews): void {
    const { plan, feeder } = this.#options;
    feeder.settle(Math.floor(news.index / (plan.examples.length * plan.trials)), news.index);
    if (news.kind === "fault") this.#fault = news.message;
    if (news.kind === "finished") this.#record(news.index, news.lines);
  }

  #record(index: number, lines: EncodedTrial): void {
    const { ledger, earlier } = this.#options;
    const row = decodeRow(lines.row);
    const recorded = ledger.rowAt(index);
    if (recorded !== undefined) {
      this.#repeat(row, recorded);
      return;
    }
    const before = earlier.attempts.get(index) ?? [];
    // An entry whose removal was cut short by the end of the last start: its row is on record, and is tried again now.
    if (row.outcome === "error" && isRecorded(row, before)) return;
    this.spentUsd += costOf(row);
    const whole = before.length === 0 ? row : makeRow({ ...plainRow(row), attempts: [...before, ...row.attempts] });
    const encoded = { ...this.#found(lines), ...(whole === row ? {} : { row: encodeRow(whole) }) };
    ledger.record({ index }, { row: whole, output: null, evidence: null, grades: null }, encoded);
  }

  /** Files of large outputs are named without their folder, which each machine may see at another place. */
  #found(lines: EncodedTrial): EncodedTrial {
    const { sharedDir, key } = this.#options.announcement;
    if (lines.outputFile === undefined || sharedDir === null || isAbsolute(lines.outputFile)) return lines;
    return { ...lines, outputFile: join(sharedDir, key, lines.outputFile) };
  }

  /** A parcel may come twice; a trial that ran twice has other times. */
  #repeat(row: EvalRow, recorded: EvalRow): void {
    if (row.durationMs === recorded.durationMs && row.latency === recorded.latency) return;
    this.#repeated += 1;
    this.#repeatedUsd += costOf(row);
  }
}

type Entry = [id: Buffer, fields: Buffer[]];

function entriesOf(found: unknown): Entry[] {
  return (found as [Buffer, Entry[]][] | null)?.[0]?.[1] ?? [];
}

function parcelOf(fields: readonly Buffer[]): Buffer {
  return fields[1] ?? Buffer.alloc(0);
}

function costOf({ cached, costUsd, judgeCostUsd }: EvalRow): number {
  return (cached ? 0 : (costUsd ?? 0)) + (judgeCostUsd ?? 0);
}

function isRecorded(row: EvalRow, before: EvalRow["attempts"]): boolean {
  const last = row.attempts.length;
  return last > 0 && JSON.stringify(before.slice(-last)) === JSON.stringify(row.attempts);
}
