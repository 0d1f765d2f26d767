import { useVirtualizer } from "@tanstack/react-virtual";
import { useEffect, useId, useRef, useState } from "preact/hooks";
import type { SortOrder } from "../../../ui/index.js";
import { cellId } from "./cell-id.js";
import type { GridColumn } from "./grid-columns.js";
import { sortedByHead } from "./grid-head.js";
import { type GridPosition, movedBy } from "./grid-position.js";

export interface GridUse {
  readonly places: Uint32Array;
  readonly columns: readonly GridColumn[];
  readonly order: SortOrder;
  readonly onOrder: (order: SortOrder) => void;
  readonly hrefOf: (place: number) => string;
}

const ROW_HEIGHT = 32;
const HEAD_HEIGHT = 36;
/** Rows that are drawn above and below those in sight. */
const BESIDE = 3;

/** How a grid scrolls, where the keyboard is in it, and what keys and clicks do. */
export function useGrid({ places, columns, order, onOrder, hrefOf }: GridUse) {
  const id = useId();
  const scroller = useRef<HTMLDivElement>(null);
  const [active, setActive] = useState<GridPosition>(() => ({ row: keptRow(places.length), column: 0 }));
  const virtualizer = useVirtualizer<HTMLDivElement, HTMLDivElement>({
    count: places.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_HEIGHT,
    overscan: BESIDE,
    scrollPaddingStart: HEAD_HEIGHT,
    initialOffset: Math.max(0, active.row - 3) * ROW_HEIGHT,
  });
  const at = { row: Math.min(active.row, places.length - 1), column: Math.min(active.column, columns.length - 1) };
  useSideways(cellId(id, at.row, at.column), at.column);
  const open = (index: number) => {
    keepRow(index);
    location.hash = hrefOf(places[index] ?? 0);
  };
  const choose = () => {
    const column = columns[at.column];
    if (at.row >= 0) open(at.row);
    else if (column !== undefined) onOrder(sortedByHead(order, column));
  };
  const move = (key: string): boolean => {
    const page = Math.max(1, Math.floor((scroller.current?.clientHeight ?? 0) / ROW_HEIGHT) - 2);
    const moved = movedBy(key, at, { rows: places.length, columns: columns.length, page });
    if (moved === null) return false;
    setActive(moved);
    virtualizer.scrollToIndex(Math.max(moved.row, 0), { align: "auto" });
    return true;
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.altKey || event.ctrlKey || event.metaKey || event.target !== event.currentTarget) return;
    if (event.key === "Enter") choose();
    else if (!move(event.key)) return;
    event.preventDefault();
  };
  return { id, scroller, virtualizer, at, onKeyDown, onClick: (event: MouseEvent) => clicked(event, open) };
}

/** Up and down is the virtualizer's, which knows rows that are not drawn; sideways is the browser's. */
function useSideways(activeId: string, column: number): void {
  useEffect(() => {
    if (column > 0) document.getElementById(activeId)?.scrollIntoView({ block: "nearest", inline: "nearest" });
    else document.getElementById(activeId)?.closest(".grid")?.scrollTo({ left: 0 });
  }, [column]);
}

/** A click anywhere on a row opens it, unless a text was being selected; links go by themselves. */
function clicked(event: MouseEvent, open: (index: number) => void): void {
  const target = event.target as Element;
  const index = Number(target.closest<HTMLElement>("[data-index]")?.dataset.index ?? -1);
  if (index < 0) return;
  if (target.closest("a") !== null) keepRow(index);
  else if (getSelection()?.isCollapsed !== false) open(index);
}

/** Which row was opened is kept with the step of the history, so that the way back leads to it. */
function keepRow(row: number): void {
  history.replaceState({ row }, "");
}

function keptRow(rows: number): number {
  const { row } = (history.state ?? {}) as { row?: unknown };
  return typeof row === "number" && row < rows ? row : 0;
}
