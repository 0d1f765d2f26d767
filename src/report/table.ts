import { UsageError } from "../core/errors.js";
import type { Reporter, ReportOptions } from "../core/registry.js";
import type { EvalConfig, EvalResult, Summary } from "../core/result.js";
import { type EvalRow, isScored } from "../core/row.js";
import { ownValue } from "../core/shape.js";
import { didYouMean } from "../core/suggest.js";
import { besides, groupsBeside, MEASURE_PREFIX, namedMetrics, summaryKeys } from "../metrics/index.js";
import { type Line, measured, withInterval } from "./cells.js";
import { facetKeys, facetLayouts, facetParts } from "./facets.js";
import { formatDollars, formatNumber, formatSeconds, formatShare, plural } from "./format.js";
import { type Column, markdownTable, oneLine } from "./markdown.js";

/** A lower coverage than this is marked. */
const LOW_COVERAGE = 0.95;

/** Column groups of `--columns`. */
export const COLUMN_GROUPS = ["quality", "tokens", "cost", "speed", "trials", "datasets", "facets", "other"] as const;

type Group = (typeof COLUMN_GROUPS)[number];

/** The report for people: Markdown, one row for each system, headline values with intervals and counts. */
export const tableReporter = {
  name: "table",
  render: (result, options) => renderTable(result, options),
} satisfies Reporter;

export function renderTable(result: EvalResult, options: ReportOptions = {}): string {
  const agents = agentsIn(result.rows);
  const lines = Object.entries(result.summary).map(([system, summary]) => ({
    system,
    summary,
    isAgent: agents.has(system),
  }));
  const groups = checkColumns(options.columns ?? COLUMN_GROUPS);
  const parts = [`# ${oneLine(result.config.title)}`, markdownTable(mainColumns(lines, groups), lines)];
  if (groups.includes("trials") && result.config.trials > 1) parts.push(trialTable(lines, result.config.trials));
  const wantsSpeed = options.columns?.includes("speed") === true || result.rows.some(isTimed);
  if (groups.includes("speed") && wantsSpeed) parts.push(efficiencyTable(lines));
  if (groups.includes("tokens") && lines.some(remembers)) parts.push(memoryTable(lines));
  const datasets = groups.includes("datasets") ? datasetKeys(lines) : [];
  if (datasets.length > 1) parts.push(datasetTable(lines, datasets));
  const layouts = facetLayouts(result);
  if (groups.includes("facets")) parts.push(...facetParts(lines, layouts, options.columns !== undefined));
  const measures = groups.includes("other") ? measureKeys(lines) : [];
  if (measures.length > 0) parts.push(measureTable(lines, measures));
  const others = groups.includes("other") ? otherKeys(result, lines, facetKeys(layouts)) : [];
  if (others.length > 0) parts.push(otherTable(lines, others));
  parts.push(footer(result, lines).join("\n"));
  return `${parts.join("\n\n")}\n`;
}

/** Validates names that come from flags and config files. */
export function checkColumns(columns: readonly string[]): readonly Group[] {
  const unknown = columns.find((group) => !(COLUMN_GROUPS as readonly string[]).includes(group));
  if (unknown === undefined) return columns as readonly Group[];
  throw new UsageError(`Unknown column group "${unknown}".${didYouMean(unknown, COLUMN_GROUPS)}`);
}

function mainColumns(lines: readonly Line[], groups: readonly Group[]): Column<Line>[] {
  const columns: Column<Line>[] = [{ title: "system", cell: ({ system }) => system }];
  if (groups.includes("quality")) columns.push(...qualityColumns());
  const areAgents = lines.length > 0 && lines.every(({ isAgent }) => isAgent);
  if (groups.includes("tokens") && !areAgents) columns.push(...tokenColumns(lines));
  if (groups.includes("cost") && lines.some(({ summary }) => summary.mean_cost_usd != null))
    columns.push(...costColumns());
  if (groups.includes("speed")) columns.push(...speedColumns());
  columns.push({ title: "coverage", align: "right", cell: ({ summary }) => coverage(summary) });
  if (lines.length > 1 && lines.some(({ summary }) => summary.pareto_rank !== undefined)) {
    columns.push({ title: "Pareto rank", align: "right", cell: ({ summary }) => formatNumber(summary.pareto_rank) });
  }
  return columns;
}

function qualityColumns(): Column<Line>[] {
  return [
    { title: "mean score [95 %]", align: "right", cell: withInterval("mean_score") },
    { title: "pass rate [95 %]", align: "right", cell: withInterval("pass_rate") },
  ];
}

