import { useEffect, useRef, useState } from "preact/hooks";
import type { MetricComparison, PairedComparison } from "../../../../src/metrics/compare/index.js";
import { CHANGE_WORDS } from "../../../../src/report/compare-cells.js";
import {
  formatCount,
  formatPlural,
  type KeyValue,
  KeyValues,
  type Route,
  revealLine,
  revealText,
  Scrollable,
  updateQuery,
} from "../../ui/index.js";
import { type ComparedSides, formatTaskParameter, parseTaskParameter } from "./compared-task.js";
import { FlippedTasks, findFlipOutcomes, isFlipped } from "./flips.js";
import { ForestPlots } from "./forest.js";
import {
  formatChangeInterval,
  formatMetricChange,
  formatMetricTitle,
  formatMetricValue,
  formatPCell,
} from "./metric-cells.js";
import { OutputDiff } from "./output-diff.js";
import { SystemNames } from "./verdicts.js";

interface ComparedPairProps {
  route: Route;
  comparison: PairedComparison;
  sides: ComparedSides;
  /** The index among the compared pairs. */
  pair: number;
  /** Of the compared runs. */
  datasets: readonly string[];
}

/** One of several pairs is folded, and drawn only when it is opened: seven systems would make a very long page. */
export function ComparedPair({ isOnly, ...pair }: ComparedPairProps & { isOnly: boolean }) {
  if (!isOnly) return <FoldedPair {...pair} />;
  return (
    <section class="pair">
      <h2>
        <SystemNames comparison={pair.comparison} />
      </h2>
      <PairDetails {...pair} />
    </section>
  );
}

function FoldedPair(props: ComparedPairProps) {
  const { route, comparison, pair } = props;
  const isNamed = route.query.pair === String(pair);
  const [isOpen, setOpen] = useState(isNamed);
  const summary = useRef<HTMLElement>(null);
  useEffect(() => {
    if (!isNamed) return;
    setOpen(true);
    // Outputs take the focus themselves.
    if (route.query.task === undefined) summary.current?.focus();
  }, [isNamed]);
  return (
    <details class="pair pair-folded" open={isOpen} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary ref={summary}>
        <h2>
          <SystemNames comparison={comparison} />
        </h2>{" "}
        <span class="quiet">{formatFlips(comparison)}</span>
      </summary>
      {isOpen && <PairDetails {...props} />}
    </details>
  );
}

/**
 * What changed its verdict, for the head of a fold.
 * @example
 * formatFlips(comparison); // "1 now fails, 0 now pass"
 */
export function formatFlips({ flips: { toFail, toPass } }: Pick<PairedComparison, "flips">): string {
  const count = (tasks: readonly unknown[], one: string, many: string) =>
    `${formatCount(tasks.length)} now ${tasks.length === 1 ? one : many}`;
  if (toFail.length + toPass.length === 0) return "nothing flipped";
  return `${count(toFail, "fails", "fail")}, ${count(toPass, "passes", "pass")}`;
}

function PairDetails({ route, comparison, sides, pair, datasets }: ComparedPairProps) {
  const task = Number(route.query.pair ?? 0) === pair ? parseTaskParameter(route.query.task) : null;
  return (
    <>
      <KeyValues entries={listPairCounts(comparison)} />
      <NoteList notes={comparison.notes} />
      <div class="pair-figures">
        <ForestPlots metrics={comparison.metrics} />
        <MetricTable metrics={comparison.metrics} level={comparison.level} />
      </div>
      <FlippedTasks route={route} comparison={comparison} sides={sides} pair={pair} />
      <UnmatchedTasks comparison={comparison} />
      <TaskChoice route={route} comparison={comparison} pair={pair} datasets={datasets} />
      {task !== null && !isFlipped(comparison, task) && (
        <OutputDiff route={route} task={task} sides={sides} ended={findFlipOutcomes(comparison, task)} />
      )}
    </>
  );
}

function listPairCounts({ tasks, trials }: PairedComparison): KeyValue[] {
  return [
    ["Paired tasks", formatCount(tasks.paired)],
    ["A only", formatCount(tasks.aOnly)],
    ["B only", formatCount(tasks.bOnly)],
    ["Scored in neither", tasks.neither === 0 ? null : formatCount(tasks.neither)],
    ["Scored trials", `${formatCount(trials.a)} of A, ${formatCount(trials.b)} of B`],
  ];
}

export function NoteList({ notes }: { notes: readonly string[] }) {
  if (notes.length === 0) return null;
  return (
    <ul class="notes">
      {notes.map((note) => (
        <li key={note}>{revealText(note)}</li>
      ))}
    </ul>
  );
}

