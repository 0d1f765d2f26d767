import type { ComponentChildren, HTMLAttributes, TargetedEvent, TargetedKeyboardEvent } from "preact";
import { useRef, useState } from "preact/hooks";
import { formatPlural } from "../ui/index.js";
import type { AxisView, InvertibleAxis, PlotArea } from "./axes.js";
import { type Box, findFocusedMark, type Mark, Plot, type PlotProps } from "./plot.js";

/** The part of a chart that is shown, in values: it stays when the scale changes. */
export interface ChartView {
  readonly x: AxisView;
  readonly y: AxisView;
}

interface ZoomablePlotProps extends PlotProps {
  /** Of the chart. */
  title: string;
  area: PlotArea;
  x: InvertibleAxis;
  y: InvertibleAxis;
  /** The views that the reader zoomed through; the last one is shown. */
  views: readonly ChartView[];
  onChange: (views: readonly ChartView[]) => void;
  /** Selects all of the height, as for times. */
  isHorizontal?: boolean;
}

/** A plot with zoom: drag a rectangle, use the buttons, or press +, − and 0 at a mark. */
export function ZoomablePlot({ title, area, x, y, views, onChange, isHorizontal, ...plot }: ZoomablePlotProps) {
  const zoomInButton = useRef<HTMLButtonElement>(null);
  const zoomTo = (box: Box) => {
    const view = computeView(box, { x, y });
    if (view !== null) onChange([...views, view]);
  };
  const zoomIn = (mark: Mark | undefined) => zoomTo(computeHalfBox(area, mark));
  /** The buttons that are gone or disabled without zoom would take the focus with them. */
  const show = (kept: readonly ChartView[]) => {
    onChange(kept);
    if (kept.length === 0) zoomInButton.current?.focus();
  };
  const drag = useDragBox({ area, isHorizontal: isHorizontal === true }, zoomTo);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the buttons below do the same
    <div
      class="zoomable"
      {...drag.handlers}
      onKeyDown={(event) => {
        const step = findZoomStep(event);
        if (step === null) return;
        event.preventDefault();
        if (step === "in") zoomIn(plot.marks[findFocusedMark(event) ?? -1]);
        else onChange(step === "out" ? views.slice(0, -1) : []);
      }}
    >
      <Plot {...plot} />
      {drag.box !== null && <div class="drag-box" style={formatBoxStyle(drag.box)} />}
      <div class="zoom-tools">
        <button
          type="button"
          ref={zoomInButton}
          aria-label={`Zoom in: ${title}`}
          onClick={() => zoomIn(findMiddleMark(plot.marks, area))}
        >
          +
        </button>
        <button
          type="button"
          aria-label={`Zoom out: ${title}`}
          disabled={views.length === 0}
          onClick={() => show(views.slice(0, -1))}
        >
          −
        </button>
        {views.length > 0 && (
          <button type="button" onClick={() => show([])}>
            Reset zoom
          </button>
        )}
        <span class={views.length === 0 ? "zoom-hint" : undefined} role="status">
          {views.length === 0 ? "Drag to zoom" : `${formatPlural(plot.marks.length, "point")} in view`}
        </span>
      </div>
    </div>
  );
}

/** Lines that lead out of the area are cut there after zooming in. */
export function ClippedToArea({
  area: { left, right, top, bottom },
  isZoomed,
  children,
}: {
  area: PlotArea;
  isZoomed: boolean;
  children: ComponentChildren;
}) {
  if (!isZoomed) return <g>{children}</g>;
  const box = { x: left, y: top, width: right - left, height: bottom - top };
  return (
    <svg {...box} viewBox={`${left} ${top} ${box.width} ${box.height}`} aria-hidden="true">
      {children}
    </svg>
  );
}

export function isInsideArea({ x, y }: Position, { left, right, top, bottom }: PlotArea): boolean {
  return x >= left - 0.5 && x <= right + 0.5 && y >= top - 0.5 && y <= bottom + 0.5;
}

interface Position {
  x: number;
  y: number;
}

const ZOOM_KEYS: Readonly<Record<string, "in" | "out" | "all">> = { "+": "in", "=": "in", "-": "out", "0": "all" };

function findZoomStep({ key, ctrlKey, metaKey, altKey }: TargetedKeyboardEvent<HTMLDivElement>) {
  return ctrlKey || metaKey || altKey ? null : (ZOOM_KEYS[key] ?? null);
}

