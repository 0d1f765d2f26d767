import type { ComponentChildren, HTMLAttributes, TargetedEvent, TargetedKeyboardEvent } from "preact";
import { useId, useMemo, useRef, useState } from "preact/hooks";
import type { ErrorCategory, FacetValue } from "../../../src/core/row.js";

export interface PlotProps {
  width: number;
  height: number;
  /** For screen readers. */
  label: string;
  marks: readonly Mark[];
  onPick?: ((picked: ChartSelection) => void) | undefined;
  children?: ComponentChildren;
  /** Instead of `children`: draws with the series that is highlighted, if any. */
  draw?: (series: string | null) => ComponentChildren;
}

/** A drawing whose marks can be hovered, tapped, stepped through with arrow keys, and picked. */
export function Plot({ width, height, label, marks, onPick, children, draw }: PlotProps) {
  const tipId = useId();
  const { shownIndex, current, handlers } = useActiveMark(marks, onPick);
  const mark = shownIndex === null ? undefined : marks[shownIndex];
  const series = mark?.series ?? null;
  const drawing = useMemo(() => draw?.(series), [draw, series]);
  return (
    <div class="plot" {...handlers}>
      {/* Not role="img": the children of an image cannot be focused, and the marks can. */}
      {/* biome-ignore lint/a11y/useSemanticElements: a drawing holds no fieldset */}
      <svg
        class={mark?.selection !== undefined && onPick !== undefined ? "canPick" : undefined}
        width={width}
        height={height}
        viewBox={`0 0 ${width} ${height}`}
        role="group"
        aria-roledescription="chart"
        aria-label={label}
      >
        {children}
        {drawing}
        <MarkTargets
          marks={marks}
          current={current}
          canPick={onPick !== undefined}
          tipId={tipId}
          shown={mark?.id ?? null}
        />
      </svg>
      {mark !== undefined && (
        <Tooltip id={tipId} mark={mark} width={width} height={height} canPick={onPick !== undefined} />
      )}
    </div>
  );
}

type PlotHandlers = Pick<
  HTMLAttributes<HTMLDivElement>,
  "onPointerMove" | "onPointerLeave" | "onClick" | "onKeyDown" | "onFocusIn" | "onFocusOut"
>;

/** The mark under the pointer, else the focused one. */
function useActiveMark(marks: readonly Mark[], onPick: PlotProps["onPick"]) {
  const [hovered, setHovered] = useState<number | null>(null);
  const [focused, setFocused] = useState<number | null>(null);
  const [wanted, setCurrent] = useState(0);
  const tapped = useRef<number | null>(null);
  const current = Math.min(wanted, Math.max(marks.length - 1, 0));
  const pick = (index: number) => {
    const picked = marks[index]?.selection;
    if (picked !== undefined) onPick?.(picked);
  };
  const handlers: PlotHandlers = {
    onPointerMove: (event) => {
      if (event.pointerType !== "touch") setHovered(findMarkUnderPointer(marks, event));
    },
    onPointerLeave: (event) => {
      if (event.pointerType !== "touch") setHovered(null);
    },
    onClick: (event) => {
      const index = findClickedMark(marks, event);
      // A finger cannot hover: the first tap shows the tooltip, the second picks.
      const isFirstTap = event instanceof PointerEvent && event.pointerType === "touch" && tapped.current !== index;
      tapped.current = index;
      if (isFirstTap) setHovered(index);
      else if (index !== null) pick(index);
    },
    onKeyDown: (event) => {
      const index = findFocusedMark(event);
      if (index === null) return;
      if (event.key === "Enter" || event.key === " ") pick(index);
      else if (event.key === "Escape") blurMark(event, () => setHovered(null));
      else if (!focusMark(event, findNextMark(marks, index, event.key))) return;
      event.preventDefault();
    },
    onFocusIn: (event) => {
      const index = findFocusedMark(event);
      setFocused(index);
      setHovered(null);
      if (index !== null) setCurrent(index);
    },
    onFocusOut: () => setFocused(null),
  };
  return { shownIndex: hovered ?? focused, current, handlers };
}

