import { useState } from "preact/hooks";
import type { PairedComparison, TaskPasses } from "../../../../src/metrics/compare/index.js";
import type { TrialKey } from "../../data/source.js";
import { addressOf, type Route } from "../../shell/route.js";
import { formatCount } from "../../ui/index.js";
import { visibleLine } from "../trial/text/visible-text.js";
import { endingAddress, trialAddress } from "../trial/trial-address.js";
import { type FlipSides, flipSides } from "./flip-sides.js";
import { taskWord } from "./task-word.js";

/** The two sides, as their trials are found. */
export interface Sides {
  readonly runA: string;
  readonly runB: string;
  readonly systemA: string;
  readonly systemB: string;
}

interface FlipsProps {
  route: Route;
  comparison: PairedComparison;
  sides: Sides;
  /** Which of the compared pairs this is. */
  pair: number;
}

/** Tasks whose verdict is another in B, and those whose trials disagree. */
export function Flips({ comparison: { flips }, ...rest }: FlipsProps) {
  return (
    <section>
      <h3>What flipped</h3>
      <FlipList title="From pass to fail" tasks={flips.toFail} {...rest} />
      <FlipList title="From fail to pass" tasks={flips.toPass} {...rest} />
      <FlipList title="Flaky: trials disagree" tasks={flips.flaky} {...rest} />
    </section>
  );
}

const AT_FIRST = 20;
const LONG = 1000;

interface FlipListProps extends Omit<FlipsProps, "comparison"> {
  title: string;
  tasks: readonly TaskPasses[];
}

function FlipList({ title, tasks, ...rest }: FlipListProps) {
  const [shown, setShown] = useState(AT_FIRST);
  if (tasks.length === 0)
    return (
      <p class="quiet">
        {title}: <b>0</b>
      </p>
    );
  return (
    <details class="flips" open={tasks.length <= AT_FIRST}>
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
            <FlipRow key={taskWord(task)} task={task} {...rest} />
          ))}
        </tbody>
      </table>
      {tasks.length > shown && (
        <button type="button" class="text-more" onClick={() => setShown(shown + LONG)}>
          Show {formatCount(Math.min(LONG, tasks.length - shown))} more
        </button>
      )}
    </details>
  );
}

function FlipRow({ task, route, sides, pair }: Omit<FlipListProps, "title" | "tasks"> & { task: TaskPasses }) {
  const { dataset, exampleId, passesA, trialsA, passesB, trialsB, isFlaky } = task;
  const ended = flipSides(task);
  const name = visibleLine(String(exampleId));
  return (
    <tr>
      <th scope="row">
        <bdi>{name}</bdi> <small class="quiet">{visibleLine(dataset)}</small>
        {isFlaky && <small class="warn"> flaky</small>}
      </th>
      <td class="number">
        {passesA} of {trialsA}
      </td>
      <td class="number">
        {passesB} of {trialsB}
      </td>
      <td class="flip-links">
        <a href={endedAddress(sides.runA, { dataset, exampleId, system: sides.systemA }, ended?.a)}>
          A<span class="unseen"> of {name}</span>
        </a>
        <a href={endedAddress(sides.runB, { dataset, exampleId, system: sides.systemB }, ended?.b)}>
          B<span class="unseen"> of {name}</span>
        </a>
        <a href={addressOf(["compare"], { ...route.query, task: taskWord(task), pair: String(pair) })}>
          Both outputs<span class="unseen"> of {name}</span>
        </a>
      </td>
    </tr>
  );
}

function endedAddress(run: string, key: Omit<TrialKey, "trial">, ended: FlipSides["a"] | undefined): string {
  return ended === undefined ? trialAddress(run, { ...key, trial: 0 }) : endingAddress(run, key, ended);
}
