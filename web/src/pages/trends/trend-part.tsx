import { useMemo } from "preact/hooks";
import { type ChartSelection, ErrorsChart, TrendChart } from "../../charts/index.js";
import { navigate } from "../../shell/route.js";
import { formatPlural } from "../../ui/format.js";
import { formatDatasetNames, type RunGroup } from "../overview/parts.js";
import { buildSelectionQuery } from "../run/picked-words.js";
import { listSystems, renameByHarness, type TrendMetric } from "./metrics.js";

/** One metric over the runs that were asked the same, and below it what went wrong in them. */
export function TrendGroup({ group, metric }: { group: RunGroup; metric: TrendMetric }) {
  const runs = useMemo(() => renameByHarness(group.runs.toReversed()), [group]);
  const systems = useMemo(() => listSystems(runs), [runs]);
  const title = formatDatasetNames(group.datasets);
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

function openRun({ run }: ChartSelection): void {
  if (run !== undefined) navigate(["run", run]);
}

/** A bar is of all systems of its run. */
function openErrors({ run, category }: ChartSelection): void {
  if (run !== undefined)
    navigate(["run", run, "rows"], buildSelectionQuery(category === undefined ? {} : { category }));
}
