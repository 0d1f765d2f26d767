import type { EvalConfig, EvalResult, Reporter, ReportOptions, Summary } from "../core/index.js";
import {
  didYouMean,
  type EvalRow,
  getOwn,
  isScored,
  MEASURE_PREFIX,
  omitUndefined,
  UsageError,
} from "../core/index.js";
import { formatGroupsKey, listIntervalKeys, listNamedMetrics, listSummaryKeys } from "../metrics/index.js";
import { renderEffortCurves } from "./effort-curves.js";
import { buildFacetLayouts, listFacetKeys, renderFacets } from "./facets.js";
import { formatDollars, formatNumber, formatPlural, formatSeconds, type SystemLine } from "./format.js";
import { renderFrontier } from "./frontier.js";
import { renderHistoryAdjustments } from "./history-adjustment.js";
import { renderLabelCorrections } from "./label-correction.js";
import { createLayout } from "./layout.js";
import { describeLead, findMissingReason } from "./lead.js";
import type { TableColumn } from "./markdown.js";
import { createReasoningColumns, REASONING_TEXT } from "./reasoning.js";
import { renderRecommendation } from "./recommendation.js";
import { renderSequential } from "./sequential.js";
import { renderStrata } from "./strata.js";
import { findSystemKinds, sendsTokensOn } from "./system-kinds.js";
import {
  COLUMN_GROUPS,
  type ColumnGroup,
  createEfficiencyColumns,
  createIntervalColumn,
  createMainColumns,
  createMemoryColumns,
  createPassCurveColumns,
  SYSTEM_COLUMN,
} from "./table-columns.js";

/** The report for people: Markdown or for a terminal, one row for each system, headline values with intervals and counts. */
export const tableReporter = {
  name: "table",
  render: (result, options) =>
    result.config.arms === undefined ? renderTable(result, options) : renderStressTable(result, options),
} satisfies Reporter;

/** Loaded on demand: few runs are stress tests. */
async function renderStressTable(result: EvalResult, options: ReportOptions = {}): Promise<string> {
  const { renderReliability } = await import("./reliability.js");
  return renderTable(result, options, renderReliability(result, createLayout(options)));
}

/** `details`: parts that follow the main table. */
export function renderTable(result: EvalResult, options: ReportOptions = {}, details: readonly string[] = []): string {
  const kinds = findSystemKinds(result.rows, result.summary);
  const lines = Object.entries(result.summary).map(([system, summary]) => ({
    system,
    summary,
    ...omitUndefined({ kind: kinds.get(system) }),
  }));
  const groups = checkColumns(options.columns ?? COLUMN_GROUPS);
  const isComplete = options.columns?.includes(ALL_COLUMNS) === true;
  const layout = createLayout(options);
  const draw = (columns: readonly TableColumn<SystemLine>[]) =>
    layout.table(columns, lines, { isComplete, hint: HINT });
  const parts = [
    layout.heading(result.config.title),
    ...describeLead(result).map((line) => layout.text(line)),
    ...renderSequential(result.sequential, layout),
    draw(createMainColumns(lines, groups)),
    ...details,
  ];
  if (groups.includes("trials") && result.config.trials > 1)
    parts.push(layout.text(PASS_CURVE_TEXT), draw(createPassCurveColumns(result.config.trials)));
  const wantsSpeed = options.columns !== undefined && groups.includes("speed");
  if (groups.includes("speed") && (wantsSpeed || result.rows.some(hasTiming))) {
    const isWorthIt = wantsSpeed || (options.width ?? WIDE) >= WIDE || lines.some(hasMoreThanLatency);
    if (isWorthIt) parts.push(layout.text(EFFICIENCY_TEXT), draw(createEfficiencyColumns()));
    else parts.push(layout.text(EFFICIENCY_LEFT_OUT_TEXT));
  }
  const reasoning = groups.includes("tokens") ? createReasoningColumns(result.rows) : null;
  const { effortCurves } = result;
  // The table by effort has them.
  const isByEffort = effortCurves.flatMap(({ points }) => points).length === lines.length;
  if (reasoning !== null && !isByEffort) parts.push(layout.text(REASONING_TEXT), draw(reasoning));
  if (groups.includes("tokens") && lines.some(hasMemory))
    parts.push("Retrieved context and latency of memories.", draw(createMemoryColumns()));
  const datasets = groups.includes("datasets") ? listDatasetKeys(lines) : [];
  if (datasets.length > 1) parts.push(draw(createKeyColumns(datasets, "dataset:")));
  const layouts = buildFacetLayouts(result);
  if (groups.includes("facets") && result.rows.some(isScored))
    parts.push(...renderFacets(lines, layouts, { isAsked: options.columns !== undefined, isComplete, layout }));
  const measures = groups.includes("other") ? listMeasureKeys(lines) : [];
  if (measures.length > 0) parts.push(layout.text(MEASURE_TEXT), draw(createKeyColumns(measures, MEASURE_PREFIX)));
  const others = groups.includes("other") ? listOtherKeys(result, lines, listFacetKeys(layouts)) : [];
  if (others.length > 0) parts.push(draw(createKeyColumns(others, "")));
  if (groups.includes("cost"))
    parts.push(...renderEffortCurves(effortCurves, layout), ...renderFrontier(result.frontier, layout));
  parts.push(layout.bullets(buildFooter(result, lines)), ...renderRecommendation(result.recommendation, layout));
  if (options.labels !== undefined)
    parts.push(...renderLabelCorrections(options.labels, { figure: "pass rate" }, layout));
  if (options.strata !== undefined) parts.push(...renderStrata(options.strata, { level: 0.95, layout }));
  if (options.history !== undefined) parts.push(...renderHistoryAdjustments(options.history, { level: 0.95, layout }));
  return `${parts.join("\n\n")}\n`;
}

