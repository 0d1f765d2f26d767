/** A cell of the grid; row -1 is the head. */
export interface GridPosition {
  readonly row: number;
  readonly column: number;
}

export interface GridSize {
  readonly rows: number;
  readonly columns: number;
  /** Rows in sight at a time. */
  readonly page: number;
}

/**
 * Where a key leads from a cell; null when the key is none that moves.
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