function findMarkUnderPointer(marks: readonly Mark[], event: TargetedEvent<HTMLDivElement, MouseEvent>): number | null {
  if (event.target instanceof Element && event.target.closest(".line-name") !== null) return null;
  const { left, top } = event.currentTarget.getBoundingClientRect();
  const index = findNearestMark(marks, { x: event.clientX - left, y: event.clientY - top });
  return index === -1 ? null : index;
}

/** A click by keyboard or screen reader has no position: it means the focused mark. */
function findClickedMark(marks: readonly Mark[], event: TargetedEvent<HTMLDivElement, MouseEvent>): number | null {
  return event.detail === 0 ? findFocusedMark(event) : findMarkUnderPointer(marks, event);
}

export function findFocusedMark({ target }: Event): number | null {
  const place = target instanceof Element ? target.closest<SVGElement>("[data-mark]")?.dataset.mark : undefined;
  return place === undefined ? null : Number(place);
}

function blurMark({ target }: Event, hide: () => void): void {
  hide();
  if (target instanceof SVGElement) target.blur();
}

function focusMark({ currentTarget }: TargetedKeyboardEvent<HTMLDivElement>, index: number | null): boolean {
  if (index === null) return false;
  currentTarget.querySelector<SVGElement>(`[data-mark="${index}"]`)?.focus();
  return true;
}

interface MarkTargetsProps {
  marks: readonly Mark[];
  /** The mark that the tab key focuses. */
  current: number;
  canPick: boolean;
  tipId: string;
  /** The id of the mark whose tooltip is open. */
  shown: string | null;
}

/** Focusable elements for the marks; invisible except for a ring, and not part of a downloaded picture. */
function MarkTargets({ marks, current, canPick, tipId, shown }: MarkTargetsProps) {
  const targets = useMemo(
    () =>
      marks.map((mark, index) => (
        <g
          key={mark.id}
          class={mark.id === shown ? "target shown" : "target"}
          data-mark={index}
          tabindex={index === current ? 0 : -1}
          role={canPick && mark.selection !== undefined ? "button" : "img"}
          aria-label={describeMark(mark)}
          aria-describedby={mark.id === shown ? tipId : undefined}
        >
          <FocusRing mark={mark} />
        </g>
      )),
    [marks, current, canPick, tipId, shown],
  );
  return <g class="targets">{targets}</g>;
}

function FocusRing({ mark: { x, y, box } }: { mark: Mark }) {
  if (box === undefined) return <circle cx={x} cy={y} r={11} />;
  return <rect x={box.x} y={box.y} width={Math.max(box.width, 1)} height={Math.max(box.height, 1)} rx={2} />;
}

interface TooltipProps {
  id: string;
  mark: Mark;
  width: number;
  height: number;
  canPick: boolean;
}

const TOOLTIP_GAP = 14;
const MAX_TOOLTIP_WIDTH = 320;

/** Shown beside a mark, on the side with more space. */
function Tooltip({ id, mark, width, height, canPick }: TooltipProps) {
  return (
    <div class="tooltip" role="tooltip" id={id} style={computeTooltipStyle(mark, width, height)}>
      <strong dir="auto">{mark.title}</strong>
      <dl>
        {mark.facts.map(([label, value]) => (
          <div key={label}>
            <dt>{label}</dt>
            <dd dir="auto">{value}</dd>
          </div>
        ))}
      </dl>
      {canPick && mark.selection !== undefined && <p>Click or press Enter for the rows behind it.</p>}
    </div>
  );
}

function computeTooltipStyle({ x, y }: Mark, width: number, height: number) {
  const isLeft = x > width / 2;
  const room = (isLeft ? x : width - x) - TOOLTIP_GAP;
  return {
    maxWidth: `${Math.round(Math.min(Math.max(room, 150), MAX_TOOLTIP_WIDTH))}px`,
    ...(isLeft ? { right: `${Math.round(width - x + TOOLTIP_GAP)}px` } : { left: `${Math.round(x + TOOLTIP_GAP)}px` }),
    ...(y > height / 2
      ? { bottom: `${Math.round(height - y + TOOLTIP_GAP)}px` }
      : { top: `${Math.round(y + TOOLTIP_GAP)}px` }),
  };
}