/** Selects all column groups, and leaves out nothing that does not fit. */
const ALL_COLUMNS = "all";

const HINT = "See all with --columns all, or in a wider terminal.";

const PASS_CURVE_TEXT = "pass@k: at least one of k trials passes. pass^k: all k do (unbiased).";

const EFFICIENCY_TEXT =
  "Speed and efficiency: medians over passing trials; speed efficiency = pass rate ÷ (1 + minutes to success).";

/** Narrower terminals show the efficiency only where it says more than the main table. */
const WIDE = 120;

const EFFICIENCY_LEFT_OUT_TEXT = "Left out: speed and efficiency. See it with --columns speed.";

const MEASURE_TEXT = "Mean measures of evaluators; they do not affect verdicts.";

function createKeyColumns(keys: readonly string[], prefix: string): TableColumn<SystemLine>[] {
  // A user's own metric may have no interval.
  const showsLevel = prefix === MEASURE_PREFIX;
  const columns = keys.map((key) => createIntervalColumn({ title: key.slice(prefix.length), key, showsLevel }));
  return [SYSTEM_COLUMN, ...columns];
}

/** Validates names that come from flags and config files. */
export function checkColumns(columns: readonly string[]): readonly ColumnGroup[] {
  const known: readonly string[] = [...COLUMN_GROUPS, ALL_COLUMNS];
  const unknown = columns.find((group) => !known.includes(group));
  if (unknown !== undefined) throw new UsageError(`Unknown column group "${unknown}".${didYouMean(unknown, known)}`);
  return columns.includes(ALL_COLUMNS) ? COLUMN_GROUPS : (columns as readonly ColumnGroup[]);
}

/** True when more than the duration of calls was measured, whether the trial passed or not. Older records have 0 for unknown. */
function hasTiming({ turns, firstAttemptMs, successAtMs, tokensPerSec, errorCategory }: EvalRow): boolean {
  // Written out for speed, because it runs for every row.
  if (turns != null || errorCategory === "cost_killed") return true;
  return isAboveZero(firstAttemptMs) || isAboveZero(successAtMs) || isAboveZero(tokensPerSec);
}

/** False for a model that answers in one turn, was not stopped and did not stream: the main table has its latency. */
function hasMoreThanLatency({ summary }: SystemLine): boolean {
  const get = (key: string) => getOwn(summary, key) ?? 0;
  if (get("median_turns_to_success") > 1 || get("median_tokens_per_sec") > 0) return true;
  return get("cost_killed_count") > 0 || get("slow_count") > 0;
}

function isAboveZero(value: number | null | undefined): boolean {
  return value != null && value > 0;
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

function listMeasureKeys(lines: readonly SystemLine[]): string[] {
  return listKeysWithPrefix(lines, MEASURE_PREFIX);
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

function buildFooter(result: EvalResult, lines: readonly SystemLine[]): string[] {
  const { config, rows } = result;
  const examples = config.datasets.reduce((total, dataset) => total + dataset.examples, 0);
  const names = config.datasets.map(({ name }) => name || "examples").join(", ");
  const facts = [
    `pass = ${describePassRule(rows, config)} ≥ ${config.threshold} · ${formatPlural(lines.length, "system")} × ${formatPlural(examples, "example")} (${names}) × ${formatPlural(config.trials, "trial")}`,
    `${describePlanned(result)}: ${formatOutcomeCounts(lines)}`,
    describeCourse(result),
  ];
  facts.push(...describeIntervalGroups(result), ...describeRank(result));
  const frontier = result.across.frontier_cost_of_pass;
  if (frontier != null && Number.isFinite(frontier) && lines.some(({ kind }) => sendsTokensOn(kind)))
    facts.push(
      `frontier cost of pass over all systems: ${formatNumber(frontier, 1)} ${frontier === 1 ? "token" : "tokens"}`,
    );
  facts.push(...describeJudging(rows), ...describeUsers(rows));
  return [...facts, ...listReasons(rows, result.config), ...result.notes];
}

/** Trials that a run did not need are no part of its rows. */
function describePlanned({ rows, sequential }: EvalResult): string {
  const notRun = sequential?.arms.reduce((sum, arm) => sum + arm.notRun, 0) ?? 0;
  if (notRun === 0) return `${formatPlural(rows.length, "trial")} planned`;
  return `${rows.length} of ${formatPlural(rows.length + notRun, "planned trial")} needed`;
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

/** Simulated users are separate from the cost of the systems, too. */
function describeUsers(rows: readonly EvalRow[]): string[] {
  const costUsd = rows.reduce((total, row) => total + (row.userCostUsd ?? 0), 0);
  return costUsd === 0 ? [] : [`simulated users cost ${formatDollars(costUsd)}, not included in the systems' cost`];
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