function tokenColumns(lines: readonly Line[]): Column<Line>[] {
  const unlessAgent = (cell: (line: Line) => string) => (line: Line) => (line.isAgent === true ? "–" : cell(line));
  const costOfPass: Column<Line> = {
    title: "cost of pass (tokens) [95 %]",
    align: "right",
    cell: unlessAgent(withInterval("cost_of_pass", 1)),
  };
  // The metric that counts them may be missing.
  if (lines.every(({ summary }) => summary.mean_input_tokens === undefined)) return [costOfPass];
  return [
    {
      title: "tokens in → out",
      align: "right",
      cell: unlessAgent(
        ({ summary }) =>
          `${rounded(measured(summary, "mean_input_tokens"))} → ${rounded(measured(summary, "mean_output_tokens"))}`,
      ),
    },
    {
      title: "compression",
      align: "right",
      cell: unlessAgent(({ summary }) => formatShare(measured(summary, "compression_ratio"))),
    },
    costOfPass,
  ];
}

function costColumns(): Column<Line>[] {
  return [
    { title: "mean cost", align: "right", cell: ({ summary }) => formatDollars(summary.mean_cost_usd) },
    { title: "cost per pass", align: "right", cell: ({ summary }) => formatDollars(summary.cost_per_pass_usd) },
  ];
}

function speedColumns(): Column<Line>[] {
  return [
    {
      title: "latency p50",
      align: "right",
      cell: ({ summary }) => formatSeconds(measured(summary, "latency_median", "latency_mean")),
    },
    {
      title: "p95",
      align: "right",
      cell: ({ summary }) => formatSeconds(measured(summary, "latency_p95", "latency_mean")),
    },
  ];
}

function rounded(value: number | null | undefined): string {
  return value == null ? "–" : String(Math.round(value));
}

function coverage(summary: Summary): string {
  const share = summary.coverage ?? 0;
  return `${formatShare(share)}${share < LOW_COVERAGE ? " ⚠" : ""}`;
}

function trialTable(lines: readonly Line[], trials: number): string {
  const ks = Array.from({ length: trials }, (_, i) => i + 1);
  const columns: Column<Line>[] = [
    { title: "system", cell: ({ system }) => system },
    ...ks.map((k) => ({ title: `pass@${k}`, align: "right" as const, cell: withInterval(`pass_at_${k}`) })),
    ...ks.slice(1).map((k) => ({ title: `pass^${k}`, align: "right" as const, cell: withInterval(`pass_hat_${k}`) })),
    { title: "flaky tasks", align: "right", cell: ({ summary }) => formatShare(measured(summary, "flaky_rate")) },
  ];
  return `pass@k: at least one of k trials passes. pass^k: all k do (unbiased).\n\n${markdownTable(columns, lines)}`;
}

/** True when more than the duration of calls was measured, whether the trial passed or not. Older records have 0 for unknown. */
function isTimed({ turns, firstAttemptMs, successAtMs, tokensPerSec, errorCategory }: EvalRow): boolean {
  // Written out for speed, because it runs for every row.
  if (turns != null || errorCategory === "cost_killed") return true;
  return isPositive(firstAttemptMs) || isPositive(successAtMs) || isPositive(tokensPerSec);
}

function isPositive(value: number | null | undefined): boolean {
  return value != null && value > 0;
}

