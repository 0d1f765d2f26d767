import type { WorkerState } from "../../../../../src/queue/contract.js";
import { formatCount, formatNumber, formatShare } from "../../../ui/index.js";
import type { TableColumn } from "../../../ui/table-column.js";
import { revealLine, revealText } from "../../trial/text/visible-text.js";
import { explainWaiting } from "./worker-words.js";

interface WorkerTableOptions {
  /** What shares are of: the trials that all of them have delivered. */
  delivered: number;
  /** Of a run that is over, nobody waits for anything any more. */
  isOver: boolean;
  /** Whether one of them takes no part. */
  hasRefusals: boolean;
}

/** The columns of the table of workers. */
export function buildWorkerColumns({ delivered, isOver, hasRefusals }: WorkerTableOptions): TableColumn<WorkerState>[] {
  const done = [createCountColumn("done", "Done", "Trials delivered so far"), createShareColumn(delivered)];
  if (isOver) return [NAME_COLUMN, CONCURRENCY_COLUMN, ...done, ...(hasRefusals ? [REFUSAL_COLUMN] : [])];
  return [
    NAME_COLUMN,
    CONCURRENCY_COLUMN,
    createCountColumn("active", "Under way", "Trials under way"),
    ...done,
    RATE_COLUMN,
    WAITING_COLUMN,
  ];
}

/** A worker for those who cannot see the table around it. */
function formatWorkerName({ host, pid }: WorkerState): string {
  return `${revealLine(host)}, process ${pid}`;
}

const NAME_COLUMN: TableColumn<WorkerState> = {
  key: "worker",
  title: "Worker",
  isRowHead: true,
  class: "worker",
  value: ({ host, pid }) => `${host} ${pid}`,
  cell: ({ host, pid }) => (
    <>
      <bdi>{revealLine(host)}</bdi> <span class="quiet nowrap">pid {pid}</span>
    </>
  ),
};

const CONCURRENCY_COLUMN = createCountColumn("concurrency", "At a time", "Trials of each system at a time");

const RATE_COLUMN: TableColumn<WorkerState> = {
  key: "rate",
  title: "A second",
  about: "Trials delivered a second, over the last while",
  isNumeric: true,
  startsDescending: true,
  value: ({ perSecond }) => perSecond,
  cell: ({ perSecond }) => formatNumber(perSecond, 1),
};

const WAITING_COLUMN: TableColumn<WorkerState> = {
  key: "reason",
  title: "Waits for",
  class: "reason",
  value: ({ refuses, waiting }) => refuses ?? waiting,
  cell: (worker) => (
    <span class={worker.refuses === null ? undefined : "bad"}>{revealText(explainWaiting(worker))}</span>
  ),
};

const REFUSAL_COLUMN: TableColumn<WorkerState> = {
  key: "refusal",
  title: "Took no part",
  class: "reason",
  value: ({ refuses }) => refuses,
  cell: ({ refuses }) => <span class="bad">{refuses === null ? null : revealText(refuses)}</span>,
};

function createCountColumn(
  key: "concurrency" | "active" | "done",
  title: string,
  about: string,
): TableColumn<WorkerState> {
  return {
    key,
    title,
    about,
    isNumeric: true,
    startsDescending: true,
    value: (worker) => worker[key],
    cell: (worker) => formatCount(worker[key]),
  };
}

function createShareColumn(delivered: number): TableColumn<WorkerState> {
  return {
    key: "share",
    title: "Share",
    class: "share",
    startsDescending: true,
    value: ({ done }) => done,
    cell: (worker) => (
      <>
        <progress
          max={Math.max(delivered, 1)}
          value={worker.done}
          aria-label={`Share of ${formatWorkerName(worker)}`}
        />
        <span class="quiet">{delivered === 0 ? "–" : formatShare(worker.done / delivered)}</span>
      </>
    ),
  };
}
