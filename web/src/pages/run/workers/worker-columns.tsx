import type { WorkerState } from "../../../../../src/queue/contract.js";
import { formatCount, formatNumber, formatShare } from "../../../ui/index.js";
import type { Column } from "../../../ui/table-column.js";
import { visibleLine, visibleText } from "../../trial/text/visible-text.js";
import { heldUpBy } from "./worker-words.js";

interface Whole {
  /** What shares are of: the trials that all of them have delivered. */
  delivered: number;
  /** Of a run that is over, nobody waits for anything any more. */
  isOver: boolean;
  /** Whether one of them takes no part. */
  hasRefusals: boolean;
}

/** The columns of the table of workers. */
export function workerColumns({ delivered, isOver, hasRefusals }: Whole): Column<WorkerState>[] {
  const done = [count("done", "Done", "Trials delivered so far"), shareOf(delivered)];
  if (isOver) return [NAME, AT_A_TIME, ...done, ...(hasRefusals ? [REFUSAL] : [])];
  return [NAME, AT_A_TIME, count("active", "Under way", "Trials under way"), ...done, RATE, REASON];
}

/** A worker for those who cannot see the table around it. */
function nameOf({ host, pid }: WorkerState): string {
  return `${visibleLine(host)}, process ${pid}`;
}

const NAME: Column<WorkerState> = {
  key: "worker",
  title: "Worker",
  isRowHead: true,
  class: "worker",
  value: ({ host, pid }) => `${host} ${pid}`,
  cell: ({ host, pid }) => (
    <>
      <bdi>{visibleLine(host)}</bdi> <span class="quiet nowrap">pid {pid}</span>
    </>
  ),
};

const AT_A_TIME = count("concurrency", "At a time", "Trials of each system at a time");

const RATE: Column<WorkerState> = {
  key: "rate",
  title: "A second",
  about: "Trials delivered a second, over the last while",
  isNumeric: true,
  startsDescending: true,
  value: ({ perSecond }) => perSecond,
  cell: ({ perSecond }) => formatNumber(perSecond, 1),
};

const REASON: Column<WorkerState> = {
  key: "reason",
  title: "Waits for",
  class: "reason",
  value: ({ refuses, waiting }) => refuses ?? waiting,
  cell: (worker) => <span class={worker.refuses === null ? undefined : "bad"}>{visibleText(heldUpBy(worker))}</span>,
};

const REFUSAL: Column<WorkerState> = {
  key: "refusal",
  title: "Took no part",
  class: "reason",
  value: ({ refuses }) => refuses,
  cell: ({ refuses }) => <span class="bad">{refuses === null ? null : visibleText(refuses)}</span>,
};

function count(key: "concurrency" | "active" | "done", title: string, about: string): Column<WorkerState> {
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

function shareOf(delivered: number): Column<WorkerState> {
  return {
    key: "share",
    title: "Share",
    class: "share",
    startsDescending: true,
    value: ({ done }) => done,
    cell: (worker) => (
      <>
        <progress max={Math.max(delivered, 1)} value={worker.done} aria-label={`Share of ${nameOf(worker)}`} />
        <span class="quiet">{delivered === 0 ? "–" : formatShare(worker.done / delivered)}</span>
      </>
    ),
  };
}
