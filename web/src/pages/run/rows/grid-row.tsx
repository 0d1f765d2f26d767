// biome-ignore-all lint/a11y/useSemanticElements: a table of a hundred thousand rows cannot be drawn as one, and the grid has the focus for its cells.
// biome-ignore-all lint/a11y/useFocusableInteractive: a table of a hundred thousand rows cannot be drawn as one, and the grid has the focus for its cells.
import type { ComponentChildren } from "preact";
import { memo } from "preact/compat";
import { OutcomeBadge } from "../../trial/outcome-badge.js";
import { buildCellId } from "./cell-id.js";
import type { GridColumn } from "./grid-columns.js";
import type { RowTable } from "./row-table.js";

interface GridRowProps {
  table: RowTable;
  place: number;
  /** Among the rows that are shown. */
  index: number;
  top: number;
  columns: readonly GridColumn[];
  /** The cell that the keyboard is at; -1 when it is in another row. */
  activeColumn: number;
  gridId: string;
  href: string;
}

/** One row. Its cells have no attribute that they can do without, and a row that stays in sight is not drawn again. */
export const GridRow = memo(function GridRow(props: GridRowProps) {
  const { table, place, index, top, columns, activeColumn, gridId, href } = props;
  return (
    <div
      role="row"
      class={`grid-row${index % 2 === 0 ? "" : " grid-odd"}${activeColumn >= 0 ? " grid-active-row" : ""}`}
      aria-rowindex={index + 2}
      data-index={index}
      style={{ transform: `translateY(${top}px)` }}
    >
      {columns.map((column, at) => {
        const text = column.text(table, place);
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

/** Not a component: five hundred of them for each frame of scrolling took longer than all else. */
function renderCellContent({ column, text, href, outcome }: CellContentOptions): ComponentChildren {
  if (column.key === "outcome") return <OutcomeBadge outcome={outcome} />;
  if (column.key !== "example") return text;
  return (
    <a href={href} tabIndex={-1}>
      {text === "" ? "(empty)" : text}
    </a>
  );
}

/** Classes of a cell of a column. */
export function buildGridCellClass({ isNumeric }: GridColumn, isActive: boolean): string {
  return `grid-cell${isNumeric ? " grid-number" : ""}${isActive ? " grid-active" : ""}`;
}