const MAX_UNMATCHED_SHOWN = 200;
const SIDE_NAMES = { a: "A only", b: "B only", neither: "neither" } as const;

function UnmatchedTasks({ comparison: { unmatched } }: { comparison: PairedComparison }) {
  if (unmatched.length === 0) return null;
  return (
    <details class="flips">
      <summary>
        Not paired: <b>{formatCount(unmatched.length)}</b>
      </summary>
      <ul class="notes">
        {unmatched.slice(0, MAX_UNMATCHED_SHOWN).map((task) => (
          <li key={formatTaskParameter(task)}>
            <bdi>{revealLine(String(task.exampleId))}</bdi>{" "}
            <span class="quiet">
              scored in {SIDE_NAMES[task.scoredIn]}: {revealLine(task.reason)}
            </span>
          </li>
        ))}
      </ul>
      {unmatched.length > MAX_UNMATCHED_SHOWN && (
        <p class="quiet">and {formatPlural(unmatched.length - MAX_UNMATCHED_SHOWN, "task")} more</p>
      )}
    </details>
  );
}

/** Any task can be shown, whether it flipped or not. */
function TaskChoice({ route, comparison: { flips }, pair, datasets }: Omit<ComparedPairProps, "sides">) {
  const flipped = [...flips.toFail, ...flips.toPass, ...flips.flaky].map(({ dataset }) => dataset);
  const names = [...new Set([...flipped, ...datasets])];
  const choose = (event: SubmitEvent) => {
    event.preventDefault();
    const words = new FormData(event.currentTarget as HTMLFormElement);
    const [exampleId, dataset] = [getFormValue(words, "example"), getFormValue(words, "dataset")];
    if (exampleId !== "") updateQuery(route, { task: formatTaskParameter({ dataset, exampleId }), pair: String(pair) });
  };
  return (
    <form class="filters" onSubmit={choose}>
      <label class="filter">
        <span>Compare the outputs for example</span>
        <input name="example" required placeholder="id" autocomplete="off" />
      </label>
      <label class="filter">
        <span>Dataset</span>
        <select name="dataset">
          {names.map((name) => (
            <option key={name} value={name}>
              {revealLine(name)}
            </option>
          ))}
        </select>
      </label>
      <button type="submit">Show both outputs</button>
    </form>
  );
}

function getFormValue(words: FormData, name: string): string {
  const word = words.get(name);
  return typeof word === "string" ? word.trim() : "";
}

const CHANGE_SIGNS: Readonly<Record<MetricComparison["change"], string>> = {
  better: "▲",
  worse: "▼",
  different: "≠",
  same: "=",
  unclear: "?",
};

function MetricTable({ metrics, level }: { metrics: readonly MetricComparison[]; level: number }) {
  return (
    <Scrollable class="table-scroll" label="Differences in figures">
      <table class="table">
        <caption class="unseen">Differences from A to B, task by task</caption>
        <thead>
          <tr>
            <th scope="col">Metric</th>
            {["A", "B", "B − A", `${level * 100} % interval`, "p", "Adjusted p", "Tasks"].map((title) => (
              <th key={title} scope="col" class="number">
                {title}
              </th>
            ))}
            <th scope="col">Change</th>
          </tr>
        </thead>
        <tbody>
          {metrics.map((metric) => (
            <MetricRow key={metric.metric} metric={metric} />
          ))}
        </tbody>
      </table>
    </Scrollable>
  );
}

function MetricRow({ metric }: { metric: MetricComparison }) {
  const { a, b, difference, p, adjustedP, n, change, reason } = metric;
  return (
    <tr>
      <th scope="row">
        <bdi>{revealLine(formatMetricTitle(metric))}</bdi>
      </th>
      <td class="number">{formatMetricValue(metric, a)}</td>
      <td class="number">{formatMetricValue(metric, b)}</td>
      <td class="number">
        <b>{formatMetricChange(metric, difference)}</b>
      </td>
      <td class="number">{formatChangeInterval(metric)}</td>
      <td class="number">{formatPCell(p)}</td>
      <td class="number">{formatPCell(adjustedP)}</td>
      <td class="number">{formatCount(n)}</td>
      <td>
        <span class={`compared compared-${change}`}>
          <span aria-hidden="true">{CHANGE_SIGNS[change]}</span> {CHANGE_WORDS[change]}
        </span>
        {reason !== undefined && <small class="quiet"> {reason}</small>}
      </td>
    </tr>
  );
}
