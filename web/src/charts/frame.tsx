import type { ComponentChildren, RefObject } from "preact";
import { useId, useLayoutEffect, useRef, useState } from "preact/hooks";
import { buildShapePath, type Shape, TexturedBox } from "./looks.js";
import { formatName } from "./names.js";
import { buildFileName, buildPicture, renderPng, saveFile, serializePicture } from "./picture.js";

interface ChartFrameProps {
  title: string;
  words: string;
  table: () => ChartTableData;
  legend?: readonly LegendEntry[];
  onToggle?: (name: string) => void;
  /** What the drawing cannot show, such as systems without a position. */
  notes?: readonly string[];
  controls?: ComponentChildren;
  /** Draws at a width; null when there is nothing to draw, and `words` explains why. */
  children: ((width: number) => ComponentChildren) | null;
}

/** The frame of every chart: title, description, legend, table of the data, and downloads. */
export function ChartFrame({
  title,
  words,
  table,
  legend = [],
  onToggle,
  notes = [],
  controls,
  children,
}: ChartFrameProps) {
  const figure = useRef<HTMLElement>(null);
  const stage = useRef<HTMLDivElement>(null);
  const width = useWidth(stage);
  const [hasTable, setHasTable] = useState(false);
  const id = useId();
  return (
    <figure class="chart" ref={figure} aria-labelledby={`${id}-title`}>
      <figcaption>
        <h3 id={`${id}-title`}>{title}</h3>
      </figcaption>
      {children !== null && (
        <div class="tools">
          {controls}
          <button
            type="button"
            aria-expanded={hasTable}
            aria-controls={`${id}-table`}
            onClick={() => setHasTable(!hasTable)}
          >
            Table
          </button>
          <DownloadButtons figure={figure} title={title} />
        </div>
      )}
      <p class="words" dir="auto">
        {words}
      </p>
      <div class="stage" ref={stage}>
        {children !== null && width > 0 && children(width)}
      </div>
      {children !== null && legend.length > 0 && <Legend entries={legend} onToggle={onToggle} />}
      {notes.map((note) => (
        <p key={note} class="note" dir="auto">
          {note}
        </p>
      ))}
      {children !== null && hasTable && <ChartTable id={`${id}-table`} title={title} table={table()} />}
    </figure>
  );
}

export type AxisScale = "log" | "linear";

interface ScaleChoiceProps {
  /** Of the chart. */
  title: string;
  scale: AxisScale;
  onChange: (scale: AxisScale) => void;
}

/** For the `controls` of a chart. */
export function ScaleChoice({ title, scale, onChange }: ScaleChoiceProps) {
  return (
    <fieldset class="choice" aria-label={`Scale of ${title}`}>
      {(["log", "linear"] as const).map((choice) => (
        <button key={choice} type="button" aria-pressed={choice === scale} onClick={() => onChange(choice)}>
          {choice === "log" ? "Log" : "Linear"}
        </button>
      ))}
    </fieldset>
  );
}

type LegendGlyph =
  | { kind: "mark"; color: string; shape: Shape; area?: number; isHollow?: boolean }
  | { kind: "line"; color: string; isDashed?: boolean; shape?: Shape }
  | { kind: "area"; color: string; texture: string | null };

export interface LegendEntry {
  readonly name: string;
  readonly glyph: LegendGlyph;
  /** Set when the entry can be switched off. */
  readonly isOn?: boolean;
}

interface LegendProps {
  entries: readonly LegendEntry[];
  onToggle?: ((name: string) => void) | undefined;
}

function Legend({ entries, onToggle }: LegendProps) {
  return (
    <ul class="legend">
      {entries.map((entry) => (
        <li key={entry.name}>
          {entry.isOn === undefined || onToggle === undefined ? (
            <LegendItem entry={entry} />
          ) : (
            <button type="button" aria-pressed={entry.isOn} onClick={() => onToggle(entry.name)}>
              <LegendItem entry={entry} />
            </button>
          )}
        </li>
      ))}
    </ul>
  );
}

