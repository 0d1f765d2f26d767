import { scaleBand } from "d3-scale";
import type { ComponentChildren } from "preact";
import { useId, useMemo, useState } from "preact/hooks";
import type { ErrorCategory } from "../../../src/core/row.js";
import type { RunCard } from "../../../src/report/dashboard/contract.js";
import { formatCount, formatMoment, formatPlural, formatShare } from "../ui/index.js";
import {
  type Axis,
  BottomAxis,
  computeChartHeight,
  computePlotArea,
  computeTickCount,
  createLinearAxis,
  formatDayTick,
  formatShareTick,
  LeftAxis,
  type PlotArea,
  type Tick,
} from "./axes.js";
import { BarNames, type BarRows, computeBarRows, stackParts } from "./bars.js";
import { ChartFrame, type ChartTableData, type LegendEntry } from "./frame.js";
import { getTextureUrl, type Texture, TextureDefs, TexturedBox } from "./looks.js";
import { formatName } from "./names.js";
import { type Box, type ChartProps, type ChartSelection, type Mark, Plot, type TooltipFact } from "./plot.js";

interface ErrorsChartProps extends ChartProps {
  runs: readonly RunCard[];
  /** A bar for each run in order of time, or for each system over all runs. */
  by?: "run" | "system" | undefined;
  controls?: ComponentChildren;
}

interface ErrorsPlotProps extends Pick<ErrorsChartProps, "onPick"> {
  bars: readonly CategoryBar[];
  categories: readonly FailureCategory[];
  width: number;
  words: string;
  prefix: string;
}

/**
 * Error categories as shares of the trials, by run or by system.
 * @example
 * <ErrorsChart runs={runs} onPick={({ run = "", category }) => navigate(["run", run], { category })} />
 */
export function ErrorsChart({ runs, by = "run", title = "Top error codes", controls, onPick }: ErrorsChartProps) {
  const prefix = useId();
  const bars = useMemo(() => (by === "run" ? buildBarsByRun(runs) : buildBarsBySystem(runs)), [runs, by]);
  const [hidden, setHidden] = useState<ReadonlySet<string>>(new Set());
  const all = useMemo(() => rankCategories(bars).map(({ category }) => category), [bars]);
  const categories = useMemo(() => all.filter((category) => !hidden.has(category)), [all, hidden]);
  const words = describeErrors(bars, by);
  const Drawn = by === "run" ? ErrorColumns : ErrorRows;
  return (
    <ChartFrame
      title={title}
      words={words}
      table={() => buildErrorTable(bars, by)}
      legend={all.map((category) => buildErrorLegendEntry(category, { prefix, isOn: !hidden.has(category) }))}
      controls={controls}
      onToggle={(name) => setHidden(toggleName(hidden, name))}
      notes={all.length > 1 ? ["Click a category to hide it."] : []}
    >
      {all.length === 0
        ? null
        : (width) => (
            <Drawn
              bars={bars}
              categories={categories}
              width={width}
              words={`${title}. ${words}`}
              prefix={prefix}
              onPick={onPick}
            />
          )}
    </ChartFrame>
  );
}

function toggleName(names: ReadonlySet<string>, name: string): ReadonlySet<string> {
  const changed = new Set(names);
  if (!changed.delete(name)) changed.add(name);
  return changed;
}

function buildErrorLegendEntry(
  category: FailureCategory,
  { prefix, isOn }: { prefix: string; isOn: boolean },
): LegendEntry {
  const { color, texture } = CATEGORY_LOOKS[category];
  return { name: category, glyph: { kind: "area", color, texture: getTextureUrl(prefix, texture) }, isOn };
}

