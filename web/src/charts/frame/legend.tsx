import { formatName } from "../names.js";
import { buildShapePath } from "../plot/shapes.js";
import { TexturedBox } from "../plot/textures.js";
import type { Shape } from "../series.js";

/** How an entry of a legend looks. */
type LegendGlyph =
  | { kind: "mark"; color: string; shape: Shape; area?: number; isHollow?: boolean }
  | { kind: "line"; color: string; isDashed?: boolean; shape?: Shape }
  | { kind: "area"; color: string; texture: string | null };

export interface LegendEntry {
  readonly name: string;
  readonly glyph: LegendGlyph;
  /** Given when the entry can be switched off. */
  readonly isOn?: boolean;
}

interface LegendProps {
  entries: readonly LegendEntry[];
  onToggle?: ((name: string) => void) | undefined;
}

/** What the shapes and colors of a chart stand for. */
export function Legend({ entries, onToggle }: LegendProps) {
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
