import type { ComponentChildren } from "preact";
import { useId, useRef, useState } from "preact/hooks";
import { DownloadButtons } from "./downloads.js";
import { Legend, type LegendEntry } from "./legend.js";
import { ChartTable, type ChartTableData } from "./table.js";
import { useWidth } from "./use-width.js";

interface ChartFrameProps {
  title: string;
  /** What the data show, in a sentence or two. */
  words: string;
  /** Called when the table is opened. */
  table: () => ChartTableData;
  legend?: readonly LegendEntry[];
  onToggle?: (name: string) => void;
  /** What the drawing cannot show, such as systems without a place. */
  notes?: readonly string[];
  controls?: ComponentChildren;
  /** Draws in a width; null when there is nothing to draw, and `words` say why. */
  children: ((width: number) => ComponentChildren) | null;
}

/** What is around every chart: title, words, legend, the same data as a table, and downloads. */
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
        <p class="words" dir="auto">
          {words}
        </p>
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
