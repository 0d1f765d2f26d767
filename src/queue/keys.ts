import { createHash } from "node:crypto";

/** The names of everything that Assay keeps in Redis. */
export const KEYS = {
  /** Sorted set: runs by when the lease of their coordinator ends, in milliseconds. */
  runs: "assay:runs",
  /** Sorted set: workers by when their lease ends, in milliseconds. */
  workers: "assay:workers",
  /** Text: when anybody was heard last, in milliseconds. */
  pulse: "assay:pulse",
  /** Channel: told when a run is announced, or is over. */
  news: "assay:news",
  /** Text: a worker's state as JSON; it expires with the lease. */
  worker: (id: string) => `assay:worker:${id}`,
  /** Text: the announcement of a run as JSON. */
  run: (key: string) => `assay:run:${key}`,
  /** Stream: parcels of finished trials. */
  results: (key: string) => `assay:run:${key}:results`,
  /** Stream: parcels that could not be read, for people. */
  unreadable: (key: string) => `assay:run:${key}:results:bad`,
  /** Text: the run folder whose coordinator has the run; it expires with the lease. */
  coordinator: (key: string) => `assay:run:${key}:coordinator`,
  /** Text: tells the starts of a run apart. */
  start: (key: string) => `assay:run:${key}:start`,
  /** Bitmap: trials that were delivered. */
  delivered: (key: string) => `assay:run:${key}:delivered`,
  /** Hash: by trial, its output while it is graded, signed. */
  outputs: (key: string) => `assay:run:${key}:outputs`,
  /** Hash: by worker, why it is to leave the run, signed. */
  leaving: (key: string) => `assay:run:${key}:leaving`,
  /** Hashes and sorted sets of the budget of a run begin with this. */
  budget: (key: string) => `assay:run:${key}:budget`,
  /** What the keys of an endpoint's gate begin with. */
  gate: (endpoint: string) => `assay:gate:${createHash("sha256").update(endpoint).digest("hex").slice(0, 32)}`,
};

/** What the keys of BullMQ begin with. */
export const BULL_PREFIX = "assay:bull";

/** The name of the queue of one system of a run, or of its trials that were lost with their worker and are run alone. */
export function laneName(key: string, lane: number | "suspects"): string {
  return `${key}.${lane}`;
}

/** The name of the job of a trial: a second one is not added. */
export function jobName(index: number): string {
  return `trial-${index}`;
}
