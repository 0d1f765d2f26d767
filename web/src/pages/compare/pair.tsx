import type { PairedComparison } from "../../../../src/metrics/compare/index.js";
import { changeQuery, type Route } from "../../shell/route.js";
import { formatCount, formatPlural, type KeyValue, KeyValues } from "../../ui/index.js";
import { visibleLine, visibleText } from "../trial/text/visible-text.js";
import { sidesOf } from "./flip-sides.js";
import { Flips, type Sides } from "./flips.js";
import { Forest } from "./forest.js";
import { MetricTable } from "./metric-table.js";
import { OutputDiff } from "./output-diff.js";
import { taskOf, taskWord } from "./task-word.js";

interface PairProps {
  route: Route;
  comparison: PairedComparison;
  sides: Sides;
  /** Which of the compared pairs this is. */
  pair: number;
  /** Of the runs that are compared. */
  datasets: readonly string[];
}

/** One system of A against one of B. */
export function Pair({ route, comparison, sides, pair, datasets }: PairProps) {
  const task = Number(route.query.pair ?? 0) === pair ? taskOf(route.query.task) : null;
  return (
    <section class="pair">
      <h2>
        A <bdi>{visibleLine(comparison.systemA)}</bdi> → B <bdi>{visibleLine(comparison.systemB)}</bdi>
      </h2>
      <KeyValues entries={countsOf(comparison)} />
      <NoteList notes={comparison.notes} />
      <div class="pair-figures">
        <Forest metrics={comparison.metrics} />
        <MetricTable metrics={comparison.metrics} level={comparison.level} />
      </div>
      <Flips route={route} comparison={comparison} sides={sides} pair={pair} />
      <Unmatched comparison={comparison} />
      <TaskChoice route={route} comparison={comparison} pair={pair} datasets={datasets} />
      {task !== null && <OutputDiff route={route} task={task} sides={sides} ended={sidesOf(comparison, task)} />}
    </section>
  );
}

function countsOf({ tasks, trials }: PairedComparison): KeyValue[] {
  return [
    ["Paired tasks", formatCount(tasks.paired)],
    ["A only", formatCount(tasks.aOnly)],
    ["B only", formatCount(tasks.bOnly)],
    ["Scored in neither", tasks.neither === 0 ? null : formatCount(tasks.neither)],
    ["Scored trials", `${formatCount(trials.a)} of A, ${formatCount(trials.b)} of B`],
  ];
}

/** Things to know before believing a figure. */
export function NoteList({ notes }: { notes: readonly string[] }) {
  if (notes.length === 0) return null;
  return (
    <ul class="notes">
      {notes.map((note) => (
        <li key={note}>{visibleText(note)}</li>
      ))}
    </ul>
  );
}

const UNMATCHED_SHOWN = 200;
const SIDES = { a: "A only", b: "B only", neither: "neither" } as const;

function Unmatched({ comparison: { unmatched } }: { comparison: PairedComparison }) {
  if (unmatched.length === 0) return null;
  return (
    <details class="flips">
      <summary>
        Not paired: <b>{formatCount(unmatched.length)}</b>
      </summary>
      <ul class="notes">
        {unmatched.slice(0, UNMATCHED_SHOWN).map((task) => (
          <li key={taskWord(task)}>
            <bdi>{visibleLine(String(task.exampleId))}</bdi>{" "}
            <span class="quiet">
              scored in {SIDES[task.scoredIn]}: {visibleLine(task.reason)}
            </span>
          </li>
        ))}
      </ul>
      {unmatched.length > UNMATCHED_SHOWN && (
        <p class="quiet">and {formatPlural(unmatched.length - UNMATCHED_SHOWN, "task")} more</p>
      )}
    </details>
  );
}

/** Any task can be looked at, whether it flipped or not. */
function TaskChoice({ route, comparison: { flips }, pair, datasets }: Omit<PairProps, "sides">) {
  const flipped = [...flips.toFail, ...flips.toPass, ...flips.flaky].map(({ dataset }) => dataset);
  const names = [...new Set([...flipped, ...datasets])];
  const choose = (event: SubmitEvent) => {
    event.preventDefault();
    const words = new FormData(event.currentTarget as HTMLFormElement);
    const [exampleId, dataset] = [wordIn(words, "example"), wordIn(words, "dataset")];
    if (exampleId !== "") changeQuery(route, { task: taskWord({ dataset, exampleId }), pair: String(pair) });
  };
  return (
    <form class="filters" onSubmit={choose}>
      <label class="filter">
        <span>Compare the outputs of example</span>
        <input name="example" required placeholder="its id" autocomplete="off" />
      </label>
      <label class="filter">
        <span>of dataset</span>
        <select name="dataset">
          {names.map((name) => (
            <option key={name} value={name}>
              {visibleLine(name)}
            </option>
          ))}
        </select>
      </label>
      <button type="submit">Show both</button>
    </form>
  );
}

function wordIn(words: FormData, name: string): string {
  const word = words.get(name);
  return typeof word === "string" ? word.trim() : "";
}
