import type { Summary } from "../core/index.js";
import { getOwn } from "../core/index.js";
import { LOW_COVERAGE } from "../metrics/index.js";
import {
  createIntervalCell,
  formatDollars,
  formatNumber,
  formatSeconds,
  formatShare,
  getMeasured,
  type SystemLine,
} from "./format.js";
import type { Figure, TableColumn, Unit } from "./markdown.js";
import { sendsTokensOn } from "./system-kinds.js";

/** The level of all intervals of a run. */
const LEVEL = "95 %";

/** Column groups of `--columns`. */
export const COLUMN_GROUPS = ["quality", "tokens", "cost", "speed", "trials", "datasets", "facets", "other"] as const;

export type ColumnGroup = (typeof COLUMN_GROUPS)[number];

type SystemColumn = TableColumn<SystemLine>;

export const SYSTEM_COLUMN: SystemColumn = { title: "system", cell: ({ system }) => system };

interface IntervalColumn {
  title: string;
  key: string;
  /** False if the title does not say the level of the interval. Default: true. */
  showsLevel?: boolean;
  digits?: number;
  better?: "higher" | "lower";
  priority?: number;
  intervalPriority?: number;
}

/** A value of the summary with its interval. */
export function createIntervalColumn(column: IntervalColumn): SystemColumn {
  const { title, key, showsLevel = true, digits, better, intervalPriority, priority } = column;
  const figure: Figure<SystemLine> = {
    unit: "number",
    ...(showsLevel ? { level: LEVEL } : {}),
    get: ({ summary }) => ({
      value: getMeasured(summary, key),
      low: getOwn(summary, `${key}_ci_low`) ?? null,
      high: getOwn(summary, `${key}_ci_high`) ?? null,
    }),
    ...(digits === undefined ? {} : { digits }),
    ...(better === undefined ? {} : { better }),
    ...(intervalPriority === undefined ? {} : { intervalPriority }),
  };
  return {
    title,
    align: "right",
    cell: createIntervalCell(key, digits),
    figure,
    ...(priority === undefined ? {} : { priority }),
  };
}

interface FigureColumn {
  title: string;
  unit: Unit;
  get: (line: SystemLine) => number | null;
  /** Default: by its unit. */
  cell?: (line: SystemLine) => string;
  better?: "higher" | "lower";
  priority?: number;
}

const UNIT_FORMATS: Readonly<Record<Unit, (value: number | null) => string>> = {
  number: (value) => formatNumber(value, 2),
  share: formatShare,
  dollars: formatDollars,
  seconds: formatSeconds,
};

function createFigureColumn({ title, unit, get, better, priority, cell }: FigureColumn): SystemColumn {
  return {
    title,
    align: "right",
    cell: cell ?? ((line) => UNIT_FORMATS[unit](get(line))),
    figure: {
      unit,
      get: (line) => ({ value: get(line) }),
      ...(better === undefined ? {} : { better }),
      digits: 2,
    },
    ...(priority === undefined ? {} : { priority }),
  };
}

/** The columns of the main table. A terminal shows them by priority: first whether it passes, then cost and time. */
export function createMainColumns(lines: readonly SystemLine[], groups: readonly ColumnGroup[]): SystemColumn[] {
  const columns: SystemColumn[] = [SYSTEM_COLUMN];
  if (groups.includes("quality")) columns.push(...createQualityColumns(lines));
  if (groups.includes("tokens")) columns.push(...createTokenColumns(lines));
  if (groups.includes("cost") && lines.some(({ summary }) => summary.mean_cost_usd != null))
    columns.push(...createCostColumns());
  if (groups.includes("speed") && hasKey(lines, "latency_mean")) columns.push(...createSpeedColumns());
  columns.push(createCoverageColumn(lines));
  if (lines.length > 1 && lines.some(({ summary }) => summary.pareto_rank !== undefined))
    columns.push(
      createFigureColumn({
        title: "Pareto rank",
        unit: "number",
        get: ({ summary }) => getOwn(summary, "pareto_rank") ?? null,
        priority: 13,
      }),
    );
  return columns;
}