function ErrorColumns({ bars, categories, width, words, prefix, onPick }: ErrorsPlotProps) {
  const layout = useMemo(() => computeErrorColumns(bars, categories, width), [bars, categories, width]);
  const { height, area, y, ticks, parts, marks, hidden } = layout;
  const when = hidden > 0 ? `runs in order of time, without the oldest ${hidden} →` : "runs in order of time →";
  const drawing = useMemo(
    () => (
      <>
        <TextureDefs prefix={prefix} />
        <LeftAxis axis={y} area={area} label="↑ share of trials" />
        <CategorySegments parts={parts} prefix={prefix} />
        <BottomAxis
          axis={{ zeroPosition: null, toPixel: (value) => value, ticks }}
          area={{ ...area, top: area.bottom }}
          label={when}
        />
      </>
    ),
    [layout, prefix],
  );
  return (
    <Plot width={width} height={height} label={words} marks={marks} onPick={onPick}>
      {drawing}
    </Plot>
  );
}

function ErrorRows({ bars, categories, width, words, prefix, onPick }: ErrorsPlotProps) {
  const layout = useMemo(() => computeErrorRows(bars, categories, width), [bars, categories, width]);
  const { rows, x, parts, marks } = layout;
  const drawing = useMemo(
    () => (
      <>
        <TextureDefs prefix={prefix} />
        <BottomAxis axis={x} area={rows} label="share of trials →" />
        <BarNames rows={rows} />
        <CategorySegments parts={parts} prefix={prefix} />
      </>
    ),
    [layout, prefix],
  );
  return (
    <Plot width={width} height={rows.height} label={words} marks={marks} onPick={onPick}>
      {drawing}
    </Plot>
  );
}

function CategorySegments({ parts, prefix }: { parts: readonly CategorySegment[]; prefix: string }) {
  return (
    <g class="stack">
      {parts.map(({ key, category, box }) => {
        const { color, texture } = CATEGORY_LOOKS[category];
        return (
          <TexturedBox
            key={JSON.stringify([key, category])}
            box={box}
            color={color}
            texture={getTextureUrl(prefix, texture)}
          />
        );
      })}
    </g>
  );
}

interface CategorySegment {
  readonly key: string;
  readonly category: FailureCategory;
  readonly box: Box;
}

interface CategoryStacks {
  parts: readonly CategorySegment[];
  marks: readonly Mark[];
}

interface ErrorColumnsLayout extends CategoryStacks {
  height: number;
  area: PlotArea;
  y: Axis;
  ticks: readonly Tick[];
  /** How many of the oldest runs do not fit. */
  hidden: number;
}

/** Narrower columns can hardly be seen or clicked. */
const MIN_COLUMN_WIDTH = 9;

/** Columns, the oldest run at the left; the latest runs when not all fit. */
export function computeErrorColumns(
  bars: readonly CategoryBar[],
  categories: readonly FailureCategory[],
  width: number,
): ErrorColumnsLayout {
  const height = computeChartHeight(width);
  const area = computePlotArea(width, height);
  const room = Math.max(1, Math.floor((area.right - area.left) / MIN_COLUMN_WIDTH));
  const drawn = bars.slice(-room);
  const band = scaleBand(
    drawn.map(({ key }) => key),
    [area.left, area.right],
  ).padding(0.2);
  // A single column across the whole chart would look like a background.
  const wide = Math.min(band.bandwidth(), 56);
  const y = createShareAxis(drawn, categories, { range: [area.bottom, area.top], count: 5 });
  const left = (key: string) => (band(key) ?? area.left) + (band.bandwidth() - wide) / 2;
  const stacks = stackCategories(drawn, categories, ({ key }, from, to) => ({
    x: left(key),
    y: y.toPixel(to),
    width: wide,
    height: Math.max(y.toPixel(from) - y.toPixel(to), 0.5),
  }));
  const every = Math.ceil(drawn.length / computeTickCount(area, 60));
  const ticks = drawn.flatMap(({ key, createdAt }, index) =>
    index % every === 0 ? [{ at: left(key) + wide / 2, text: formatDayTick(createdAt ?? "") }] : [],
  );
  return { height, area, y, ticks, hidden: bars.length - drawn.length, ...stacks };
}

interface ErrorRowsLayout extends CategoryStacks {
  rows: BarRows;
  x: Axis;
}

