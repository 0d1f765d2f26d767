import { type Stats, statSync } from "node:fs";
import { join } from "node:path";
import { getErrorMessage, RunFolderError } from "../../core/index.js";
import type { QueueBudget, QueueState, WorkerState } from "../../queue/contract.js";
import { QUEUE_STATE_FILE, QUEUE_STATE_SCHEMA } from "../../queue/index.js";
import { readRunFile } from "../../store/index.js";
import { cutText } from "../format.js";
import type { QueueView } from "./contract.js";

/** The last report of a coordinator, or why it cannot be used. */
export type QueueRecord = { state: QueueState } | { problem: string };

/** A coordinator reports once a second; after this time without a report it counts as silent. */
const SILENT_AFTER_MS = 15_000;

/** Whether the run is going is decided by its lock, not by what the coordinator wrote. */
function buildQueueView(
  record: QueueRecord | null,
  { isGoing, now }: { isGoing: boolean; now: number },
): QueueView | null {
  if (record === null) return null;
  if ("problem" in record) return { phase: "unreadable", problem: record.problem };
  const state = { ...record.state, workers: [...record.state.workers].sort(compareWorkers) };
  if (!isGoing || !state.isRunning) return { phase: "over", state };
  return { phase: now - Date.parse(state.at) > SILENT_AFTER_MS ? "silent" : "live", state };
}

/** Null when the run uses no queue, or the number is unknown. */
export function countActiveWorkers(view: QueueView | null): number | null {
  return view?.phase === "live" ? view.state.workers.filter(({ refuses }) => refuses === null).length : null;
}

const COLLATOR = new Intl.Collator("en", { numeric: true });

/** Workers that refuse trials come first, because they need attention. */
function compareWorkers(a: WorkerState, b: WorkerState): number {
  const need = Number(a.refuses === null) - Number(b.refuses === null);
  return need || COLLATOR.compare(a.host, b.host) || a.pid - b.pid || COLLATOR.compare(a.id, b.id);
}

