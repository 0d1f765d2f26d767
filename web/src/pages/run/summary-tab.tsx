import { useMemo } from "preact/hooks";
import type { JsonSummary } from "../../../../src/core/result.js";
import type { RunView } from "../../../../src/report/dashboard/contract.js";
import {
  buildAddress,
  formatCount,
  formatDollars,
  formatMilliseconds,
  formatNumber,
  formatSeconds,
  type Route,
  revealLine,
  Scrollable,
  updateQuery,
} from "../../ui/index.js";
import { buildRowFilterQuery } from "../row-filter.js";

const TEXT_TOKEN_KEYS = new Set(["cost_of_pass", "mean_input_tokens", "mean_output_tokens", "compression_ratio"]);

/** Whether every system is an agent rather than a direct call. */
function areAllAgents({ card: { systems } }: RunView): boolean {
  return systems.length > 0 && systems.every(({ harness }) => harness !== null && harness !== "api");
}

/** The figures of each system: important ones first, all on demand. */
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
  // An agent uses more tokens than its question and its last message.
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

/** A figure with its interval, count and reason. */
interface SummaryMetric {
  readonly key: string;
  readonly value: number | null;
  readonly low: number | null;
  readonly high: number | null;
  /** The number of tasks or trials. */
  readonly n: number | null;
  /** Why the value is missing. */
  readonly reason: string | null;
}

/** Keys with these suffixes describe another key. */
const DETAIL_SUFFIX = /_(ci_low|ci_high|n|reason)$/;

/** In the order of the table; pass@k and pass^k for every k follow the pass rate. */
const IMPORTANT_KEYS: readonly RegExp[] = [
  /^mean_score$/,
  /^pass_rate$/,
  /^pass_hat_\d+$/,
  /^pass_at_\d+$/,
  /^coverage$/,
  /^error_rate$/,
  /^mean_cost_usd$/,
  /^cost_per_pass_usd$/,
  /^cost_of_pass$/,
  /^mean_input_tokens$/,
  /^mean_output_tokens$/,
  /^compression_ratio$/,
  /^latency_median$/,
  /^latency_p95$/,
  /^median_time_to_success_ms$/,
  /^median_turns_to_success$/,
  /^median_tokens_per_sec$/,
  /^p90_cost_per_success$/,
  /^speed_efficiency_score$/,
  /^cost_killed_count$/,
  /^pareto_rank$/,
  /^dataset:/,
];

/** The figures of a summary by key, each with its interval and reason. */
export function parseSummaryMetrics(summary: JsonSummary): Map<string, SummaryMetric> {
  const flat = flattenSummary(summary);
  const metrics = new Map<string, SummaryMetric>();
  for (const [key, value] of flat) {
    if (isDetailKey(key, flat) || typeof value === "string") continue;
    const n = getNumber(flat, `${key}_n`);
    metrics.set(key, {
      key,
      // The mean of no tasks is stored as 0, but was not measured.
      value: n === 0 ? null : value,
      low: getNumber(flat, `${key}_ci_low`),
      high: getNumber(flat, `${key}_ci_high`),
      n,
      reason: getText(flat, `${key}_reason`),
    });
  }
  return metrics;
}

/** Important keys first; the others only when all are wanted. */
export function listSummaryKeys(systems: readonly ReadonlyMap<string, SummaryMetric>[], wantsAll: boolean): string[] {
  const keys = [...new Set(systems.flatMap((metrics) => [...metrics.keys()]))];
  const important = IMPORTANT_KEYS.flatMap((pattern) => keys.filter((key) => pattern.test(key)));
  // Figures that were not measured are shown only with all figures.
  const measured = important.filter((key) => systems.some((metrics) => metrics.get(key)?.value != null));
  return wantsAll ? [...important, ...keys.filter((key) => !important.includes(key))] : measured;
}

/** What the ranks are based on: dollars, tokens, or another figure; null in runs of old versions. */
function findRankBasis(summaries: readonly JsonSummary[]): string | null {
  const found = summaries.map((summary) => summary.pareto_basis).find((basis) => typeof basis === "string");
  return found ?? null;
}

const BASIS_TITLES: Readonly<Record<string, string>> = {
  usd: "quality, dollars of a pass",
  tokens: "quality, output tokens of a pass",
};

/** For people: `mean_cost_usd` becomes `mean cost`. */
export function formatKeyTitle(key: string, basis: string | null = null): string {
  const curve = /^pass_(at|hat)_(\d+)$/.exec(key);
  if (curve !== null) return `pass${curve[1] === "at" ? "@" : "^"}${curve[2]}`;
  if (/^(dataset|facet):/.test(key)) return key;
  if (key === "cost_of_pass") return "cost of pass (output tokens)";
  if (key === "pareto_rank" && basis !== null) return `pareto rank (${BASIS_TITLES[basis] ?? `quality, ${basis}`})`;
  return key.replace(/_(usd|ms)$/, "").replaceAll("_", " ");
}

export function getKeyFormatter(key: string): (value: number | null) => string {
  if (/usd|cost_per_success/.test(key)) return formatDollars;
  if (/^latency|^duration/.test(key)) return formatSeconds;
  if (key.endsWith("_ms")) return formatMilliseconds;
  if (/^num_|_trials$|_count$|^tokens_per_pass|^mean_(in|out)put_tokens/.test(key))
    return (value) => formatCount(roundOrNull(value));
  return (value) => formatNumber(value, 3);
}

function roundOrNull(value: number | null): number | null {
  return value === null ? null : Math.round(value);
}

type FlatSummary = ReadonlyMap<string, number | string | null>;

function flattenSummary(summary: JsonSummary): FlatSummary {
  const entries = Object.entries(summary).flatMap(([key, value]) =>
    value !== null && typeof value === "object" ? Object.entries(value) : [[key, value] as const],
  );
  return new Map(entries);
}

/** A key may have such a suffix by itself, such as `mean_n`. */
function isDetailKey(key: string, flat: FlatSummary): boolean {
  return DETAIL_SUFFIX.test(key) && flat.has(key.replace(/_reason$/, "").replace(/_(ci_low|ci_high|n)$/, ""));
}

function getNumber(flat: FlatSummary, key: string): number | null {
  const value = flat.get(key);
  return typeof value === "number" ? value : null;
}

function getText(flat: FlatSummary, key: string): string | null {
  const value = flat.get(key);
  return typeof value === "string" ? value : null;
}
