import { useMemo } from "preact/hooks";
import type { QueueState } from "../../../../../src/queue/contract.js";
import type { QueueView } from "../../../../../src/report/dashboard/contract.js";
import { type Route, updateQuery } from "../../../shell/route.js";
import {
  formatCount,
  formatDollars,
  formatNumber,
  formatOrder,
  type KeyValue,
  KeyValues,
  parseOrder,
} from "../../../ui/index.js";
import { SortableTable } from "../../../ui/table.js";
import { sortRows } from "../../../ui/table-column.js";
import { revealLine, revealText } from "../../trial/text/visible-text.js";
import { BudgetBar } from "./budget-bar.js";
import { buildWorkerColumns } from "./worker-columns.js";
import {
  describeSpending,
  describeWorkers,
  listBudgetWarnings,
  type ReadableQueue,
  sumDelivered,
  sumTrialsPerSecond,
} from "./worker-words.js";

interface WorkersContentProps {
  route: Route;
  queue: ReadableQueue;
}

/** Who works on a run over a queue, how fast, and what for they wait; of one that is over, who did how much. */
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
    // A file that may be sent to anybody does not say where the queue is.
    ["Queue", url === "" ? null : <bdi key="queue">{revealLine(url)}</bdi>],
    // Of a run that was stopped early: what nobody did.
    ["Trials waiting", isOver && waiting === 0 ? null : formatCount(waiting)],
    ["Trials under way", isOver && active === 0 ? null : formatCount(active)],
    ["Together", phase === "live" ? `${formatNumber(sumTrialsPerSecond(state), 1)} trials/s` : null],
    ["Spent of the budget", budget === null ? null : describeSpending(budget)],
    ["Set aside", budget === null ? null : formatDollars(budget.reservedUsd)],
  ];
}

/** Of a run that is over, its figures are what a reader looks for first. */
function FoldedWorkersTable({ route, queue }: WorkersContentProps) {
  if (queue.state.workers.length === 0) return null;
  return (
    <details>
      <summary>Who did how much</summary>
      <WorkersTable route={route} queue={queue} />
    </details>
  );
}

/** More would take the browser longer to draw than the second until they change. */
const MAX_WORKERS_SHOWN = 500;
/** Unless the reader sorts, workers stay in their places. */
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
        caption="Each worker"
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
