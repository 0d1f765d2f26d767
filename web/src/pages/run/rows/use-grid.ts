import { useVirtualizer } from "@tanstack/react-virtual";
import { useEffect, useId, useRef, useState } from "preact/hooks";
import type { SortOrder } from "../../../ui/index.js";
import { buildCellId } from "./cell-id.js";
import type { GridColumn } from "./grid-columns.js";
import { toggleColumnOrder } from "./grid-head.js";
import { type GridPosition, moveInGrid } from "./grid-position.js";

export interface GridOptions {
  readonly places: Uint32Array;
  readonly columns: readonly GridColumn[];
  readonly order: SortOrder;
  readonly onOrder: (order: SortOrder) => void;
  readonly getHref: (place: number) => string;
}

const GRID_ROW_HEIGHT = 32;
const GRID_HEAD_HEIGHT = 36;
/** Rows that are drawn above and below those in sight. */
const GRID_OVERSCAN_ROWS = 3;

/** How a grid scrolls, where the keyboard is in it, and what keys and clicks do. */
export function useGrid({ places, columns, order, onOrder, getHref }: GridOptions) {
  const id = useId();
  const scroller = useRef<HTMLDivElement>(null);
  const [active, setActive] = useState<GridPosition>(() => ({ row: restoreOpenedRow(places.length), column: 0 }));
  const virtualizer = useVirtualizer<HTMLDivElement, HTMLDivElement>({
    count: places.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => GRID_ROW_HEIGHT,
    overscan: GRID_OVERSCAN_ROWS,
    scrollPaddingStart: GRID_HEAD_HEIGHT,
    initialOffset: Math.max(0, active.row - 3) * GRID_ROW_HEIGHT,
  });
  const at = { row: Math.min(active.row, places.length - 1), column: Math.min(active.column, columns.length - 1) };
  useHorizontalScroll(buildCellId(id, at.row, at.column), at.column);
  const open = (index: number) => {
    saveOpenedRow(index);
    location.hash = getHref(places[index] ?? 0);
  };
  const choose = () => {
    const column = columns[at.column];
    if (at.row >= 0) open(at.row);
    else if (column !== undefined) onOrder(toggleColumnOrder(order, column));
  };
  const move = (key: string): boolean => {
    const page = Math.max(1, Math.floor((scroller.current?.clientHeight ?? 0) / GRID_ROW_HEIGHT) - 2);
    const moved = moveInGrid(key, at, { rows: places.length, columns: columns.length, page });
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
  return { id, scroller, virtualizer, at, onKeyDown, onClick: (event: MouseEvent) => handleRowClick(event, open) };
}

/** Up and down is the virtualizer's, which knows rows that are not drawn; sideways is the browser's. */
function useHorizontalScroll(activeId: string, column: number): void {
  useEffect(() => {
    if (column > 0) document.getElementById(activeId)?.scrollIntoView({ block: "nearest", inline: "nearest" });
    else document.getElementById(activeId)?.closest(".grid")?.scrollTo({ left: 0 });
  }, [column]);
}

/** A click anywhere on a row opens it, unless a text was being selected; links go by themselves. */
function handleRowClick(event: MouseEvent, open: (index: number) => void): void {
  const target = event.target as Element;
  const index = Number(target.closest<HTMLElement>("[data-index]")?.dataset.index ?? -1);
  if (index < 0) return;
  if (target.closest("a") !== null) saveOpenedRow(index);
  else if (getSelection()?.isCollapsed !== false) open(index);
}

/** Which row was opened is kept with the step of the history, so that the way back leads to it. */
function saveOpenedRow(row: number): void {
  history.replaceState({ row }, "");
}

function restoreOpenedRow(rows: number): number {
  const { row } = (history.state ?? {}) as { row?: unknown };
  return typeof row === "number" && row < rows ? row : 0;
}
