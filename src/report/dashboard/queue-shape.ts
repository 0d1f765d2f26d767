import { RunFolderError } from "../../core/errors.js";
import { QUEUE_STATE_SCHEMA, type QueueBudget, type QueueState, type WorkerState } from "../../queue/contract.js";
import { cutText } from "./trial-cut.js";

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
export function parseQueueState(text: string): QueueState {
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
