import { type Stats, statSync } from "node:fs";
import { join } from "node:path";
import { messageOf, RunFolderError } from "../../core/errors.js";
import {
  QUEUE_STATE_FILE,
  QUEUE_STATE_SCHEMA,
  type QueueBudget,
  type QueueState,
  type WorkerState,
} from "../../queue/contract.js";
import { readRunFile } from "../../store/run-file.js";
import type { QueueView } from "./contract.js";
import { cutText } from "./trial-cut.js";

/** The last report of a coordinator, or why it cannot be used. */
export type QueueRecord = { state: QueueState } | { problem: string };

/** A coordinator reports once a second; after this time without a report it counts as silent. */
const SILENT_AFTER_MS = 15_000;

/** Whether the run is going is decided by its lock, not by what the coordinator wrote. */
function queueView(record: QueueRecord | null, { isGoing, now }: { isGoing: boolean; now: number }): QueueView | null {
  if (record === null) return null;
  if ("problem" in record) return { phase: "unreadable", problem: record.problem };
  const state = { ...record.state, workers: [...record.state.workers].sort(byNeedAndName) };
  if (!isGoing || !state.isRunning) return { phase: "over", state };
  return { phase: now - Date.parse(state.at) > SILENT_AFTER_MS ? "silent" : "live", state };
}

/** Null when the run uses no queue, or the number is unknown. */
export function workersNow(view: QueueView | null): number | null {
  return view?.phase === "live" ? view.state.workers.filter(({ refuses }) => refuses === null).length : null;
}

const WORDS = new Intl.Collator("en", { numeric: true });

/** Workers that refuse trials come first, because they need attention. */
function byNeedAndName(a: WorkerState, b: WorkerState): number {
  const need = Number(a.refuses === null) - Number(b.refuses === null);
  return need || WORDS.compare(a.host, b.host) || a.pid - b.pid || WORDS.compare(a.id, b.id);
}

/** Enough for thousands of workers; a larger file is not a queue state. */
const MOST_BYTES = 4 << 20;

/**
 * Reads what the coordinator of a run reports about its workers, from any process. The file is read again only when it
 * was replaced.
 * @example
 * const queue = new QueueFile(".assay/runs/20261115-213334-needle");
 * queue.read({ isGoing: true });
 */
export class QueueFile {
  readonly #dir: string;
  #state = "";
  #record: QueueRecord | null = null;

  constructor(runDir: string) {
    this.#dir = runDir;
  }

  /** Null when the run used no queue. The result also depends on the time, not only on the file. */
  look({ isGoing, now = Date.now() }: { isGoing: boolean; now?: number }): QueueView | null {
    const stats = statOf(join(this.#dir, QUEUE_STATE_FILE));
    // Each state is a new file, so the inode distinguishes states with the same size and time.
    const state = stats === undefined ? "" : `${stats.ino} ${stats.size}@${stats.mtimeMs}`;
    if (state !== this.#state) this.#record = stats === undefined ? null : recordIn(this.#dir, stats);
    this.#state = state;
    return queueView(this.#record, { isGoing, now });
  }
}

/** An unreadable state must not hide the rest of the run. */
function recordIn(dir: string, { size }: Stats): QueueRecord {
  try {
    if (size > MOST_BYTES) throw new Error("it is too large to be a queue state");
    return { state: parseQueueState(readRunFile(dir, QUEUE_STATE_FILE)) };
  } catch (error) {
    return { problem: `The workers are not shown, because ${QUEUE_STATE_FILE} cannot be used: ${messageOf(error)}.` };
  }
}

function statOf(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

/** Returns undefined for a value of the wrong type. */
type Reader<T> = (value: unknown, place: string) => T | undefined;
type Shape<T> = { readonly [K in keyof T]: Reader<T[K]> };

/** Names and reasons come from other machines, so their length is limited for the page. */
const MOST_OF_NAME = 200;
const MOST_OF_REASON = 2000;
const MOST_NOTES = 100;

/**
 * Parses the queue state of a coordinator and ignores unknown fields. Throws if something is missing.
 * @example
 * parseQueueState(readFileSync(join(dir, "queue.json"), "utf8")).workers.length;
 */
function parseQueueState(text: string): QueueState {
  const parsed: unknown = JSON.parse(text);
  const { schema } = fieldsOf(parsed);
  if (schema === QUEUE_STATE_SCHEMA) return fieldsRead(parsed, STATE, "");
  if (typeof schema === "string" && schema.startsWith("assay.queue-state/"))
    throw new RunFolderError(
      `its format is ${cut(schema, MOST_OF_NAME)}, but this version reads ${QUEUE_STATE_SCHEMA}; update Assay`,
    );
  throw new RunFolderError(`it was not written by Assay (no "schema": "${QUEUE_STATE_SCHEMA}")`);
}

const name: Reader<string> = (value) => (typeof value === "string" ? cut(value, MOST_OF_NAME) : undefined);
const reason: Reader<string> = (value) => (typeof value === "string" ? cut(value, MOST_OF_REASON) : undefined);
const flag: Reader<boolean> = (value) => (typeof value === "boolean" ? value : undefined);
const amount: Reader<number> = (value) => (Number.isFinite(value) && Number(value) >= 0 ? Number(value) : undefined);
const moment: Reader<string> = (value) =>
  typeof value === "string" && !Number.isNaN(Date.parse(value)) ? name(value, "") : undefined;

const WORKER: Shape<WorkerState> = {
  id: name,
  host: name,
  pid: amount,
  run: orNull(name),
  concurrency: amount,
  startedAt: name,
  active: amount,
  done: amount,
  perSecond: amount,
  waiting: orNull(reason),
  refuses: orNull(reason),
};

const BUDGET: Shape<QueueBudget> = {
  maxCostUsd: amount,
  spentUsd: amount,
  reservedUsd: amount,
  isRefusing: flag,
  unknownCosts: amount,
  lostTrials: amount,
  lostUsd: amount,
};

const STATE: Shape<QueueState> = {
  schema: () => QUEUE_STATE_SCHEMA,
  at: moment,
  url: name,
  isRunning: flag,
  waiting: amount,
  active: amount,
  workers: listOf((worker, place) => fieldsRead(worker, WORKER, `${place}.`)),
  budget: orNull((budget, place) => fieldsRead(budget, BUDGET, `${place}.`)),
  notes: (value, place) => listOf(reason)(value, place)?.slice(-MOST_NOTES),
};

function fieldsRead<T>(value: unknown, shape: Shape<T>, before: string): T {
  const given = fieldsOf(value);
  const read = Object.entries<Reader<unknown>>(shape).map(([key, reader]) => {
    const place = `${before}${key}`;
    return [key, known(reader(given[key], place), place)] as const;
  });
  return Object.fromEntries(read) as T;
}

function listOf<T>(reader: Reader<T>): Reader<readonly T[]> {
  return (value, place) =>
    Array.isArray(value)
      ? value.map((item: unknown, index) => known(reader(item, `${place}[${index}]`), `${place}[${index}]`))
      : undefined;
}

function orNull<T>(reader: Reader<T>): Reader<T | null> {
  return (value, place) => (value === null ? null : reader(value, place));
}

function known<T>(value: T | undefined, place: string): T {
  if (value !== undefined) return value;
  throw new RunFolderError(`"${place}" is missing or has the wrong type`);
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}

function cut(text: string, most: number): string {
  return text.length <= most ? text : `${cutText(text, most)}…`;
}