/** False if the metric that gives it is not part of the run. */
function hasKey(lines: readonly SystemLine[], key: string): boolean {
  return lines.length === 0 || lines.some(({ summary }) => getOwn(summary, key) !== undefined);
}

function createQualityColumns(lines: readonly SystemLine[]): SystemColumn[] {
  const columns: IntervalColumn[] = [
    { title: "mean score", key: "mean_score", better: "higher", priority: 3, intervalPriority: 7 },
    { title: "pass rate", key: "pass_rate", better: "higher", priority: 1, intervalPriority: 2 },
  ];
  return columns.filter(({ key }) => hasKey(lines, key)).map(createIntervalColumn);
}

/** How much of its input a compressor or memory sends on. For models and agents it says nothing. */
function createTokenColumns(lines: readonly SystemLine[]): SystemColumn[] {
  if (!lines.some(({ kind }) => sendsTokensOn(kind))) return [];
  const costOfPass = createIntervalColumn({
    title: "cost of pass (tokens)",
    key: "cost_of_pass",
    digits: 1,
    better: "lower",
    priority: 10,
    intervalPriority: 14,
  });
  const counts = hasKey(lines, "mean_input_tokens") ? createTokenCountColumns() : [];
  return [...counts, ...(hasKey(lines, "cost_of_pass") ? [costOfPass] : [])].map(withoutOtherKinds);
}

function createTokenCountColumns(): SystemColumn[] {
  const inAndOut: SystemColumn = {
    title: "tokens in → out",
    align: "right",
    cell: ({ summary }) =>
      `${formatRounded(getMeasured(summary, "mean_input_tokens"))} → ${formatRounded(getMeasured(summary, "mean_output_tokens"))}`,
    priority: 9,
  };
  const compression = createFigureColumn({
    title: "compression",
    unit: "share",
    get: ({ summary }) => getMeasured(summary, "compression_ratio"),
    better: "higher",
    priority: 6,
  });
  return [inAndOut, compression];
}

function withoutOtherKinds(column: SystemColumn): SystemColumn {
  const { cell, figure } = column;
  return {
    ...column,
    cell: (line) => (sendsTokensOn(line.kind) ? cell(line) : "–"),
    ...(figure === undefined
      ? {}
      : { figure: { ...figure, get: (line) => (sendsTokensOn(line.kind) ? figure.get(line) : { value: null }) } }),
  };
}

function createCostColumns(): SystemColumn[] {
  return [
    createFigureColumn({
      title: "mean cost",
      unit: "dollars",
      get: ({ summary }) => getOwn(summary, "mean_cost_usd") ?? null,
      better: "lower",
      priority: 8,
    }),
    createFigureColumn({
      title: "cost per pass",
      unit: "dollars",
      get: ({ summary }) => getOwn(summary, "cost_per_pass_usd") ?? null,
      better: "lower",
      priority: 4,
    }),
  ];
}

function createSpeedColumns(): SystemColumn[] {
  return [
    createFigureColumn({
      title: "latency p50",
      unit: "seconds",
      get: ({ summary }) => getMeasured(summary, "latency_median", "latency_mean"),
      better: "lower",
      priority: 5,
    }),
    createFigureColumn({
      title: "p95",
      unit: "seconds",
      get: ({ summary }) => getMeasured(summary, "latency_p95", "latency_mean"),
      better: "lower",
      priority: 11,
    }),
  ];
}

/** A low coverage makes all other figures doubtful, so it comes right after the pass rate. */
function createCoverageColumn(lines: readonly SystemLine[]): SystemColumn {
  return {
    title: "coverage",
    align: "right",
    cell: ({ summary }) => `${formatShare(summary.coverage ?? 0)}${hasLowCoverage(summary) ? " ⚠" : ""}`,
    tone: ({ summary }) => (hasLowCoverage(summary) ? "warning" : null),
    priority: lines.some(({ summary }) => hasLowCoverage(summary)) ? 1.5 : 12,
  };
}

