import type { Effort, EffortCurve, EffortPoint, EvalResult, EvalRow, QualityKey, Summary } from "../core/index.js";
import { addEffortName, EFFORT_NAMES, getOwn } from "../core/index.js";
import { formatDollars, formatNumber, formatSeconds, getMeasured } from "./format.js";
import type { Layout } from "./layout.js";
import type { TableColumn } from "./markdown.js";
import { sumReasoning } from "./reasoning.js";

type CurveSource = Pick<EvalResult, "rows" | "summary" | "config">;

/**
 * Systems that differ only in their effort, by rising effort: `NAME@low`, `NAME@high`, and `NAME` itself.
 * @example
 * buildEffortCurves(result)[0]?.points.map(({ effort }) => effort); // ["low", "high"]
 */
export function buildEffortCurves({ rows, summary, config }: CurveSource): EffortCurve[] {
  const { efforts } = config;
  if (efforts === undefined) return [];
  const groups = groupByName(config.systems, efforts);
  if (groups.size === 0) return [];
  const reasoning = meanReasoning(rows);
  return [...groups].map(([name, members]) => {
    const own = members.map(({ system }) => getOwn(summary, system) ?? {});
    const quality: QualityKey = own.every((each) => getMeasured(each, "pass_rate") !== null)
      ? "pass_rate"
      : "mean_score";
    return { name, quality, points: members.map((member, i) => createPoint(member, own[i] ?? {}, quality, reasoning)) };
  });
}

interface EffortMember {
  system: string;
  effort: Effort | null;
}

/** Only names with several efforts. */
function groupByName(
  systems: readonly string[],
  efforts: Readonly<Record<string, Effort>>,
): Map<string, readonly EffortMember[]> {
  const groups = new Map<string, EffortMember[]>();
  for (const system of systems) {
    const effort = getOwn(efforts, system);
    const name = effort === undefined ? system : removeEffort(system, effort);
    groups.set(name, [...(groups.get(name) ?? []), { system, effort: effort ?? null }]);
  }
  const several = [...groups].filter(([, { length }]) => length > 1);
  return new Map(several.map(([name, members]) => [name, members.toSorted((a, b) => rank(a.effort) - rank(b.effort))]));
}

/** The name of a prompt may follow the effort. */
function removeEffort(system: string, effort: Effort): string {
  const mark = addEffortName("", effort);
  if (system.endsWith(mark)) return system.slice(0, -mark.length);
  return system.replace(`${mark}+`, "+");
}

/** Named efforts in their order, after the model's own; then budgets in tokens. */
function rank(effort: Effort | null): number {
  if (effort === null) return -1;
  return typeof effort === "number" ? EFFORT_NAMES.length + effort : EFFORT_NAMES.indexOf(effort);
}

function meanReasoning(rows: readonly EvalRow[]): Map<string, number> {
  return new Map(Array.from(sumReasoning(rows), ([system, { reasoning, trials }]) => [system, reasoning / trials]));
}

function createPoint(
  { system, effort }: EffortMember,
  summary: Summary,
  quality: QualityKey,
  reasoning: ReadonlyMap<string, number>,
): EffortPoint {
  const get = (key: string) => {
    const value = getMeasured(summary, key);
    return value !== null && Number.isFinite(value) ? value : null;
  };
  return {
    system,
    effort,
    quality: get(quality),
    low: get(`${quality}_ci_low`),
    high: get(`${quality}_ci_high`),
    costUsd: get("mean_cost_usd"),
    costPerPassUsd: get("cost_per_pass_usd"),
    latencySeconds: get("latency_median"),
    reasoningTokens: reasoning.get(system) ?? null,
    outputTokens: get("mean_output_tokens"),
  };
}

/** `default` stands for the model's own effort. */
function formatEffort(effort: Effort | null): string {
  return effort === null ? "default" : String(effort);
}

/** The section of a report: one line for each effort of each model; empty if no systems differ only in their effort. */
export function renderEffortCurves(curves: readonly EffortCurve[], layout: Layout): string[] {
  if (curves.length === 0) return [];
  const lines = curves.flatMap(({ name, points }) => points.map((point) => ({ ...point, name })));
  return [layout.heading("Quality and cost by effort", 2), layout.table(createColumns(curves), lines)];
}

type EffortLine = EffortPoint & { name: string };

function createColumns(curves: readonly EffortCurve[]): TableColumn<EffortLine>[] {
  const hasOneQuality = curves.every(({ quality }) => quality === curves[0]?.quality);
  const quality = hasOneQuality && curves[0]?.quality === "pass_rate" ? "pass rate" : "quality";
  const points = curves.flatMap((curve) => curve.points);
  const right = (title: string, cell: (line: EffortLine) => string): TableColumn<EffortLine> => ({
    title,
    align: "right",
    cell,
  });
  return [
    { title: "model", cell: ({ name }) => name },
    { title: "effort", cell: ({ effort }) => formatEffort(effort) },
    right(`${quality} [95 %]`, formatQuality),
    ...(points.some(({ costPerPassUsd }) => costPerPassUsd !== null)
      ? [right("cost per pass", ({ costPerPassUsd }) => formatDollars(costPerPassUsd))]
      : []),
    right("latency p50", ({ latencySeconds }) => formatSeconds(latencySeconds)),
    ...(points.some(({ reasoningTokens }) => reasoningTokens !== null)
      ? [right("reasoning tokens", ({ reasoningTokens }) => formatNumber(reasoningTokens, 1))]
      : []),
  ];
}

function formatQuality({ quality, low, high }: EffortLine): string {
  const interval = low === null || high === null ? "" : ` [${formatNumber(low)}, ${formatNumber(high)}]`;
  return `${formatNumber(quality)}${interval}`;
}
