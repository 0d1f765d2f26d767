import { createHash } from "node:crypto";

/** The names of all Redis keys. */
export const KEYS = {
  /** Sorted set: runs by the end of their coordinator's lease, in milliseconds. */
  runs: "assay:runs",
  /** Sorted set: workers by the end of their lease, in milliseconds. */
  workers: "assay:workers",
  /** Text: when any worker was last heard, in milliseconds. */
  pulse: "assay:pulse",
  /** Channel: notified when a run is announced or over. */
  news: "assay:news",
  /** Text: a worker's state as JSON; it expires with the lease. */
  worker: (id: string) => `assay:worker:${id}`,
  /** Text: the announcement of a run as JSON. */
  run: (key: string) => `assay:run:${key}`,
  /** Stream: batches of finished trials. */
  results: (key: string) => `assay:run:${key}:results`,
  /** Stream: batches that could not be read, for inspection. */
  unreadable: (key: string) => `assay:run:${key}:results:bad`,
  /** Text: the run folder whose coordinator owns the run; it expires with the lease. */
  coordinator: (key: string) => `assay:run:${key}:coordinator`,
  /** Text: identifies the current start of a run. */
  start: (key: string) => `assay:run:${key}:start`,
  /** Bitmap: delivered trials. */
  delivered: (key: string) => `assay:run:${key}:delivered`,
  /** Hash: by trial, its signed output while it is graded. */
  outputs: (key: string) => `assay:run:${key}:outputs`,
  /** Hash: by worker, the signed reason for its dismissal. */
  leaving: (key: string) => `assay:run:${key}:leaving`,
  /** Prefix of the keys of a run's budget. */
  budget: (key: string) => `assay:run:${key}:budget`,
  /** Prefix of the keys of an endpoint's gate. */
  gate: (endpoint: string) => `assay:gate:${createHash("sha256").update(endpoint).digest("hex").slice(0, 32)}`,
};

/** Prefix of BullMQ's keys. */
export const BULL_PREFIX = "assay:bull";

/** The queue of one system of a run, or of its suspects: trials that were lost with their worker and run alone. */
export function getQueueName(key: string, pool: number | "suspects"): string {
  return `${key}.${pool}`;
}

/** The job id of a trial; BullMQ does not add the same id twice. */
export function getJobId(index: number): string {
  return `trial-${index}`;
}
