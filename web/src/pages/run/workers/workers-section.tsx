import { useMemo } from "preact/hooks";
import type { QueueState } from "../../../../../src/queue/contract.js";
import type { QueueView } from "../../../../../src/report/dashboard/contract.js";
import { changeQuery, type Route } from "../../../shell/route.js";
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
import { inOrder } from "../../../ui/table-column.js";
import { visibleLine, visibleText } from "../../trial/text/visible-text.js";
import { BudgetBar } from "./budget-bar.js";
import { workerColumns } from "./worker-columns.js";
import {
  budgetWarnings,
  deliveredBy,
  type KnownQueue,
  spentInWords,
  togetherPerSecond,
  workersInWords,
} from "./worker-words.js";

interface WorkersProps {
  route: Route;
  queue: KnownQueue;
}

/** Who works on a run over a queue, how fast, and what for they wait; of one that is over, who did how much. */
export function WorkersSection({ route, queue }: { route: Route; queue: QueueView }) {
  return (
    <section class="workers" aria-labelledby="workers">
      <h2 id="workers">Workers</h2>
      {queue.phase === "unreadable" ? (
        <p class="warn">{visibleText(queue.problem)}</p>
      ) : (
        <Workers route={route} queue={queue} />
      )}
    </section>
  );
}

function Workers({ route, queue }: WorkersProps) {
  const { phase, state } = queue;
  return (
    <>
      <p role="status" class={phase === "silent" ? "warn" : undefined}>
        {workersInWords(queue)}
      </p>
      {phase === "live" && state.workers.length === 0 && <HowToStart url={state.url} />}
      <KeyValues entries={factsOf(queue)} />
      {state.budget !== null && <BudgetBar budget={state.budget} />}
      {state.budget !== null && <Lines class="warn" lines={budgetWarnings(state.budget)} />}
      {phase === "over" ? <Folded route={route} queue={queue} /> : <WorkersTable route={route} queue={queue} />}
      <Lines class="quiet" lines={state.notes} />
    </>
  );
}

function HowToStart({ url }: { url: string }) {
  return (
    <p>
      Start one, here or on another machine: <code>assay worker --queue {visibleLine(url)}</code>
    </p>
  );
}

function factsOf({ phase, state }: KnownQueue): KeyValue[] {
  const { url, waiting, active, budget } = state;
  const isOver = phase === "over";
  return [
    // A file that may be sent to anybody does not say where the queue is.
    ["Queue", url === "" ? null : <bdi key="queue">{visibleLine(url)}</bdi>],
    // Of a run that was stopped early: what nobody did.
    ["Trials waiting", isOver && waiting === 0 ? null : formatCount(waiting)],
    ["Trials under way", isOver && active === 0 ? null : formatCount(active)],
    ["Together", phase === "live" ? `${formatNumber(togetherPerSecond(state), 1)} trials/s` : null],
    ["Spent of the budget", budget === null ? null : spentInWords(budget)],
    ["Set aside", budget === null ? null : formatDollars(budget.reservedUsd)],
  ];
}

/** Of a run that is over, its figures are what a reader looks for first. */
function Folded({ route, queue }: WorkersProps) {
  if (queue.state.workers.length === 0) return null;
  return (
    <details>
      <summary>Who did how much</summary>
      <WorkersTable route={route} queue={queue} />
    </details>
  );
}

/** More would take the browser longer to draw than the second until they change. */
const MOST_SHOWN = 500;
/** Unless the reader sorts, workers stay in their places. */
const AS_THEY_ARE = { key: "", isDescending: false };

function WorkersTable({ route, queue: { phase, state } }: WorkersProps) {
  const { workers } = state;
  const delivered = deliveredBy(workers);
  const [isOver, hasRefusals] = [phase === "over", workers.some(({ refuses }) => refuses !== null)];
  const columns = useMemo(() => workerColumns({ delivered, isOver, hasRefusals }), [delivered, isOver, hasRefusals]);
  const order = parseOrder(route.query.workers, AS_THEY_ARE);
  if (workers.length === 0) return null;
  return (
    <>
      <SortableTable
        caption="Each worker"
        rows={inOrder(workers, columns, order).slice(0, MOST_SHOWN)}
        columns={columns}
        rowKey={({ id }) => id}
        order={order}
        onOrder={(next) => changeQuery(route, { workers: formatOrder(next) })}
      />
      {workers.length > MOST_SHOWN && <p class="quiet">And {formatCount(workers.length - MOST_SHOWN)} more.</p>}
    </>
  );
}

function Lines({ lines, class: own }: { lines: QueueState["notes"]; class: string }) {
  if (lines.length === 0) return null;
  return (
    <ul class={`notes ${own}`}>
      {lines.map((line, place) => (
        <li key={place}>{visibleText(line)}</li>
      ))}
    </ul>
  );
}
