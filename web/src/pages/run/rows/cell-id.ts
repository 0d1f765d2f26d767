/** The id by which the grid says which cell is active; row -1 is the head. */
export function buildCellId(gridId: string, row: number, column: number): string {
  return `${gridId}-${row + 1}-${column}`;
}