/** Such as `["Cost", "$0.02"]`. */
export type TooltipFact = readonly [label: string, value: string];

export interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** Something in a chart that can be hovered, focused and picked. */
export interface Mark {
  readonly id: string;
  /** Left and right step through the marks of a series, up and down through the series. */
  readonly series: string;
  readonly x: number;
  readonly y: number;
  /** Its extent, unless it is a point. */
  readonly box?: Box;
  readonly title: string;
  readonly facts: readonly TooltipFact[];
  readonly selection?: ChartSelection;
}

/** For screen readers. */
export function describeMark({ title, facts }: Mark): string {
  return [title, ...facts.map(([label, value]) => `${label} ${value}`)].join(", ");
}

interface PointerPosition {
  x: number;
  y: number;
}

/** In pixels. */
const MAX_POINTER_DISTANCE = 26;

/** The index of the mark that contains the pointer, or of the nearest one; -1 when none is near. */
export function findNearestMark(marks: readonly Mark[], place: PointerPosition): number {
  let [nearest, least] = [-1, MAX_POINTER_DISTANCE];
  for (const [index, mark] of marks.entries()) {
    const distance = measureDistance(mark, place);
    if (distance < least) [nearest, least] = [index, distance];
  }
  return nearest;
}

function measureDistance({ x, y, box }: Mark, place: PointerPosition): number {
  if (box === undefined) return Math.hypot(x - place.x, y - place.y);
  const across = Math.max(box.x - place.x, 0, place.x - box.x - box.width);
  const down = Math.max(box.y - place.y, 0, place.y - box.y - box.height);
  return Math.hypot(across, down) * 4;
}

/** Where an arrow key leads from a mark: the same mark at an end, null for other keys. */
export function findNextMark(marks: readonly Mark[], from: number, key: string): number | null {
  const last = marks.length - 1;
  if (key === "ArrowRight") return Math.min(from + 1, last);
  if (key === "ArrowLeft") return Math.max(from - 1, 0);
  if (key === "Home") return 0;
  if (key === "End") return last;
  if (key === "ArrowDown") return findMarkInNextSeries(marks, from, 1);
  return key === "ArrowUp" ? findMarkInNextSeries(marks, from, -1) : null;
}

/** The mark nearest in x of the next or previous series; the next mark when there is only one series. */
function findMarkInNextSeries(marks: readonly Mark[], from: number, step: 1 | -1): number {
  const mark = marks[from];
  const names = [...new Set(marks.map(({ series }) => series))];
  if (mark === undefined || names.length < 2) return Math.min(Math.max(from + step, 0), marks.length - 1);
  const wanted = names[names.indexOf(mark.series) + step];
  let [best, least] = [from, Number.POSITIVE_INFINITY];
  for (const [index, { series, x }] of marks.entries()) {
    const distance = Math.abs(x - mark.x);
    if (series === wanted && distance < least) [best, least] = [index, distance];
  }
  return best;
}

/** What was picked in a chart: it stands for the rows that match all of these. */
export interface ChartSelection {
  run?: string;
  system?: string;
  dataset?: string;
  category?: ErrorCategory;
  /** Such as `{ depth: 0.5, length: 4096 }`. */
  facets?: Readonly<Record<string, FacetValue>>;
  /** In seconds. */
  latency?: { readonly from: number; readonly to: number };
}

/** The properties of all charts besides their data. */
export interface ChartProps {
  /** Replaces the title of the chart. */
  title?: string | undefined;
  /** Every system of the page, so that each has the same color in all charts. Default: those of the data. */
  systems?: readonly string[] | undefined;
  /** Called when a mark is clicked, or picked with Enter. */
  onPick?: ((picked: ChartSelection) => void) | undefined;
}
