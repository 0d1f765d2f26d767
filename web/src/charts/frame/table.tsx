/** The data of a chart as a table; the first column names the row. */
export interface ChartTableData {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
  /** How many columns from the left hold words; all others hold figures. One unless given. */
  readonly words?: number;
}

interface ChartTableProps {
  id: string;
  title: string;
  table: ChartTableData;
}

/** The table beside a chart; it scrolls by itself, and with the keyboard. */
export function ChartTable({ id, title, table: { columns, rows, words = 1 } }: ChartTableProps) {
  const getCellKind = (column: number) => (column < words ? "word" : "figure");
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard
    <section class="chartTable" id={id} aria-label={`${title}: table`} tabIndex={0}>
      <table>
        <caption>{title}</caption>
        <thead>
          <tr>
            {columns.map((column, place) => (
              <th key={column} scope="col" class={getCellKind(place)}>
                {column}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, index) => (
            <tr key={index}>
              {row.map((cell, place) =>
                place === 0 ? (
                  <th key={place} scope="row" class="word" dir="auto">
                    {cell}
                  </th>
                ) : (
                  <td key={place} class={getCellKind(place)}>
                    {cell}
                  </td>
                ),
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
