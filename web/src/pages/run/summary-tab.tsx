import { Fragment } from "preact";
import { useMemo } from "preact/hooks";
import type { RunView } from "../../../../src/report/dashboard/contract.js";
import { formatCount, navigate, type Route, revealLine, Scrollable, updateQuery } from "../../ui/index.js";
import { AnswerCharts } from "../answer-charts.js";
import { buildSelectionQuery } from "../row-filter.js";
import { CostSections } from "./cost-sections.js";
import { EfficiencyBlocks } from "./efficiency-blocks.js";
import { Reliability } from "./reliability.js";
import { listBreakdowns, listSummaryColumns, type SummaryColumn, type SystemMetrics } from "./summary-columns.js";
import {
  findRankBasis,
  formatKeyTitle,
  getKeyFormatter,
  parseSummaryMetrics,
  type SummaryMetric,
} from "./summary-metrics.js";
import { SystemRowsLink } from "./system-rows-link.js";

/** The figures of each system: important ones in a table, all of them on demand. */
export function SummaryTab({ route, view }: { route: Route; view: RunView }) {
  const systems = useMemo(() => listSystems(view), [view]);
  const columns = useMemo(
    () => listSummaryColumns(systems, findRankBasis(Object.values(view.summary))),
    [systems, view],
  );
  const names = useMemo(() => view.card.systems.map(({ system }) => system), [view]);
  const wantsAll = route.query.keys === "all";
  if (systems.length === 0) return <p class="quiet">No figures yet. They appear when the first trials are scored.</p>;
  return (
    <>
      <h2 class="unseen">Summary</h2>
      <AnswerCharts
        data={view.charts.qualityCost}
        systems={names}
        onPick={(picked) => navigate(["run", view.card.id, "rows"], buildSelectionQuery(picked))}
      />
      {view.reliability !== null && <Reliability run={view.card.id} profiles={view.reliability} systems={names} />}
      <SummaryTable
        caption="Figures of each system, with 95 % intervals"
        run={view.card.id}
        systems={systems}
        columns={columns}
      />
      <BreakdownTables run={view.card.id} systems={systems} />
      <CostSections view={view} />
      <EfficiencyBlocks systems={systems} />
      <label class="toggle">
        <input
          type="checkbox"
          checked={wantsAll}
          onChange={() => updateQuery(route, { keys: wantsAll ? undefined : "all" })}
        />{" "}
        All figures
      </label>
      {wantsAll && systems.map((system) => <AllFigures key={system.system} {...system} />)}
      {view.frontier === null && <AcrossSystems across={view.across} />}
    </>
  );
}

/** Best quality first. */
function listSystems({ summary }: RunView): SystemMetrics[] {
  const systems = Object.entries(summary).map(([system, own]) => ({ system, metrics: parseSummaryMetrics(own) }));
  const quality = ({ metrics }: SystemMetrics) => metrics.get("mean_score")?.value ?? -1;
  return systems.sort((a, b) => quality(b) - quality(a));
}

interface SummaryTableProps {
  caption: string;
  run: string;
  systems: readonly SystemMetrics[];
  columns: readonly SummaryColumn[];
}

