import type { EvalConfig, EvalResult, Reporter, ReportOptions, Summary } from "../core/index.js";
import { didYouMean, type EvalRow, getOwn, isScored, listAgentSystems, UsageError } from "../core/index.js";
import {
  formatGroupsKey,
  LOW_COVERAGE,
  listIntervalKeys,
  listNamedMetrics,
  listSummaryKeys,
  MEASURE_PREFIX,
} from "../metrics/index.js";
import { buildFacetLayouts, listFacetKeys, renderFacets } from "./facets.js";
import {
  createIntervalCell,
  formatDollars,
  formatNumber,
  formatPlural,
  formatSeconds,
  formatShare,
  getMeasured,
  type SystemLine,
} from "./format.js";
import { describeLead, findMissingReason } from "./lead.js";
import { renderMarkdownTable, type TableColumn, toOneLine } from "./markdown.js";
import { renderRecommendation } from "./recommendation.js";

/** Column groups of `--columns`. */
export const COLUMN_GROUPS = ["quality", "tokens", "cost", "speed", "trials", "datasets", "facets", "other"] as const;

type ColumnGroup = (typeof COLUMN_GROUPS)[number];

/** The report for people: Markdown, one row for each system, headline values with intervals and counts. */
export const tableReporter = {
  name: "table",
  render: (result, options) => renderTable(result, options),
} satisfies Reporter;

export function renderTable(result: EvalResult, options: ReportOptions = {}): string {
  const agents = listAgentSystems(result.rows);
  const lines = Object.entries(result.summary).map(([system, summary]) => ({
    system,
    summary,
    isAgent: agents.has(system),
  }));
  const groups = checkColumns(options.columns ?? COLUMN_GROUPS);
  const parts = [
    `# ${toOneLine(result.config.title)}`,
    ...describeLead(result),
    renderMarkdownTable(createMainColumns(lines, groups), lines),
  ];
  if (groups.includes("trials") && result.config.trials > 1)
    parts.push(renderPassCurveTable(lines, result.config.trials));
  const wantsSpeed = options.columns?.includes("speed") === true || result.rows.some(hasTiming);
  if (groups.includes("speed") && wantsSpeed) parts.push(renderEfficiencyTable(lines));
  if (groups.includes("tokens") && lines.some(hasMemory)) parts.push(renderMemoryTable(lines));
  const datasets = groups.includes("datasets") ? listDatasetKeys(lines) : [];
  if (datasets.length > 1) parts.push(renderDatasetTable(lines, datasets));
  const layouts = buildFacetLayouts(result);
  if (groups.includes("facets") && result.rows.some(isScored))
    parts.push(...renderFacets(lines, layouts, options.columns !== undefined));
  const measures = groups.includes("other") ? listMeasureKeys(lines) : [];
  if (measures.length > 0) parts.push(renderMeasureTable(lines, measures));
  const others = groups.includes("other") ? listOtherKeys(result, lines, listFacetKeys(layouts)) : [];
  if (others.length > 0) parts.push(renderOtherTable(lines, others));
  parts.push(buildFooter(result, lines).join("\n"), ...renderRecommendation(result.recommendation));
  return `${parts.join("\n\n")}\n`;
}

/** Validates names that come from flags and config files. */
export function checkColumns(columns: readonly string[]): readonly ColumnGroup[] {
  const unknown = columns.find((group) => !(COLUMN_GROUPS as readonly string[]).includes(group));
  if (unknown === undefined) return columns as readonly ColumnGroup[];
  throw new UsageError(`Unknown column group "${unknown}".${didYouMean(unknown, COLUMN_GROUPS)}`);
}