function hasLowCoverage(summary: Summary): boolean {
  return (summary.coverage ?? 0) < LOW_COVERAGE;
}

function formatRounded(value: number | null | undefined): string {
  return value == null ? "–" : String(Math.round(value));
}

/** pass@k and pass^k. A terminal shows those of all trials first. */
export function createPassCurveColumns(trials: number): SystemColumn[] {
  const ks = Array.from({ length: trials }, (_, i) => i + 1);
  const create = (title: string, key: string, k: number) => {
    const priority = k === trials ? 2 : k === 1 ? 1 : 10 + k;
    const intervalPriority = 100 + priority;
    return createIntervalColumn({ title, key, showsLevel: false, better: "higher", priority, intervalPriority });
  };
  return [
    SYSTEM_COLUMN,
    ...ks.map((k) => create(`pass@${k}`, `pass_at_${k}`, k)),
    ...ks.slice(1).map((k) => create(`pass^${k}`, `pass_hat_${k}`, k)),
    createFigureColumn({
      title: "flaky tasks",
      unit: "share",
      get: ({ summary }) => getMeasured(summary, "flaky_rate"),
      better: "lower",
      priority: 3,
    }),
  ];
}

/** Columns of the efficiency table. */
export function createEfficiencyColumns(): SystemColumn[] {
  const plain = (title: string, key: string, better?: "higher" | "lower") =>
    createFigureColumn({
      title,
      unit: "number",
      get: (line) => getOwn(line.summary, key) ?? null,
      ...(better === undefined ? {} : { better }),
    });
  const milliseconds = (title: string, key: string) =>
    createFigureColumn({
      title,
      unit: "seconds",
      get: (line) => toSeconds(getOwn(line.summary, key)),
      better: "lower",
    });
  return [
    SYSTEM_COLUMN,
    milliseconds("to first attempt", "median_time_to_first_attempt_ms"),
    milliseconds("to success", "median_time_to_success_ms"),
    plain("turns", "median_turns_to_success"),
    plain("tokens/s", "median_tokens_per_sec", "higher"),
    createFigureColumn({
      title: "p90 cost",
      unit: "dollars",
      get: ({ summary }) => getOwn(summary, "p90_cost_per_success") ?? null,
      better: "lower",
    }),
    createFigureColumn({
      title: "speed efficiency",
      unit: "number",
      get: ({ summary }) => getOwn(summary, "speed_efficiency_score") ?? null,
      cell: ({ summary }) => formatNumber(summary.speed_efficiency_score),
      better: "higher",
    }),
    plain("cost killed", "cost_killed_count"),
    plain("slow", "slow_count"),
  ];
}

function toSeconds(ms: number | null | undefined): number | null {
  return ms == null ? null : ms / 1000;
}

/** What memories retrieve, and how long it takes. */
export function createMemoryColumns(): SystemColumn[] {
  const seconds = (title: string, key: string) =>
    createFigureColumn({
      title,
      unit: "seconds",
      get: (line) => getOwn(line.summary, key) ?? null,
      better: "lower",
    });
  return [
    SYSTEM_COLUMN,
    createIntervalColumn({ title: "context tokens", key: "mean_context_tokens", digits: 0, better: "lower" }),
    createIntervalColumn({ title: "share of history", key: "context_share", better: "lower" }),
    createIntervalColumn({ title: "score per 1k tokens", key: "score_per_1k_context_tokens", better: "higher" }),
    seconds("ingest p50", "ingest_seconds_p50"),
    seconds("ingest p95", "ingest_seconds_p95"),
    seconds("query p50", "query_seconds_p50"),
    seconds("query p95", "query_seconds_p95"),
  ];
}
