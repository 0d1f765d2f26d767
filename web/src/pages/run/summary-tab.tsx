import { useMemo } from "preact/hooks";
import type { RunView } from "../../../../src/report/dashboard/contract.js";
import { buildAddress, type Route, updateQuery } from "../../shell/route.js";
import { formatCount, formatNumber } from "../../ui/index.js";
import { Scrollable } from "../trial/text/scrollable.js";
import { revealLine } from "../trial/text/visible-text.js";
import { buildRowFilterQuery } from "./rows/row-filter.js";
import {
  findRankBasis,
  formatKeyTitle,
  getKeyFormatter,
  listSummaryKeys,
  parseSummaryMetrics,
  type SummaryMetric,
} from "./summary-metrics.js";

const TEXT_TOKEN_KEYS = new Set(["cost_of_pass", "mean_input_tokens", "mean_output_tokens", "compression_ratio"]);

/** Whether every system works in a harness of its own, rather than being called directly. */
function areAllAgents({ card: { systems } }: RunView): boolean {
  return systems.length > 0 && systems.every(({ harness }) => harness !== null && harness !== "api");
}

/** What came of each system: important figures first, all of them on demand. */
export function SummaryTab({ route, view }: { route: Route; view: RunView }) {
  const systems = useMemo(
    () => Object.entries(view.summary).map(([system, summary]) => ({ system, metrics: parseSummaryMetrics(summary) })),
    [view],
  );
  const basis = findRankBasis(Object.values(view.summary));
  const wantsAll = route.query.keys === "all";
  const found = listSummaryKeys(
    systems.map(({ metrics }) => metrics),
    wantsAll,
  );
  // Of agents, question and last message are not the tokens of their work.
  const keys = wantsAll || !areAllAgents(view) ? found : found.filter((key) => !TEXT_TOKEN_KEYS.has(key));
  if (systems.length === 0) return <p class="quiet">There are no figures yet.</p>;
  return (
    <>
      <Scrollable class="table-scroll" label="Figures of each system">
        <table class="table summary">
          <caption class="unseen">Figures of each system, with their 95 % intervals</caption>
          <thead>
            <tr>
              <th scope="col">Figure</th>
              {systems.map(({ system }) => (
                <th key={system} scope="col" class="number">
                  <SystemRowsLink run={view.card.id} system={system} />
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {keys.map((key) => (
              <tr key={key}>
                <th scope="row" title={key}>
                  <bdi>{revealLine(formatKeyTitle(key, basis))}</bdi>
                </th>
                {systems.map(({ system, metrics }) => (
                  <td key={system} class="number">
                    <MetricFigure metric={metrics.get(key)} />
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </Scrollable>
      <label class="toggle">
        <input
          type="checkbox"
          checked={wantsAll}
          onChange={() => updateQuery(route, { keys: wantsAll ? undefined : "all" })}
        />{" "}
        All figures
      </label>
      <AcrossSystems across={view.across} />
    </>
  );
}

/** A system, and the way to its rows. */
export function SystemRowsLink({ run, system }: { run: string; system: string }) {
  return (
    <a href={buildAddress(["run", run, "rows"], buildRowFilterQuery({ systems: [system] }))}>
      <bdi>{revealLine(system)}</bdi>
    </a>
  );
}

function MetricFigure({ metric }: { metric: SummaryMetric | undefined }) {
  if (metric === undefined) return <span class="quiet">–</span>;
  const { key, value, low, high, n, reason } = metric;
  const format = getKeyFormatter(key);
  if (value === null) return <span class="quiet">– {reason !== null && <small>{reason}</small>}</span>;
  return (
    <span title={n === null ? undefined : `n = ${formatCount(n)}`}>
      <b>{format(value)}</b>
      {low !== null && high !== null && (
        <span class="quiet">
          {" "}
          [{format(low)}, {format(high)}]
        </span>
      )}
    </span>
  );
}

/** Figures that belong to all systems together. */
function AcrossSystems({ across }: { across: RunView["across"] }) {
  const entries = Object.entries(across).filter(([key]) => !key.endsWith("_reason"));
  if (entries.length === 0) return null;
  return (
    <section>
      <h2>All systems together</h2>
      <dl class="facts">
        {entries.map(([key, value]) => (
          <div key={key}>
            <dt>{formatKeyTitle(key)}</dt>
            <dd>{typeof value === "number" ? formatNumber(value) : (value ?? `– ${across[`${key}_reason`] ?? ""}`)}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
