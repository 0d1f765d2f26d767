import { useState } from "preact/hooks";
import type { PairedComparison, TaskName, TaskPasses } from "../../../../src/metrics/compare/index.js";
import type { TrialKey } from "../../data/index.js";
import { buildAddress, formatCount, type Route, revealLine } from "../../ui/index.js";
import { buildOutcomeAddress, buildTrialAddress } from "../trial-address.js";

export interface ComparedSides {
  readonly runA: string;
  readonly runB: string;
  readonly systemA: string;
  readonly systemB: string;
}

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
      <FlipList title="From pass to fail" tasks={flips.toFail} {...rest} />
      <FlipList title="From fail to pass" tasks={flips.toPass} {...rest} />
      <FlipList title="Flaky: trials disagree" tasks={flips.flaky} {...rest} />
    </section>
  );
}

const DEFAULT_FLIPS_SHOWN = 20;
const FLIPS_PER_PAGE = 1000;

interface FlipListProps extends Omit<FlippedTasksProps, "comparison"> {
  title: string;
  tasks: readonly TaskPasses[];
}

function FlipList({ title, tasks, ...rest }: FlipListProps) {
  const [shown, setShown] = useState(DEFAULT_FLIPS_SHOWN);
  if (tasks.length === 0)
    return (
      <p class="quiet">
        {title}: <b>0</b>
      </p>
    );
  return (
    <details class="flips" open={tasks.length <= DEFAULT_FLIPS_SHOWN}>
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
            <th scope="col">Look at</th>
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
  return (
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
        <a href={buildAddress(["compare"], { ...route.query, task: formatTaskParameter(task), pair: String(pair) })}>
          Both outputs<span class="unseen"> of {name}</span>
        </a>
      </td>
    </tr>
  );
}

function buildEndedTrialAddress(
  run: string,
  key: Omit<TrialKey, "trial">,
  ended: FlipOutcomes["a"] | undefined,
): string {
  return ended === undefined ? buildTrialAddress(run, { ...key, trial: 0 }) : buildOutcomeAddress(run, key, ended);
}

/** The outcomes of the two trials that show a flip. */
export interface FlipOutcomes {
  readonly a: "pass" | "fail";
  readonly b: "pass" | "fail";
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

export function formatTaskParameter({ dataset, exampleId }: TaskName): string {
  return JSON.stringify([dataset, exampleId]);
}

/** Null when the parameter is invalid. */
export function parseTaskParameter(word: string | undefined): TaskName | null {
  if (word === undefined) return null;
  try {
    const [dataset, exampleId] = JSON.parse(word) as readonly unknown[];
    const isId = typeof exampleId === "string" || typeof exampleId === "number";
    return typeof dataset === "string" && isId ? { dataset, exampleId } : null;
  } catch {
    return null;
  }
}

/** A typed `7` may be a number or text. */
export function listPossibleIds(text: string): (string | number)[] {
  return /^-?\d{1,15}$/.test(text) && String(Number(text)) === text ? [Number(text), text] : [text];
}