function createMainColumns(lines: readonly SystemLine[], groups: readonly ColumnGroup[]): TableColumn<SystemLine>[] {
  const columns: TableColumn<SystemLine>[] = [{ title: "system", cell: ({ system }) => system }];
  if (groups.includes("quality")) columns.push(...createQualityColumns());
  const areAgents = lines.length > 0 && lines.every(({ isAgent }) => isAgent);
  if (groups.includes("tokens") && !areAgents) columns.push(...createTokenColumns(lines));
  if (groups.includes("cost") && lines.some(({ summary }) => summary.mean_cost_usd != null))
    columns.push(...createCostColumns());
  if (groups.includes("speed")) columns.push(...createSpeedColumns());
  columns.push({ title: "coverage", align: "right", cell: ({ summary }) => formatTrialCoverage(summary) });
  if (lines.length > 1 && lines.some(({ summary }) => summary.pareto_rank !== undefined)) {
    columns.push({ title: "Pareto rank", align: "right", cell: ({ summary }) => formatNumber(summary.pareto_rank) });
  }
  return columns;
}

function createQualityColumns(): TableColumn<SystemLine>[] {
  return [
    { title: "mean score [95 %]", align: "right", cell: createIntervalCell("mean_score") },
    { title: "pass rate [95 %]", align: "right", cell: createIntervalCell("pass_rate") },
  ];
}

function createTokenColumns(lines: readonly SystemLine[]): TableColumn<SystemLine>[] {
  const unlessAgent = (cell: (line: SystemLine) => string) => (line: SystemLine) =>
    line.isAgent === true ? "–" : cell(line);
  const costOfPass: TableColumn<SystemLine> = {
    title: "cost of pass (tokens) [95 %]",
    align: "right",
    cell: unlessAgent(createIntervalCell("cost_of_pass", 1)),
  };
  // The metric that counts them may be missing.
  if (lines.every(({ summary }) => summary.mean_input_tokens === undefined)) return [costOfPass];
  return [
    {
      title: "tokens in → out",
      align: "right",
      cell: unlessAgent(
        ({ summary }) =>
          `${formatRounded(getMeasured(summary, "mean_input_tokens"))} → ${formatRounded(getMeasured(summary, "mean_output_tokens"))}`,
      ),
    },
    {
      title: "compression",
      align: "right",
      cell: unlessAgent(({ summary }) => formatShare(getMeasured(summary, "compression_ratio"))),
    },
    costOfPass,
  ];
}

function createCostColumns(): TableColumn<SystemLine>[] {
  return [
    { title: "mean cost", align: "right", cell: ({ summary }) => formatDollars(summary.mean_cost_usd) },
    { title: "cost per pass", align: "right", cell: ({ summary }) => formatDollars(summary.cost_per_pass_usd) },
  ];
}

function createSpeedColumns(): TableColumn<SystemLine>[] {
  return [
    {
      title: "latency p50",
      align: "right",
      cell: ({ summary }) => formatSeconds(getMeasured(summary, "latency_median", "latency_mean")),
    },
    {
      title: "p95",
      align: "right",
      cell: ({ summary }) => formatSeconds(getMeasured(summary, "latency_p95", "latency_mean")),
    },
  ];
}

function formatRounded(value: number | null | undefined): string {
  return value == null ? "–" : String(Math.round(value));
}

function formatTrialCoverage(summary: Summary): string {
  const share = summary.coverage ?? 0;
  return `${formatShare(share)}${share < LOW_COVERAGE ? " ⚠" : ""}`;
}

function renderPassCurveTable(lines: readonly SystemLine[], trials: number): string {
  const ks = Array.from({ length: trials }, (_, i) => i + 1);
  const columns: TableColumn<SystemLine>[] = [
    { title: "system", cell: ({ system }) => system },
    ...ks.map((k) => ({ title: `pass@${k}`, align: "right" as const, cell: createIntervalCell(`pass_at_${k}`) })),
    ...ks
      .slice(1)
      .map((k) => ({ title: `pass^${k}`, align: "right" as const, cell: createIntervalCell(`pass_hat_${k}`) })),
    { title: "flaky tasks", align: "right", cell: ({ summary }) => formatShare(getMeasured(summary, "flaky_rate")) },
  ];
  return `pass@k: at least one of k trials passes. pass^k: all k do (unbiased).\n\n${renderMarkdownTable(columns, lines)}`;
}

