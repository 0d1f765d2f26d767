import { useMemo } from "preact/hooks";
import { ErrorsChart, type Picked, TrendChart } from "../../charts/index.js";
import { goTo } from "../../shell/route.js";
import { formatPlural } from "../../ui/format.js";
import { type Part, titleOf } from "../overview/parts.js";
import { pickedWords } from "../run/picked-words.js";
import { namedByHarness, systemsOf, type TrendMetric } from "./metrics.js";

/** One metric over the runs that were asked the same, and below it what went wrong in them. */
export function TrendPart({ part, metric }: { part: Part; metric: TrendMetric }) {
  const runs = useMemo(() => namedByHarness(part.runs.toReversed()), [part]);
  const systems = useMemo(() => systemsOf(runs), [runs]);
  const title = titleOf(part.datasets);
  return (
    <section class="part" aria-label={title}>
      <h2>{title}</h2>
      <p class="quiet">
        {formatPlural(runs.length, "run")} of {formatPlural(systems.length, "system")}
      </p>
      <div class="chart-stack">
        <TrendChart title={metric.label} runs={runs} figure={metric.figure} systems={systems} onPick={openRun} />
        <ErrorsChart title="Error categories" runs={runs} by="run" systems={systems} onPick={openErrors} />
      </div>
    </section>
  );
}

function openRun({ run }: Picked): void {
  if (run !== undefined) goTo(["run", run]);
}

/** A bar is of all systems of its run. */
function openErrors({ run, category }: Picked): void {
  if (run !== undefined) goTo(["run", run, "rows"], pickedWords(category === undefined ? {} : { category }));
}