function efficiencyTable(lines: readonly Line[]): string {
  const milliseconds = (key: string) => (line: Line) => formatSeconds(inSeconds(ownValue(line.summary, key)));
  const plain = (key: string) => (line: Line) => formatNumber(ownValue(line.summary, key), 2);
  const columns: [string, (line: Line) => string][] = [
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
  const table = markdownTable([{ title: "system", cell: ({ system }: Line) => system }, ...right], lines);
  return `Speed and efficiency: medians over passing trials; speed efficiency = pass rate ÷ (1 + minutes to success).\n\n${table}`;
}

function inSeconds(ms: number | null | undefined): number | null {
  return ms == null ? null : ms / 1000;
}

/** The keys of the breakdown. Keys beside them (`_n`, `_ci_low`) have no interval of their own; a tag may have the same ending. */
function datasetKeys(lines: readonly Line[]): string[] {
  return keysOfKind(lines, "dataset:");
}

function keysOfKind(lines: readonly Line[], prefix: string): string[] {
  const keys = lines.flatMap(({ summary }) =>
    Object.keys(summary).filter((key) => key.startsWith(prefix) && Object.hasOwn(summary, `${key}_ci_low`)),
  );
  return [...new Set(keys)];
}

function datasetTable(lines: readonly Line[], keys: readonly string[]): string {
  const columns: Column<Line>[] = [
    { title: "system", cell: ({ system }) => system },
    ...keys.map((key) => ({
      title: key.slice("dataset:".length),
      align: "right" as const,
      cell: withInterval(key),
    })),
  ];
  return markdownTable(columns, lines);
}

function measureKeys(lines: readonly Line[]): string[] {
  return keysOfKind(lines, MEASURE_PREFIX);
}

function measureTable(lines: readonly Line[], keys: readonly string[]): string {
  const columns = keys.map((key) => ({
    title: `${oneLine(key.slice(MEASURE_PREFIX.length))} [95 %]`,
    align: "right" as const,
    cell: withInterval(key),
  }));
  const table = markdownTable([{ title: "system", cell: ({ system }: Line) => system }, ...columns], lines);
  return `Mean measures of evaluators; they do not affect verdicts.\n\n${table}`;
}

/** The values of the user's own metrics. */
function otherKeys({ config }: EvalResult, lines: readonly Line[], facets: readonly string[]): string[] {
  const tags = datasetKeys(lines).map((key) => key.slice("dataset:".length));
  const known = summaryKeys(namedMetrics(), { trials: config.trials, datasets: tags });
  for (const key of [...facets, ...measureKeys(lines)]) for (const name of [key, ...besides(key)]) known.add(name);
  for (const name of Array.from(known, groupsBeside)) known.add(name);
  const keys = new Set(lines.flatMap(({ summary }) => Object.keys(summary).filter((key) => !known.has(key))));
  const isBesideAnother = (key: string) => /^(.*)_(?:ci_low|ci_high|n|groups)$/.exec(key)?.[1];
  return [...keys].filter((key) => !keys.has(isBesideAnother(key) ?? ""));
}

function otherTable(lines: readonly Line[], keys: readonly string[]): string {
  const columns: Column<Line>[] = [
    { title: "system", cell: ({ system }) => system },
    ...keys.map((key) => ({ title: key, align: "right" as const, cell: withInterval(key) })),
  ];
  return markdownTable(columns, lines);
}

function footer(result: EvalResult, lines: readonly Line[]): string[] {
  const { config, timing, rows } = result;
  const examples = config.datasets.reduce((total, dataset) => total + dataset.examples, 0);
  const names = config.datasets.map(({ name }) => name || "examples").join(", ");
  const facts = [
    `pass = ${passRule(rows, config)} ≥ ${config.threshold} · ${plural(lines.length, "system")} × ${plural(examples, "example")} (${names}) × ${plural(config.trials, "trial")}`,
    `${rows.length} trials planned: ${outcomeCounts(lines)}`,
    `${formatSeconds(timing.wallSeconds)} · ${formatNumber(timing.trialsPerSecond >= 10 ? Math.round(timing.trialsPerSecond) : timing.trialsPerSecond, 1)} trials/s${timing.cachedTrials === 0 ? "" : ` · ${timing.cachedTrials} from the cache`} · tokens by ${config.tokenizer} · seed ${config.seed}`,
  ];
  facts.push(...groupFacts(result), ...rankFacts(result));
  const frontier = result.across.frontier_cost_of_pass;
  if (frontier != null && Number.isFinite(frontier))
    facts.push(`frontier cost of pass over all systems: ${formatNumber(frontier, 1)} tokens`);
  facts.push(...judging(rows));
  if (lines.some(({ summary }) => (summary.coverage ?? 0) < LOW_COVERAGE))
    facts.push("⚠ fewer than 95 % of the planned trials were scored: interpret the figures with care");
  return [...facts, ...reasonsOf(rows, result.config), ...result.notes].map((fact) => `- ${oneLine(fact)}`);
}

function agentsIn(rows: readonly EvalRow[]): Set<string> {
  const agents = new Set<string>();
  for (let i = 0; i < rows.length; i++) {
    const { metadata, system } = rows[i] as EvalRow;
    if (metadata !== null && typeof metadata?.agent === "string") agents.add(system);
  }
  return agents;
}

const BASIS_WORDS: Readonly<Record<string, string>> = { usd: "dollars per pass", tokens: "output tokens per pass" };

function rankFacts({ labels = {}, summary }: EvalResult): string[] {
  const basis = ownValue(labels, "pareto_basis");
  if (basis === undefined || Object.values(summary).every((own) => own.pareto_rank === undefined)) return [];
  return [`Pareto rank by mean score and ${ownValue(BASIS_WORDS, basis) ?? basis}`];
}

/** Scoring costs are separate from the cost of the systems. */
function judging(rows: readonly EvalRow[]): string[] {
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
function reasonsOf(rows: readonly EvalRow[], config: EvalConfig): string[] {
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
    const reason = row.outcome === "error" ? row.attempts.at(-1)?.message : whyUnscored(row, config);
    return `${row.system}: ${count} ${row.outcome}, the first in example ${row.exampleId}: ${reason ?? "no reason given"}`;
  });
}