export function computeErrorRows(
  bars: readonly CategoryBar[],
  categories: readonly FailureCategory[],
  width: number,
): ErrorRowsLayout {
  const rows = computeBarRows(
    bars.map(({ name }) => name),
    { width, band: bars.length > 12 ? 14 : 22 },
  );
  const x = createShareAxis(bars, categories, { range: [rows.left, rows.right], count: computeTickCount(rows) });
  const tops = new Map(bars.map(({ key }, index) => [key, rows.rows[index]]));
  const stacks = stackCategories(bars, categories, ({ key }, from, to) => ({
    x: x.toPixel(from),
    y: tops.get(key)?.top ?? 0,
    width: Math.max(x.toPixel(to) - x.toPixel(from), 0.5),
    height: tops.get(key)?.band ?? 0,
  }));
  return { rows, x, ...stacks };
}

function createShareAxis(
  bars: readonly CategoryBar[],
  categories: readonly FailureCategory[],
  { range, count }: Pick<Parameters<typeof createLinearAxis>[0], "range" | "count">,
): Axis {
  const totals = bars.map((bar) => categories.reduce((sum, category) => sum + computeCategoryShare(bar, category), 0));
  return createLinearAxis({ values: totals, include: [0, 0.01], range, count, text: formatShareTick, within: [0, 1] });
}

function computeCategoryShare({ counts, trials }: CategoryBar, category: FailureCategory): number {
  return trials === 0 ? 0 : Math.min((counts[category] ?? 0) / trials, 1);
}

function stackCategories(
  bars: readonly CategoryBar[],
  categories: readonly FailureCategory[],
  getBox: (bar: CategoryBar, from: number, to: number) => Box,
): CategoryStacks {
  const parts = bars.flatMap((bar) =>
    stackParts(categories.map((category) => [category, computeCategoryShare(bar, category)] as const)).map(
      ({ name, from, to }) => ({
        bar,
        category: name,
        box: getBox(bar, from, to),
      }),
    ),
  );
  return {
    parts: parts.map(({ bar: { key }, category, box }) => ({ key, category, box })),
    marks: parts.map(({ bar, category, box }) => ({
      id: JSON.stringify([bar.key, category]),
      series: category,
      x: box.x + box.width / 2,
      y: box.y + box.height / 2,
      box,
      ...describeCategorySegment(bar, category),
      selection: { ...bar.selection, category },
    })),
  };
}

function describeCategorySegment(bar: CategoryBar, category: FailureCategory): { title: string; facts: TooltipFact[] } {
  const count = bar.counts[category] ?? 0;
  const facts: TooltipFact[] = [
    [category, `${formatCount(count)} (${formatShareOfTrials(count, bar.trials)})`],
    ["Trials", formatCount(bar.trials)],
  ];
  return {
    title: formatName(bar.name),
    facts: bar.createdAt === null ? facts : [...facts, ["Started", formatMoment(bar.createdAt)]],
  };
}

function formatShareOfTrials(count: number, trials: number): string {
  return trials === 0 ? "–" : formatShare(count / trials);
}

/** What the chart shows, or why it is empty. */
export function describeErrors(bars: readonly CategoryBar[], by: "run" | "system"): string {
  const trials = bars.reduce((sum, bar) => sum + bar.trials, 0);
  if (trials === 0) return "Nothing to show: no trial has ended yet.";
  const top = rankCategories(bars);
  const over = `${formatPlural(bars.length, by)} with ${formatCount(trials)} ${trials === 1 ? "trial" : "trials"}`;
  if (top.length === 0) return `Nothing went wrong in ${over}.`;
  const named = top
    .slice(0, 3)
    .map(({ category, count }) => `${category} (${formatCount(count)}, ${formatShareOfTrials(count, trials)})`);
  return `Over ${over}, the most frequent ${named.length === 1 ? "category is" : "categories are"} ${named.join(", ")}.`;
}

