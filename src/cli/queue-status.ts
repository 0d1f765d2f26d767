import type { WorkerState } from "../queue/contract.js";
import type { QueuedRun } from "../queue/directory.js";
import { type Column, markdownTable, oneLine } from "../report/markdown.js";

/** What `assay queue status` says. */
export interface QueueStatus {
  schema: "assay.queue-status/1";
  /** Its address, without user and password. */
  queue: string;
  runs: readonly QueuedRun[];
  workers: readonly WorkerState[];
}

/** The runs and workers of a queue as tables, and what to do about runs that nobody records any more. */
export function describeQueueStatus({ queue, runs, workers }: QueueStatus): string {
  const parts = [
    runs.length === 0 ? `There is no run at ${queue}.` : markdownTable(RUNS, runs),
    ...runs.filter(({ isCoordinated }) => !isCoordinated).map(adviceOn),
    workers.length === 0
      ? `There is no worker. Start one with: assay worker --queue ${queue}`
      : markdownTable(workerColumns(runs), workers),
  ];
  return `${parts.join("\n\n")}\n`;
}

const RUNS: readonly Column<QueuedRun>[] = [
  { title: "run", cell: ({ key }) => key },
  { title: "title", cell: ({ title }) => title },
  { title: "coordinator", cell: ({ isCoordinated }) => (isCoordinated ? "there" : "gone") },
  { title: "planned", align: "right", cell: ({ planned }) => (planned === null ? "?" : String(planned)) },
  { title: "delivered", align: "right", cell: ({ delivered }) => String(delivered) },
  { title: "waiting", align: "right", cell: ({ waiting }) => String(waiting) },
  { title: "under way", align: "right", cell: ({ active }) => String(active) },
];

function adviceOn({ key, runId, startedBy }: QueuedRun): string {
  const where = startedBy === null ? "its program with `resume`" : `assay ${startedBy.command} --resume ${runId}`;
  const folder = startedBy === null ? "" : ` in ${startedBy.cwd}`;
  return oneLine(
    `${key} is abandoned: its coordinator is gone. Go on with it by ${where}${folder}, or remove it with assay queue clear ${key}.`,
  );
}

function workerColumns(runs: readonly QueuedRun[]): readonly Column<WorkerState>[] {
  const idOf = new Map(runs.map(({ key, runId }) => [key, runId]));
  return [
    { title: "worker", cell: ({ host, pid }) => `${host}:${pid}` },
    { title: "run", cell: ({ run }) => (run === null ? "none yet" : (idOf.get(run) ?? run)) },
    { title: "at a time", align: "right", cell: ({ concurrency }) => String(concurrency) },
    { title: "under way", align: "right", cell: ({ active }) => String(active) },
    { title: "delivered", align: "right", cell: ({ done }) => String(done) },
    { title: "a second", align: "right", cell: ({ perSecond }) => perSecond.toFixed(1) },
    {
      title: "waits for",
      cell: ({ waiting, refuses }) => (refuses === null ? (waiting ?? "") : `refuses: ${refuses}`),
    },
  ];
}