/** In pixels. A shorter drag is a click. */
const MIN_DRAG = 8;

interface DragOptions {
  area: PlotArea;
  isHorizontal: boolean;
}

/** The rectangle that the pointer draws. Fingers scroll the page instead. */
function useDragBox({ area, isHorizontal }: DragOptions, onSelect: (box: Box) => void) {
  const start = useRef<Position | null>(null);
  const hasDragged = useRef(false);
  const [box, setBox] = useState<Box | null>(null);
  const finish = () => {
    start.current = null;
    setBox(null);
  };
  const handlers: HTMLAttributes<HTMLDivElement> = {
    onPointerDown: (event) => {
      hasDragged.current = false;
      const isOnPlot = event.target instanceof Element && event.target.closest(".plot") !== null;
      if (event.button === 0 && event.pointerType !== "touch" && isOnPlot) start.current = getPosition(event);
    },
    onPointerMove: (event) => {
      const [from, to] = [start.current, getPosition(event)];
      if (from === null) return;
      if (!hasDragged.current && Math.hypot(to.x - from.x, to.y - from.y) < MIN_DRAG) return;
      // Not before: the click of a captured pointer would not reach the marks.
      if (!hasDragged.current) event.currentTarget.setPointerCapture(event.pointerId);
      hasDragged.current = true;
      setBox(spanBox([from, to], { area, isHorizontal }));
    },
    onPointerUp: () => {
      finish();
      if (box !== null) onSelect(box);
    },
    onPointerCancel: finish,
    onClickCapture: (event) => {
      if (hasDragged.current) event.stopPropagation();
      hasDragged.current = false;
    },
  };
  return { box, handlers };
}

function getPosition({ currentTarget, clientX, clientY }: TargetedEvent<HTMLDivElement, MouseEvent>): Position {
  const { left, top } = currentTarget.getBoundingClientRect();
  return { x: clientX - left, y: clientY - top };
}

/** A narrow rectangle means all of the width, and a flat one all of the height. */
export function spanBox([from, to]: readonly [Position, Position], { area, isHorizontal }: DragOptions): Box {
  const [x, right] = spanSide([from.x, to.x], [area.left, area.right]);
  const [y, bottom] = isHorizontal ? [area.top, area.bottom] : spanSide([from.y, to.y], [area.top, area.bottom]);
  return { x, y, width: right - x, height: bottom - y };
}

function spanSide([a, b]: readonly [number, number], [low, high]: readonly [number, number]): [number, number] {
  const [start, end] = [Math.max(Math.min(a, b), low), Math.min(Math.max(a, b), high)];
  return end - start < MIN_DRAG ? [low, high] : [start, end];
}

/** Half the width and height of an area, around a mark or the middle. */
export function computeHalfBox({ left, right, top, bottom }: PlotArea, mark: Position | undefined): Box {
  const [width, height] = [(right - left) / 2, (bottom - top) / 2];
  const center = mark ?? { x: left + width, y: top + height };
  return {
    x: Math.min(Math.max(center.x - width / 2, left), right - width),
    y: Math.min(Math.max(center.y - height / 2, top), bottom - height),
    width,
    height,
  };
}

/** So that zooming in with a button never shows an empty chart. */
function findMiddleMark(marks: readonly Mark[], { left, right, top, bottom }: PlotArea): Mark | undefined {
  const measure = ({ x, y }: Mark) => Math.hypot(x - (left + right) / 2, y - (top + bottom) / 2);
  return [...marks].sort((a, b) => measure(a) - measure(b))[0];
}

/** Numbers nearer than this, relative to their size, cannot be told apart on an axis. */
const MIN_VIEW_SHARE = 1e-6;

/** The values in a box; null when it is too small to draw. */
export function computeView(box: Box, { x, y }: { x: InvertibleAxis; y: InvertibleAxis }): ChartView | null {
  const view: ChartView = {
    x: [x.toValue(box.x), x.toValue(box.x + box.width)],
    y: [y.toValue(box.y + box.height), y.toValue(box.y)],
  };
  const canDraw = [view.x, view.y].every(
    ([low, high]) => high - low > MIN_VIEW_SHARE * Math.max(Math.abs(low), Math.abs(high)),
  );
  return canDraw ? view : null;
}

function formatBoxStyle({ x, y, width, height }: Box) {
  return { left: `${x}px`, top: `${y}px`, width: `${width}px`, height: `${height}px` };
}
