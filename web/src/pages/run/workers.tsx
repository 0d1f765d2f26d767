import { useMemo } from "preact/hooks";
import type { QueueBudget, QueueState, WorkerState } from "../../../../src/queue/contract.js";
import type { QueueView } from "../../../../src/report/dashboard/contract.js";
import {
  formatCount,
  formatDollars,
  formatMoment,
  formatNumber,
  formatOrder,
  formatPlural,
  formatShare,
  type KeyValue,
  KeyValues,
  parseOrder,
  type Route,
  revealLine,
  revealText,
  SortableTable,
  sortRows,
  type TableColumn,
  updateQuery,
} from "../../ui/index.js";

interface WorkersContentProps {
  route: Route;
  queue: ReadableQueue;
}

/** The workers of a run over a queue: their speed and what they wait for, or their shares after the run. */
export function WorkersSection({ route, queue }: { route: Route; queue: QueueView }) {
  return (
    <section class="workers" aria-labelledby="workers">
      <h2 id="workers">Workers</h2>
      {queue.phase === "unreadable" ? (
        <p class="warn">{revealText(queue.problem)}</p>
      ) : (
        <WorkersContent route={route} queue={queue} />
      )}
    </section>
  );
}

function WorkersContent({ route, queue }: WorkersContentProps) {
  const { phase, state } = queue;
  return (
    <>
      <p role="status" class={phase === "silent" ? "warn" : undefined}>
        {describeWorkers(queue)}
      </p>
      {phase === "live" && state.workers.length === 0 && <StartWorkerHint url={state.url} />}
      <KeyValues entries={listQueueFacts(queue)} />
      {state.budget !== null && <BudgetBar budget={state.budget} />}
      {state.budget !== null && <NoteLines class="warn" lines={listBudgetWarnings(state.budget)} />}
      {phase === "over" ? (
        <FoldedWorkersTable route={route} queue={queue} />
      ) : (
        <WorkersTable route={route} queue={queue} />
      )}
      <NoteLines class="quiet" lines={state.notes} />
    </>
  );
}

function StartWorkerHint({ url }: { url: string }) {
  return (
    <p>
      Start one, here or on another machine: <code>assay worker --queue {revealLine(url)}</code>
    </p>
  );
}

function listQueueFacts({ phase, state }: ReadableQueue): KeyValue[] {
  const { url, waiting, active, budget } = state;
  const isOver = phase === "over";
  return [
    // The address of the queue is left out of files, which may be shared.
    ["Queue", url === "" ? null : <bdi key="queue">{revealLine(url)}</bdi>],
    // Trials that were never done, when a run was stopped early.
    ["Trials waiting", isOver && waiting === 0 ? null : formatCount(waiting)],
    ["Trials under way", isOver && active === 0 ? null : formatCount(active)],
    ["Rate", phase === "live" ? `${formatNumber(sumTrialsPerSecond(state), 1)} trials/s` : null],
    ["Spent of the budget", budget === null ? null : describeSpending(budget)],
    ["Set aside", budget === null ? null : formatDollars(budget.reservedUsd)],
  ];
}

/** Folded after the run, when its figures come first. */
function FoldedWorkersTable({ route, queue }: WorkersContentProps) {
  if (queue.state.workers.length === 0) return null;
  return (
    <details>
      <summary>Work by worker</summary>
      <WorkersTable route={route} queue={queue} />
    </details>
  );
}

/** More would take longer to draw than the second until the next update. */
const MAX_WORKERS_SHOWN = 500;
/** Workers keep their positions unless the reader sorts them. */
const UNSORTED = { key: "", isDescending: false };

function WorkersTable({ route, queue: { phase, state } }: WorkersContentProps) {
  const { workers } = state;
  const delivered = sumDelivered(workers);
  const [isOver, hasRefusals] = [phase === "over", workers.some(({ refuses }) => refuses !== null)];
  const columns = useMemo(
    () => buildWorkerColumns({ delivered, isOver, hasRefusals }),
    [delivered, isOver, hasRefusals],
  );
  const order = parseOrder(route.query.workers, UNSORTED);
  if (workers.length === 0) return null;
  return (
    <>
      <SortableTable
        caption="Workers"
        rows={sortRows(workers, columns, order).slice(0, MAX_WORKERS_SHOWN)}
        columns={columns}
        rowKey={({ id }) => id}
        order={order}
        onOrder={(next) => updateQuery(route, { workers: formatOrder(next) })}
      />
      {workers.length > MAX_WORKERS_SHOWN && (
        <p class="quiet">And {formatCount(workers.length - MAX_WORKERS_SHOWN)} more.</p>
      )}
    </>
  );
}