/** Enough for thousands of workers; a larger file is not a queue state. */
const MAX_STATE_BYTES = 4 << 20;

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
  read({ isGoing, now = Date.now() }: { isGoing: boolean; now?: number }): QueueView | null {
    const stats = statQueueFile(join(this.#dir, QUEUE_STATE_FILE));
    // Each state is a new file, so the inode distinguishes states with the same size and time.
    const state = stats === undefined ? "" : `${stats.ino} ${stats.size}@${stats.mtimeMs}`;
    if (state !== this.#state) this.#record = stats === undefined ? null : readQueueRecord(this.#dir, stats);
    this.#state = state;
    return buildQueueView(this.#record, { isGoing, now });
  }
}

/** An unreadable state must not hide the rest of the run. */
function readQueueRecord(dir: string, { size }: Stats): QueueRecord {
  try {
    if (size > MAX_STATE_BYTES) throw new Error("it is too large to be a queue state");
    return { state: parseQueueState(readRunFile(dir, QUEUE_STATE_FILE)) };
  } catch (error) {
    return {
      problem: `The workers are not shown, because ${QUEUE_STATE_FILE} cannot be used: ${getErrorMessage(error)}.`,
    };
  }
}

function statQueueFile(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

/** Returns undefined for a value of the wrong type. */
type FieldReader<T> = (value: unknown, place: string) => T | undefined;
type FieldReaders<T> = { readonly [K in keyof T]: FieldReader<T[K]> };

/** Names and reasons come from other machines, so their length is limited for the page. */
const MAX_NAME_LENGTH = 200;
const MAX_REASON_LENGTH = 2000;
const MAX_NOTES = 100;

/**
 * Parses the queue state of a coordinator and ignores unknown fields. Throws if something is missing.
 * @example
 * parseQueueState(readFileSync(join(dir, "queue.json"), "utf8")).workers.length;
 */
function parseQueueState(text: string): QueueState {
  const parsed: unknown = JSON.parse(text);
  const { schema } = toQueueFields(parsed);
  if (schema === QUEUE_STATE_SCHEMA) return readFields(parsed, STATE, "");
  if (typeof schema === "string" && schema.startsWith("assay.queue-state/"))
    throw new RunFolderError(
      `its format is ${cutQueueText(schema, MAX_NAME_LENGTH)}, but this version reads ${QUEUE_STATE_SCHEMA}; update Assay`,
    );
  throw new RunFolderError(`it was not written by Assay (no "schema": "${QUEUE_STATE_SCHEMA}")`);
}

const readQueueName: FieldReader<string> = (value) =>
  typeof value === "string" ? cutQueueText(value, MAX_NAME_LENGTH) : undefined;
const readQueueReason: FieldReader<string> = (value) =>
  typeof value === "string" ? cutQueueText(value, MAX_REASON_LENGTH) : undefined;
const readQueueFlag: FieldReader<boolean> = (value) => (typeof value === "boolean" ? value : undefined);
const readQueueAmount: FieldReader<number> = (value) =>
  Number.isFinite(value) && Number(value) >= 0 ? Number(value) : undefined;
const readQueueTime: FieldReader<string> = (value) =>
  typeof value === "string" && !Number.isNaN(Date.parse(value)) ? readQueueName(value, "") : undefined;

const WORKER: FieldReaders<WorkerState> = {
  id: readQueueName,
  host: readQueueName,
  pid: readQueueAmount,
  run: createNullableReader(readQueueName),
  concurrency: readQueueAmount,
  startedAt: readQueueName,
  active: readQueueAmount,
  done: readQueueAmount,
  perSecond: readQueueAmount,
  waiting: createNullableReader(readQueueReason),
  refuses: createNullableReader(readQueueReason),
};

const BUDGET: FieldReaders<QueueBudget> = {
  maxCostUsd: readQueueAmount,
  spentUsd: readQueueAmount,
  reservedUsd: readQueueAmount,
  isRefusing: readQueueFlag,
  unknownCosts: readQueueAmount,
  lostTrials: readQueueAmount,
  lostUsd: readQueueAmount,
};

const STATE: FieldReaders<QueueState> = {
  schema: () => QUEUE_STATE_SCHEMA,
  at: readQueueTime,
  url: readQueueName,
  isRunning: readQueueFlag,
  waiting: readQueueAmount,
  active: readQueueAmount,
  workers: createListReader((worker, place) => readFields(worker, WORKER, `${place}.`)),
  budget: createNullableReader((budget, place) => readFields(budget, BUDGET, `${place}.`)),
  notes: (value, place) => createListReader(readQueueReason)(value, place)?.slice(-MAX_NOTES),
};

function readFields<T>(value: unknown, shape: FieldReaders<T>, before: string): T {
  const given = toQueueFields(value);
  const read = Object.entries<FieldReader<unknown>>(shape).map(([key, reader]) => {
    const place = `${before}${key}`;
    return [key, requireValue(reader(given[key], place), place)] as const;
  });
  return Object.fromEntries(read) as T;
}

function createListReader<T>(reader: FieldReader<T>): FieldReader<readonly T[]> {
  return (value, place) =>
    Array.isArray(value)
      ? value.map((item: unknown, index) => requireValue(reader(item, `${place}[${index}]`), `${place}[${index}]`))
      : undefined;
}

function createNullableReader<T>(reader: FieldReader<T>): FieldReader<T | null> {
  return (value, place) => (value === null ? null : reader(value, place));
}

function requireValue<T>(value: T | undefined, place: string): T {
  if (value !== undefined) return value;
  throw new RunFolderError(`"${place}" is missing or has the wrong type`);
}

function toQueueFields(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}

function cutQueueText(text: string, most: number): string {
  return text.length <= most ? text : `${cutText(text, most)}…`;
}
