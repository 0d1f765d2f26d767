import type { ComponentChildren, HTMLAttributes, TargetedEvent, TargetedKeyboardEvent } from "preact";
import { useId, useMemo, useRef, useState } from "preact/hooks";
import type { ChartSelection } from "../props.js";
import { findNearestMark, findNextMark, type Mark } from "./mark.js";
import { MarkTargets } from "./targets.js";
import { Tooltip } from "./tooltip.js";

interface PlotProps {
  width: number;
  height: number;
  /** What is drawn, for those who hear it. */
  label: string;
  marks: readonly Mark[];
  onPick?: ((picked: ChartSelection) => void) | undefined;
  children?: ComponentChildren;
  /** In place of `children`: the drawing while a mark of a series is shown, or none. */
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
      {/* Not role="img": what is inside of an image cannot be reached, and the marks can. */}
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

/** Which mark is shown: the one under the pointer, else the one with the focus. */
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
      // A finger cannot hover: the first tap shows, the second picks.
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
  const { left, top } = event.currentTarget.getBoundingClientRect();
  const index = findNearestMark(marks, { x: event.clientX - left, y: event.clientY - top });
  return index === -1 ? null : index;
}

/** A click made by a keyboard or a screen reader has no place: it means the mark it was sent to. */
function findClickedMark(marks: readonly Mark[], event: TargetedEvent<HTMLDivElement, MouseEvent>): number | null {
  return event.detail === 0 ? findFocusedMark(event) : findMarkUnderPointer(marks, event);
}

function findFocusedMark({ target }: Event): number | null {
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
