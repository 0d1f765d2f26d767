import { ARIA_HIDDEN, type PlotArea } from "./axes.js";
import { buildShapePath, type SeriesLook } from "./looks.js";
import { estimateTextWidth, formatName, truncateName } from "./names.js";

/** Where a line ends. */
export interface LineEnd {
  readonly name: string;
  readonly text: string;
  readonly x: number;
  readonly y: number;
}

export interface PlacedLineLabel extends LineEnd {
  readonly labelX: number;
  readonly labelY: number;
  readonly width: number;
  /** From the end of the line, unless the label is right beside it. */
  readonly leader: string | null;
}

const LABEL_HEIGHT = 15;
const MAX_LABEL_WIDTH = 190;
const MAX_LABEL_SHARE = 0.32;
const LABEL_GAP = 8;
/** The mark in front of a name. */
const GLYPH_WIDTH = 14;

/** The texts cut to the room beside a chart. */
export function fitLineLabels(texts: readonly string[], width: number): string[] {
  const room = Math.min(MAX_LABEL_WIDTH, width * MAX_LABEL_SHARE) - GLYPH_WIDTH;
  return texts.map((text) => truncateName(text, room));
}

/** As wide as the widest label. */
export function measureLabelMargin(texts: readonly string[]): number {
  return LABEL_GAP + GLYPH_WIDTH + Math.max(0, ...texts.map(estimateTextWidth)) + 4;
}

/** How high a plot area must be to name so many lines. */
export function computeLabelsHeight(count: number): number {
  return count * LABEL_HEIGHT;
}

/** Labels at the right of the area, as near as possible to the ends of their lines without overlapping. */
export function placeLineLabels(ends: readonly LineEnd[], area: PlotArea): PlacedLineLabel[] {
  const sorted = [...ends].sort((a, b) => a.y - b.y);
  const places = spreadApart(
    sorted.map(({ y }) => y),
    { gap: LABEL_HEIGHT, from: area.top, to: area.bottom },
  );
  return sorted.map((end, index) => {
    const labelX = area.right + LABEL_GAP;
    const labelY = places[index] ?? end.y;
    const isBeside = Math.abs(labelY - end.y) < 3 && area.right - end.x < MAX_BESIDE_DISTANCE;
    const leader = `M${round(end.x + 6)},${round(end.y)}L${round(Math.max(area.right - 4, end.x + 6))},${round(end.y)}L${labelX - 2},${round(labelY)}`;
    return {
      ...end,
      labelX,
      labelY,
      width: GLYPH_WIDTH + estimateTextWidth(end.text),
      leader: isBeside ? null : leader,
    };
  });
}

const MAX_BESIDE_DISTANCE = 40;

function round(value: number): number {
  return Math.round(value * 10) / 10;
}

interface Spread {
  gap: number;
  from: number;
  to: number;
}

/** Moves sorted places apart, as many up as down, and into a range. */
export function spreadApart(sorted: readonly number[], { gap, from, to }: Spread): number[] {
  const down = [...sorted];
  const up = [...sorted];
  for (let index = 1; index < down.length; index++)
    down[index] = Math.max(down[index] ?? 0, (down[index - 1] ?? 0) + gap);
  for (let index = up.length - 2; index >= 0; index--) up[index] = Math.min(up[index] ?? 0, (up[index + 1] ?? 0) - gap);
  const last = sorted.length - 1;
  return sorted.map((_, index) => {
    const middle = ((down[index] ?? 0) + (up[index] ?? 0)) / 2;
    return Math.max(Math.min(middle, to - (last - index) * gap), from + index * gap);
  });
}

interface LineLabelsProps {
  labels: readonly PlacedLineLabel[];
  getLook: (name: string) => SeriesLook;
  /** The line that is highlighted, if any. */
  active: string | null;
  /** Called when a name is pressed: shows only its line, or all again. Default: names cannot be pressed. */
  onIsolate?: ((name: string) => void) | undefined;
}

/** The names of lines at their ends, instead of a legend. */
export function LineLabels({ labels, getLook, active, onIsolate }: LineLabelsProps) {
  return (
    <g class="names line-names">
      {labels.map((label) => (
        <g key={label.name} class={active === null || active === label.name ? undefined : "behind"}>
          {label.leader !== null && <path class="leader" d={label.leader} />}
          {onIsolate === undefined ? (
            <LineLabel label={label} look={getLook(label.name)} />
          ) : (
            // biome-ignore lint/a11y/useSemanticElements: a drawing holds no button
            <g
              class="line-name"
              role="button"
              tabindex={0}
              aria-pressed={labels.length === 1}
              aria-label={describeLabel(label)}
              onClick={() => onIsolate(label.name)}
              onKeyDown={(event) => {
                if (event.key !== "Enter" && event.key !== " ") return;
                event.preventDefault();
                onIsolate(label.name);
              }}
            >
              <LineLabel label={label} look={getLook(label.name)} />
            </g>
          )}
        </g>
      ))}
    </g>
  );
}

/** Begins with what is visible, so that it can be said to a computer that listens. */
function describeLabel({ name, text }: LineEnd): string {
  const full = formatName(name);
  return `Isolate ${text === full ? full : `${text}, ${full}`}`;
}

function LineLabel({
  label: { name, text, labelX, labelY, width },
  look,
}: {
  label: PlacedLineLabel;
  look: SeriesLook;
}) {
  return (
    <g {...ARIA_HIDDEN}>
      <title>{formatName(name)}</title>
      <rect class="room" x={labelX} y={labelY - LABEL_HEIGHT / 2} width={width + 3} height={LABEL_HEIGHT} rx={3} />
      <path
        class="mark"
        transform={`translate(${labelX + 6},${labelY})`}
        d={buildShapePath(look.shape, 36)}
        fill={look.color}
        stroke={look.color}
      />
      <text x={labelX + GLYPH_WIDTH} y={labelY} dy="0.32em">
        {text}
      </text>
    </g>
  );
}