/** True when more than the duration of calls was measured, whether the trial passed or not. Older records have 0 for unknown. */
function hasTiming({ turns, firstAttemptMs, successAtMs, tokensPerSec, errorCategory }: EvalRow): boolean {
  // Written out for speed, because it runs for every row.
  if (turns != null || errorCategory === "cost_killed") return true;
  return isAboveZero(firstAttemptMs) || isAboveZero(successAtMs) || isAboveZero(tokensPerSec);
}

function isAboveZero(value: number | null | undefined): boolean {
  return value != null && value > 0;
}

function renderEfficiencyTable(lines: readonly SystemLine[]): string {
  const milliseconds = (key: string) => (line: SystemLine) => formatSeconds(toSeconds(getOwn(line.summary, key)));
  const plain = (key: string) => (line: SystemLine) => formatNumber(getOwn(line.summary, key), 2);
  const columns: [string, (line: SystemLine) => string][] = [
    ["to first attempt", milliseconds("median_time_to_first_attempt_ms")],
    ["to success", milliseconds("median_time_to_success_ms")],
    ["turns", plain("median_turns_to_success")],
    ["tokens/s", plain("median_tokens_per_sec")],
    ["p90 cost", ({ summary }) => formatDollars(summary.p90_cost_per_success)],
    ["speed efficiency", ({ summary }) => formatNumber(summary.speed_efficiency_score)],
    ["cost killed", plain("cost_killed_count")],
    ["slow", plain("slow_count")],
  ];
  const right = columns.map(([title, cell]) => ({ title, align: "right" as const, cell }));
  const table = renderMarkdownTable([{ title: "system", cell: ({ system }: SystemLine) => system }, ...right], lines);
  return `Speed and efficiency: medians over passing trials; speed efficiency = pass rate ÷ (1 + minutes to success).\n\n${table}`;
}

function toSeconds(ms: number | null | undefined): number | null {
  return ms == null ? null : ms / 1000;
}

/** The keys of the breakdown. Keys beside them (`_n`, `_ci_low`) have no interval of their own; a tag may have the same ending. */
function listDatasetKeys(lines: readonly SystemLine[]): string[] {
  return listKeysWithPrefix(lines, "dataset:");
}

function listKeysWithPrefix(lines: readonly SystemLine[], prefix: string): string[] {
  const keys = lines.flatMap(({ summary }) =>
    Object.keys(summary).filter((key) => key.startsWith(prefix) && Object.hasOwn(summary, `${key}_ci_low`)),
  );
  return [...new Set(keys)];
}

function renderDatasetTable(lines: readonly SystemLine[], keys: readonly string[]): string {
  const columns: TableColumn<SystemLine>[] = [
    { title: "system", cell: ({ system }) => system },
    ...keys.map((key) => ({
      title: key.slice("dataset:".length),
      align: "right" as const,
      cell: createIntervalCell(key),
    })),
  ];
  return renderMarkdownTable(columns, lines);
}

function listMeasureKeys(lines: readonly SystemLine[]): string[] {
  return listKeysWithPrefix(lines, MEASURE_PREFIX);
}

function renderMeasureTable(lines: readonly SystemLine[], keys: readonly string[]): string {
  const columns = keys.map((key) => ({
    title: `${toOneLine(key.slice(MEASURE_PREFIX.length))} [95 %]`,
    align: "right" as const,
    cell: createIntervalCell(key),
  }));
  const table = renderMarkdownTable([{ title: "system", cell: ({ system }: SystemLine) => system }, ...columns], lines);
  return `Mean measures of evaluators; they do not affect verdicts.\n\n${table}`;
}

/** The values of the user's own metrics. */
function listOtherKeys({ config }: EvalResult, lines: readonly SystemLine[], facets: readonly string[]): string[] {
  const tags = listDatasetKeys(lines).map((key) => key.slice("dataset:".length));
  const known = listSummaryKeys(listNamedMetrics(), { trials: config.trials, datasets: tags });
  for (const key of [...facets, ...listMeasureKeys(lines)])
    for (const name of [key, ...listIntervalKeys(key)]) known.add(name);
  for (const name of Array.from(known, formatGroupsKey)) known.add(name);
  const keys = new Set(lines.flatMap(({ summary }) => Object.keys(summary).filter((key) => !known.has(key))));
  const isBesideAnother = (key: string) => /^(.*)_(?:ci_low|ci_high|n|groups)$/.exec(key)?.[1];
  return [...keys].filter((key) => !keys.has(isBesideAnother(key) ?? ""));
}

