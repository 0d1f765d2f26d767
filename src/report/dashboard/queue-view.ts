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

/** What a coordinator told last, or why that cannot be used. */
export type QueueRecord = { state: QueueState } | { problem: string };

/** A coordinator tells once a second; after so long without a word it tells nothing any more. */
const SILENT_AFTER_MS = 15_000;

/** The workers of a run as pages show them. Whether the run goes on, its lock knows, not what was written about it. */
function queueView(record: QueueRecord | null, { isGoing, now }: { isGoing: boolean; now: number }): QueueView | null {
  if (record === null) return null;
  if ("problem" in record) return { phase: "unreadable", problem: record.problem };
  const state = { ...record.state, workers: [...record.state.workers].sort(byNeedAndName) };
  if (!isGoing || !state.isRunning) return { phase: "over", state };
  return { phase: now - Date.parse(state.at) > SILENT_AFTER_MS ? "silent" : "live", state };
}

/** How many workers take part in a run that goes over a queue just now; null when nobody knows. */
export function workersNow(view: QueueView | null): number | null {
  return view?.phase === "live" ? view.state.workers.filter(({ refuses }) => refuses === null).length : null;
}

const WORDS = new Intl.Collator("en", { numeric: true });

/** Those that refuse stand first, because somebody has to do something about them; the others keep their places. */
function byNeedAndName(a: WorkerState, b: WorkerState): number {
  const need = Number(a.refuses === null) - Number(b.refuses === null);
  return need || WORDS.compare(a.host, b.host) || a.pid - b.pid || WORDS.compare(a.id, b.id);
}

/** Thousands of workers fit into this: what is larger is no state of a queue. */
const MOST_BYTES = 4 << 20;

/**
 * What the coordinator of a run tells about its workers, in whatever process it is. The file is read again when it is
 * another one.
 * @example
 * const queue = new QueueFile(".assay/runs/20261115-213334-needle");
 * queue.look({ isGoing: true });
 */
export class QueueFile {
  readonly #dir: string;
  #state = "";
  #record: QueueRecord | null = null;

  constructor(runDir: string) {
    this.#dir = runDir;
  }

  /** The workers as they are now; null when the run went over no queue. Time passes also while the file stays as it is. */
  look({ isGoing, now = Date.now() }: { isGoing: boolean; now?: number }): QueueView | null {
    const stats = statOf(join(this.#dir, QUEUE_STATE_FILE));
    // Each state is a new file, so that one of the same size and moment is told from the one before.
    const state = stats === undefined ? "" : `${stats.ino} ${stats.size}@${stats.mtimeMs}`;
    if (state !== this.#state) this.#record = stats === undefined ? null : recordIn(this.#dir, stats);
    this.#state = state;
    return queueView(this.#record, { isGoing, now });
  }
}

/** What cannot be read costs itself alone: the run is shown without it. */
function recordIn(dir: string, { size }: Stats): QueueRecord {
  try {
    if (size > MOST_BYTES) throw new Error("it is too large for the state of a queue");
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

/** A value as it has to be; undefined when it is of another kind. */
type Reader<T> = (value: unknown, place: string) => T | undefined;
type Shape<T> = { readonly [K in keyof T]: Reader<T[K]> };

/** Names and reasons come from other machines; a page has room for so many characters of each. */
const MOST_OF_NAME = 200;
const MOST_OF_REASON = 2000;
const MOST_NOTES = 100;

/**
 * The state of a queue as a coordinator writes it, or an error that says what is missing. What else is there is left out.
 * @example
 * parseQueueState(readFileSync(join(dir, "queue.json"), "utf8")).workers.length;
 */
function parseQueueState(text: string): QueueState {
  const parsed: unknown = JSON.parse(text);
  const { schema } = fieldsOf(parsed);
  if (schema === QUEUE_STATE_SCHEMA) return fieldsRead(parsed, STATE, "");
  if (typeof schema === "string" && schema.startsWith("assay.queue-state/"))
    throw new RunFolderError(
      `it has the format ${cut(schema, MOST_OF_NAME)}, and this version reads ${QUEUE_STATE_SCHEMA}; update Assay`,
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
  throw new RunFolderError(`"${place}" is missing, or of another kind than Assay writes`);
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}

function cut(text: string, most: number): string {
  return text.length <= most ? text : `${cutText(text, most)}…`;
}
