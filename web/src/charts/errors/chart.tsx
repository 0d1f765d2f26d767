import { useId, useMemo, useState } from "preact/hooks";
import type { RunCard } from "../../../../src/report/dashboard/contract.js";
import { AxisBelow, AxisLeft } from "../axes/draw.js";
import { RowNames } from "../bars/names.js";
import { ChartFrame } from "../frame/frame.js";
import type { LegendEntry } from "../frame/legend.js";
import { Plot } from "../plot/plot.js";
import { Filled, TextureDefs, textureUrl } from "../plot/textures.js";
import type { ChartProps } from "../props.js";
import { barsByRun, barsBySystem, FAULT_LOOKS, type Fault, type FaultBar, topFaults } from "./categories.js";
import { type FaultPart, layoutFaultColumns, layoutFaultRows } from "./layout.js";
import { errorTable, errorWords } from "./words.js";

interface Props extends ChartProps {
  runs: readonly RunCard[];
  /** A bar for each run, in order of time, or for each system over all of the runs. */
  by?: "run" | "system" | undefined;
}

interface DrawnProps extends Pick<Props, "onPick"> {
  bars: readonly FaultBar[];
  faults: readonly Fault[];
  width: number;
  words: string;
  prefix: string;
}

/**
 * What went wrong, by category, as shares of the trials: over runs, or system by system.
 * @example
 * <ErrorsChart runs={runs} onPick={({ run = "", category }) => goTo(["run", run], { category })} />
 */
export function ErrorsChart({ runs, by = "run", title = "Top error codes", onPick }: Props) {
  const prefix = useId();
  const bars = useMemo(() => (by === "run" ? barsByRun(runs) : barsBySystem(runs)), [runs, by]);
  const [hidden, setHidden] = useState<ReadonlySet<string>>(new Set());
  const all = useMemo(() => topFaults(bars).map(({ fault }) => fault), [bars]);
  const faults = useMemo(() => all.filter((fault) => !hidden.has(fault)), [all, hidden]);
  const words = errorWords(bars, by);
  const Drawn = by === "run" ? Columns : Rows;
  return (
    <ChartFrame
      title={title}
      words={words}
      table={() => errorTable(bars, by)}
      legend={all.map((fault) => entryOf(fault, { prefix, isOn: !hidden.has(fault) }))}
      onToggle={(name) => setHidden(toggled(hidden, name))}
      notes={all.length > 1 ? ["A category of the legend can be switched off and on."] : []}
    >
      {all.length === 0
        ? null
        : (width) => (
            <Drawn
              bars={bars}
              faults={faults}
              width={width}
              words={`${title}. ${words}`}
              prefix={prefix}
              onPick={onPick}
            />
          )}
    </ChartFrame>
  );
}

function toggled(names: ReadonlySet<string>, name: string): ReadonlySet<string> {
  const changed = new Set(names);
  if (!changed.delete(name)) changed.add(name);
  return changed;
}

function entryOf(fault: Fault, { prefix, isOn }: { prefix: string; isOn: boolean }): LegendEntry {
  const { colour, texture } = FAULT_LOOKS[fault];
  return { name: fault, glyph: { kind: "area", colour, texture: textureUrl(prefix, texture) }, isOn };
}

function Columns({ bars, faults, width, words, prefix, onPick }: DrawnProps) {
  const layout = useMemo(() => layoutFaultColumns(bars, faults, width), [bars, faults, width]);
  const { height, area, y, ticks, parts, marks, hidden } = layout;
  const when = hidden > 0 ? `runs in order of time, without the oldest ${hidden} →` : "runs in order of time →";
  const drawing = useMemo(
    () => (
      <>
        <TextureDefs prefix={prefix} />
        <AxisLeft axis={y} area={area} label="↑ share of trials" />
        <Parts parts={parts} prefix={prefix} />
        <AxisBelow
          axis={{ lane: null, place: (value) => value, ticks }}
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

function Rows({ bars, faults, width, words, prefix, onPick }: DrawnProps) {
  const layout = useMemo(() => layoutFaultRows(bars, faults, width), [bars, faults, width]);
  const { rows, x, parts, marks } = layout;
  const drawing = useMemo(
    () => (
      <>
        <TextureDefs prefix={prefix} />
        <AxisBelow axis={x} area={rows} label="share of trials →" />
        <RowNames rows={rows} />
        <Parts parts={parts} prefix={prefix} />
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

function Parts({ parts, prefix }: { parts: readonly FaultPart[]; prefix: string }) {
  return (
    <g class="stack">
      {parts.map(({ key, fault, box }) => {
        const { colour, texture } = FAULT_LOOKS[fault];
        return (
          <Filled key={JSON.stringify([key, fault])} box={box} colour={colour} texture={textureUrl(prefix, texture)} />
        );
      })}
    </g>
  );
}