function LegendItem({ entry: { name, glyph } }: { entry: LegendEntry }) {
  return (
    <span class="entry" title={formatName(name)}>
      <svg width={20} height={14} viewBox="-10 -7 20 14" aria-hidden="true">
        <GlyphShape glyph={glyph} />
      </svg>
      <span class="entryName" dir="auto">
        {formatName(name)}
      </span>
    </span>
  );
}

function GlyphShape({ glyph }: { glyph: LegendGlyph }) {
  const { color } = glyph;
  if (glyph.kind === "mark")
    return (
      <path
        class={glyph.isHollow ? "mark hollow" : "mark"}
        d={buildShapePath(glyph.shape, glyph.area ?? 54)}
        fill={glyph.isHollow ? "var(--ground)" : color}
        stroke={color}
      />
    );
  if (glyph.kind === "area")
    return <TexturedBox box={{ x: -8, y: -6, width: 16, height: 12 }} color={color} texture={glyph.texture} />;
  return (
    <>
      <line class={glyph.isDashed ? "curve dashed" : "curve"} x1={-10} x2={10} y1={0} y2={0} stroke={color} />
      {glyph.shape !== undefined && (
        <path class="mark" d={buildShapePath(glyph.shape, 40)} fill={color} stroke={color} />
      )}
    </>
  );
}

/** The first column names the row. */
export interface ChartTableData {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
  /** How many columns from the left hold text; the others hold figures. Default: 1. */
  readonly words?: number;
}

interface ChartTableProps {
  id: string;
  title: string;
  table: ChartTableData;
}

/** Scrolls on its own, also with the keyboard. */
function ChartTable({ id, title, table: { columns, rows, words = 1 } }: ChartTableProps) {
  const getCellKind = (column: number) => (column < words ? "word" : "figure");
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard
    <section class="chartTable" id={id} aria-label={`${title}: table`} tabIndex={0}>
      <table>
        <caption>{title}</caption>
        <thead>
          <tr>
            {columns.map((column, place) => (
              <th key={column} scope="col" class={getCellKind(place)}>
                {column}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, index) => (
            <tr key={index}>
              {row.map((cell, place) =>
                place === 0 ? (
                  <th key={place} scope="row" class="word" dir="auto">
                    {cell}
                  </th>
                ) : (
                  <td key={place} class={getCellKind(place)}>
                    {cell}
                  </td>
                ),
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

const MIN_CHART_WIDTH = 240;

/** The width of an element in whole pixels, updated on resize; 0 before it is known. */
function useWidth(element: RefObject<HTMLElement | null>): number {
  const [width, setWidth] = useState(0);
  useLayoutEffect(() => {
    const box = element.current;
    if (box === null) return;
    const measure = () => setWidth(Math.max(Math.floor(box.clientWidth), MIN_CHART_WIDTH));
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(box);
    return () => observer.disconnect();
  }, [element]);
  return width;
}

interface DownloadButtonsProps {
  figure: RefObject<HTMLElement | null>;
  title: string;
}

function DownloadButtons({ figure, title }: DownloadButtonsProps) {
  const [problem, setProblem] = useState("");
  const download = async (kind: "svg" | "png") => {
    const picture = figure.current === null ? null : buildPicture(figure.current, title);
    if (picture === null) return;
    try {
      const svg = new Blob([serializePicture(picture)], { type: "image/svg+xml" });
      saveFile(kind === "svg" ? svg : await renderPng(svg, picture), `${buildFileName(title)}.${kind}`);
      setProblem("");
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error));
    }
  };
  return (
    <>
      <button type="button" aria-label={`Download SVG: ${title}`} onClick={() => void download("svg")}>
        SVG
      </button>
      <button type="button" aria-label={`Download PNG: ${title}`} onClick={() => void download("png")}>
        PNG
      </button>
      <span class="problem" role="status">
        {problem}
      </span>
    </>
  );
}
