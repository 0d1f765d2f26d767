// biome-ignore-all lint/a11y/useSemanticElements: a table of a hundred thousand rows cannot be drawn as one, and the grid has the focus for its cells.
// biome-ignore-all lint/a11y/useFocusableInteractive: a table of a hundred thousand rows cannot be drawn as one, and the grid has the focus for its cells.
import { useVirtualizer } from "@tanstack/react-virtual";
import type { ComponentChildren } from "preact";
import { memo } from "preact/compat";
import { useEffect, useId, useMemo, useRef, useState } from "preact/hooks";
import type { TrialExcerpts } from "../../../../src/report/dashboard/contract.js";
import { getAriaSort, getSortMark, OutcomeBadge, type SortOrder, toggleOrder } from "../../ui/index.js";
import type { RowTable } from "../rows/row-table.js";
import { useTrialTexts } from "../rows/use-trial-texts.js";
import type { GridColumn } from "./grid-columns.js";

interface RowsGridProps extends GridOptions {
  run: string;
  table: RowTable;
  /** The element that explains the keys. */
  keysId: string;
}

/** Draws only the visible rows. The arrow keys move in it, and Enter opens a row. */
export function RowsGrid({ run, table, keysId, ...use }: RowsGridProps) {
  const { places, columns, order, onOrder, getHref } = use;
  const { id, scroller, virtualizer, at, onKeyDown, onClick } = useGrid(use);
  const items = virtualizer.getVirtualItems();
  // A row that scrolls into view reuses the elements of one that left, which is far cheaper than creating new ones. The
  // elements keep their order and, as their number is even, their stripes: moving or restyling them would cost as much.
  const slots = useRef(2);
  slots.current = Math.max(slots.current, items.length + (items.length % 2));
  const getSlot = (index: number) => index % slots.current;
  const bySlot = items.toSorted((a, b) => getSlot(a.index) - getSlot(b.index));
  const widths = useMemo(() => columns.map(({ width }) => width).join(" "), [columns]);
  const texts = useTrialTexts(
    run,
    table,
    items.map(({ index }) => places[index] ?? 0),
  );
  return (
    <div
      ref={scroller}
      class="grid"
      role="grid"
      tabIndex={0}
      aria-label="Rows"
      aria-describedby={keysId}
      aria-rowcount={places.length + 1}
      aria-busy={items.some(({ index }) => !texts.has(places[index] ?? 0))}
      aria-activedescendant={buildCellId(id, at.row, at.column)}
      style={{ "--grid-columns": widths }}
      onKeyDown={onKeyDown}
      onClick={onClick}
    >
      <GridHead {...{ columns, order, onOrder, gridId: id, activeColumn: at.row < 0 ? at.column : -1 }} />
      <div role="presentation" class="grid-body" style={{ height: `${virtualizer.getTotalSize()}px` }}>
        {bySlot.map(({ index, start }) => (
          <GridRow
            key={getSlot(index)}
            table={table}
            place={places[index] ?? 0}
            texts={texts.get(places[index] ?? 0)}
            index={index}
            top={start}
            columns={columns}
            activeColumn={index === at.row ? at.column : -1}
            gridId={id}
            href={getHref(places[index] ?? 0)}
          />
        ))}
      </div>
    </div>
  );
}

interface GridHeadProps {
  columns: readonly GridColumn[];
  order: SortOrder;
  onOrder: (order: SortOrder) => void;
  gridId: string;
  /** -1 when the active cell is in a row. */
  activeColumn: number;
}

/** A column is sorted by a click, or by Enter when its head is active. */
function GridHead({ columns, order, onOrder, gridId, activeColumn }: GridHeadProps) {
  return (
    <div role="row" class="grid-head" aria-rowindex={1}>
      {columns.map((column, at) => (
        <div
          key={column.key}
          role="columnheader"
          id={buildCellId(gridId, -1, at)}
          aria-sort={getAriaSort(column.key, order)}
          class={buildGridCellClass(column, at === activeColumn)}
        >
          {column.isUnsorted ? (
            <span class="grid-title">{column.title}</span>
          ) : (
            <button
              type="button"
              tabIndex={-1}
              title={column.title}
              onClick={() => onOrder(toggleColumnOrder(order, column))}
            >
              <span class="grid-title">{column.title}</span>
              <span aria-hidden="true">{getSortMark(column.key, order)}</span>
            </button>
          )}
        </div>
      ))}
    </div>
  );
}

function toggleColumnOrder(order: SortOrder, { key, isNumeric }: GridColumn): SortOrder {
  return toggleOrder(order, { key, startsDescending: isNumeric });
}

interface GridRowProps {
  table: RowTable;
  place: number;
  /** Undefined until they are loaded. */
  texts: TrialExcerpts | undefined;
  /** Among the rows that are shown. */
  index: number;
  top: number;
  columns: readonly GridColumn[];
  /** -1 when the active cell is in another row. */
  activeColumn: number;
  gridId: string;
  href: string;
}

/**
 * Cells have only the attributes they need, and a row that stays in view is not drawn again: scrolling must be fast.
 */