/** With a column for each category that occurred. */
export function buildErrorTable(bars: readonly CategoryBar[], by: "run" | "system"): ChartTableData {
  const categories = rankCategories(bars).map(({ category }) => category);
  const isByRun = by === "run";
  return {
    columns: [isByRun ? "Run" : "System", ...(isByRun ? ["Started"] : []), "Trials", ...categories],
    words: isByRun ? 2 : 1,
    rows: bars.map((bar) => [
      formatName(bar.name),
      ...(isByRun ? [formatMoment(bar.createdAt ?? "")] : []),
      formatCount(bar.trials),
      ...categories.map((category) => formatCount(bar.counts[category] ?? 0)),
    ]),
  };
}

type FailureCategory = Exclude<ErrorCategory, "none">;

/** A category looks the same in all charts; the type makes sure that none is missing. */
const CATEGORY_LOOKS: Readonly<Record<FailureCategory, { color: string; texture: Texture }>> = {
  logic_error: { color: "var(--series-8)", texture: "plain" },
  cost_killed: { color: "var(--series-2)", texture: "stripes" },
  time_killed: { color: "var(--series-5)", texture: "dots" },
  refused: { color: "var(--series-4)", texture: "plain" },
  truncated: { color: "var(--series-4)", texture: "bars" },
  api_error: { color: "var(--series-1)", texture: "plain" },
  rate_limit: { color: "var(--series-1)", texture: "stripes" },
  timeout: { color: "var(--series-3)", texture: "dots" },
  system_error: { color: "var(--series-7)", texture: "checks" },
  grader_error: { color: "var(--series-6)", texture: "bars" },
  skipped: { color: "var(--series-8)", texture: "dots" },
};

const FAILURE_CATEGORIES = Object.keys(CATEGORY_LOOKS) as readonly FailureCategory[];

/** One run, or one system over several runs. */
interface CategoryBar {
  readonly key: string;
  readonly name: string;
  /** Of a run; null for a system. */
  readonly createdAt: string | null;
  readonly trials: number;
  readonly counts: Readonly<Partial<Record<FailureCategory, number>>>;
  readonly selection: ChartSelection;
}

/** Oldest first. */
export function buildBarsByRun(runs: readonly RunCard[]): CategoryBar[] {
  return [...runs]
    .sort((a, b) => (a.createdAt < b.createdAt ? -1 : 1))
    .map((run) => ({
      key: run.id,
      name: run.title || run.id,
      createdAt: run.createdAt,
      ...sumCategories(run.systems),
      selection: { run: run.id },
    }));
}

export function buildBarsBySystem(runs: readonly RunCard[]): CategoryBar[] {
  const only = runs.length === 1 ? runs[0]?.id : undefined;
  const names = [...new Set(runs.flatMap(({ systems }) => systems.map(({ system }) => system)))];
  return names.map((system) => ({
    key: system,
    name: system,
    createdAt: null,
    ...sumCategories(runs.flatMap(({ systems }) => systems.filter((card) => card.system === system))),
    selection: only === undefined ? { system } : { run: only, system },
  }));
}

function sumCategories(cards: RunCard["systems"]): Pick<CategoryBar, "trials" | "counts"> {
  const counts: Partial<Record<FailureCategory, number>> = {};
  let trials = 0;
  for (const { outcomes, categories } of cards) {
    for (const count of Object.values(outcomes)) trials += count;
    for (const category of FAILURE_CATEGORIES) {
      const count = categories[category] ?? 0;
      if (count > 0) counts[category] = (counts[category] ?? 0) + count;
    }
  }
  return { trials, counts };
}

/** How often each category occurred in all bars, the most frequent first; without categories that did not occur. */
export function rankCategories(bars: readonly CategoryBar[]): { category: FailureCategory; count: number }[] {
  return FAILURE_CATEGORIES.map((category) => ({
    category,
    count: bars.reduce((sum, { counts }) => sum + (counts[category] ?? 0), 0),
  }))
    .filter(({ count }) => count > 0)
    .sort((a, b) => b.count - a.count);
}