function renderOtherTable(lines: readonly SystemLine[], keys: readonly string[]): string {
  const columns: TableColumn<SystemLine>[] = [
    { title: "system", cell: ({ system }) => system },
    ...keys.map((key) => ({ title: key, align: "right" as const, cell: createIntervalCell(key) })),
  ];
  return renderMarkdownTable(columns, lines);
}

function buildFooter(result: EvalResult, lines: readonly SystemLine[]): string[] {
  const { config, rows } = result;
  const examples = config.datasets.reduce((total, dataset) => total + dataset.examples, 0);
  const names = config.datasets.map(({ name }) => name || "examples").join(", ");
  const facts = [
    `pass = ${describePassRule(rows, config)} ≥ ${config.threshold} · ${formatPlural(lines.length, "system")} × ${formatPlural(examples, "example")} (${names}) × ${formatPlural(config.trials, "trial")}`,
    `${formatPlural(rows.length, "trial")} planned: ${formatOutcomeCounts(lines)}`,
    describeCourse(result),
  ];
  facts.push(...describeIntervalGroups(result), ...describeRank(result));
  const frontier = result.across.frontier_cost_of_pass;
  if (frontier != null && Number.isFinite(frontier))
    facts.push(`frontier cost of pass over all systems: ${formatNumber(frontier, 1)} tokens`);
  facts.push(...describeJudging(rows));
  return [...facts, ...listReasons(rows, result.config), ...result.notes].map((fact) => `- ${toOneLine(fact)}`);
}

/** Time, speed and seed. A run without a measured time, such as most imported ones, shows neither time nor speed. */
function describeCourse({ config, timing }: EvalResult): string {
  const { wallSeconds, trialsPerSecond: speed, cachedTrials } = timing;
  const parts = [
    ...(wallSeconds === 0
      ? []
      : [formatSeconds(wallSeconds), `${formatNumber(speed >= 10 ? Math.round(speed) : speed, 1)} trials/s`]),
    ...(cachedTrials === 0 ? [] : [`${cachedTrials} from the cache`]),
    `tokens by ${config.tokenizer}`,
    ...(config.importedFrom === undefined ? [`seed ${config.seed}`] : []),
  ];
  return parts.join(" · ");
}

const RANK_BASES: Readonly<Record<string, string>> = { usd: "dollars per pass", tokens: "output tokens per pass" };

function describeRank({ labels = {}, summary }: EvalResult): string[] {
  const basis = getOwn(labels, "pareto_basis");
  if (basis === undefined || Object.values(summary).every((own) => own.pareto_rank === undefined)) return [];
  return [`Pareto rank by mean score and ${getOwn(RANK_BASES, basis) ?? basis}`];
}

/** Scoring costs are separate from the cost of the systems. */
function describeJudging(rows: readonly EvalRow[]): string[] {
  let costUsd = 0;
  let unknown = 0;
  for (let i = 0; i < rows.length; i++) {
    const { judgeCostUsd, metadata } = rows[i] as EvalRow;
    if (judgeCostUsd !== null) costUsd += judgeCostUsd;
    else if (metadata?.judgeUsage != null) unknown += 1;
  }
  const known = costUsd === 0 ? [] : [`judging cost ${formatDollars(costUsd)}, not included in the systems' cost`];
  return unknown === 0 ? known : [...known, `trials with an unknown judging cost: ${unknown}`];
}

/** Why trials are missing from the figures: for each system the first reason of each kind, and the count. */
function listReasons(rows: readonly EvalRow[], config: EvalConfig): string[] {
  const found = new Map<string, { row: EvalRow; count: number }>();
  for (let i = 0; i < rows.length; i++) {
    const row = rows[i] as EvalRow;
    if (row.outcome !== "error" && row.outcome !== "unscored") continue;
    const key = `${row.outcome}\u0000${row.system}`;
    const known = found.get(key);
    if (known === undefined) found.set(key, { row, count: 1 });
    else known.count += 1;
  }
  return [...found.values()].map(({ row, count }) => {
    const reason = findMissingReason(row, config);
    return `${row.system}: ${count} ${row.outcome}, the first in example ${row.exampleId}: ${reason ?? "no reason given"}`;
  });
}

