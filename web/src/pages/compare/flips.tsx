import { useState } from "preact/hooks";
import type { PairedComparison, TaskName, TaskPasses } from "../../../../src/metrics/compare/index.js";
import type { TrialKey } from "../../data/index.js";
import { buildAddress, formatCount, type Route, revealLine } from "../../ui/index.js";
import { buildOutcomeAddress, buildTrialAddress } from "../trial-address.js";
import { NO_TASK_QUERY } from "./choice.js";
import { type ComparedSides, type FlipOutcomes, formatTaskParameter } from "./compared-task.js";
import { OutputDiff } from "./output-diff.js";

interface FlippedTasksProps {
  route: Route;
  comparison: PairedComparison;
  sides: ComparedSides;
  /** The index among the compared pairs. */
  pair: number;
}

/** Tasks with another verdict in B, and tasks whose trials disagree. */
export function FlippedTasks({ comparison: { flips }, ...rest }: FlippedTasksProps) {
  return (
    <section>
      <h3>What flipped</h3>
      <FlipList title="From pass to fail" tasks={sortByLoss(flips.toFail)} {...rest} />
      <FlipList title="From fail to pass" tasks={sortByLoss(flips.toPass).reverse()} {...rest} />
      <FlipList title="Flaky: trials disagree" tasks={sortByLoss(flips.flaky)} {...rest} />
    </section>
  );
}

/** The largest loss of passes from A to B first. */
export function sortByLoss(tasks: readonly TaskPasses[]): TaskPasses[] {
  const gain = ({ passesA, trialsA, passesB, trialsB }: TaskPasses) => passesB / trialsB - passesA / trialsA;
  return [...tasks].sort((one, other) => gain(one) - gain(other));
}

const DEFAULT_FLIPS_SHOWN = 20;
const FLIPS_PER_PAGE = 1000;

interface FlipListProps extends Omit<FlippedTasksProps, "comparison"> {
  title: string;
  tasks: readonly TaskPasses[];
}

function FlipList({ title, tasks, ...rest }: FlipListProps) {
  const { route, pair } = rest;
  const opened = tasks.findIndex((task) => isOpenTask(route, pair, task));
  const [asked, setShown] = useState(DEFAULT_FLIPS_SHOWN);
  const shown = Math.max(asked, opened + 1);
  if (tasks.length === 0)
    return (
      <p class="quiet">
        {title}: <b>0</b>
      </p>
    );
  return (
    <details class="flips" open={tasks.length <= DEFAULT_FLIPS_SHOWN || opened >= 0}>
      <summary>
        {title}: <b>{formatCount(tasks.length)}</b>
      </summary>
      <table class="table">
        <caption class="unseen">{title}</caption>
        <thead>
          <tr>
            <th scope="col">Task</th>
            <th scope="col" class="number">
              A passed
            </th>
            <th scope="col" class="number">
              B passed
            </th>
            <th scope="col">Open</th>
          </tr>
        </thead>
        <tbody>
          {tasks.slice(0, shown).map((task) => (
            <FlipRow key={formatTaskParameter(task)} task={task} {...rest} />
          ))}
        </tbody>
      </table>
      {tasks.length > shown && (
        <button type="button" class="text-more" onClick={() => setShown(shown + FLIPS_PER_PAGE)}>
          Show {formatCount(Math.min(FLIPS_PER_PAGE, tasks.length - shown))} more
        </button>
      )}
    </details>
  );
}

function FlipRow({ task, route, sides, pair }: Omit<FlipListProps, "title" | "tasks"> & { task: TaskPasses }) {
  const { dataset, exampleId, passesA, trialsA, passesB, trialsB, isFlaky } = task;
  const ended = chooseFlipOutcomes(task);
  const name = revealLine(String(exampleId));
  const isOpen = isOpenTask(route, pair, task);
  const opening = isOpen ? NO_TASK_QUERY : { ...NO_TASK_QUERY, task: formatTaskParameter(task) };
  return (
    <>
      <tr>
        <th scope="row">
          <bdi>{name}</bdi> <small class="quiet">{revealLine(dataset)}</small>
          {isFlaky && <small class="warn"> flaky</small>}
        </th>
        <td class="number">
          {passesA} of {trialsA}
        </td>
        <td class="number">
          {passesB} of {trialsB}
        </td>
        <td class="flip-links">
          <a href={buildEndedTrialAddress(sides.runA, { dataset, exampleId, system: sides.systemA }, ended?.a)}>
            A<span class="unseen"> of {name}</span>
          </a>
          <a href={buildEndedTrialAddress(sides.runB, { dataset, exampleId, system: sides.systemB }, ended?.b)}>
            B<span class="unseen"> of {name}</span>
          </a>
          <a href={buildAddress(["compare"], { ...route.query, ...opening, pair: String(pair) })}>
            {isOpen ? "Close outputs" : "Both outputs"}
            <span class="unseen"> of {name}</span>
          </a>
        </td>
      </tr>
      {isOpen && (
        <tr>
          <td colSpan={4}>
            <OutputDiff route={route} task={task} sides={sides} ended={ended} />
          </td>
        </tr>
      )}
    </>
  );
}

/** Whether the address asks for both outputs of the task. */
function isOpenTask({ query }: Route, pair: number, task: TaskName): boolean {
  return query.task === formatTaskParameter(task) && Number(query.pair ?? 0) === pair;
}

export function isFlipped({ flips }: Pick<PairedComparison, "flips">, task: TaskName): boolean {
  const wanted = formatTaskParameter(task);
  return [...flips.toFail, ...flips.toPass, ...flips.flaky].some((flip) => formatTaskParameter(flip) === wanted);
}

function buildEndedTrialAddress(
  run: string,
  key: Omit<TrialKey, "trial">,
  ended: FlipOutcomes["a"] | undefined,
): string {
  return ended === undefined ? buildTrialAddress(run, { ...key, trial: 0 }) : buildOutcomeAddress(run, key, ended);
}

/** Null when no two trials of the task differ. */
export function chooseFlipOutcomes({ passesA, trialsA, passesB, trialsB }: TaskPasses): FlipOutcomes | null {
  const isToFail = passesA > 0 && passesB < trialsB;
  const isToPass = passesA < trialsA && passesB > 0;
  const hasMoreInB = passesB * trialsA > passesA * trialsB;
  if (isToPass && (hasMoreInB || !isToFail)) return { a: "fail", b: "pass" };
  return isToFail ? { a: "pass", b: "fail" } : null;
}

export function findFlipOutcomes(
  { flips }: Pick<PairedComparison, "flips">,
  { dataset, exampleId }: TaskName,
): FlipOutcomes | null {
  const task = [...flips.toFail, ...flips.toPass, ...flips.flaky].find(
    (candidate) => candidate.exampleId === exampleId && candidate.dataset === dataset,
  );
  return task === undefined ? null : chooseFlipOutcomes(task);
}
