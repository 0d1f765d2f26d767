import { type ColumnFormat, type ColumnKind, chooseColumnFormat, findBestValue } from "../../ui/index.js";
import { formatKeyTitle, formatRankBasis, type SummaryMetric } from "./summary-metrics.js";

export interface SystemMetrics {
  readonly system: string;
  readonly metrics: ReadonlyMap<string, SummaryMetric>;
}

export interface SummaryColumn {
  readonly key: string;
  readonly title: string;
  readonly about: string;
  readonly group: string;
  readonly format: ColumnFormat;
  /** Whether the interval is part of the cell; otherwise the tooltip has it. */
  readonly hasInterval: boolean;
  /** The best value of the column; null when none is better. */
  readonly best: number | null;
  /** Whether it begins a group. */
  readonly isFirst: boolean;
}

type Direction = "high" | "low" | "none";

interface ColumnRule {
  readonly pattern: RegExp;
  readonly group: "Quality" | "Cost" | "Speed" | "Reliability";
  readonly kind: ColumnKind;
  readonly better: Direction;
  readonly title?: string;
  readonly about: string;
  readonly hasInterval?: boolean;
}

/** In the order of the table. */
const RULES: readonly ColumnRule[] = [
  {
    pattern: /^mean_score$/,
    group: "Quality",
    kind: "score",
    better: "high",
    title: "Mean score",
    about: "Mean score of all scored trials, each example with the same weight",
    hasInterval: true,
  },
  {
    pattern: /^pass_rate$/,
    group: "Quality",
    kind: "score",
    better: "high",
    title: "Pass rate",
    about: "Share of scored trials that passed",
    hasInterval: true,
  },
  {
    pattern: /^pass_at_\d+$/,
    group: "Quality",
    kind: "score",
    better: "high",
    about: "Probability that at least one of k trials passes",
  },
  {
    pattern: /^compression_ratio$/,
    group: "Quality",
    kind: "share",
    better: "none",
    title: "Compression",
    about: "Share of the input tokens that the output leaves out",
  },
  {
    pattern: /^cost_per_pass_usd$/,
    group: "Cost",
    kind: "usd",
    better: "low",
    title: "Per pass",
    about: "Billed cost of all trials, including failures, divided by the passes",
  },
  {
    pattern: /^mean_cost_usd$/,
    group: "Cost",
    kind: "usd",
    better: "low",
    title: "Per trial",
    about: "Mean billed cost of a trial",
  },
  {
    pattern: /^p90_cost_per_success$/,
    group: "Cost",
    kind: "usd",
    better: "low",
    title: "p90 of passes",
    about: "90th percentile of the cost of passing trials",
  },
  {
    pattern: /^cost_of_pass$/,
    group: "Cost",
    kind: "count",
    better: "low",
    title: "Tokens per pass",
    about: "Output tokens of all trials, including failures, divided by the passes",
  },
  {
    pattern: /^latency_median$/,
    group: "Speed",
    kind: "seconds",
    better: "low",
    title: "Latency p50",
    about: "Median time of a trial",
  },
  {
    pattern: /^latency_p95$/,
    group: "Speed",
    kind: "seconds",
    better: "low",
    title: "p95",
    about: "95th percentile of the time of a trial",
  },
  {
    pattern: /^median_time_to_success_ms$/,
    group: "Speed",
    kind: "ms",
    better: "low",
    title: "To success",
    about: "Median time to success of passing trials",
  },
  {
    pattern: /^speed_efficiency_score$/,
    group: "Speed",
    kind: "score",
    better: "high",
    title: "Efficiency",
    about: "Pass rate ÷ (1 + minutes to success)",
  },
  {
    pattern: /^pass_hat_\d+$/,
    group: "Reliability",
    kind: "score",
    better: "high",
    about: "Probability that all k trials of an example pass",
    hasInterval: true,
  },
  {
    pattern: /^coverage$/,
    group: "Reliability",
    kind: "share",
    better: "high",
    title: "Coverage",
    about: "Share of the planned trials that were scored",
  },
  {
    pattern: /^error_rate$/,
    group: "Reliability",
    kind: "share",
    better: "low",
    title: "Errors",
    about: "Share of trials that ended with an infrastructure error",
  },
  {
    pattern: /^cost_killed_count$/,
    group: "Reliability",
    kind: "count",
    better: "low",
    title: "Cost killed",
    about: "Trials stopped by their budget",
  },
];

/** The important figures as columns, grouped; what was not measured or only repeats another column is left out. */
export function listSummaryColumns(systems: readonly SystemMetrics[], basis: string | null): SummaryColumn[] {
  const keys = new Set(systems.flatMap(({ metrics }) => [...metrics.keys()]));
  const largest = findLargestK(keys);
  const columns = RULES.flatMap((rule) =>
    [...keys]
      .filter((key) => rule.pattern.test(key) && isShown(key, { systems, largest }))
      .map((key) => buildColumn(key, rule, systems)),
  );
  const rank: ColumnRule = {
    pattern: /^pareto_rank$/,
    group: "Cost",
    kind: "rank",
    better: "low",
    title: "Pareto rank",
    about: `1: no other system is at least as good for less. ${formatKeyTitle("pareto_rank", basis)}`,
  };
  const lastCost = columns.findLastIndex(({ group }) => group === "Cost");
  if (isShown("pareto_rank", { systems, largest }) && systems.length > 1)
    columns.splice(lastCost + 1, 0, buildRankColumn(rank, systems, basis));
  return columns.map((column, place) => ({ ...column, isFirst: columns[place - 1]?.group !== column.group }));
}