/** Only notes about the deciding field count. */
function whyUnscored({ dataset, notes }: EvalRow, { datasets }: EvalConfig): string | undefined {
  const field = datasets.find(({ tags }) => tags.includes(dataset))?.primaryField;
  return notes.find((note) => field != null && note.includes(` ${field}:`)) ?? notes.at(-1);
}

/** The deciding fields of the rows: a mixture of datasets may have several. */
function passRule(rows: readonly EvalRow[], { datasets, scoreField }: EvalConfig): string {
  const fields = new Set<string>();
  for (let i = 0; i < rows.length; i++) {
    const row = rows[i] as EvalRow;
    if (isScored(row) && row.primaryField != null) fields.add(row.primaryField);
  }
  // If nothing was scored, the planned deciding field.
  if (fields.size === 0) for (const { primaryField } of datasets) if (primaryField !== null) fields.add(primaryField);
  return fields.size === 0 ? scoreField : [...fields].join(" or ");
}

function outcomeCounts(lines: readonly Line[]): string {
  const total = (key: string) => lines.reduce((sum, { summary }) => sum + (summary[key] ?? 0), 0);
  const counts = [`${total("num_pass")} pass`, `${total("num_fail")} fail`];
  for (const outcome of ["error", "unscored", "skipped"]) {
    const count = total(`num_${outcome}`);
    if (count > 0) counts.push(`${count} ${outcome}`);
  }
  return counts.join(", ");
}

function memoryTable(lines: readonly Line[]): string {
  const seconds = (key: string) => (line: Line) => formatSeconds(ownValue(line.summary, key) ?? null);
  const columns: [string, (line: Line) => string][] = [
    ["context tokens [95 %]", withInterval("mean_context_tokens", 0)],
    ["share of history [95 %]", withInterval("context_share")],
    ["score per 1k tokens [95 %]", withInterval("score_per_1k_context_tokens")],
    ["ingest p50", seconds("ingest_seconds_p50")],
    ["p95", seconds("ingest_seconds_p95")],
    ["query p50", seconds("query_seconds_p50")],
    ["p95", seconds("query_seconds_p95")],
  ];
  const right = columns.map(([title, cell]): Column<Line> => ({ title, align: "right", cell }));
  return `Retrieved context and latency of memories.\n\n${markdownTable([{ title: "system", cell: ({ system }) => system }, ...right], lines)}`;
}

function remembers({ summary }: Line): boolean {
  return ownValue(summary, "mean_context_tokens") !== undefined;
}

/** The first of these that a run has tells how many groups its intervals are based on. */
const HEADLINES = ["mean_score", "pass_rate", "coverage"];

/** Describes the independent units of intervals where examples share a group; empty where each example is independent. */
export function groupFacts({ summary, config, rows }: Pick<EvalResult, "summary" | "config" | "rows">): string[] {
  const counts = Object.values(summary).flatMap((own) => groupsOf(own) ?? []);
  if (counts.length === 0) return [];
  const [least, most] = [Math.min(...counts), Math.max(...counts)];
  const of = fieldsOf(config);
  if (most === 1) return [`no intervals: all examples belong to one group${of}`];
  const others = rows.some(isAlone) ? ", examples without a group counted singly" : "";
  return [`intervals over ${least === most ? "" : `${least} to `}${plural(most, "group")}${of}${others}`];
}

function groupsOf(summary: Summary): number | undefined {
  const known = HEADLINES.map((key) => ownValue(summary, groupsBeside(key)));
  return known.find((count) => count != null) ?? undefined;
}

function fieldsOf({ datasets }: EvalConfig): string {
  const fields = new Set(datasets.flatMap(({ groupBy }) => groupBy ?? []));
  return fields.size === 0 ? "" : ` of ${[...fields].join(" or ")}`;
}

/** Rows of older versions have no group either. */
function isAlone(row: EvalRow): boolean {
  return isScored(row) && row.group == null;
}
