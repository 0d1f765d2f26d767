import { useId, useMemo, useState } from "preact/hooks";
import type { RunCard } from "../../../../src/report/dashboard/contract.js";
import { BottomAxis, LeftAxis } from "../axes/draw.js";
import { BarNames } from "../bars/names.js";
import { ChartFrame } from "../frame/frame.js";
import type { LegendEntry } from "../frame/legend.js";
import { Plot } from "../plot/plot.js";
import { getTextureUrl, TextureDefs, TexturedBox } from "../plot/textures.js";
import type { ChartProps } from "../props.js";
import {
  buildBarsByRun,
  buildBarsBySystem,
  CATEGORY_LOOKS,
  type CategoryBar,
  type FailureCategory,
  rankCategories,
} from "./categories.js";
import { type CategorySegment, computeErrorColumns, computeErrorRows } from "./layout.js";
import { buildErrorTable, describeErrors } from "./words.js";

interface ErrorsChartProps extends ChartProps {
  runs: readonly RunCard[];
  /** A bar for each run, in order of time, or for each system over all of the runs. */
  by?: "run" | "system" | undefined;
}

interface ErrorsPlotProps extends Pick<ErrorsChartProps, "onPick"> {
  bars: readonly CategoryBar[];
  categories: readonly FailureCategory[];
  width: number;
  words: string;
  prefix: string;
}

/**
 * What went wrong, by category, as shares of the trials: over runs, or system by system.
 * @example
 * <ErrorsChart runs={runs} onPick={({ run = "", category }) => navigate(["run", run], { category })} />
 */
export function ErrorsChart({ runs, by = "run", title = "Top error codes", onPick }: ErrorsChartProps) {
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
      onToggle={(name) => setHidden(toggleName(hidden, name))}
      notes={all.length > 1 ? ["A category of the legend can be switched off and on."] : []}
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