/** Says in its head what decides besides quality: readers compare ranks of several pages. */
function buildRankColumn(rule: ColumnRule, systems: readonly SystemMetrics[], basis: string | null): SummaryColumn {
  const column = buildColumn("pareto_rank", rule, systems);
  return { ...column, format: { ...column.format, unit: formatRankBasis(basis) } };
}

interface ShownOptions {
  systems: readonly SystemMetrics[];
  /** The largest k of pass@k and pass^k. */
  largest: number;
}

function isShown(key: string, { systems, largest }: ShownOptions): boolean {
  const curve = /^pass_(?:at|hat)_(\d+)$/.exec(key);
  // With one trial they equal the pass rate, and smaller k are in the chart.
  if (curve !== null && (largest === 1 || Number(curve[1]) !== largest)) return false;
  if (key === "mean_score" && isSameAs("mean_score", "pass_rate", systems)) return false;
  if (key === "cost_killed_count" && systems.every(({ metrics }) => (metrics.get(key)?.value ?? 0) === 0)) return false;
  if (key === "cost_of_pass" && isKnown("cost_per_pass_usd", systems)) return false;
  if (key === "compression_ratio" && !isKnown("mean_context_tokens", systems)) return false;
  return systems.some(({ metrics }) => metrics.get(key)?.value != null);
}

function isSameAs(one: string, other: string, systems: readonly SystemMetrics[]): boolean {
  return systems.every(({ metrics }) => metrics.get(one)?.value === metrics.get(other)?.value);
}

/** True if every system has the figure. */
function isKnown(key: string, systems: readonly SystemMetrics[]): boolean {
  return systems.every(({ metrics }) => metrics.get(key)?.value != null);
}

function findLargestK(keys: ReadonlySet<string>): number {
  return Math.max(1, ...[...keys].map((key) => Number(/^pass_hat_(\d+)$/.exec(key)?.[1] ?? 1)));
}

function buildColumn(key: string, rule: ColumnRule, systems: readonly SystemMetrics[]): SummaryColumn {
  const found = systems.flatMap(({ metrics }) => metrics.get(key) ?? []);
  const values = found.map(({ value }) => value);
  const bounds = rule.hasInterval ? found.flatMap(({ low, high }) => [low, high]) : [];
  const measured = rule.kind === "usd" ? listCosts(systems) : [...values, ...bounds];
  return {
    key,
    title: rule.title ?? formatKeyTitle(key),
    about: rule.about,
    group: rule.group,
    format: chooseColumnFormat(rule.kind, measured),
    hasInterval: rule.hasInterval ?? false,
    best:
      rule.better === "none"
        ? null
        : findBestValue(
            listComparable(found, rule).filter((value) => value !== null),
            rule.better === "high",
          ),
    isFirst: false,
  };
}

/** Costs stand beside each other: all of them have one unit. */
function listCosts(systems: readonly SystemMetrics[]): (number | null)[] {
  const rules = RULES.filter(({ kind }) => kind === "usd");
  return systems.flatMap(({ metrics }) =>
    [...metrics].flatMap(([key, { value }]) => (rules.some(({ pattern }) => pattern.test(key)) ? [value] : [])),
  );
}

/** A share without an interval is that of a single example: it is not called the best beside those that have one. */
function listComparable(found: readonly SummaryMetric[], { hasInterval }: ColumnRule): (number | null)[] {
  const certain = hasInterval ? found.filter(({ low, high }) => low !== null && high !== null) : [];
  return (certain.length > 0 ? certain : found).map(({ value }) => value);
}

interface Breakdown {
  readonly title: string;
  readonly columns: readonly SummaryColumn[];
}

const MAX_BREAKDOWN_COLUMNS = 40;

/** A table for the datasets, and one for each facet; facets with very many values are left to the rows. */
export function listBreakdowns(systems: readonly SystemMetrics[]): Breakdown[] {
  const keys = [...new Set(systems.flatMap(({ metrics }) => [...metrics.keys()]))];
  const groups = new Map<string, string[]>();
  for (const key of keys) {
    const title = key.startsWith("dataset:") ? "dataset" : /^facet:([^=]+)=/.exec(key)?.[1];
    if (title !== undefined) groups.set(title, [...(groups.get(title) ?? []), key]);
  }
  return [...groups]
    .filter(([, all]) => all.length > 1 && all.length <= MAX_BREAKDOWN_COLUMNS)
    .map(([title, all]) => ({
      title,
      columns: all.map((key, place) => buildBreakdownColumn(key, { title, place, systems })),
    }));
}

function buildBreakdownColumn(
  key: string,
  { title, place, systems }: { title: string; place: number; systems: readonly SystemMetrics[] },
): SummaryColumn {
  const name = key.replace(/^dataset:/, "").replace(/^facet:[^=]+=/, "");
  const rule: ColumnRule = {
    pattern: /./,
    group: "Quality",
    kind: "score",
    better: "high",
    title: name,
    about: `Mean score where ${title} is ${name}`,
  };
  return { ...buildColumn(key, rule, systems), group: title, isFirst: place === 0 };
}