function SummaryTable({ caption, run, systems, columns }: SummaryTableProps) {
  return (
    <Scrollable class="table-scroll summary-scroll" label={caption}>
      {" "}
      <table class="table summary">
        <caption class="unseen">{caption}</caption>
        <thead>
          <tr>
            <th scope="col" rowSpan={2}>
              System
            </th>
            {groupColumns(columns).map(({ group, count }) => (
              <th key={group} scope="colgroup" colSpan={count} class="group">
                {group}
              </th>
            ))}
          </tr>
          <tr>
            {columns.map((column) => (
              <th key={column.key} scope="col" class={column.isFirst ? "number first" : "number"} title={column.about}>
                {revealLine(column.title)}
                {column.format.unit !== "" && <span class="unit"> {column.format.unit}</span>}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {systems.map(({ system, metrics }) => (
            <tr key={system}>
              <th scope="row">
                <SystemRowsLink run={run} system={system} />
              </th>
              {columns.map((column) => (
                <MetricCell key={column.key} column={column} metric={metrics.get(column.key)} />
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </Scrollable>
  );
}

function groupColumns(columns: readonly SummaryColumn[]): { group: string; count: number }[] {
  const groups: { group: string; count: number }[] = [];
  for (const { group } of columns) {
    const last = groups.at(-1);
    if (last?.group === group) last.count += 1;
    else groups.push({ group, count: 1 });
  }
  return groups;
}

function MetricCell({ column, metric }: { column: SummaryColumn; metric: SummaryMetric | undefined }) {
  const { key, title, format, hasInterval, best, isFirst } = column;
  const value = metric?.value ?? null;
  const unit = format.unit === "" || format.unit === "%" ? "" : `, ${format.unit}`;
  return (
    <td
      class={isFirst ? "number first" : "number"}
      data-key={key}
      data-title={`${title}${unit}`}
      title={describeMetric(metric)}
    >
      {value !== null && value === best ? (
        <b class="best">{format.format(value)}</b>
      ) : (
        <span>{format.format(value)}</span>
      )}
      {hasInterval && metric != null && metric.low !== null && metric.high !== null && value !== null && (
        <span class="range-text">
          {format.format(metric.low)}–{format.format(metric.high)}
        </span>
      )}
    </td>
  );
}

/** The exact figure, for a tooltip. */
function describeMetric(metric: SummaryMetric | undefined): string | undefined {
  if (metric === undefined) return undefined;
  const { key, value, low, high, n, reason } = metric;
  if (value === null) return reason ?? "not measured";
  const format = getKeyFormatter(key);
  const interval = low === null || high === null ? "" : ` [${format(low)}, ${format(high)}]`;
  return `${formatKeyTitle(key)}: ${format(value)}${interval}${n === null ? "" : `, n = ${formatCount(n)}`}`;
}

/** Scores by dataset and by facet: systems are rows here too. */
function BreakdownTables({ run, systems }: { run: string; systems: readonly SystemMetrics[] }) {
  const breakdowns = useMemo(() => listBreakdowns(systems), [systems]);
  return (
    <>
      {breakdowns.map(({ title, columns }) => (
        <details key={title} class="breakdown" open={breakdowns.length === 1}>
          <summary>
            Mean score by {revealLine(title)} <span class="quiet">({formatCount(columns.length)})</span>
          </summary>
          <SummaryTable caption={`Mean score by ${revealLine(title)}`} run={run} systems={systems} columns={columns} />
        </details>
      ))}
    </>
  );
}

/** Every key of the summary of one system. */
function AllFigures({ system, metrics }: SystemMetrics) {
  return (
    <section class="all-figures">
      <h3>{revealLine(system)}</h3>
      <dl class="facts">
        {[...metrics.values()].map((metric) => (
          <div key={metric.key} title={metric.key}>
            <dt>
              <bdi>{revealLine(formatKeyTitle(metric.key))}</bdi>
            </dt>
            <dd data-key={metric.key}>
              <MetricFigure metric={metric} />
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

function MetricFigure({ metric: { key, value, low, high, n, reason } }: { metric: SummaryMetric }) {
  const format = getKeyFormatter(key);
  if (value === null) return <span class="quiet">– {reason !== null && <small>{reason}</small>}</span>;
  return (
    <span title={n === null ? undefined : `n = ${formatCount(n)}`}>
      {format(value)}
      {low !== null && high !== null && (
        <span class="quiet">
          {" "}
          [{format(low)}, {format(high)}]
        </span>
      )}
    </span>
  );
}

/** A cost in dollars says its unit itself. */
const ACROSS_UNITS: Readonly<Record<string, string>> = { frontier_cost_of_pass: " output tokens" };

/** The lowest cost of a pass among the systems, in one sentence. */
function AcrossSystems({ across }: { across: RunView["across"] }) {
  const metrics = [...parseSummaryMetrics(across).values()].filter(({ value }) => value !== null);
  if (metrics.length === 0) return null;
  return (
    <p class="quiet across">
      If each task went to the system that passes it for the least, a pass would cost{" "}
      {metrics.map((metric, place) => (
        <Fragment key={metric.key}>
          {place > 0 && " or "}
          <MetricFigure metric={metric} />
          {ACROSS_UNITS[metric.key]}
        </Fragment>
      ))}
      .
    </p>
  );
}