const GridRow = memo(function GridRow(props: GridRowProps) {
  const { table, place, texts, index, top, columns, activeColumn, gridId, href } = props;
  return (
    <div
      role="row"
      class={`grid-row${index % 2 === 0 ? "" : " grid-odd"}${activeColumn >= 0 ? " grid-active-row" : ""}`}
      aria-rowindex={index + 2}
      data-index={index}
      style={{ transform: `translateY(${top}px)` }}
    >
      {columns.map((column, at) => {
        const text = column.text(table, place, texts);
        return (
          <div
            key={column.key}
            role="gridcell"
            id={at === activeColumn ? buildCellId(gridId, index, at) : undefined}
            class={buildGridCellClass(column, at === activeColumn)}
            title={column.isName ? text : undefined}
          >
            {renderCellContent({ column, text, href, outcome: table.getOutcome(place) })}
          </div>
        );
      })}
    </div>
  );
});

interface CellContentOptions {
  column: GridColumn;
  text: string;
  href: string;
  outcome: ReturnType<RowTable["getOutcome"]>;
}

/** Not a component: five hundred of them took most of the time of a frame. */
function renderCellContent({ column, text, href, outcome }: CellContentOptions): ComponentChildren {
  if (column.key === "outcome") return <OutcomeBadge outcome={outcome} />;
  if (column.key !== "example") return text;
  return (
    <a href={href} tabIndex={-1}>
      {text === "" ? "(empty)" : text}
    </a>
  );
}

function buildGridCellClass({ isNumeric }: GridColumn, isActive: boolean): string {
  return `grid-cell${isNumeric ? " grid-number" : ""}${isActive ? " grid-active" : ""}`;
}

interface GridOptions {
  readonly places: Uint32Array;
  readonly columns: readonly GridColumn[];
  readonly order: SortOrder;
  readonly onOrder: (order: SortOrder) => void;
  readonly getHref: (place: number) => string;
}

const GRID_ROW_HEIGHT = 32;
const GRID_HEAD_HEIGHT = 36;
const GRID_OVERSCAN_ROWS = 3;

/** The scrolling, the active cell, and the handlers of keys and clicks. */
function useGrid({ places, columns, order, onOrder, getHref }: GridOptions) {
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
    else if (column !== undefined && !column.isUnsorted) onOrder(toggleColumnOrder(order, column));
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

/** The virtualizer scrolls vertically, since it knows rows that are not drawn; the browser scrolls horizontally. */
function useHorizontalScroll(activeId: string, column: number): void {
  useEffect(() => {
    if (column > 0) document.getElementById(activeId)?.scrollIntoView({ block: "nearest", inline: "nearest" });
    else document.getElementById(activeId)?.closest(".grid")?.scrollTo({ left: 0 });
  }, [column]);
}

/** A click on a row opens it, unless text is selected; links work by themselves. */
function handleRowClick(event: MouseEvent, open: (index: number) => void): void {
  const target = event.target as Element;
  const index = Number(target.closest<HTMLElement>("[data-index]")?.dataset.index ?? -1);
  if (index < 0) return;
  if (target.closest("a") !== null) saveOpenedRow(index);
  else if (getSelection()?.isCollapsed !== false) open(index);
}

/** Stored in the history, so that the back button returns to the row. */
function saveOpenedRow(row: number): void {
  history.replaceState({ row }, "");
}

function restoreOpenedRow(rows: number): number {
  const { row } = (history.state ?? {}) as { row?: unknown };
  return typeof row === "number" && row < rows ? row : 0;
}

/** For `aria-activedescendant`; row -1 is the head. */
function buildCellId(gridId: string, row: number, column: number): string {
  return `${gridId}-${row + 1}-${column}`;
}

/** Row -1 is the head. */
interface GridPosition {
  readonly row: number;
  readonly column: number;
}

interface GridSize {
  readonly rows: number;
  readonly columns: number;
  /** Visible rows. */
  readonly page: number;
}

/**
 * The cell to which a key leads; null for other keys.
 * @example
 * moveInGrid("PageDown", { row: 0, column: 1 }, { rows: 100, columns: 5, page: 20 }); // { row: 20, column: 1 }
 */
export function moveInGrid(key: string, { row, column }: GridPosition, size: GridSize): GridPosition | null {
  const target = computeTarget(key, { row, column }, size);
  if (target === null) return null;
  return {
    row: Math.max(-1, Math.min(target.row, size.rows - 1)),
    column: Math.max(0, Math.min(target.column, size.columns - 1)),
  };
}

function computeTarget(key: string, { row, column }: GridPosition, { rows, page }: GridSize): GridPosition | null {
  switch (key) {
    case "ArrowDown":
      return { row: row + 1, column };
    case "ArrowUp":
      return { row: row - 1, column };
    case "ArrowRight":
      return { row, column: column + 1 };
    case "ArrowLeft":
      return { row, column: column - 1 };
    case "PageDown":
      return { row: Math.max(row, 0) + page, column };
    case "PageUp":
      return { row: Math.max(row - page, Math.min(row, 0)), column };
    case "Home":
      return { row: 0, column };
    case "End":
      return { row: rows - 1, column };
    default:
      return null;
  }
}