function NoteLines({ lines, class: own }: { lines: QueueState["notes"]; class: string }) {
  if (lines.length === 0) return null;
  return (
    <ul class={`notes ${own}`}>
      {lines.map((line, place) => (
        <li key={place}>{revealText(line)}</li>
      ))}
    </ul>
  );
}

interface WorkerTableOptions {
  /** The trials delivered by all workers. */
  delivered: number;
  /** Whether the run has ended: then no worker waits. */
  isOver: boolean;
  hasRefusals: boolean;
}

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

/** For screen readers. */
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
  about: "Trials delivered per second, recently",
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
  title: "Why it did not take part",
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

export type ReadableQueue = Exclude<QueueView, { phase: "unreadable" }>;

function listActiveWorkers(workers: readonly WorkerState[]): WorkerState[] {
  return workers.filter(({ refuses }) => refuses === null);
}

function sumDelivered(workers: readonly WorkerState[]): number {
  return workers.reduce((sum, { done }) => sum + done, 0);
}

/** Screen readers announce it, so during a run it changes only when a worker comes or goes. */
export function describeWorkers({ phase, state }: ReadableQueue): string {
  const { workers, isRunning, at } = state;
  const taking = listActiveWorkers(workers);
  if (phase === "live") return describeParticipation(taking.length, workers.length - taking.length);
  const had = describeDelivered(taking);
  if (phase === "silent")
    return `⚠ No report from the queue since ${formatMoment(at)}; the run may still be in progress. At that time, ${had}.`;
  if (isRunning) return `The coordinator stopped unexpectedly. Its last report, at ${formatMoment(at)}: ${had}.`;
  return `When the coordinator stopped, ${had}.`;
}

function describeParticipation(taking: number, refusing: number): string {
  const some = taking === 1 ? "1 worker takes part" : `${formatCount(taking)} workers take part`;
  const others = refusing === 0 ? "" : `, ${formatCount(refusing)} ${refusing === 1 ? "refuses" : "refuse"}`;
  return `${taking === 0 ? "No worker takes part" : some}${others}.`;
}

function describeDelivered(workers: readonly WorkerState[]): string {
  if (workers.length === 0) return "no worker was connected";
  return `${formatPlural(workers.length, "worker")} had delivered ${formatTrialCount(sumDelivered(workers))}`;
}

function formatTrialCount(count: number): string {
  return `${formatCount(count)} ${count === 1 ? "trial" : "trials"}`;
}

export function sumTrialsPerSecond({ workers }: QueueState): number {
  return listActiveWorkers(workers).reduce((sum, { perSecond }) => sum + perSecond, 0);
}

/** Such as `$0.61 of $1.00 (61 %)`. */
export function describeSpending({ spentUsd, maxCostUsd }: QueueBudget): string {
  const share = maxCostUsd > 0 ? ` (${formatShare(spentUsd / maxCostUsd)})` : "";
  return `${formatDollars(spentUsd)} of ${formatDollars(maxCostUsd)}${share}`;
}

export function listBudgetWarnings({ isRefusing, lostTrials, lostUsd, unknownCosts }: QueueBudget): string[] {
  const lines: string[] = [];
  if (isRefusing) lines.push("What is left of the budget is not enough for another trial: no more are started.");
  if (lostTrials > 0) lines.push(describeLostTrials(lostTrials, lostUsd));
  if (unknownCosts > 0)
    lines.push(
      `The cost of ${formatTrialCount(unknownCosts)} is unknown: what was set aside for that counts as spent.`,
    );
  return lines;
}

function describeLostTrials(count: number, usd: number): string {
  const [were, them, they] = count === 1 ? ["was", "it", "it"] : ["were", "them", "they"];
  const lost = `${formatTrialCount(count)} ${were} lost with the worker that ran ${them}.`;
  return `${lost} What ${they} cost is unknown: the ${formatDollars(usd)} that was set aside counts as spent.`;
}

/** What a worker waits for; a dash when it waits for nothing. */
export function explainWaiting({ run, waiting, refuses }: WorkerState): string {
  if (refuses !== null) return `Refuses: ${refuses}`;
  return waiting ?? (run === null ? "a run" : "–");
}

/** The text beside it says the same. */
function BudgetBar({ budget: { maxCostUsd, spentUsd, reservedUsd } }: { budget: QueueBudget }) {
  // Spending may exceed the budget a little, the bar may not.
  const whole = Math.max(maxCostUsd, spentUsd + reservedUsd);
  if (whole === 0) return null;
  const [spent, aside] = [(100 * spentUsd) / whole, (100 * reservedUsd) / whole];
  return (
    <svg class="budget-bar" viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">
      <rect class="budget-ground" x="0" y="0" width="100" height="8" />
      <rect class="budget-spent" x="0" y="0" width={spent} height="8" />
      <rect class="budget-aside" x={spent} y="0" width={aside} height="8" />
    </svg>
  );
}
