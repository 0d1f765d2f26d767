import { shown } from "../names.js";
import { shapePath } from "../plot/shapes.js";
import { Filled } from "../plot/textures.js";
import type { Shape } from "../series.js";

/** How an entry of a legend looks. */
type Glyph =
  | { kind: "mark"; colour: string; shape: Shape; area?: number; isHollow?: boolean }
  | { kind: "line"; colour: string; isDashed?: boolean; shape?: Shape }
  | { kind: "area"; colour: string; texture: string | null };

export interface LegendEntry {
  readonly name: string;
  readonly glyph: Glyph;
  /** Given when the entry can be switched off. */
  readonly isOn?: boolean;
}

interface LegendProps {
  entries: readonly LegendEntry[];
  onToggle?: ((name: string) => void) | undefined;
}

/** What the shapes and colours of a chart stand for. */
export function Legend({ entries, onToggle }: LegendProps) {
  return (
    <ul class="legend">
      {entries.map((entry) => (
        <li key={entry.name}>
          {entry.isOn === undefined || onToggle === undefined ? (
            <Entry entry={entry} />
          ) : (
            <button type="button" aria-pressed={entry.isOn} onClick={() => onToggle(entry.name)}>
              <Entry entry={entry} />
            </button>
          )}
        </li>
      ))}
    </ul>
  );
}

function Entry({ entry: { name, glyph } }: { entry: LegendEntry }) {
  return (
    <span class="entry" title={shown(name)}>
      <svg width={20} height={14} viewBox="-10 -7 20 14" aria-hidden="true">
        <Drawn glyph={glyph} />
      </svg>
      <span class="entryName" dir="auto">
        {shown(name)}
      </span>
    </span>
  );
}

function Drawn({ glyph }: { glyph: Glyph }) {
  const { colour } = glyph;
  if (glyph.kind === "mark")
    return (
      <path
        class={glyph.isHollow ? "mark hollow" : "mark"}
        d={shapePath(glyph.shape, glyph.area ?? 54)}
        fill={glyph.isHollow ? "var(--ground)" : colour}
        stroke={colour}
      />
    );
  if (glyph.kind === "area")
    return <Filled box={{ x: -8, y: -6, width: 16, height: 12 }} colour={colour} texture={glyph.texture} />;
  return (
    <>
      <line class={glyph.isDashed ? "curve dashed" : "curve"} x1={-10} x2={10} y1={0} y2={0} stroke={colour} />
      {glyph.shape !== undefined && <path class="mark" d={shapePath(glyph.shape, 40)} fill={colour} stroke={colour} />}
    </>
  );
}