/** The deciding fields of the rows: a mixture of datasets may have several. */
function describePassRule(rows: readonly EvalRow[], { datasets, scoreField }: EvalConfig): string {
  const fields = new Set<string>();
  for (let i = 0; i < rows.length; i++) {
    const row = rows[i] as EvalRow;
    if (isScored(row) && row.primaryField != null) fields.add(row.primaryField);
  }
  // If nothing was scored, the planned deciding field.
  if (fields.size === 0) for (const { primaryField } of datasets) if (primaryField !== null) fields.add(primaryField);
  return fields.size === 0 ? scoreField : [...fields].join(" or ");
}

function formatOutcomeCounts(lines: readonly SystemLine[]): string {
  const total = (key: string) => lines.reduce((sum, { summary }) => sum + (summary[key] ?? 0), 0);
  const counts = [`${total("num_pass")} pass`, `${total("num_fail")} fail`];
  for (const outcome of ["error", "unscored", "skipped"]) {
    const count = total(`num_${outcome}`);
    if (count > 0) counts.push(`${count} ${outcome}`);
  }
  return counts.join(", ");
}

function renderMemoryTable(lines: readonly SystemLine[]): string {
  const seconds = (key: string) => (line: SystemLine) => formatSeconds(getOwn(line.summary, key) ?? null);
  const columns: [string, (line: SystemLine) => string][] = [
    ["context tokens [95 %]", createIntervalCell("mean_context_tokens", 0)],
    ["share of history [95 %]", createIntervalCell("context_share")],
    ["score per 1k tokens [95 %]", createIntervalCell("score_per_1k_context_tokens")],
    ["ingest p50", seconds("ingest_seconds_p50")],
    ["p95", seconds("ingest_seconds_p95")],
    ["query p50", seconds("query_seconds_p50")],
    ["p95", seconds("query_seconds_p95")],
  ];
  const right = columns.map(([title, cell]): TableColumn<SystemLine> => ({ title, align: "right", cell }));
  return `Retrieved context and latency of memories.\n\n${renderMarkdownTable([{ title: "system", cell: ({ system }) => system }, ...right], lines)}`;
}

function hasMemory({ summary }: SystemLine): boolean {
  return getOwn(summary, "mean_context_tokens") !== undefined;
}

/** The first of these that a run has tells how many groups its intervals are based on. */
const HEADLINES = ["mean_score", "pass_rate", "coverage"];

/** Describes the independent units of intervals where examples share a group; empty where each example is independent. */
export function describeIntervalGroups({
  summary,
  config,
  rows,
}: Pick<EvalResult, "summary" | "config" | "rows">): string[] {
  const counts = Object.values(summary).flatMap((own) => countGroups(own) ?? []);
  if (counts.length === 0) return [];
  const [least, most] = [Math.min(...counts), Math.max(...counts)];
  const fields = formatGroupFields(config);
  const by = fields === "" ? "" : ` by ${fields}`;
  if (most === 1) return [`no intervals: all examples belong to the same ${fields || "group"}`];
  const others = rows.some(hasNoGroup) ? ", examples without a group counted singly" : "";
  return [`intervals over ${least === most ? "" : `${least} to `}${formatPlural(most, "group")}${by}${others}`];
}

function countGroups(summary: Summary): number | undefined {
  const known = HEADLINES.map((key) => getOwn(summary, formatGroupsKey(key)));
  return known.find((count) => count != null) ?? undefined;
}

function formatGroupFields({ datasets }: EvalConfig): string {
  const fields = new Set(datasets.flatMap(({ groupBy }) => groupBy ?? []));
  return [...fields].join(" or ");
}

/** Rows of older versions have no group either. */
function hasNoGroup(row: EvalRow): boolean {
  return isScored(row) && row.group == null;
}
